// hostmetal-frontend-dump file.metal [-D name=value] [-I folder] [-version 3.1] [-safe] [-quiet]
// [-repeat n]: prints AIR-form IR, or the diagnostics.
#include "hostmetal/compiler/frontend/frontend.hpp"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdio>

using namespace hostmetal::frontend;

int main(int argc, char **argv) {
  SourceRequest request;
  std::string path;
  bool is_quiet = false;
  int repeats = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "-D" && i + 1 < argc) {
      const std::string macro = argv[++i];
      const size_t equal = macro.find('=');
      request.macros.emplace_back(macro.substr(0, equal),
                                  equal == std::string::npos ? "1" : macro.substr(equal + 1));
    } else if (word == "-I" && i + 1 < argc) {
      request.include_paths.push_back(argv[++i]);
    } else if (word == "-safe") {
      request.math_mode = MathMode::safe;
    } else if (word == "-version" && i + 1 < argc) {
      const std::string version = argv[++i]; // "3.1"
      request.language_version = std::stoul(version) << 16 | std::stoul(version.substr(2));
    } else if (word == "-quiet") {
      is_quiet = true;
    } else if (word == "-repeat" && i + 1 < argc) {
      repeats = std::stoi(argv[++i]);
    } else {
      path = word;
    }
  }
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    llvm::errs() << path << ": " << file.getError().message() << "\n";
    return 2;
  }
  request.source = std::string_view((*file)->getBufferStart(), (*file)->getBufferSize());
  SourceResult result;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    result = compile_source(request);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    llvm::errs() << "; " << time.count() << " ms\n";
  }
  llvm::errs() << result.diagnostics;
  if (!result.ok)
    return 1;
  llvm::errs() << "; " << result.functions.size() << " functions, " << result.bitcode.size()
               << " bytes\n";
  for (const FunctionConstant &constant : result.constants)
    llvm::errs() << "; constant " << constant.index << " " << constant.type << " " << constant.name
                 << (constant.is_required ? " required\n" : " optional\n");
  if (is_quiet)
    return 0;
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(result.bitcode, "air"), context);
  if (!module) {
    llvm::errs() << llvm::toString(module.takeError()) << "\n";
    return 1;
  }
  (*module)->print(llvm::outs(), nullptr);
  return 0;
}
