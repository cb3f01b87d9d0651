// Conversion of contiguous elements between all data types. Floating-point values that an integer
// type cannot hold give an unspecified value of that type.
#include <metal_stdlib>

using namespace metal;

template <typename To> struct Convert {
  template <typename From> static To apply(From value) { return static_cast<To>(value); }
};
template <> struct Convert<bool> {
  template <typename From> static bool apply(From value) { return value != static_cast<From>(0); }
};
template <> struct Convert<float2> {
  template <typename From> static float2 apply(From value) {
    return float2(static_cast<float>(value), 0.0f);
  }
};
// half and bfloat meet in float.
template <> struct Convert<half> {
  template <typename From> static half apply(From value) { return static_cast<half>(value); }
  static half apply(bfloat value) { return static_cast<half>(static_cast<float>(value)); }
};
template <> struct Convert<bfloat> {
  template <typename From> static bfloat apply(From value) {
    return static_cast<bfloat>(static_cast<float>(value));
  }
};

template <typename To, typename From>
kernel void convert(device To *output [[buffer(0)]], device const From *input [[buffer(1)]],
                    uint x [[thread_position_in_grid]]) {
  output[x] = Convert<To>::apply(input[x]);
}

#define INSTANTIATE_AS(name, ...)                                                                  \
  template [[host_name(name)]] [[kernel]] decltype(__VA_ARGS__) __VA_ARGS__;

#define INSTANTIATE(from, From, to, To)                                                            \
  INSTANTIATE_AS("convert_" from "_" to, convert<To, From>)

#define INSTANTIATE_TO_INTEGERS(from, From)                                                        \
  INSTANTIATE(from, From, "int8", char)                                                            \
  INSTANTIATE(from, From, "int16", short)                                                          \
  INSTANTIATE(from, From, "int32", int)                                                            \
  INSTANTIATE(from, From, "int64", long)                                                           \
  INSTANTIATE(from, From, "uint8", uchar)                                                          \
  INSTANTIATE(from, From, "uint16", ushort)                                                        \
  INSTANTIATE(from, From, "uint32", uint)                                                          \
  INSTANTIATE(from, From, "uint64", ulong)

#define INSTANTIATE_TO_FLOATS(from, From)                                                          \
  INSTANTIATE(from, From, "float16", half)                                                         \
  INSTANTIATE(from, From, "bfloat16", bfloat)                                                      \
  INSTANTIATE(from, From, "float32", float)                                                        \
  INSTANTIATE(from, From, "complex64", float2)

#define INSTANTIATE_FROM_NUMBER(from, From)                                                        \
  INSTANTIATE(from, From, "bool", bool)                                                            \
  INSTANTIATE_TO_INTEGERS(from, From)                                                              \
  INSTANTIATE_TO_FLOATS(from, From)

INSTANTIATE_TO_INTEGERS("bool", bool)
INSTANTIATE_TO_FLOATS("bool", bool)
INSTANTIATE_FROM_NUMBER("int8", char)
INSTANTIATE_FROM_NUMBER("int16", short)
INSTANTIATE_FROM_NUMBER("int32", int)
INSTANTIATE_FROM_NUMBER("int64", long)
INSTANTIATE_FROM_NUMBER("uint8", uchar)
INSTANTIATE_FROM_NUMBER("uint16", ushort)
INSTANTIATE_FROM_NUMBER("uint32", uint)
INSTANTIATE_FROM_NUMBER("uint64", ulong)
INSTANTIATE_FROM_NUMBER("float16", half)
INSTANTIATE_FROM_NUMBER("bfloat16", bfloat)
INSTANTIATE_FROM_NUMBER("float32", float)
