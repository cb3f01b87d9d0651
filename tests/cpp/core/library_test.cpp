#include "metalcore/metalcore.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <stdexcept>
#include <thread>

namespace metalcore {
namespace {

constexpr const char *source = R"(#include <metal_stdlib>
using namespace metal;

constant uint scale [[function_constant(0)]];
constant bool is_negative [[function_constant(1)]];
constant float step_value = is_function_constant_defined(is_negative) && is_negative ? -1.0f : 1.0f;

struct Params { float4 a; int n; };

kernel void scaled(device uint *values [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  values[i] = i * scale;
}
kernel void stepped(device float *values [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  values[i] = float(i) * step_value;
}
kernel void mixed(device float4 *out [[buffer(3)]], constant Params &params [[buffer(1)]],
                  const device half *in [[buffer(2)]], threadgroup float *scratch [[threadgroup(0)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  scratch[t] = float(in[i]);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = params.a * scratch[t] + float(params.n);
}
)";

/// What a call throws, as `type: message`.
template <typename Call> std::string thrown(Call &&call) {
  try {
    call();
  } catch (const Error &error) {
    return "error " + std::to_string(static_cast<int>(error.kind())) + ": " + error.what();
  } catch (const std::invalid_argument &error) {
    return std::string("invalid argument: ") + error.what();
  } catch (const std::out_of_range &error) {
    return std::string("out of range: ") + error.what();
  }
  return "nothing";
}

TEST(Library, NamesItsKernels) {
  const Library library = Device::default_device().compile(source);
  EXPECT_EQ(library.kernel_names(), (std::vector<std::string>{"scaled", "stepped", "mixed"}));
  EXPECT_TRUE(library.contains("mixed"));
  EXPECT_FALSE(library.contains("Mixed"));
  EXPECT_EQ(library.device(), Device::default_device());
  EXPECT_EQ(library.warnings(), "");
}

TEST(Library, TheSameRequestIsCompiledOnce) {
  const Device device = Device::default_device();
  std::barrier start(32);
  std::vector<std::shared_ptr<Library::Impl>> found(32);
  std::vector<std::thread> threads;
  for (auto &slot : found)
    threads.emplace_back([&] {
      start.arrive_and_wait();
      slot = device.compile(source, {{{"ONCE", "1"}}, {}}).impl();
    });
  for (auto &thread : threads)
    thread.join();
  for (const auto &library : found)
    EXPECT_EQ(library, found[0]);
  EXPECT_NE(device.compile(source).impl(), found[0]);
  EXPECT_NE(device.compile(source, {{{"ONCE", "1"}}, MathMode::fast}).impl(), found[0]);
}

TEST(Library, ReflectsArgumentsInTheOrderOfTheParameters) {
  const Pipeline pipeline = Device::default_device().compile(source).pipeline("mixed");
  EXPECT_EQ(pipeline.name(), "mixed");
  const auto &arguments = pipeline.arguments();
  ASSERT_EQ(arguments.size(), 4u);
  EXPECT_EQ(arguments[0].name, "out");
  EXPECT_EQ(arguments[0].index, 3u);
  EXPECT_NE(arguments[0].access, Access::read_only);
  EXPECT_EQ(arguments[0].type_name, "float4");
  EXPECT_EQ(arguments[0].dtype, DType::float32);
  EXPECT_EQ(arguments[0].vector_width, 4u);
  EXPECT_EQ(arguments[0].type_size, 16u);
  EXPECT_FALSE(arguments[0].is_reference);
  EXPECT_EQ(arguments[1].name, "params");
  EXPECT_EQ(arguments[1].access, Access::read_only);
  EXPECT_EQ(arguments[1].dtype, std::nullopt);
  EXPECT_EQ(arguments[1].type_name, "struct");
  EXPECT_EQ(arguments[1].type_size, 32u);
  EXPECT_EQ(arguments[1].type_alignment, 16u);
  EXPECT_TRUE(arguments[1].is_reference);
  EXPECT_EQ(arguments[2].name, "in");
  EXPECT_EQ(arguments[2].dtype, DType::float16);
  EXPECT_EQ(arguments[2].access, Access::read_only);
  EXPECT_EQ(arguments[3].kind, ArgumentKind::threadgroup_memory);
  EXPECT_GE(pipeline.max_total_threads_per_threadgroup(), 32u);
  EXPECT_GE(pipeline.thread_execution_width(), 1u);
}

TEST(Library, ListsTheFunctionConstantsOfAKernel) {
  const Library library = Device::default_device().compile(R"(
    constant uint2 pair [[function_constant(7)]];
    constant float factor [[function_constant(3)]];
    constant float by = is_function_constant_defined(factor) ? factor : 2.0f;
    constant bool unused [[function_constant(1)]];
    kernel void two(device float *x) { *x *= by + pair.x; }
    kernel void none(device float *x) { *x = 1; })");
  const auto constants = library.function_constants("two");
  ASSERT_EQ(constants.size(), 2u);
  EXPECT_EQ(constants[0].name, "factor");
  EXPECT_EQ(constants[0].index, 3u);
  EXPECT_EQ(constants[0].type_name, "float");
  EXPECT_EQ(constants[0].dtype, DType::float32);
  EXPECT_FALSE(constants[0].is_required);
  EXPECT_EQ(constants[1].name, "pair");
  EXPECT_EQ(constants[1].type_name, "uint2");
  EXPECT_EQ(constants[1].dtype, std::nullopt);
  EXPECT_TRUE(constants[1].is_required);
  EXPECT_TRUE(library.function_constants("none").empty());
  EXPECT_THROW(library.function_constants("other"), std::out_of_range);
}

TEST(Library, SpecialisesKernels) {
  const Device device = Device::default_device();
  const Library library = device.compile(source);
  const Queue queue = device.make_queue();
  const Buffer buffer = device.make_buffer(40);
  const std::vector<LaunchArgument> arguments = {BufferBinding{buffer, 0}};
  for (int64_t scale : {3, 7}) {
    queue.launch(library.pipeline("scaled", {{{"scale", scale}}}), arguments, {{10, 1, 1}, {}});
    queue.synchronize();
    EXPECT_EQ(static_cast<const uint32_t *>(buffer.contents())[9], 9 * scale);
  }
  queue.launch(library.pipeline("stepped", {{{"is_negative", true}}}), arguments, {{10, 1, 1}, {}});
  queue.synchronize();
  EXPECT_EQ(static_cast<const float *>(buffer.contents())[9], -9.0f);
  queue.launch(library.pipeline("stepped"), arguments, {{10, 1, 1}, {}});
  queue.synchronize();
  EXPECT_EQ(static_cast<const float *>(buffer.contents())[9], 9.0f);
  EXPECT_EQ(library.pipeline("stepped").impl(), library.pipeline("stepped").impl());
}

TEST(Library, ChecksConstants) {
  const Library library = Device::default_device().compile(source);
  EXPECT_EQ(thrown([&] { library.pipeline("scaled"); }),
            "invalid argument: The function constant \"scale\" of kernel \"scaled\" needs a value "
            "(uint).");
  EXPECT_EQ(
      thrown([&] { library.pipeline("scaled", {{{"scale", int64_t{-1}}}}); }),
      "invalid argument: The value -1 of function constant \"scale\" of kernel \"scaled\" does "
      "not fit its type (uint).");
  EXPECT_EQ(thrown([&] { library.pipeline("scaled", {{{"scale", int64_t{1}}, {"other", 1.0}}}); }),
            "invalid argument: Kernel \"scaled\" has no function constant \"other\".");
}

TEST(Library, RefusesUnknownKernels) {
  const Library library = Device::default_device().compile(source);
  EXPECT_EQ(thrown([&] { library.pipeline("sacled"); }),
            "out of range: The library has no kernel \"sacled\"; it has scaled, stepped, mixed.");
  EXPECT_EQ(thrown([&] { library.pipeline("\xff"); }),
            "out of range: The library has no kernel \"\xff\"; it has scaled, stepped, mixed.");
}

TEST(Library, ReportsCompileErrors) {
  const Device device = Device::default_device();
  try {
    device.compile("#include <metal_stdlib>\nkernel void broken(device float *x) {\n  y = 1;\n}\n");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::compile);
    EXPECT_EQ(std::string(error.what()).rfind("The Metal source does not compile: ", 0), 0u)
        << error.what();
    EXPECT_NE(std::string(error.what()).find(":3:3: error:"), std::string::npos) << error.what();
    EXPECT_NE(error.diagnostics().find(":3:3: error:"), std::string::npos) << error.diagnostics();
  }
  EXPECT_EQ(thrown([&] { device.compile("\xff\xfe"); }),
            "invalid argument: The Metal source is not valid UTF-8.");
  EXPECT_EQ(thrown([&] { device.compile("", {{{"A B", "1"}}, {}}); }),
            "invalid argument: Macro name \"A B\" is not an identifier.");
}

TEST(Library, MissingFilesAreErrors) {
  const Device device = Device::default_device();
  const std::string message = thrown([&] { device.load_library("/no/such.metallib"); });
  EXPECT_EQ(message.rfind("error 1: The library \"/no/such.metallib\" cannot be opened: ", 0), 0u)
      << message;
}

TEST(Library, FailedCompilesAreTriedAgain) {
  const Device device = Device::default_device();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(thrown([&] { device.compile("kernel void f( {}"); }).substr(0, 8), "error 1:");
}

} // namespace
} // namespace metalcore
