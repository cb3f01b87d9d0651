#include "msl.hpp"

#include <gtest/gtest.h>

#include <future>
#include <span>

namespace msl {
namespace {

std::string take(HmBytes bytes) {
  std::string text(reinterpret_cast<const char *>(bytes.data), bytes.size);
  hostmetal_compiler()->free_bytes(bytes);
  return text;
}
HmView view(const std::string &text) {
  return {text.data(), text.size()};
}
std::span<const uint8_t> bytes(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

} // namespace

Library compile_library(const std::string &source, HmMathMode math_mode) {
  HmLibraryRequest request{view(source), "program_source", nullptr, 0, nullptr, 0, 0, math_mode, 0};
  HmBytes module, library, diagnostics;
  Library result{};
  result.status = hostmetal_compiler()->compile_library(&request, &module, &library, &diagnostics);
  result.module = take(module);
  result.diagnostics = take(diagnostics);
  std::string functions = take(library);
  if (result.status == HM_OK)
    result.functions = hostmetal::image::parse_library(bytes(functions)).value();
  return result;
}

Kernel::Kernel(const std::string &module, const std::string &name,
               const std::vector<Constant> &constants, const char *target) {
  std::vector<HmConstant> values;
  for (const Constant &constant : constants)
    values.push_back({constant.index, constant.type, view(constant.bytes)});
  HmKernelRequest request{view(module), name.c_str(), values.data(), values.size(), nullptr, 0,
                          target};
  HmBytes object_bytes, reflection_bytes, diagnostics_bytes;
  const HmCompiler *compiler = hostmetal_compiler();
  status = compiler->compile_kernel(&request, &object_bytes, &reflection_bytes, &diagnostics_bytes);
  object = take(object_bytes);
  std::string serialised = take(reflection_bytes);
  diagnostics = take(diagnostics_bytes);
  if (status != HM_OK)
    return;
  reflection = hostmetal::image::parse_kernel(bytes(serialised)).value();
  status = compiler->load(view(object), view(serialised), &loaded_, &code_, &diagnostics_bytes);
  diagnostics = take(diagnostics_bytes);
}

Kernel::~Kernel() {
  hostmetal_compiler()->unload(loaded_);
}

void Kernel::run(const std::vector<void *> &arguments, hostmetal::Size3 threads,
                 hostmetal::Size3 group, const std::vector<uint32_t> &threadgroup_lengths) {
  ASSERT_EQ(status, HM_OK) << diagnostics;
  ASSERT_EQ(arguments.size(), reflection.arguments.size());
  std::shared_ptr<hostmetal::Executor> executor = hostmetal::cpu_executor();
  hostmetal::Dispatch dispatch{executor->load(reflection, code_, nullptr),
                               arguments,
                               std::vector<uint64_t>(arguments.size(), UINT32_MAX),
                               threadgroup_lengths,
                               threads,
                               group};
  dispatch.threadgroup_lengths.resize(arguments.size());
  std::promise<std::string> outcome;
  executor->make_stream()->submit(
      {std::move(dispatch)}, [] {},
      [&](const hostmetal::Outcome &result) { outcome.set_value(result.error); });
  EXPECT_EQ(outcome.get_future().get(), "");
}

} // namespace msl
