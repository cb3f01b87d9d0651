"""Spellings of the language that large projects use, each with the values that it stands for."""

from __future__ import annotations

import numpy as np
import pytest

import metalcore as mc
from msl_kernels import HEADER

COUNT = 257


@pytest.mark.parametrize("has_bias", [False, True])
def test_optional_arguments_of_templates(rng: np.random.Generator, has_bias: bool) -> None:
    """Their function constants may be static and constexpr."""
    x, bias = rng.standard_normal((2, COUNT), np.float32)
    out = np.zeros_like(x)
    library = mc.compile(
        HEADER
        + """
        static constant constexpr const bool has_bias [[function_constant(3)]];
        template <typename T, int N>
        [[kernel]] void add(device const T *x [[buffer(0)]],
                            device const T *bias [[buffer(1), function_constant(has_bias)]],
                            device T *out [[buffer(2)]], uint i [[thread_position_in_grid]]) {
          out[i] = N * x[i];
          if (has_bias)
            out[i] += bias[i];
        }
        template [[host_name("add_float")]] [[kernel]] decltype(add<float, 2>) add<float, 2>;"""
    )
    library["add_float"](x, bias, out, threads=COUNT, constants={"has_bias": has_bias})
    mc.synchronize()
    np.testing.assert_array_equal(out, 2 * x + (bias if has_bias else 0))


def test_threadgroup_variables_of_classes_with_constructors(rng: np.random.Generator) -> None:
    """Nobody runs the constructor; what the threads write is there for the others."""
    x = rng.integers(-1000, 1000, 4 * 64, np.int32)
    out = np.zeros_like(x)
    kernel = mc.compile(
        HEADER
        + """
        struct pair {
          int value, other;
          constexpr pair() threadgroup : value(7), other(8) {}
          constexpr pair() thread : value(7), other(8) {}
        };
        template <typename T>
        [[kernel]] void reverse(device const int *x, device int *out,
                                uint i [[thread_position_in_grid]],
                                uint t [[thread_position_in_threadgroup]]) {
          threadgroup T shared[64];
          shared[t].value = x[i];
          threadgroup_barrier(mem_flags::mem_threadgroup);
          out[i] = shared[63 - t].value;
        }
        template [[host_name("reverse")]] [[kernel]] decltype(reverse<pair>) reverse<pair>;"""
    )["reverse"]
    kernel(x, out, threads=x.size, group_size=64)
    mc.synchronize()
    np.testing.assert_array_equal(out, x.reshape(4, 64)[:, ::-1].reshape(-1))


def test_libraries_may_define_what_metal_lacks() -> None:
    """MLX adds these traits to Metal's namespace."""
    library = mc.compile(
        HEADER
        + """
        namespace metal {
        template <typename... T> struct make_void { typedef void type; };
        template <typename... T> using void_t = typename make_void<T...>::type;
        }
        kernel void run(device int *out) { *out = sizeof(device void_t<int> *); }"""
    )
    assert library.kernel_names == ["run"]


def test_recursion_by_the_last_call(rng: np.random.Generator) -> None:
    """As MLX walks over strides: it is a loop, however deep."""
    x = rng.integers(0, 1 << 30, COUNT, np.int32)
    out = np.zeros_like(x)
    library = mc.compile(
        HEADER
        + """
        struct counter {
          int bits = 0;
          void count(int n) thread {
            if (n > 0) {
              bits += n & 1;
              count(n >> 1);
            }
          }
        };
        kernel void run(device const int *x, device int *out, uint i [[thread_position_in_grid]]) {
          counter c;
          c.count(x[i]);
          out[i] = c.bits;
        }
        uint count(uint n, uint sum) { return n == 0 ? sum : count(n - 1, sum * 3 + n); }
        kernel void deep(device uint *n) { *n = count(*n, 0); }"""
    )
    library.run(x, out, threads=COUNT)
    deep = np.array([1_000_000], np.uint32)
    library.deep(deep, threads=1)
    mc.synchronize()
    np.testing.assert_array_equal(out, [bin(value).count("1") for value in x])
    expected = 0
    for n in range(1_000_000, 0, -1):
        expected = (expected * 3 + n) % (1 << 32)
    assert deep[0] == expected


# What points to texts: each form makes `text` of the words below.
TEXTS = {
    "variable": "constant char *text = WORDS;",
    "assignment": 'constant char *text = "no"; text = WORDS;',
    "parentheses": "constant const char *text = (WORDS);",
    "argument": "constant char *text = same(WORDS);",
    "template": "constant char *text = chosen<int>(0, WORDS);",
    "result": "constant char *text = returned();",
    "outside": "constant char *text = outside;",
    "array": "constant char *text = names[1];",
    "member": "constant char *text = records[1].name;",
}


def test_texts_lie_in_constant_memory() -> None:
    words = "grid of 3 \u00d7 7"
    library = mc.compile(
        (
            HEADER
            + """
            struct Record { int number; constant char *name; };
            constant char *constant outside = WORDS;
            constant char *constant names[] = {"first", WORDS, "last"};
            constant Record records[] = {{1, "first"}, {2, WORDS}};
            constant char *same(constant char *text) { return text; }
            template <typename T> constant const char *chosen(T, constant const char *text) {
              return text;
            }
            constant char *returned() { return WORDS; }"""
            + "".join(
                f"""
            kernel void by_{name}(device uchar *out, uint i [[thread_position_in_grid]]) {{
              {statement}
              out[i] = text[i];
            }}"""
                for name, statement in TEXTS.items()
            )
        ).replace("WORDS", f'"{words}"')
    )
    expected = np.frombuffer(words.encode() + b"\0", np.uint8)
    for name in TEXTS:
        out = np.zeros_like(expected)
        library[f"by_{name}"](out, threads=out.size)
        mc.synchronize()
        np.testing.assert_array_equal(out, expected, err_msg=name)
