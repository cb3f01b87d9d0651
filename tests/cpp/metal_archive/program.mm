// One process that compiles, archives or finds kernels. Prints what it did, one fact a line.
//   make FILE      archives kernels          use FILE   takes them from the archive
//   library        makes the library only    compile    compiles a kernel
#include "kernels.hpp"

#include <cstdio>
#include <cstring>

using namespace metal_archive;

namespace {

void say(const std::string &fact) { std::printf("%s\n", fact.c_str()); }

LibraryPointer library() {
  NSError *error = nil;
  const char *addition = std::getenv("PROGRAM_SOURCE");
  const std::string source = kernel_source + std::string(addition ? addition : "");
  auto library = LibraryPointer::adopt([device()
      newLibraryWithSource:[NSString stringWithUTF8String:source.c_str()]
                   options:nil
                     error:&error]);
  say(error ? "diagnostics " + message(error) : "no diagnostics");
  if (!library)
    return library;
  for (const std::string &name : texts([library.get() functionNames]))
    say("function " + name);
  return library;
}

int work(const std::string &command, const char *path) {
  const LibraryPointer code = library();
  if (!code)
    return 2;
  const FunctionPointer sum = function(code, "sum");
  const FunctionPointer scale = specialised(code, 3);
  if (command == "make") {
    const ArchivePointer archive = empty_archive();
    add(archive, sum);
    add(archive, scale);
    write(archive, path);
  }
  if (command == "use") {
    const ArchivePointer archive = open_archive(path);
    const PipelinePointer first = find(sum, archive), second = find(scale, archive);
    say(first && second ? "hit" : "miss");
    if (first && second)
      say(sums(first) && scales(second, 3) ? "right" : "wrong");
  }
  if (command == "compile")
    say(sums(metal_archive::compile(sum)) ? "right" : "wrong");
  return 0;
}

} // namespace

int main(int count, char **arguments) {
  int code = 1;
  @autoreleasepool {
    if (count > 1)
      code = work(arguments[1], count > 2 ? arguments[2] : nullptr);
  }
  const bool is_loaded =
      contents("/proc/self/maps").find("libhostmetal-compiler") != std::string::npos;
  say(is_loaded ? "compiler" : "no compiler");
  return code;
}
