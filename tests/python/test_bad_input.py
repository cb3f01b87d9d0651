"""Wrong input of every kind gives its typed error: one sentence with the value and the limit."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import metalcore as mc

SOURCE = """
#include <metal_stdlib>
using namespace metal;

constant int offset [[function_constant(0)]];

kernel void scale(device float *x, constant float &factor, uint i [[thread_position_in_grid]]) {
  x[i] *= factor;
}

kernel void staged(device int *x, threadgroup int *scratch,
                   uint t [[thread_index_in_threadgroup]]) {
  scratch[t] = x[t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  x[t] = scratch[0];
}

struct Pair {
  int first;
  float second;
};

kernel void pairs(device float4 *x, constant Pair &pair, constant uchar &small) {
  x[0] = float4(pair.first + small, pair.second, 0, 0);
}

kernel void shifted(device int *x) { *x += offset; }
"""


@pytest.fixture(scope="module")
def library() -> mc.Library:
    return mc.compile(SOURCE)


def floats(*shape: int) -> np.ndarray:
    return np.ones(shape or (8,), np.float32)


def raises(error: type[Exception], message: str):
    """Expects exactly this class with exactly this message."""
    return pytest.raises(error, match=f"^{re.escape(message)}$", check=lambda e: type(e) is error)


def test_syntax_error() -> None:
    source = "#include <metal_stdlib>\nkernel void broken(device int *x) {\n  x[0] = ;\n}\n"
    with pytest.raises(mc.CompileError, match=r":3:10: error: expected expression") as caught:
        mc.compile(source)
    assert isinstance(caught.value, mc.Error)
    assert "x[0] = ;" in caught.value.diagnostics


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("kernel int f(device int *x) { return 1; }", "void"),
        ("kernel void f(device int *x) { f(x); }", "f"),
        ("kernel void f(device double *x) {}", "double"),
        ("kernel void f(device int *x) { *x = *new int; }", "new"),
        ("#error stop here\nkernel void f() {}", "stop here"),
        ("#include <no_such_header>\nkernel void f() {}", "no_such_header"),
        ("kernel void f(device int *x [[buffer(0)]], device int *y [[buffer(0)]]) {}", "buffer"),
    ],
)
def test_source_that_metal_refuses(source: str, complaint: str) -> None:
    with pytest.raises(mc.CompileError, match=r"\d+:\d+: .*error: ") as caught:
        mc.compile(source)
    assert complaint in str(caught.value)


def test_empty_source_has_no_kernels() -> None:
    library = mc.compile("")
    assert library.kernel_names == []
    with raises(AttributeError, 'The library has no kernel "f"; it has none.'):
        library.f  # noqa: B018


def test_unknown_kernel(library: mc.Library) -> None:
    message = 'The library has no kernel "scael"; it has: scale, staged, pairs, shifted.'
    with raises(KeyError, repr(message)):
        library["scael"]
    with raises(AttributeError, message):
        library.scael  # noqa: B018


def test_argument_count(library: mc.Library) -> None:
    message = 'Kernel "scale" takes 2 arguments (x, factor), but {} given.'
    with raises(TypeError, message.format("1 was")):
        library.scale(floats(), threads=8)
    with raises(TypeError, message.format("3 were")):
        library.scale(floats(), 1.0, 2.0, threads=8)


def test_argument_dtype(library: mc.Library) -> None:
    with raises(
        TypeError,
        'Argument "x" of kernel "scale" is of float, which takes float32, '
        "but its array is of int32.",
    ):
        library.scale(np.ones(8, np.int32), 1.0, threads=8)
    with raises(
        TypeError,
        'Argument "factor" of kernel "scale" takes an array, a number or bytes, '
        "not a value of type str.",
    ):
        library.scale(floats(), "one", threads=8)
    with raises(
        TypeError,
        'Argument "x" of kernel "scale" is written: pass an array, not a value of type float.',
    ):
        library.scale(1.0, 1.0, threads=8)


def test_argument_size(library: mc.Library) -> None:
    with raises(
        ValueError,
        'Argument "factor" of kernel "scale" is a float of 4 bytes, but its array has 0.',
    ):
        library.scale(floats(), floats(0), threads=8)
    with raises(
        ValueError, 'Argument "factor" of kernel "scale" is a float of 4 bytes; 3 were given.'
    ):
        library.scale(floats(), b"abc", threads=8)
    with raises(
        ValueError, 'Argument "pair" of kernel "pairs" is a struct of 8 bytes; 7 were given.'
    ):
        library.pairs(floats(1, 4), b"1234567", 1, threads=1)
    with raises(
        ValueError,
        'Argument "x" of kernel "pairs" is of float4, which takes 4 float32 along the last axis, '
        "but its array has shape (2, 3).",
    ):
        library.pairs(floats(2, 3), bytes(8), 1, threads=1)


def test_number_out_of_range(library: mc.Library) -> None:
    with pytest.raises(OverflowError, match=r'^Argument "small" of kernel "pairs" .*256.*uint8'):
        library.pairs(floats(1, 4), bytes(8), 256, threads=1)


def test_target_that_is_not_contiguous(library: mc.Library) -> None:
    with raises(
        ValueError,
        'Argument "x" of kernel "scale" is written, so its NumPy array must be contiguous.',
    ):
        library.scale(floats(16)[::2], 1.0, threads=8)
    with raises(
        ValueError, 'Argument "x" of kernel "scale" is written, so its array must be contiguous.'
    ):
        library.scale(mc.ones(16)[::2], 1.0, threads=8)


def test_target_that_is_read_only(library: mc.Library) -> None:
    target = floats()
    target.flags.writeable = False
    with raises(
        ValueError, 'Argument "x" of kernel "scale" is written, but its NumPy array is read-only.'
    ):
        library.scale(target, 2.0, threads=8)
    assert (target == 1).all()


def test_threadgroup_size(library: mc.Library) -> None:
    message = 'Threadgroup size ({}) is larger than the limit (1024) of pipeline "scale".'
    with raises(mc.LaunchError, message.format("2048")):
        library.scale(floats(), 1.0, threads=8, group_size=2048)
    with raises(mc.LaunchError, message.format("64 x 64 = 4096")):
        library.scale(floats(), 1.0, threads=8, group_size=(64, 64))
    with raises(ValueError, "Threadgroup size (0) has an axis of length 0."):
        library.scale(floats(), 1.0, threads=8, group_size=0)


def test_threadgroup_memory(library: mc.Library) -> None:
    x = mc.zeros(8, dtype="int32")
    with raises(
        TypeError,
        'Kernel "staged" takes 1 length of threadgroup memory (scratch), but 0 were given.',
    ):
        library.staged(x, threads=8)
    with pytest.raises(mc.LaunchError, match=r"^Threadgroup memory \(1048576 bytes\) of kernel"):
        library.staged(x, threads=8, threadgroup_memory=1 << 20)


def test_grid(library: mc.Library) -> None:
    with raises(TypeError, 'Kernel "scale" needs either threads or groups.'):
        library.scale(floats(), 1.0)
    with raises(TypeError, 'Kernel "scale" needs group_size together with groups.'):
        library.scale(floats(), 1.0, groups=2)
    with raises(ValueError, "threads (-1) has a negative extent."):
        library.scale(floats(), 1.0, threads=-1)
    with pytest.raises(mc.LaunchError, match=r"^Grid \(8589934592 threads\) of kernel"):
        library.scale(floats(), 1.0, threads=1 << 33)


def test_function_constants(library: mc.Library) -> None:
    x = mc.zeros(1, dtype="int32")
    with raises(
        ValueError, 'The function constant "offset" of kernel "shifted" needs a value (int).'
    ):
        library.shifted(x, threads=1)
    with pytest.raises(ValueError, match=r"2147483648.*offset"):
        library.shifted(x, threads=1, constants={"offset": 1 << 31})
    with pytest.raises(ValueError, match="ofset"):
        library.shifted(x, threads=1, constants={"offset": 1, "ofset": 1})


def test_a_refused_launch_leaves_the_target_alone(library: mc.Library) -> None:
    x = mc.ones(8)
    for arguments in ({"group_size": 4096}, {"threads": -1}, {"constants": {"no": 1}}):
        with pytest.raises((ValueError, mc.LaunchError)):
            library.scale(x, 5.0, **{"threads": 8, **arguments})
    library.scale(x, 2.0, threads=8)
    assert x.tolist() == [2.0] * 8


def test_float64(library: mc.Library) -> None:
    message = "Metal has no float64; use float32."
    with raises(TypeError, message):
        mc.zeros(3, dtype=np.float64)
    with raises(TypeError, message):
        mc.asarray(np.ones(3))
    with raises(TypeError, message):
        library.scale(np.ones(8), 1.0, threads=8)


NO_DEVICE = """
import metalcore as mc
assert mc.devices() == []
for use in (
    lambda: mc.zeros(3),
    lambda: mc.compile("kernel void f() {}"),
    lambda: mc.asarray([1, 2]),
):
    try:
        use()
    except mc.DeviceError as error:
        print(error)
print(mc.warmup().state)
mc.synchronize()
"""


@pytest.mark.parametrize("warmup", ["false", "true"])
def test_missing_device(run_python, warmup: str) -> None:
    """Import succeeds, use fails, and the warm-up reports it."""
    result = run_python(NO_DEVICE, HOSTMETAL_DEVICE="none", METALCORE_WARMUP=warmup)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ["No Metal device was found."] * 3 + ["failed"]


def test_unknown_device(run_python) -> None:
    result = run_python(
        "import metalcore as mc\ntry: mc.zeros(3)\nexcept mc.DeviceError as error: print(error)",
        METALCORE_DEVICE="nonesuch",
        METALCORE_WARMUP="false",
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith('The preference "device" is "nonesuch"')


USE = "import metalcore as mc; print(mc.ones(3).sum().item())"


def run_with_preferences(run_python, folder: Path) -> str:
    """Uses metalcore with the user's preferences of a folder; returns what it says on stderr."""
    result = run_python(USE, XDG_CONFIG_HOME=str(folder))
    assert (result.returncode, result.stdout) == (0, "3.0\n")
    return result.stderr


def test_unreadable_preference_file(run_python, tmp_path: Path) -> None:
    path = tmp_path / "metalcore" / "preferences.toml"
    path.mkdir(parents=True)
    assert run_with_preferences(run_python, tmp_path) == (
        f'metalcore: warning: "{path}": it is not a regular file.\n'
    )


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            "[metalcore]\nwarmup = true\ncpu_threads = -3\n",
            ', line 3: the preference "cpu_threads" is "-3", but must be a whole number from 0 to '
            '65536; the default ("0") is used.',
        ),
        ("[metalcore]\nwarmpu = true\n", ', line 2: there is no preference "warmpu".'),
        ("[other]\nkey = 1\n", ', line 1: "other" is not the section [metalcore].'),
    ],
)
def test_faulty_preference_file(run_python, tmp_path: Path, text: str, warning: str) -> None:
    path = tmp_path / "metalcore" / "preferences.toml"
    path.parent.mkdir()
    path.write_text(text)
    assert run_with_preferences(run_python, tmp_path) == (
        f'metalcore: warning: "{path}"{warning}\n'
    )


def test_preference_file_with_a_syntax_error(run_python, tmp_path: Path) -> None:
    path = tmp_path / "metalcore" / "preferences.toml"
    path.parent.mkdir()
    path.write_bytes(b"[metalcore]\nwarmup = \xff\xfe\n")
    message = run_with_preferences(run_python, tmp_path)
    assert message.startswith(f'metalcore: warning: "{path}", line 2: ')
    assert message.endswith(", so nothing of the file is used.\n")
    assert message.count("\n") == 1
