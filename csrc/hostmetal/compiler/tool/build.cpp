#include "hostmetal/compiler/tool/build.hpp"

#include "hostmetal/compiler/compiler.h"
#include "hostmetal/image/image.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <thread>
#include <vector>

extern "C" const HmCompiler *hostmetal_compiler(void);

namespace hostmetal::tool {
namespace {

namespace fs = std::filesystem;

/// Runs task(0), …, task(count - 1), several at a time.
void in_parallel(size_t count, const std::function<void(size_t)> &task) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  size_t wanted =
      std::clamp<size_t>(std::thread::hardware_concurrency(), 1, std::max<size_t>(count, 1));
  for (size_t i = 0; i < wanted; ++i)
    threads.emplace_back([&] {
      for (size_t n = next++; n < count; n = next++)
        task(n);
    });
}

/// Takes bytes over from the compiler.
std::string take(HmBytes bytes) {
  std::string text(reinterpret_cast<const char *>(bytes.data), bytes.size);
  hostmetal_compiler()->free_bytes(bytes);
  return text;
}

HmView view(const std::string &text) {
  return {text.data(), text.size()};
}

struct Source {
  std::string path, module, diagnostics;
  image::Library library;
  bool ok = false;
};

void compile_source(const Options &options, Source &source) {
  std::ifstream file(source.path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    source.diagnostics = source.path + ": error: The file cannot be read.\n";
    return;
  }
  std::vector<HmMacro> macros;
  for (const auto &[name, value] : options.macros)
    macros.push_back({name.c_str(), value.c_str()});
  std::string own_folder = fs::absolute(source.path).parent_path().string();
  std::vector<const char *> include_paths{own_folder.c_str()};
  for (const std::string &path : options.include_paths)
    include_paths.push_back(path.c_str());
  HmLibraryRequest request{view(text),
                           source.path.c_str(),
                           macros.data(),
                           macros.size(),
                           include_paths.data(),
                           include_paths.size(),
                           0,
                           options.fast_math ? HM_MATH_FAST : HM_MATH_SAFE};
  HmBytes module, library, diagnostics;
  HmStatus status =
      hostmetal_compiler()->compile_library(&request, &module, &library, &diagnostics);
  source.module = take(module);
  source.diagnostics = take(diagnostics);
  std::string bytes = take(library);
  if (status != HM_OK)
    return;
  if (auto parsed =
          image::parse_library({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()})) {
    source.library = std::move(*parsed);
    source.ok = true;
  }
}

/// One kernel for one target.
struct Job {
  const Source *source;
  const std::string *kernel, *target;
  std::string object, reflection, diagnostics;
  bool ok = false;
};

void compile_kernel(Job &job) {
  HmKernelRequest request{view(job.source->module), job.kernel->c_str(), nullptr, 0, nullptr, 0,
                          job.target->c_str()};
  HmBytes object, reflection, diagnostics;
  job.ok =
      hostmetal_compiler()->compile_kernel(&request, &object, &reflection, &diagnostics) == HM_OK;
  job.object = take(object);
  job.reflection = take(reflection);
  job.diagnostics = take(diagnostics);
  if (!job.ok)
    job.diagnostics = job.source->path + ": error: " + job.diagnostics + "\n";
}

/// Every file that a source could include: without asking the compiler, a new header that hides
/// another is seen too.
void write_depfile(const Options &options) {
  std::set<std::string> files(options.sources.begin(), options.sources.end());
  auto add = [&](const fs::path &folder) {
    std::error_code ignored;
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder, ignored))
      if (entry.is_regular_file(ignored))
        files.insert(entry.path().string());
  };
  for (const std::string &source : options.sources)
    add(fs::absolute(source).parent_path());
  for (const std::string &path : options.include_paths)
    add(path);
  std::ofstream out(options.depfile);
  out << options.output << ":";
  for (const std::string &file : files) {
    out << " \\\n  ";
    for (char c : file)
      out << (c == ' ' ? "\\ " : std::string(1, c));
  }
  out << "\n";
}

} // namespace

std::string build(const Options &options, bool &ok) {
  ok = false;
  std::string diagnostics;
  std::vector<Source> sources;
  for (const std::string &path : options.sources)
    sources.push_back({path, {}, {}, {}});
  in_parallel(sources.size(), [&](size_t i) { compile_source(options, sources[i]); });

  image::Library library;
  std::vector<Job> jobs;
  for (const Source &source : sources) {
    diagnostics += source.diagnostics;
    if (!source.ok)
      return diagnostics;
    for (const image::Function &function : source.library.functions) {
      library.functions.push_back(function);
      for (const std::string &target : options.targets)
        if (function.kind == image::Function::Kind::kernel)
          jobs.push_back({&source, &function.name, &target, {}, {}, {}});
    }
  }
  in_parallel(jobs.size(), [&](size_t i) { compile_kernel(jobs[i]); });

  std::vector<image::Slice> slices;
  for (const std::string &target : options.targets) {
    std::vector<HmObject> objects;
    for (const Job &job : jobs) {
      if (*job.target != target)
        continue;
      if (!job.ok)
        return diagnostics + job.diagnostics;
      objects.push_back({view(job.object), view(job.reflection)});
    }
    HmBytes code, problem;
    HmStatus status =
        hostmetal_compiler()->link_image(objects.data(), objects.size(), &code, &problem);
    std::string bytes = take(code), message = take(problem);
    if (status != HM_OK)
      return diagnostics + "error: " + message + "\n";
    slices.push_back({target, std::move(bytes)});
  }
  std::ofstream out(options.output, std::ios::binary);
  std::string container = image::write_container(library, slices);
  out.write(container.data(), static_cast<std::streamsize>(container.size()));
  out.close();
  if (!out)
    return diagnostics + "error: The file \"" + options.output + "\" cannot be written.\n";
  if (!options.depfile.empty())
    write_depfile(options);
  ok = true;
  return diagnostics;
}

} // namespace hostmetal::tool
