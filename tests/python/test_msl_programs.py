"""Spellings of the language that large projects use, each with the values that it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import HEADER

COUNT = 257


def run(source: str, *arguments: NDArray, **options: object) -> None:
    """Launches the kernel `run` of a source, one thread for each element of the last argument."""
    kernel = mc.compile(HEADER + source).run
    kernel(*arguments, threads=len(arguments[-1]), **options)
    mc.synchronize()


@pytest.mark.parametrize("literal", ["0.1", ".7", "3.", "1e-3", "0x1.99999ap-4", "2.5e+3"])
def test_unsuffixed_literals_are_float_in_templates_too(
    rng: np.random.Generator, literal: str
) -> None:
    """In double, the product would be rounded twice."""
    value = np.float32(float.fromhex(literal) if "x" in literal else float(literal))
    x = rng.standard_normal(COUNT, np.float32)
    out = np.zeros_like(x)
    run(
        f"""
        template <typename T> T times(T x) {{
          static_assert(is_same_v<decltype({literal}), float>, "not float");
          static_assert(is_same_v<decltype(x * {literal}), float>, "not float");
          return x * {literal};
        }}
        kernel void run(device const float *x, device float *out,
                        uint i [[thread_position_in_grid]]) {{ out[i] = times(x[i]); }}""",
        x,
        out,
    )
    np.testing.assert_array_equal(out, x * value)


PACKED = {"char": np.int8, "ushort": np.uint16, "int": np.int32, "half": np.float16}


@pytest.mark.parametrize("width", [2, 3, 4])
@pytest.mark.parametrize("to", ["float", "short"])
@pytest.mark.parametrize("source", PACKED)
def test_packed_vectors_convert(rng: np.random.Generator, source: str, to: str, width: int) -> None:
    """To vectors, packed or not, of other types, from any address space."""
    x = rng.integers(0, 100, (COUNT, width)).astype(PACKED[source])
    out = np.zeros((COUNT, width), np.float32 if to == "float" else np.int16)
    packed = f"packed_{to}{width}"
    kernel = mc.compile(
        HEADER
        + f"""
        kernel void run(device const {source} *x, device {to} *out_,
                        uint i [[thread_position_in_grid]]) {{
          device const packed_{source}{width} *in = (device const packed_{source}{width} *)x;
          device {packed} *out = (device {packed} *)out_;
          const {to}{width} twice = {to}{width}(in[i]) + {to}{width}(in[i]);
          out[i] = {packed}(twice - {to}{width}({packed}(in[i])));
        }}"""
    ).run
    kernel(x, out, threads=COUNT)
    mc.synchronize()
    np.testing.assert_array_equal(out, x.astype(out.dtype))


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


def test_logging_compiles_and_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    out = np.zeros(COUNT, np.int32)
    kernel = mc.compile(
        """
        #include <metal_logging>
        constant metal::os_log mine("subsystem", "category");
        kernel void run(device int *out, uint i [[thread_position_in_grid]]) {
          metal::os_log_default.log("thread %u", i);
          mine.log_debug("text");
          mine.log_error("%f", 1.0f);
          out[i] = i;
        }"""
    ).run
    kernel(out, threads=COUNT)
    mc.synchronize()
    np.testing.assert_array_equal(out, np.arange(COUNT))
    assert capfd.readouterr() == ("", "")


def test_libraries_may_define_what_metal_lacks() -> None:
    """MLX adds these traits to Metal's namespace."""
    library = mc.compile(
        HEADER
        + """
        namespace metal {
        template <typename... T> struct make_void { typedef void type; };
        template <typename... T> using void_t = typename make_void<T...>::type;
        }
        kernel void run(device int *out) { *out = sizeof(void_t<int> *); }"""
    )
    assert library.kernel_names == ["run"]
