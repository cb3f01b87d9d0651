// A compiler library without a compiler: each line of the source says what the answer is, and what
// it was asked comes back as names.
//   error TEXT     a compile error          warning TEXT   a diagnostic beside the library
//   crash          an internal error        garbage        a description that cannot be read
//   sleep N        takes N milliseconds, in the middle of which nothing may cut it
//   kernel NAME    a kernel                 visible NAME   a function that is none
//   constant NAME INDEX TYPE required|optional             of the function before it
// The first function of a library is called "request language=… math=… NAME=VALUE…". A kernel has
// one buffer argument for each constant that it was given, "INDEX TYPE bytes in hexadecimal",
// unless its name asks for another.
#include "hostmetal/compiler/compiler.h"
#include "hostmetal/image/reflection.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>

namespace {

using namespace hostmetal::image;

void set(HmBytes *bytes, const std::string &text) {
  *bytes = {text.empty() ? nullptr : new uint8_t[text.size()], text.size()};
  if (!text.empty())
    std::memcpy(bytes->data, text.data(), text.size());
}

std::string text(HmView view) {
  return {static_cast<const char *>(view.data), view.size};
}

/// Stands for the state that a real compiler keeps: it may not be copied into a forked child while
/// a call uses it. Like the real one's it is never destroyed.
struct CompilerState {
  std::atomic<int> users = 0;
} state;

std::atomic<int> compiled_libraries, compiled_kernels;

void sleep(int milliseconds) {
  // In a child that a fork made meanwhile, nobody is left to count down.
  ++state.users;
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  --state.users;
}

std::string description(const HmLibraryRequest &request) {
  std::string name = std::string("request file=") + request.name +
                     " language=" + std::to_string(request.language_version) +
                     " math=" + std::to_string(request.math_mode);
  for (size_t i = 0; i < request.macro_count; ++i)
    name += std::string(" ") + request.macros[i].name + "=" + request.macros[i].value;
  return name;
}

HmStatus compile_library(const HmLibraryRequest *request, HmBytes *module, HmBytes *library,
                         HmBytes *diagnostics) {
  *module = *library = *diagnostics = {};
  ++compiled_libraries;
  Library result;
  result.functions.push_back({description(*request), Function::Kind::visible, {}});
  std::string warnings;
  std::istringstream lines(text(request->source));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, name, required;
    words >> word;
    if (word == "error" || word == "crash") {
      set(diagnostics, line);
      return word == "error" ? HM_COMPILE_ERROR : HM_INTERNAL_ERROR;
    }
    if (word == "garbage") {
      set(library, "garbage");
      return HM_OK;
    }
    if (word == "sleep") {
      words >> name;
      sleep(std::atoi(name.c_str()));
    }
    if (word == "warning")
      warnings += line;
    if (word == "kernel" || word == "visible") {
      words >> name;
      result.functions.push_back(
          {name, word == "kernel" ? Function::Kind::kernel : Function::Kind::visible, {}});
    }
    if (word == "constant") {
      FunctionConstant constant;
      words >> constant.name >> constant.index >> constant.data_type >> required;
      constant.is_required = required == "required";
      result.functions.back().constants.push_back(constant);
    }
  }
  set(module, text(request->source));
  set(library, serialise(result));
  set(diagnostics, warnings);
  return HM_OK;
}

std::string hexadecimal(HmView view) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string result;
  for (const char byte : text(view)) {
    result += digits[static_cast<uint8_t>(byte) >> 4];
    result += digits[static_cast<uint8_t>(byte) & 15];
  }
  return result;
}

/// A struct Params { int count; float weights[3]; struct { ulong seed; } rng; }.
Argument params_argument() {
  Argument argument;
  argument.name = "params";
  argument.index = 2;
  argument.type_name = "Params";
  argument.data_type = 1;
  argument.type_size = 24;
  argument.type_alignment = 8;
  argument.is_constant = argument.is_reference = true;
  argument.members = {{"count", 29, 0, 4, 0, {}},
                      {"weights", 3, 4, 4, 3, {}},
                      {"rng", 1, 16, 8, 0, {{"seed", 85, 0, 8, 0, {}}}}};
  return argument;
}

Kernel kernel_of(const HmKernelRequest &request) {
  Kernel kernel;
  kernel.name = request.function;
  for (size_t i = 0; i < request.constant_count; ++i) {
    const HmConstant &constant = request.constants[i];
    Argument &argument = kernel.arguments.emplace_back();
    argument.name = std::to_string(constant.index) + " " + std::to_string(constant.data_type) +
                    " " + hexadecimal(constant.value);
    argument.index = static_cast<uint32_t>(i);
  }
  if (kernel.name == "typed") {
    Argument out;
    out.name = "out";
    out.access = Access::write_only;
    out.index = 0;
    out.type_name = "float4";
    out.data_type = 6;
    out.type_size = out.type_alignment = 16;
    Argument scratch;
    scratch.name = "scratch";
    scratch.kind = ArgumentKind::threadgroup_memory;
    scratch.access = Access::read_write;
    scratch.index = 1;
    scratch.data_type = 3;
    scratch.type_size = scratch.type_alignment = 4;
    scratch.is_active = false;
    kernel.arguments = {out, scratch, params_argument()};
    kernel.static_threadgroup_memory = 256;
  }
  if (kernel.name == "greedy")
    kernel.static_threadgroup_memory = 32769;
  if (kernel.name == "small")
    kernel.max_total_threads_per_threadgroup = 128;
  return kernel;
}

HmStatus compile_kernel(const HmKernelRequest *request, HmBytes *object, HmBytes *reflection,
                        HmBytes *diagnostics) {
  *object = *reflection = *diagnostics = {};
  ++compiled_kernels;
  if (std::strcmp(request->function, "broken") == 0) {
    set(diagnostics, "error in the kernel");
    return HM_COMPILE_ERROR;
  }
  set(object, "object");
  set(reflection, serialise(kernel_of(*request)));
  return HM_OK;
}

HmStatus reflect_kernel(HmView, const char *function, HmBytes *reflection, HmBytes *diagnostics) {
  *reflection = *diagnostics = {};
  HmKernelRequest request{};
  request.function = function;
  set(reflection, serialise(kernel_of(request)));
  return HM_OK;
}

std::atomic<int> loaded_count;

HmStatus load(HmView, HmView, HmLoaded **loaded, HmKernelCode *code, HmBytes *diagnostics) {
  *diagnostics = {};
  *loaded = reinterpret_cast<HmLoaded *>(&loaded_count);
  *code = {[](const HmGroup *, uint32_t, uint32_t) {}, nullptr};
  ++loaded_count;
  return HM_OK;
}

void unload(HmLoaded *) {
  --loaded_count;
}

/// Something with the objects' bytes in it, which no loader takes.
HmStatus link_image(const HmObject *objects, size_t count, HmBytes *image, HmBytes *diagnostics) {
  *image = *diagnostics = {};
  std::string result = "linked";
  for (size_t i = 0; i < count; ++i)
    result += " " + text(objects[i].object) + " " + text(objects[i].reflection);
  set(image, result);
  return HM_OK;
}

void free_bytes(HmBytes bytes) {
  delete[] bytes.data;
}

HmStatus warm_up(HmBytes *diagnostics) {
  *diagnostics = {};
  ++compiled_kernels;
  return HM_OK;
}

constexpr HmCompiler compiler = {FAKE_ABI_VERSION, HM_ABI_VERSION, FAKE_VERSION, compile_library,
                                 compile_kernel,   reflect_kernel, load,         unload,
                                 link_image,       free_bytes,     warm_up};

} // namespace

extern "C" __attribute__((visibility("default"))) const HmCompiler *hostmetal_compiler() {
  return &compiler;
}

/// Calls that run; in a forked child none may.
extern "C" __attribute__((visibility("default"))) int fake_compiler_users() {
  return state.users;
}

/// Kernels that were loaded and not unloaded.
extern "C" __attribute__((visibility("default"))) int fake_compiler_loaded_count() {
  return loaded_count;
}

/// Calls of compile_library and compile_kernel.
extern "C" __attribute__((visibility("default"))) int fake_compiler_compiled_libraries() {
  return compiled_libraries;
}
extern "C" __attribute__((visibility("default"))) int fake_compiler_compiled_kernels() {
  return compiled_kernels;
}
