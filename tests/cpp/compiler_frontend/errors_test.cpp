// Wrong programs: each is refused, with the place and the reason.
#include "compiled.hpp"

namespace hostmetal::frontend::test {
namespace {

struct Wrong {
  const char *name;
  const char *source;   // from line 2 on
  const char *expected; // "line:column: error: message"
};

std::ostream &operator<<(std::ostream &stream, const Wrong &wrong) {
  return stream << wrong.name;
}

class Errors : public ::testing::TestWithParam<Wrong> {};

TEST_P(Errors, AreReportedAtTheirPlace) {
  const SourceResult result = compile(GetParam().source);
  EXPECT_FALSE(result.ok);
  EXPECT_FALSE(result.is_internal_error);
  EXPECT_TRUE(result.bitcode.empty());
  EXPECT_TRUE(contains(result.diagnostics, std::string("program_source:") + GetParam().expected));
}

const Wrong wrong_programs[] = {
    {"syntax", "kernel void k(device float *a) {\n  a[0] = ;\n}\n",
     "3:10: error: expected expression"},
    {"undeclared", "kernel void k(device float *a) {\n  a[0] = bb;\n}\n",
     "3:10: error: use of undeclared identifier 'bb'"},
    {"type_mismatch", "struct S { int x; };\nkernel void k(device float *a) { S s; a[0] = s; }\n",
     "3:46: error: assigning to 'float' from incompatible type 'S'"},
    {"non_void_kernel", "kernel float k(device float *a) { return a[0]; }\n",
     "2:14: error: kernel must have void return type, not 'float'"},
    {"id_used_twice",
     "struct A { device int *x [[id(2)]]; device int *y [[id(2)]]; };\n"
     "kernel void k(constant A &a) {}\n",
     "2:53: error: 'id' 2 is used by more than one member"},
    {"id_within_an_array",
     "struct A { metal::array<device int *, 3> x [[id(2)]]; device int *y [[id(4)]]; };\n"
     "kernel void k(constant A *a) {}\n",
     "2:71: error: 'id' 4 is used by more than one member"},
    {"id_within_a_struct",
     "struct B { device int *p; device int *q; };\nstruct A { B x [[id(2)]]; B y [[id(3)]]; };\n"
     "kernel void k(device A *a) {}\n",
     "3:33: error: 'id' 3 is used by more than one member"},
    {"id_behind_a_pointer",
     "struct B { device int *p [[id(1)]]; device int *q [[id(1)]]; };\n"
     "struct A { device B *x; };\nkernel void k(device A *a) {}\n",
     "2:53: error: 'id' 1 is used by more than one member"},
    {"negative_id", "struct A { device int *x [[id(-1)]]; };\nkernel void k(constant A &a) {}\n",
     "2:28: error: 'id' attribute requires a non-negative integer constant"},
    {"thread_pointer_in_a_buffer",
     "struct A { thread int *x; };\nkernel void k(constant A &a) {}\n",
     "2:24: error: member 'x' of a struct in a buffer must point to the address space 'device' or "
     "'constant'"},
    {"pointer_without_space", "kernel void k(float *a) {}\n",
     "2:22: error: pointer argument of a kernel must be in the address space 'device', 'constant' "
     "or 'threadgroup'"},
    {"reference_without_space", "kernel void k(float &a) {}\n",
     "2:22: error: reference argument of a kernel must be in the address space"},
    {"value_argument", "kernel void k(device float *a, float b) {}\n",
     "2:38: error: argument 'b' of type 'float' needs an attribute that says where its value comes "
     "from"},
    {"duplicate_index",
     "kernel void k(device float *a [[buffer(1)]], device float *b [[buffer(1)]]) {}\n",
     "2:64: error: 'buffer' index 1 is used by more than one argument"},
    {"index_too_large", "kernel void k(device float *a [[buffer(31)]]) {}\n",
     "2:33: error: 'buffer' attribute index 31 is out of range: it must be below 31"},
    {"index_not_constant", "kernel void k(device float *a [[buffer(-1)]]) {}\n",
     "2:33: error: 'buffer' attribute requires a non-negative integer constant"},
    {"unknown_attribute", "kernel void k(device float *a [[bufer(0)]]) {}\n",
     "2:33: error: unknown attribute 'bufer' ignored"},
    {"builtin_type", "kernel void k(device float *a, float4 p [[thread_position_in_grid]]) {}\n",
     "2:39: error: type 'float4' is not valid for attribute 'thread_position_in_grid': it must be "
     "uint, uint2, uint3, ushort, ushort2 or ushort3"},
    {"builtin_vector",
     "kernel void k(device float *a, uint2 i [[thread_index_in_threadgroup]]) {}\n",
     "2:38: error: type 'uint2' is not valid for attribute 'thread_index_in_threadgroup': it must "
     "be uint or ushort"},
    {"space_lost_device", "kernel void k(device float *a) {\n  float *p = a;\n  p[0] = 1;\n}\n",
     "3:14: error: cannot convert a pointer to address space 'device' to a pointer to address "
     "space "
     "'thread'"},
    {"space_lost_threadgroup",
     "kernel void k(device float *a) {\n  threadgroup float t[4];\n  float *p = t;\n  a[0] = "
     "*p;\n}\n",
     "4:14: error: cannot convert a pointer to address space 'threadgroup' to a pointer to address "
     "space 'thread'"},
    {"space_lost_in_call",
     "void f(thread float *p) { *p = 1; }\nkernel void k(device float *a) { f(a); }\n",
     "3:36: error: cannot convert a pointer to address space 'device'"},
    {"space_mixed", "kernel void k(device float *a, constant float *b) {\n  a = b;\n}\n",
     "3:7: error: assigning to 'device float *' from 'constant float *'"},
    {"recursion",
     "int f(int n) { return n < 2 ? n : f(n - 1); }\nkernel void k(device int *a) { a[0] = f(3); "
     "}\n",
     "2:35: error: recursive call of function 'f' is not supported in Metal"},
    {"mutual_recursion",
     "int g(int n);\nint f(int n) { return n ? g(n - 1) : 0; }\nint g(int n) { return f(n); }\n"
     "kernel void k(device int *a) { a[0] = f(3); }\n",
     "4:23: error: recursive call of function 'f' is not supported in Metal"},
    {"mutable_global", "int counter = 0;\nkernel void k(device int *a) { a[0] = counter; }\n",
     "2:5: error: variable 'counter' with static storage must be in the address space 'constant'"},
    {"mutable_static", "kernel void k(device int *a) {\n  static int n = 0;\n  a[0] = n++;\n}\n",
     "3:14: error: variable 'n' with static storage must be in the address space 'constant'"},
    {"constant_written", "constant int c = 1;\nkernel void k(device int *a) {\n  c = 2;\n}\n",
     "4:5: error: cannot assign to variable 'c' with const-qualified type"},
    {"threadgroup_global",
     "threadgroup float t[4];\nkernel void k(device float *a) { a[0] = t[0]; }\n",
     "2:19: error: threadgroup variable 't' must be declared inside of a function"},
    {"threadgroup_initialised",
     "kernel void k(device float *a) {\n  threadgroup float t = 1;\n  a[0] = t;\n}\n",
     "3:21: error: threadgroup variable 't' cannot be initialised"},
    {"new", "kernel void k(device int *a) {\n  int *p = new int;\n  a[0] = *p;\n}\n",
     "3:12: error: 'new' is not supported in Metal"},
    {"delete", "kernel void k(device int *a) {\n  int x = 0;\n  delete &x;\n}\n",
     "4:3: error: 'delete' is not supported in Metal"},
    {"throw", "kernel void k(device int *a) {\n  throw 1;\n}\n", "3:3: error: "},
    {"try", "kernel void k(device int *a) {\n  try { a[0] = 1; } catch (...) {}\n}\n",
     "3:3: error: "},
    {"goto", "kernel void k(device int *a) {\n  goto end;\nend:\n  a[0] = 1;\n}\n",
     "3:3: error: 'goto' is not supported in Metal"},
    {"asm", "kernel void k(device int *a) {\n  asm(\"nop\");\n}\n",
     "3:3: error: inline assembly is not supported in Metal"},
    {"virtual",
     "struct S { virtual int f() const { return 1; } };\nkernel void k(device int *a) { S s; a[0] "
     "= s.f(); }\n",
     "2:24: error: virtual functions are not supported in Metal"},
    {"double", "kernel void k(device float *a) {\n  double d = 1;\n  a[0] = d;\n}\n",
     "3:3: error: 'double' is not supported in Metal"},
    {"variable_array", "kernel void k(device int *a) {\n  int t[a[0]];\n  a[1] = t[0];\n}\n", "3:"},
    {"variadic", "int f(int n, ...) { return n; }\nkernel void k(device int *a) { a[0] = f(1); }\n",
     "2:5: error: variadic functions are not supported in Metal"},
    {"duplicate_name",
     "kernel void k(device int *a) {}\nnamespace n {\n[[host_name(\"k\")]] kernel void j(device "
     "int *a) {}\n}\n",
     "4:32: error: function name 'k' is used more than once"},
    {"constant_index_twice",
     "constant int x [[function_constant(0)]];\nconstant int y [[function_constant(0)]];\n"
     "kernel void k(device int *a) { a[0] = x + y; }\n",
     "3:14: error: function constant index 0 is used by more than one function constant"},
    {"constant_type",
     "struct S { int x; };\nconstant S s [[function_constant(0)]];\nkernel void k(device int *a) { "
     "a[0] = s.x; }\n",
     "3:12: error: a function constant must be a scalar or a vector, not 'S'"},
    {"vertex", "vertex void v(device int *a) {}\n",
     "2:13: error: 'vertex' functions are not supported: only kernels are"},
    {"missing_include", "#include \"nowhere.h\"\n",
     "2:10: fatal error: 'nowhere.h' file not found"},
    {"error_directive", "#error stop here\n", "2:2: error: stop here"},
    {"endless_template",
     "template <int N> struct T { static constexpr int v = T<N + 1>::v; };\n"
     "kernel void k(device int *a) { a[0] = T<0>::v; }\n",
     "2:54: fatal error: recursive template instantiation exceeded maximum depth of 1024"},
    {"endless_constexpr",
     "constexpr int f() { int n = 0; while (true) ++n; return n; }\nconstant int c = f();\n"
     "constexpr constant int d = f();\nkernel void k(device int *a) { a[0] = d; }\n",
     "4:24: error: constexpr variable 'd' must be initialized by a constant expression"},
};

INSTANTIATE_TEST_SUITE_P(Msl, Errors, ::testing::ValuesIn(wrong_programs),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Diagnostics, ShowTheSourceLineAndACaret) {
  const SourceResult result = compile("kernel void k(device float *a) {\n  a[0] = bb;\n}\n");
  EXPECT_TRUE(contains(result.diagnostics, "    3 |   a[0] = bb;\n      |          ^"));
}

TEST(Diagnostics, KeepWarningsOfSourcesThatCompile) {
  const SourceResult result =
      compile("kernel void k(device int *a) {\n  if (a[0] = 1) a[1] = 2;\n}\n");
  EXPECT_TRUE(result.ok);
  EXPECT_TRUE(contains(result.diagnostics, "program_source:3:12: warning: "));
}

TEST(Diagnostics, NameTheFileAsTheCallerDoes) {
  SourceRequest request;
  request.name = "shaders/a.metal";
  const SourceResult result = compile("kernel void k() { x; }\n", request);
  EXPECT_TRUE(contains(result.diagnostics, "shaders/a.metal:2:19: error: "));
}

} // namespace
} // namespace hostmetal::frontend::test
