"""What the standard library declares, against the specification's lists and the tests that run it.

clang lists the names that the headers declare. Each must be run by a test, and each function of the
Metal Shading Language Specification (3.2) must be there, or have a reason for its absence.
"""

from __future__ import annotations

import ast
import functools
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import test_msl_atomics
import test_msl_conversions
import test_msl_floats
import test_msl_groups
import test_msl_integers
import test_msl_limits
import test_msl_packing
import test_msl_vectors
from msl_kernels import NUMBERS

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "csrc/hostmetal/compiler/stdlib"
CLANG = shutil.which("clang-19") or shutil.which("clang")
# As csrc/hostmetal/compiler/frontend/instance.cpp calls it.
OPTIONS = [
    *("-cc1", "-triple", "x86_64-unknown-linux-gnu", "-x", "c++", "-std=c++17"),
    *("-fsycl-is-device", "-fdeclspec", "-nostdsysteminc", "-nobuiltininc", "-nostdinc++"),
    *("-D__METAL_VERSION__=320", "-I", str(HEADERS), "-ast-list", "-"),
]

# The functions of each chapter, those of graphics left out.
SPECIFICATION = {
    "2.6 SIMD-group matrices, 6.7": """
        make_filled_simdgroup_matrix simdgroup_load simdgroup_store simdgroup_multiply
        simdgroup_multiply_accumulate""",
    "6.2 Common": "clamp mix saturate sign smoothstep step",
    "6.3 Integer": """
        abs absdiff addsat clamp clz ctz extract_bits hadd insert_bits mad24 madhi madsat max max3
        median3 min min3 mul24 mulhi popcount reverse_bits rhadd rotate subsat""",
    "6.4 Relational": """
        all any isfinite isinf isnan isnormal isordered isunordered select signbit""",
    "6.5 Math": """
        acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh cospi divide exp exp2 exp10
        fabs abs fdim floor fma fmax max fmax3 max3 fmedian3 median3 fmin min fmin3 min3 fmod fract
        frexp ilogb ldexp log log2 log10 modf nextafter pow powr rint round rsqrt sin sincos sinh
        sinpi sqrt tan tanh tanpi trunc""",
    "6.6 Matrix": "determinant transpose",
    "6.8 Geometric": """
        cross distance distance_squared dot faceforward length length_squared normalize reflect
        refract""",
    "6.9 Synchronization and SIMD-group": """
        threadgroup_barrier simdgroup_barrier
        simd_active_threads_mask simd_all simd_and simd_any simd_ballot simd_broadcast
        simd_broadcast_first simd_is_first simd_is_helper_thread simd_max simd_min simd_or
        simd_prefix_exclusive_product simd_prefix_exclusive_sum simd_prefix_inclusive_product
        simd_prefix_inclusive_sum simd_product simd_shuffle simd_shuffle_and_fill_down
        simd_shuffle_and_fill_up simd_shuffle_down simd_shuffle_rotate_down simd_shuffle_rotate_up
        simd_shuffle_up simd_shuffle_xor simd_sum simd_xor
        quad_active_threads_mask quad_all quad_and quad_any quad_ballot quad_broadcast
        quad_broadcast_first quad_is_first quad_is_helper_thread quad_max quad_min quad_or
        quad_prefix_exclusive_product quad_prefix_exclusive_sum quad_prefix_inclusive_product
        quad_prefix_inclusive_sum quad_product quad_shuffle quad_shuffle_and_fill_down
        quad_shuffle_and_fill_up quad_shuffle_down quad_shuffle_rotate_down quad_shuffle_rotate_up
        quad_shuffle_up quad_shuffle_xor quad_sum quad_xor""",
    "6.12 Texture": """
        texture1d::read texture1d::write texture1d::sample texture1d::get_width
        texture1d::get_num_mip_levels texture1d::fence
        texture1d_array::read texture1d_array::write texture1d_array::sample
        texture1d_array::get_width texture1d_array::get_array_size
        texture1d_array::get_num_mip_levels texture1d_array::fence
        texture2d::read texture2d::write texture2d::sample texture2d::gather texture2d::get_width
        texture2d::get_height texture2d::get_num_mip_levels texture2d::fence
        texture2d_array::read texture2d_array::write texture2d_array::sample texture2d_array::gather
        texture2d_array::get_width texture2d_array::get_height texture2d_array::get_array_size
        texture2d_array::get_num_mip_levels texture2d_array::fence
        texture3d::read texture3d::write texture3d::sample texture3d::get_width
        texture3d::get_height texture3d::get_depth texture3d::get_num_mip_levels texture3d::fence
        texturecube::read texturecube::write texturecube::sample texturecube::gather
        texturecube::get_width texturecube::get_height texturecube::get_num_mip_levels
        texturecube::fence
        texturecube_array::read texturecube_array::write texturecube_array::sample
        texturecube_array::gather texturecube_array::get_width texturecube_array::get_height
        texturecube_array::get_array_size texturecube_array::get_num_mip_levels
        texturecube_array::fence
        texture_buffer::read texture_buffer::write texture_buffer::get_width texture_buffer::fence
        depth2d::read depth2d::sample depth2d::sample_compare depth2d::gather
        depth2d::gather_compare depth2d::get_width depth2d::get_height depth2d::get_num_mip_levels
        depth2d_array::read depth2d_array::sample depth2d_array::sample_compare
        depth2d_array::gather depth2d_array::gather_compare depth2d_array::get_width
        depth2d_array::get_height depth2d_array::get_array_size depth2d_array::get_num_mip_levels
        depthcube::read depthcube::sample depthcube::sample_compare depthcube::gather
        depthcube::gather_compare depthcube::get_width depthcube::get_height
        depthcube::get_num_mip_levels depthcube_array::get_width depthcube_array::get_height
        depthcube_array::get_num_mip_levels depthcube_array::get_array_size
        depthcube_array::read depthcube_array::sample depthcube_array::sample_compare
        depthcube_array::gather depthcube_array::gather_compare
        texture2d_ms::read texture2d_ms_array::read depth2d_ms::read depth2d_ms_array::read
        is_null_texture""",
    "6.12 Texture atomics": " ".join(
        f"{kind}::atomic_{operation}"
        for kind in ("texture1d", "texture1d_array", "texture2d", "texture2d_array", "texture3d",
                     "texture_buffer")
        for operation in ("load", "store", "exchange", "compare_exchange_weak", "fetch_add",
                          "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_min",
                          "fetch_max", "min", "max")
    ),
    "6.12 Sparse textures and levels of detail": """
        texture1d::sparse_sample texture1d::sparse_read texture2d::sparse_sample
        texture2d::sparse_read texture2d::sparse_gather texture2d::calculate_clamped_lod
        texture2d::calculate_unclamped_lod depth2d::sparse_sample depth2d::sparse_sample_compare
        depth2d::sparse_gather depth2d::sparse_gather_compare""",
    "6.14 Pack and unpack": """
        unpack_unorm4x8_to_float unpack_snorm4x8_to_float unpack_unorm4x8_to_half
        unpack_snorm4x8_to_half unpack_unorm4x8_srgb_to_float unpack_unorm4x8_srgb_to_half
        unpack_unorm2x16_to_float unpack_snorm2x16_to_float unpack_unorm2x16_to_half
        unpack_snorm2x16_to_half unpack_unorm10a2_to_float unpack_unorm10a2_to_half
        unpack_unorm565_to_float unpack_unorm565_to_half
        pack_float_to_unorm4x8 pack_float_to_snorm4x8 pack_half_to_unorm4x8 pack_half_to_snorm4x8
        pack_float_to_srgb_unorm4x8 pack_half_to_srgb_unorm4x8 pack_float_to_unorm2x16
        pack_float_to_snorm2x16 pack_half_to_unorm2x16 pack_half_to_snorm2x16
        pack_float_to_unorm10a2 pack_half_to_unorm10a2 pack_float_to_unorm565
        pack_half_to_unorm565""",
    "6.15 Atomic": """
        atomic_store_explicit atomic_load_explicit atomic_exchange_explicit
        atomic_compare_exchange_weak_explicit atomic_fetch_add_explicit atomic_fetch_and_explicit
        atomic_fetch_max_explicit atomic_fetch_min_explicit atomic_fetch_or_explicit
        atomic_fetch_sub_explicit atomic_fetch_xor_explicit atomic_max_explicit atomic_min_explicit
        atomic_thread_fence""",
    "6.19 Logging": """
        os_log::log os_log::log_debug os_log::log_info os_log::log_error os_log::log_fault""",
}  # fmt: skip
# What the specification has and hostmetal has not: classes, and members of all classes.
LACKING = {
    "texture2d_ms": "what has several samples for each pixel is drawn into",
    "texture2d_ms_array": "as texture2d_ms",
    "depth2d_ms": "as texture2d_ms",
    "depth2d_ms_array": "as texture2d_ms",
    **dict.fromkeys(
        ("sparse_sample", "sparse_sample_compare", "sparse_read", "sparse_gather",
         "sparse_gather_compare"),
        "hostmetal has no sparse textures",
    ),
    "calculate_clamped_lod": "only what is called by a fragment function may call it",
    "calculate_unclamped_lod": "as calculate_clamped_lod",
    "atomic_min": "of ulong, which textures do not hold yet",
    "atomic_max": "as atomic_min",
}  # fmt: skip

# Where names are run that no table below generates.
PLACES = [
    *sorted((ROOT / "tests/python").glob("test_msl_*.py")),
    ROOT / "tests/python/test_kernel_log.py",
    ROOT / "tests/python/msl_programs.py",
    *sorted((ROOT / "tests/cpp/metal_texture").glob("*.mm")),
    *sorted((ROOT / "tests/cpp/metal_library").glob("*.mm")),
]
PUBLIC = re.compile(r"metal::((?:(?:fast|precise|texture\w+|depth\w+|os_log)::)?[a-z]\w*)")
HIDDEN = re.compile(r"__|^detail|_$|^[a-z]$")


@functools.cache
def declared() -> frozenset[str]:
    """The public names of namespace metal, with those of its textures and logs."""
    assert CLANG is not None
    text = "#include <metal_stdlib>\n#include <metal_logging>\n"
    listed = subprocess.run(
        [CLANG, *OPTIONS], input=text, capture_output=True, text=True, check=True
    ).stdout
    names = {match[1] for line in listed.splitlines() if (match := PUBLIC.fullmatch(line))}
    return frozenset(name for name in names if not HIDDEN.search(name.rpartition("::")[2]))


def generated() -> Iterator[str]:
    """The names that tests make from tables."""
    for space in test_msl_floats.SPACES:
        for function in test_msl_floats.functions_of(test_msl_floats.FLOAT):
            yield space + function.name
        for call in test_msl_vectors.GEOMETRY:
            for name in re.findall(r"([a-z_]+)\(", call):
                yield space + name
    yield from (function.name for function in test_msl_integers.FUNCTIONS)
    for group in ("simd", "quad"):
        yield from (f"{group}_{function.name}" for function in test_msl_groups.FUNCTIONS)
        yield from (f"{group}_{call.partition('(')[0]}" for call in test_msl_groups.VOTES)
        yield f"{group}_vote"
    for name in test_msl_atomics.OPERATIONS:
        yield f"atomic_fetch_{name}_explicit"
    yield from ("atomic_min_explicit", "atomic_max_explicit")
    yield from (f"memory_order_{order}" for order in test_msl_atomics.ORDERS)
    yield from (f"atomic_{type}" for type in ("int", "uint", "float", "ulong", "bool"))
    for pack, unpack in test_msl_packing.LAYOUTS:
        for type in ("float", "half"):
            yield from (f"pack_{type}_to_{pack}", f"unpack_{unpack}_to_{type}")
    for type in test_msl_conversions.TYPES:
        for width in (2, 3, 4):
            yield from (f"{type}{width}", f"packed_{type}{width}")
    yield from NUMBERS
    yield from (f"{type}{c}x{r}" for type in ("float", "half") for c in "234" for r in "234")
    yield from (f"simdgroup_{type}8x8" for type in ("float", "half", "bfloat"))
    yield from (*test_msl_limits.ENUMERATORS, *test_msl_limits.NAMES)
    for trait in test_msl_limits.TRAITS:
        yield from (trait, f"{trait}_v")
    for transformation in test_msl_limits.TRANSFORMATIONS:
        name = transformation.partition("<")[0]
        yield from (name, name.removesuffix("_t"))  # which the first is made of


def strings(text: str) -> Iterator[str]:
    """Those of a Python file, without its documentation."""
    tree = ast.parse(text)
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in documentation:
                yield node.value


@functools.cache
def written() -> tuple[frozenset[str], frozenset[str]]:
    """The words of the shading language in tests, and those that are called.

    They are in the strings of Python files, and all over in Objective-C++. A member comes with its
    dot: `.sample`.
    """
    words: set[str] = set()
    calls: set[str] = set()
    for path in PLACES:
        if path == Path(__file__):
            continue
        text = path.read_text()
        if path.suffix == ".py":
            text = "\n".join(strings(text))
        words.update(re.findall(r"\.?\b[a-z_]\w*", text))
        calls.update(re.findall(r"\.?\b[a-z_]\w*(?=[(<])", text))
    return frozenset(words), frozenset(calls)


def is_tested(name: str, tables: frozenset[str]) -> bool:
    if name in tables:
        return True
    words, calls = written()
    scope, _, member = name.rpartition("::")
    if scope in ("fast", "precise"):
        return False
    if scope == member:
        return scope in words  # a constructor
    if scope:
        return f".{member}" in calls and scope in words
    is_function = any(name in names.split() for names in SPECIFICATION.values())
    return name in (calls if is_function else words)


@pytest.mark.skipif(CLANG is None, reason="asks clang for the names that the headers declare")
def test_every_declared_name_is_run_by_a_test() -> None:
    tables = frozenset(generated())
    missing = sorted(name for name in declared() if not is_tested(name, tables))
    assert not missing, f"no test runs {', '.join(missing)}"


@pytest.mark.skipif(CLANG is None, reason="asks clang for the names that the headers declare")
def test_every_function_of_the_specification_is_declared() -> None:
    present = declared()
    for chapter, names in SPECIFICATION.items():
        missing = [
            name
            for name in names.split()
            if name not in present and not LACKING.keys() & set(name.split("::"))
        ]
        assert not missing, f"{chapter}: {', '.join(missing)}"
    assert not [name for name in present if LACKING.keys() & set(name.split("::"))]


@pytest.mark.skipif(CLANG is None, reason="asks clang for the names that the headers declare")
def test_fast_and_precise_functions_are_those_of_the_chapters() -> None:
    wanted = {
        name
        for chapter in ("6.2 Common", "6.5 Math", "6.8 Geometric")
        for name in SPECIFICATION[chapter].split()
    }
    for space in ("fast", "precise"):
        names = {
            name.removeprefix(f"{space}::") for name in declared() if name.startswith(f"{space}::")
        }
        assert names == wanted
