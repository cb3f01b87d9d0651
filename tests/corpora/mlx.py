"""MLX: the kernel headers of its wheel, instantiated as in the library that the wheel ships."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from instances import Family, Fields, Kind, Rule, sort_out
from metalcore.tools.corpora.includes import flatten_text
from metalcore.tools.corpora.unit import Constant, Unit
from metallib import function_names
from source_archives import SourceArchive

WHEEL = SourceArchive(
    "mlx-metal",
    "mlx_metal-0.32.4-py3-none-macosx_14_0_arm64.whl",
    "8019b2db622599267d66cc168b2f0dbf5af929790a6c3b3913e00eabc42a7947",
)
FOLDER = "mlx/backend/metal/kernels/"

# Kernels of no template that headers define.
PLAIN = {"gather_mm_offsets", "generate_bluestein_twiddles"}
# Kernels of more than 32 KiB of threadgroup memory: Apple's Metal makes no pipeline of them, either
# ("Threadgroup memory size (40448) exceeds the maximum threadgroup memory allowed (32768)").
REFUSED = r"^steel_attention_float32_\w+_bd192_"
# Kernels whose bodies are in MLX's .metal files, which the wheel does not have.
WITHOUT_SOURCE = re.compile(
    r"arg(?:max|min)_|(?:vjp_)?(?:layer_norm|rms)|rope_|rbits|winograd_|naive_unfold_|depthwise_"
    r"|fence_|input_coherent|sdpa_vjp_"
)

TYPES = {
    "bool_": "bool",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "float16": "half",
    "float32": "float",
    "bfloat16": "bfloat16_t",
    "complex64": "complex64_t",
}
KINDS = {
    "type": Kind.of(TYPES),
    "mask": Kind.of({**TYPES, "nomask": "nomask_t"}),
    "ctype": Kind(r"float2|float16_t|bfloat16_t|complex32_t|float"),
    "op": Kind(r"[A-Z]\w*?"),
    "bool": Kind(r"true|false"),
    "not_transposed": Kind.of({"n": "false", "t": "true"}),
    "aligned": Kind.of({"taligned": "true", "naligned": "false"}),
    "filter": Kind.of({"s": "true", "l": "false"}),
    "channels": Kind(r"\d+|l", {"l": "0"}),
    "step": Kind.of({"inclusive": "true", "exclusive": "false"}),
    "side": Kind.of({"left": "false", "right": "true"}),
    "reduction": Kind.of(
        {"and": "And", "or": "Or", "sum": "Sum", "prod": "Prod", "min": "Min", "max": "Max"}
    ),
    "scan": Kind.of(
        {
            "sum": "CumSum",
            "prod": "CumProd",
            "min": "CumMin",
            "max": "CumMax",
            "logaddexp": "CumLogaddexp",
        }
    ),
    "mode": Kind(r"nvfp4|mxfp8|mxfp4"),
}

# How the shape of a grid, a name's beginning, chooses kernel and last arguments. `n` is for several
# elements of a thread, `large` for 64-bit indices.
GENERAL = {
    "g1": ("_nd1", ", int"),
    "g2": ("_nd2", ", int"),
    "g3": ("_nd3", ", int"),
    "gn2": ("", ", 2, int"),
    "g1large": ("_nd1", ""),
    "g2large": ("_nd2", ""),
    "g3large": ("_nd3", ""),
    "gn4large": ("", ", 4"),
}


def rule(
    form: str, kernel: str, arguments: str, complete: Callable[[Fields], None] | None = None
) -> Rule:
    """A rule with MLX's kinds of fields."""
    return Rule(form, kernel, arguments, KINDS, complete)


def compared(fields: Fields) -> None:
    """The result type of a binary operation."""
    is_comparison = re.fullmatch(r"(?:Greater|Less)(?:Equal)?|(?:Not|NaN)?Equal", fields["op"])
    fields["out"] = "bool" if is_comparison else fields["t"]


def reduced(fields: Fields) -> None:
    """The result type of a reduction."""
    wider = {
        "int8_t": "int32_t",
        "int16_t": "int32_t",
        "uint8_t": "int32_t",
        "uint16_t": "uint32_t",
    }
    fields["out"] = fields["t"]
    if fields["op"] in ("And", "Or"):
        fields["out"] = "bool"
    elif fields["op"] in ("Sum", "Prod"):
        fields["out"] = wider.get(fields["t"], fields["t"])


def scanned(fields: Fields) -> None:
    """How many elements a thread of a scan reads."""
    fields["reads"] = "2" if "64" in fields["in"] else "4"


def shared_heads(fields: Fields) -> None:
    """How many heads a threadgroup of an attention with shared keys takes."""
    fields["heads"] = "8" if fields["d"] == "64" else "2" if fields["g"] == "16" else "4"


def unary_rules() -> Iterator[Rule]:
    shapes = {"v": ("unary_v", ", 1"), "vn": ("unary_v", ""), "v2": ("unary_v2", "")}
    shapes |= {"gn1": ("unary_g", ", 1, int"), "gn4large": ("unary_g", ", 4")}
    for shape, (kernel, last) in shapes.items():
        yield rule(shape + "_{op:op}{in:type}{out:type}", kernel, "{in}, {out}, {op}" + last)


def binary_rules(op: str) -> Iterator[Rule]:
    shapes = {"ss": ("binary_ss", "")}
    for pair in ("sv", "vs", "vv"):
        shapes[pair] = ("binary_" + pair, ", 1")
        shapes[pair + "n"] = ("binary_" + pair, "")
        shapes[pair + "2"] = (f"binary_{pair}2", "")
    shapes |= {shape: ("binary_g" + end, last) for shape, (end, last) in GENERAL.items()}
    for shape, (kernel, last) in shapes.items():
        yield rule(f"{shape}_{op}{{t:type}}", kernel, "{t}, {out}, {op}" + last, compared)


def div_mod(fields: Fields) -> None:
    fields["op"], fields["out"] = "DivMod", fields["t"]


def binary_two_rules() -> Iterator[Rule]:
    for each in binary_rules("DivMod"):
        each.complete = div_mod
        yield each


def ternary_rules() -> Iterator[Rule]:
    scalars = {"v": "false, false", "vs": "false, true", "sv": "true, false"}
    shapes = {}
    for shape, which in scalars.items():
        shapes[shape] = ("ternary_v", f", {which}, 1")
        shapes[shape + "n"] = ("ternary_v", f", {which}")
        shapes[shape + "2"] = ("ternary_v2", f", {which}")
    shapes |= {shape: ("ternary_g" + end, last) for shape, (end, last) in GENERAL.items()}
    for shape, (kernel, last) in shapes.items():
        yield rule(shape + "_Select{t:type}", kernel, "{t}, Select" + last)


def copy_rules() -> Iterator[Rule]:
    shapes = {}
    for shape in "sv":
        shapes[shape] = ("copy_" + shape, ", 1")
        shapes[shape + "n"] = ("copy_" + shape, "")
        shapes[shape + "2"] = (f"copy_{shape}2", "")
    for shape, (end, last) in GENERAL.items():
        shapes[shape] = ("copy_g" + end, last)
        shapes["g" + shape] = ("copy_gg" + end, last)
        shapes[f"g{shape}_dynamic"] = ("copy_gg_dynamic" + end, last)
    for shape, (kernel, last) in shapes.items():
        yield rule(shape + "_copy{in:type}{out:type}", kernel, "{in}, {out}" + last)


def reduce_rules() -> Iterator[Rule]:
    yield rule("init_reduce_{op:reduction}{t:type}", "init_reduce", "{t}, {op}<{t}>")
    for name in ("all_reduce", "row_reduce_simple"):
        yield rule(name + "_{op:reduction}{t:type}", name, "{t}, {out}, {op}<{out}>", reduced)
    plain = ("row_reduce_small", "row_reduce_looped", "col_reduce_small", "col_reduce_longcolumn")
    for large, index in (("", "int"), ("_large", "int64_t")):
        first = "{t}, {out}, {op}<{out}>, " + index
        for name in plain:
            form = name + large + "_{d}_reduce_{op:reduction}{t:type}"
            yield rule(form, name, first + ", {d}", reduced)
        for name in ("col_reduce_looped", "col_reduce_2pass"):
            form = name + large + "_{d}_{bm}_{bn}_reduce_{op:reduction}{t:type}"
            yield rule(form, name, first + ", {d}, {bm}, {bn}", reduced)


def scan_rules() -> Iterator[Rule]:
    for short, kernel in (("contig", "contiguous_scan"), ("strided", "strided_scan")):
        for reverse, flag in (("", "false"), ("reverse_", "true")):
            form = f"{short}_scan_{reverse}{{step:step}}_{{op:scan}}_{{in:type}}_{{out:type}}"
            yield rule(
                form,
                kernel,
                f"{{in}}, {{out}}, {{op}}<{{out}}>, {{reads}}, {{step}}, {flag}",
                scanned,
            )


def sort_rules() -> Iterator[Rule]:
    for layout, kernel in (("c", "block_sort"), ("nc", "block_sort_nc")):
        for is_arg, name in (("true", "arg_block_sort"), ("false", "_block_sort")):
            form = layout + name + "_{in:type}_{out:type}_bn{bn}_tn{tn}"
            yield rule(form, kernel, f"{{in}}, {{out}}, {is_arg}, {{bn}}, {{tn}}")
    for step in ("sort", "partition", "merge"):
        form = step + "_mbsort_{in:type}_{out:type}_bn{bn}_tn{tn}"
        yield rule(form, "mb_block_" + step, "{in}, {out}, true, {bn}, {tn}")


def fft_rules() -> Iterator[Rule]:
    for name in ("fft", "rader_fft", "bluestein_fft"):
        yield rule(name + "_mem_{m}_{in:ctype}_{out:ctype}", name, "{m}, {in}, {out}")
    form = "four_step_mem_{m}_{in:ctype}_{out:ctype}_{step}_{real:bool}"
    yield rule(form, "four_step_fft", "{m}, {in}, {out}, {step}, {real}")


def gemv_rules() -> Iterator[Rule]:
    tile, sizes = "_bm{bm}_bn{bn}_sm{sm}_sn{sn}_tm{tm}_tn{tn}", "{bm}, {bn}, {sm}, {sn}, {tm}, {tn}"
    for name in ("gemv", "gemv_t"):
        form = name + "_{t:type}" + tile + "_nc{nc}_axpby{axpby}"
        yield rule(form, name, f"{{t}}, {sizes}, {{nc}}, {{axpby}}")
        yield rule(f"{name}_gather_{{t:type}}{tile}", name + "_gather", "{t}, " + sizes)
    for name in ("gemv_wide", "gemv_wide_gather"):
        yield rule(name + "_{t:type}_nv{nv}_kl{kl}", name, "{t}, {nv}, {kl}")


def gemv_masked_rules() -> Iterator[Rule]:
    for name in ("gemv", "gemv_t"):
        form = name + "_outmask_{out:mask}_opmask_{op:mask}_{t:type}"
        form += "_bm{bm}_bn{bn}_sm{sm}_sn{sn}_tm{tm}_tn{tn}_nc{nc}"
        arguments = "{t}, {out}, {op}, {bm}, {bn}, {sm}, {sn}, {tm}, {tn}, {nc}"
        yield rule(form, name + "_masked", arguments)


def quantized_rules(mode: str, kernels: str) -> Iterator[Rule]:
    """`mode` begins the names, `kernels` the templates."""
    values = "_{t:ctype}_gs_{gs}_b_{b}"
    first = "{t}, {gs}, {b}"
    matmul = values + "_bm_{bm}_bn_{bn}_bk_{bk}_wm_{wm}_wn_{wn}"
    tile = first + ", {bm}, {bn}, {bk}, {wm}, {wn}"
    for name in ("quantize", "dequantize", "quantize_dequantize"):
        yield rule(mode + name + values, kernels + name, first)
        yield rule(mode + name + values + "_hgs_{hgs:bool}", kernels + name, first + ", {hgs}")
    for scale, last in (("", ""), ("_hgs", ", true")):
        for name in ("gather_qmv_fast", "gather_qmv", "gather_qvm", "gather_qmm_n"):
            yield rule(mode + name + values + scale, kernels + name, first + last)
        for name in ("qvm", "qmm_n"):
            form = mode + name + values + "_batch_{batch}" + scale
            yield rule(form, kernels + name, first + ", {batch}" + last)
        form = mode + "qmm_t" + values + "_alN_{n:bool}_batch_{batch}" + scale
        yield rule(form, kernels + "qmm_t", first + ", {n}, {batch}" + last)
        form = mode + "gather_qmm_t" + values + "_alN_{n:bool}" + scale
        yield rule(form, kernels + "gather_qmm_t", first + ", {n}" + last)
        for letters, transposed in (("nt", "true"), ("nn", "false")):
            form = mode + "gather_qmm_rhs_" + letters + matmul + scale
            yield rule(form, kernels + "gather_qmm_rhs", f"{tile}, {transposed}{last}")
    for name in ("qmv_fast", "qmv"):
        form = mode + name + values + "_batch_{batch}_pr_{pr}_hgs_{hgs}_r_{r}"
        yield rule(form, kernels + name, first + ", {batch}, {pr}, {hgs}, {r}")
    form = mode + "qmv_wide" + values + "_nv_{nv}_kl_{kl}_batch_{batch}"
    yield rule(form, kernels + "qmv_wide", first + ", {nv}, {kl}, {batch}")
    form = mode + "qmv_quad" + values + "_d_{d}_batch_{batch}"
    yield rule(form, kernels + "qmv_quad", first + ", {d}, {batch}")
    yield rule(mode + "qvm_split_k" + values + "_spk_{k}", kernels + "qvm_split_k", first + ", {k}")
    form = mode + "qmm_t_splitk" + values + "_alN_{n:bool}"
    yield rule(form, kernels + "qmm_t_splitk", first + ", {n}")


def attention_rules() -> Iterator[Rule]:
    yield rule("sdpa_vector_{t:ctype}_{d}_{v}", "sdpa_vector", "{t}, {d}, {v}")
    yield rule("sdpa_vector_2pass_1_{t:ctype}_{d}_{v}", "sdpa_vector_2pass_1", "{t}, {d}, {v}")
    form = "sdpa_vector_2pass_1_{t:ctype}_{d}_{v}_tk{k}"
    yield rule(form, "sdpa_vector_2pass_1", "{t}, {d}, {v}, {k}")
    form = "sdpa_vector_2pass_1_gqa_{g}_{t:ctype}_{d}_{v}"
    yield rule(form, "sdpa_vector_2pass_1_gqa", "{t}, {d}, {v}, {g}, {heads}", shared_heads)
    yield rule("sdpa_vector_2pass_2_{t:ctype}_{d}", "sdpa_vector_2pass_2", "{t}, {d}")
    for name in ("sdpa_blocked_scale_copy", "sdpa_blocked_causal_mask"):
        yield rule(name + "_{t:type}", name, "{t}")


def steel_attention_rules() -> Iterator[Rule]:
    form = "steel_attention_{t:type}_bq{bq}_bk{bk}_bd{bd}_bv{bv}_wm{wm}_wn{wn}_mask{mask:type}"
    arguments = "{t}, {bq}, {bk}, {bd}, {bv}, {wm}, {wn}, {mask}, float"
    yield rule(form, "attention", arguments)


TILE, TILE_SIZES = "_bm{bm}_bn{bn}_bk{bk}_wm{wm}_wn{wn}", "{bm}, {bn}, {bk}, {wm}, {wn}"
OPERANDS = "_{a:not_transposed}{b:not_transposed}_{t:type}_{out:type}" + TILE
PRODUCT = f"{{t}}, {TILE_SIZES}, {{a}}, {{b}}"


def gemm_rules(name: str, kernel: str) -> Iterator[Rule]:
    yield rule(name + OPERANDS, kernel, PRODUCT + ", float")


def masked_gemm_rules() -> Iterator[Rule]:
    form = "steel_gemm_block_outmask_{om:mask}_opmask_{im:mask}" + OPERANDS
    form += "_MN_{mn:aligned}_K_{k:aligned}"
    arguments = f"{{t}}, {{om}}, {{im}}, {TILE_SIZES}, {{a}}, {{b}}, {{mn}}, {{k}}"
    yield rule(form, "block_masked_gemm", arguments)


def split_gemm_rules() -> Iterator[Rule]:
    form = "steel_gemm_splitk" + OPERANDS + "_MN_{mn:aligned}_K_{k:aligned}"
    arguments = f"{{t}}, {{out}}, {TILE_SIZES}, {{a}}, {{b}}, {{mn}}, {{k}}"
    yield rule(form, "gemm_splitk", arguments)
    sums = "steel_gemm_splitk_accum_{out:type}_{t:type}"
    yield rule(sums, "gemm_splitk_accum", "{t}, {out}")
    yield rule(sums + "_axbpy", "gemm_splitk_accum_axpby", "{t}, {out}")


def convolution_rules() -> dict[str, list[Rule]]:
    first = f"{{t}}, {TILE_SIZES}"
    return {
        "": [
            rule(
                "implicit_gemm_conv_2d_{t:type}" + TILE + "_channel_{c:channels}_filter_{f:filter}",
                "implicit_gemm_conv_2d",
                first + ", {c}, {f}",
            )
        ],
        "_3d": [
            rule(
                "implicit_gemm_conv_3d_{t:type}" + TILE + "_filter_{f:filter}",
                "implicit_gemm_conv_3d",
                first + ", {f}",
            )
        ],
        "_general": [
            rule(
                "implicit_gemm_conv_2d_general_{t:type}" + TILE,
                "implicit_gemm_conv_2d_general",
                first,
            )
        ],
    }


def families() -> list[Family]:
    """In an order in which a name of two forms finds its own first."""

    def one(name: str, *headers: str, rules: list[Rule]) -> Family:
        return Family(name, ["utils.h", *headers], rules)

    gemm = "steel/gemm/gemm.h"
    found = [
        one("arange", "arange.h", rules=[rule("arange{t:type}", "arange", "{t}")]),
        one("unary", "unary_ops.h", "unary.h", rules=[*unary_rules()]),
        one("ternary", "ternary_ops.h", "ternary.h", rules=[*ternary_rules()]),
        one("copy", "copy.h", rules=[*copy_rules()]),
        one("binary_two", "binary_ops.h", "binary_two.h", rules=[*binary_two_rules()]),
        one("binary", "binary_ops.h", "binary.h", rules=[*binary_rules("{op:op}")]),
        one("reduce", "atomic.h", "reduction/ops.h", "reduce.h", rules=[*reduce_rules()]),
        one("scan", "scan.h", rules=[*scan_rules()]),
        one("sort", "sort.h", rules=[*sort_rules()]),
        one("fft", "fft.h", rules=[*fft_rules()]),
        one("gemv", "gemv.h", rules=[*gemv_rules()]),
        one("gemv_masked", "gemv_masked.h", rules=[*gemv_masked_rules()]),
        one("attention", "sdpa_vector.h", "sdpa_blocked.h", rules=[*attention_rules()]),
        one(
            "quantized",
            gemm,
            "quantized_utils.h",
            "quantized.h",
            rules=[*quantized_rules("affine_", "affine_")],
        ),
        one(
            "fp_quantized",
            gemm,
            "quantized_utils.h",
            "fp_quantized.h",
            rules=[*quantized_rules("{mode:mode}_", "fp_")],
        ),
        one(
            "steel_attention",
            "steel/attn/kernels/steel_attention.h",
            rules=[*steel_attention_rules()],
        ),
    ]
    for end, rules in convolution_rules().items():
        headers = ("steel/gemm/mma.h", "steel/conv/conv.h", "steel/conv/params.h", "steel/utils.h")
        header = f"steel/conv/kernels/steel_conv{end}.h"
        found.append(one("steel_conv" + end, *headers, header, rules=rules))
    products = {
        "fused": [*gemm_rules("steel_gemm_fused", "gemm")],
        "gather": [
            *gemm_rules("steel_gather_mm_rhs", "gather_mm_rhs"),
            *gemm_rules("steel_gather_mm", "gather_mm"),
        ],
        "masked": [*masked_gemm_rules()],
        "segmented": [*gemm_rules("steel_segmented_mm", "segmented_mm")],
        "splitk": [*split_gemm_rules()],
    }
    for name, rules in products.items():
        header = f"steel/gemm/kernels/steel_gemm_{name}.h"
        found.append(one("steel_gemm_" + name, gemm, header, rules=rules))
    heads = "_{a}_{b}_{c}_{d}_{e}"  # sizes and numbers of heads, and the checkpoints' distance
    single = {
        "softmax": [
            rule("block_softmax_{t:type}", "softmax_single_row", "{t}"),
            rule("looped_softmax_{t:type}", "softmax_looped", "{t}"),
            rule("block_softmax_precise_{t:type}", "softmax_single_row", "{t}, float"),
            rule("looped_softmax_precise_{t:type}", "softmax_looped", "{t}, float"),
        ],
        "logsumexp": [
            rule("block_logsumexp_{t:type}", "logsumexp", "{t}"),
            rule("looped_logsumexp_{t:type}", "logsumexp_looped", "{t}"),
        ],
        "cross_entropy": [
            rule("cross_entropy_{t:type}", "cross_entropy", "{t}"),
            rule("cross_entropy_vjp_{t:type}", "cross_entropy_vjp", "{t}"),
        ],
        "dot": [
            rule("dot_product_{t:type}_it{i}_tg{g}_sg{s}", "dot_product", "{t}, {i}, {g}, {s}")
        ],
        "gated_delta_update": [
            rule(
                f"{name}_{{t:ctype}}_{{a}}_{{b}}_{{c}}_{{d}}_{{e}}",
                kernel,
                "{t}, {a}, {b}, {c}, {d}, {e}",
            )
            for name, kernel in (
                ("gated_delta_fused_chunk", "gated_delta_fused_chunk"),
                ("seq_gated_delta", "gated_delta_seq"),
            )
        ],
        "gated_delta_update_vjp": [
            rule(
                "seq_gated_delta_vjp_{t:ctype}" + heads,
                "gated_delta_vjp_seq",
                "{t}, {a}, {b}, {c}, {d}, {e}",
            )
        ],
    }
    found += [one(name, name + ".h", rules=rules) for name, rules in single.items()]
    search = [rule("searchsorted_{t:type}_{right:side}", "searchsorted", "{t}, {right}")]
    found.append(one("searchsorted", "sort.h", "searchsorted.h", rules=search))
    return found


# MLX sets all of a kernel's constants when it dispatches; these are those of a usual call.
CONSTANTS: dict[str, Constant] = {
    "align_C": True,
    "align_K": True,
    "align_M": True,
    "align_N": False,
    "align_Q": True,
    "blocks": 64,
    "bool_mask": False,
    "do_axpby": True,
    "do_causal": True,
    "elems_per_thread_": 4,
    "float_mask": True,
    "gemv_wide_do_axpby": True,
    "gemv_wide_has_batch": True,
    "has_batch": True,
    "has_mask": True,
    "has_sinks": True,
    "inv_": False,
    "is_power_of_2_": False,
    "query_transposed": False,
    "rader_m_": 2,
    "save_lse": False,
    "save_state": True,
    "segments_contiguous": True,
    "use_bluestein_twiddle_table_": False,
    "use_out_source": True,
} | {
    f"{kind}_{radix}_steps_": 1
    for kind in ("radix", "rader")
    for radix in (13, 11, 8, 7, 6, 5, 4, 3, 2)
}


def units() -> list[Unit]:
    """One for each file of MLX that the headers allow.

    Raises
    ------
    ValueError
        The library holds kernels that the rules do not know.
    """
    include = WHEEL.folder(".h") / "mlx" / "include"
    names = function_names(WHEEL.folder(".metallib") / "mlx" / "lib" / "mlx.metallib")
    instances, others = sort_out(names, families())
    unknown = [name for name in others if not (WITHOUT_SOURCE.match(name) or name in PLAIN)]
    if unknown:
        raise ValueError(
            f"{len(unknown)} of MLX's kernels are of no known form, such as {unknown[:5]}."
        )

    def text(family: Family, made: list[str]) -> Callable[[], str]:
        return lambda: flatten_text(family.text(made, FOLDER), [include], f"{family.name}.metal")

    newer = [
        Unit(name=f"mlx/{header.stem}", text=header.read_text, needs="Metal 4")
        for header in sorted((include / FOLDER).rglob("*_nax.h"))
        if "[[kernel" in header.read_text()
    ]
    return newer + [
        Unit(
            name=f"mlx/{family.name}",
            text=text(family, made),
            constants=CONSTANTS,
            math_mode="safe",
            stands_in=False,
            refused=REFUSED,
        )
        for family, made in instances
        if made
    ]
