"""numeric_limits, the constants, type traits, array and uniform of the standard library."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import metalcore as mc
from msl_kernels import HEADER

INTEGERS = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
}
FLOATS = {"half": np.float16, "bfloat": ml_dtypes.bfloat16, "float": np.float32}


def information(type: str) -> tuple[np.dtype, dict[str, object], dict[str, int]]:
    """The type in NumPy, what the functions of its limits give, and its constants."""
    if type in INTEGERS:
        integer = np.iinfo(INTEGERS[type])
        is_signed = integer.min < 0
        digits = integer.bits - is_signed
        zeros = dict.fromkeys(
            ("epsilon", "round_error", "infinity", "quiet_NaN", "signaling_NaN", "denorm_min"), 0
        )
        return (
            integer.dtype,
            {"min": integer.min, "max": integer.max, "lowest": integer.min, **zeros},
            {
                "is_signed": is_signed,
                "is_integer": True,
                "is_exact": True,
                "has_infinity": False,
                "has_quiet_NaN": False,
                "is_modulo": not is_signed,
                "is_iec559": False,
                "digits": digits,
                "digits10": len(str(2**digits - 1)) - 1,
                "max_exponent": 0,
                "min_exponent": 0,
                "round_style": 0,
            },
        )
    real = ml_dtypes.finfo(FLOATS[type])
    number = FLOATS[type]
    digits = real.nmant + 1
    return (
        np.dtype(number),
        {
            "min": real.smallest_normal,
            "max": real.max,
            "lowest": real.min,
            "epsilon": real.eps,
            "round_error": number(0.5),
            "infinity": number(np.inf),
            "quiet_NaN": number(np.nan),
            "signaling_NaN": number(np.nan),
            "denorm_min": real.smallest_subnormal,
        },
        {
            "is_signed": True,
            "is_integer": False,
            "is_exact": False,
            "has_infinity": True,
            "has_quiet_NaN": True,
            "is_modulo": False,
            "is_iec559": True,
            "digits": digits,
            "digits10": int((digits - 1) * np.log10(2)),
            "max_digits10": int(np.ceil(1 + digits * np.log10(2))),
            "max_exponent": real.maxexp,
            "max_exponent10": int(np.floor(np.log10(float(real.max)))),
            "min_exponent": real.minexp + 1,
            "min_exponent10": int(np.ceil(np.log10(float(real.smallest_normal)))),
            "has_denorm": 1,
            "round_style": 1,
        },
    )


@pytest.mark.parametrize("type", [*INTEGERS, *FLOATS])
def test_numeric_limits(type: str) -> None:
    dtype, values, facts = information(type)
    facts = {"is_specialized": True, "is_bounded": True, "radix": 2, "traps": False, **facts}
    text = f"{HEADER}kernel void f(device {type} *values, device int *facts) {{\n"
    for number, name in enumerate(values):
        text += f"  values[{number}] = numeric_limits<{type}>::{name}();\n"
    for number, name in enumerate(facts):
        text += f"  facts[{number}] = numeric_limits<{type}>::{name};\n"
    out, numbers = mc.zeros(len(values), dtype=dtype.name), mc.zeros(len(facts), dtype="int32")
    mc.compile(text + "}\n", math_mode="safe").f(out, numbers, threads=1)
    assert dict(zip(facts, numbers.tolist(), strict=True)) == facts
    expected = np.array(list(values.values()), dtype)
    if type in FLOATS:
        expected = expected.astype(np.float64)
    np.testing.assert_array_equal(np.asarray(out).astype(expected.dtype), expected)


CONSTANTS = {
    "E": np.e,
    "LOG2E": 1 / np.log(2),
    "LOG10E": 1 / np.log(10),
    "LN2": np.log(2),
    "LN10": np.log(10),
    "PI": np.pi,
    "PI_2": np.pi / 2,
    "PI_4": np.pi / 4,
    "1_PI": 1 / np.pi,
    "2_PI": 2 / np.pi,
    "2_SQRTPI": 2 / np.sqrt(np.pi),
    "SQRT2": np.sqrt(2),
    "SQRT1_2": np.sqrt(0.5),
}


@pytest.mark.parametrize(
    ("type", "suffix", "largest"),
    [("float", "F", "MAXFLOAT"), ("half", "H", "MAXHALF"), ("bfloat", "BF", "MAXBFLOAT")],
)
def test_constants(type: str, suffix: str, largest: str) -> None:
    names = [*(f"M_{name}_{suffix}" for name in CONSTANTS), largest, f"HUGE_VAL{suffix}"]
    text = "".join(
        f"  static_assert(is_same_v<decltype({name} + {name}), {type}>);\n"
        f"  out[{number}] = {name};\n"
        for number, name in enumerate(names)
    )
    out = mc.zeros(len(names), dtype=np.dtype(FLOATS[type]).name)
    mc.compile(f"{HEADER}kernel void f(device {type} *out) {{\n{text}}}\n").f(out, threads=1)
    most = float(ml_dtypes.finfo(FLOATS[type]).max)
    expected = np.array([*CONSTANTS.values(), most, np.inf]).astype(FLOATS[type])
    np.testing.assert_array_equal(np.asarray(out), expected)


# The traits of each type, by name: true for the types that are listed, false for the others.
NUMBERS = {"bool", "char", "uint", "ulong", "half", "bfloat", "float", "const int", "volatile int"}
REFERENCES = {"thread int &", "thread int &&"}
RECORDS = {"Record", "Derived", "Sealed"}
VECTORS = {"float3", "uchar2"}
SUBJECTS = {
    *(NUMBERS | REFERENCES | RECORDS | VECTORS),
    *("void", "int[2]", "device int *", "Choice", "Either", "int(float)"),
}
TRAITS = {
    "is_void": {"void"},
    "is_floating_point": {"half", "bfloat", "float"},
    "is_integral": NUMBERS - {"half", "bfloat", "float"},
    "is_arithmetic": NUMBERS,
    "is_fundamental": NUMBERS | {"void"},
    "is_compound": SUBJECTS - NUMBERS - VECTORS - {"void"},
    "is_object": SUBJECTS - REFERENCES - {"void", "int(float)"},
    "is_scalar": NUMBERS | {"device int *", "Choice"},
    "is_signed": NUMBERS - {"bool", "uint", "ulong"},
    "is_unsigned": {"bool", "uint", "ulong"},
    "is_array": {"int[2]"},
    "is_pointer": {"device int *"},
    "is_lvalue_reference": {"thread int &"},
    "is_rvalue_reference": {"thread int &&"},
    "is_reference": REFERENCES,
    "is_const": {"const int"},
    "is_volatile": {"volatile int"},
    "is_class": RECORDS,
    "is_union": {"Either"},
    "is_enum": {"Choice"},
    "is_function": {"int(float)"},
    "is_final": {"Sealed"},
    "is_abstract": set(),  # nothing is virtual in this language
    "is_polymorphic": set(),
    "is_trivial": SUBJECTS - REFERENCES - {"void", "int(float)", "Sealed"},
    "is_trivially_copyable": SUBJECTS - REFERENCES - {"void", "int(float)"},
    "is_standard_layout": SUBJECTS - REFERENCES - {"void", "int(float)", "Derived"},
    "is_pod": SUBJECTS - REFERENCES - {"void", "int(float)", "Derived", "Sealed"},
}
TRANSFORMATIONS = {
    "remove_const_t<const int>": "int",
    "remove_volatile_t<volatile int>": "int",
    "remove_cv_t<const volatile int>": "int",
    "remove_reference_t<thread int &>": "int",
    "remove_pointer_t<device int *>": "device int",
    "remove_extent_t<int[3]>": "int",
    "add_const_t<int>": "const int",
    "remove_cvref_t<const thread int &>": "int",
    "remove_addrspace_t<device int>": "int",
    "remove_addrspace_t<threadgroup int>": "int",
    "decay_t<thread const int &>": "int",
    "make_scalar_t<ushort3>": "ushort",
    "make_scalar_t<packed_half2>": "half",
    "make_scalar_t<uint>": "uint",
    "make_vector_t<half, 4>": "half4",
    "make_vector_t<half, 1>": "half",
    "make_signed_t<uint>": "int",
    "make_unsigned_t<short3>": "ushort3",
    "conditional_t<true, int, float>": "int",
    "enable_if_t<true, half>": "half",
    "underlying_type_t<Choice>": "uint",
}


def test_type_traits() -> None:
    lines = [
        "struct Record { int x; };",
        "struct Derived : Record { float y; };",
        "struct Sealed final { int x; Sealed(int n) : x(n) {} };",
        "enum class Choice : uint { one };",
        "union Either { int x; float y; };",
    ]
    for trait, types in TRAITS.items():
        for type in sorted(SUBJECTS):
            truth = "" if type in types else "!"
            lines.append(f'static_assert({truth}{trait}<{type}>::value, "{trait}<{type}>");')
            lines.append(f"static_assert({truth}{trait}_v<{type}>);")
    for transformation, result in TRANSFORMATIONS.items():
        lines.append(f"static_assert(is_same_v<{transformation}, {result}>);")
    lines += [
        "static_assert(is_same<int, int>::value && !is_same<int, uint>::value);",
        "static_assert(is_convertible<int, float>::value && !is_convertible<Record, int>::value);",
        "static_assert(is_convertible_v<half, float> && !is_convertible_v<int, Record>);",
        "static_assert(is_base_of<Record, Derived>::value && !is_base_of<Derived, Record>::value);",
        "static_assert(is_base_of_v<Record, Derived> && !is_base_of_v<Record, Sealed>);",
        "static_assert(is_constructible<Sealed, int>::value && !is_constructible<Sealed>::value);",
        "static_assert(is_constructible_v<Sealed, int> && !is_constructible_v<Sealed, Record>);",
        "static_assert(is_same_v<remove_all_extents<int[2][3]>::type, int>);",
        "static_assert(is_same_v<true_type, bool_constant<true>> && !false_type::value);",
        "static_assert(conjunction_v<> && conjunction_v<is_void<void>, true_type>);",
        "static_assert(!conjunction<true_type, false_type>::value && negation<false_type>::value);",
        "static_assert(disjunction<false_type, true_type>::value && !disjunction_v<false_type>);",
        "static_assert(is_same_v<type_identity<half>::type, half>);",
        "static_assert(vec_elements<ushort3>::value == 3 && vec_elements<float>::value == 1);",
        "static_assert(tuple_size<array<int, 5>>::value == 5);",
        "static_assert(is_same_v<decltype(declval<int>()), thread int &&>);",
        "kernel void f(device int *out) { *out = integral_constant<int, 7>::value; }",
    ]
    out = mc.zeros(1, dtype="int32")
    mc.compile(HEADER + "\n".join(lines)).f(out, threads=1)
    assert out.item() == 7


# Enumerations of no scope of their own: type and value, which the compiled form has.
ENUMERATORS = {
    "round_indeterminate": ("float_round_style", -1),
    "round_toward_zero": ("float_round_style", 0),
    "round_to_nearest": ("float_round_style", 1),
    "round_toward_infinity": ("float_round_style", 2),
    "round_toward_neg_infinity": ("float_round_style", 3),
    "denorm_indeterminate": ("float_denorm_style", -1),
    "denorm_absent": ("float_denorm_style", 0),
    "denorm_present": ("float_denorm_style", 1),
    "memory_order_relaxed": ("memory_order", 0),
    "memory_order_acquire": ("memory_order", 2),
    "memory_order_release": ("memory_order", 3),
    "memory_order_acq_rel": ("memory_order", 4),
    "memory_order_seq_cst": ("memory_order", 5),
    "thread_scope_thread": ("thread_scope", 0),
    "thread_scope_threadgroup": ("thread_scope", 1),
    "thread_scope_device": ("thread_scope", 2),
    "thread_scope_simdgroup": ("thread_scope", 4),
    "os_log_type_default": ("os_log_type", 0x00),
    "os_log_type_info": ("os_log_type", 0x01),
    "os_log_type_debug": ("os_log_type", 0x02),
    "os_log_type_error": ("os_log_type", 0x10),
    "os_log_type_fault": ("os_log_type", 0x11),
}
# Names of numbers, beside those of the language itself.
NAMES = {
    **{f"{'u' * (not signed)}int{bits}_t": (bits // 8, signed)
       for bits in (8, 16, 32, 64) for signed in (False, True)},
    "size_t": (8, False),
    "ptrdiff_t": (8, True),
}  # fmt: skip


def test_enumerators_and_names_of_types() -> None:
    lines = ["#include <metal_logging>"]
    for name, (type, value) in ENUMERATORS.items():
        lines.append(f"static_assert(is_same_v<decltype({name}), {type}> && {name} == {value});")
    for name, (size, is_signed) in NAMES.items():
        lines.append(f"static_assert(sizeof({name}) == {size});")
        lines.append(f"static_assert(is_signed_v<{name}> == {str(is_signed).lower()});")
    for type in (*INTEGERS, *FLOATS, "bool"):
        for n in (2, 3, 4):
            lines.append(f"static_assert(is_same_v<packed_vec<{type}, {n}>, packed_{type}{n}>);")
            lines.append(f"static_assert(sizeof(packed_{type}{n}) == {n} * sizeof({type}));")
            lines.append(f"static_assert(alignof(packed_{type}{n}) == alignof({type}));")
    assert mc.compile(HEADER + "\n".join(lines) + "\nkernel void f() {}").kernel_names == ["f"]


def test_arrays(rng: np.random.Generator) -> None:
    """In each address space, as an argument, a member and a value."""
    library = mc.compile(
        f"""{HEADER}
struct Row {{
  array<float, 3> values;
}};
float total(array<float, 3> x) {{
  float sum = 0;
  for (float value : x)
    sum += value;
  return sum;
}}
kernel void f(constant array<float, 3> &x, device const array<float, 3> *y, device float *out,
              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {{
  threadgroup array<float, 3> shared[4];
  shared[t] = y[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  Row row = {{x}};
  array<float, 3> next = shared[(t + 1) % 4];
  row.values[2] = next[0];
  row.values[0] += shared[t][1];
  out[2 * i] = total(row.values) + next.size() + !next.empty();
  next.fill(row.values[1]);
  out[2 * i + 1] = total(next) + next.front() + next.back() + *next.data();
}}
"""
    )
    x, y = rng.integers(0, 9, 3).astype(np.float32), rng.integers(0, 9, (8, 3)).astype(np.float32)
    out = mc.zeros((8, 2), dtype="float32")
    library.f(x.tobytes(), mc.asarray(y), out, threads=8, group_size=4)
    beside = np.roll(y.reshape(2, 4, 3), -1, axis=1).reshape(8, 3)
    first = x[0] + y[:, 1] + x[1] + beside[:, 0] + 3 + 1
    np.testing.assert_array_equal(np.asarray(out), np.stack([first, 6 * x[1] + 0 * first], axis=1))


def test_references_to_arrays(rng: np.random.Generator) -> None:
    """Of any length, in any address space, and of none."""
    library = mc.compile(
        f"""{HEADER}
constant array<int, 2> fixed = {{5, 6}};
int total(array_ref<int> x) {{
  int sum = 100 * int(x.size()) + 1000 * x.empty();
  for (int value : x)
    sum += value;
  return sum;
}}
kernel void f(device const int *in, device int *out) {{
  array<int, 3> own = {{in[0], in[1], in[2]}};
  int plain[2] = {{in[1], in[2]}};
  array_ref<int> x = own;
  out[0] = total(x) + total(fixed);
  out[1] = total(make_array_ref(own)) - total(make_array_ref(plain));
  out[2] = total(make_array_ref(plain, 1)) + total(array_ref<int>());
  out[3] = x.front() + 10 * x.back() + 100 * x[1] + 1000 * *x.data();
}}
"""
    )
    a, b, c = (int(n) for n in rng.integers(1, 10, 3))
    out = mc.zeros(4, dtype="int32")
    library.f(np.array([a, b, c], np.int32), out, threads=1)
    first = 300 + a + b + c + 200 + 11
    assert out.tolist() == [first, 100 + a, 100 + b + 1000, a + 10 * c + 100 * b + 1000 * a]


def test_uniform_values() -> None:
    out = mc.zeros(40, dtype="int32")
    mc.compile(
        f"""{HEADER}
kernel void f(constant int &n, device int *out, uint i [[thread_position_in_grid]]) {{
  uniform<int> count = make_uniform(n);
  uniform<int> twice = 2 * count;
  for (int k = 0; k < count; ++k)
    out[i] += twice + k;
}}
"""
    ).f(5, out, threads=40)
    assert out.tolist() == [5 * 10 + 10] * 40
