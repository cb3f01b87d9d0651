"""Sources that are hard on a compiler are refused, or compiled; the process goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

import metalcore as mc

BODY = "kernel void k(device int *a, uint i [[thread_position_in_grid]]) {{ {} }}\n"
DOUBLING = "#define A0 {}\n" + "".join(f"#define A{i + 1} A{i} A{i}\n" for i in range(40))
REFUSED = {
    "tokens without end": (DOUBLING.format("x;") + BODY.format("A40"), "8388608 tokens"),
    "templates without end": (
        "template <int N> struct T { static constexpr int v = T<N + 1>::v; };\n"
        + BODY.format("a[0] = T<0>::v;"),
        "recursive template instantiation exceeded maximum depth of 1024",
    ),
    "constant expressions without end": (
        "constexpr int f() { int n = 0; while (true) n ^= 1; return n; }\n"
        "constexpr constant int c = f();\n" + BODY.format("a[0] = c;"),
        "must be initialized by a constant expression",
    ),
    "an include of itself": ("#include __FILE__\n", "file not found"),
    "deep parentheses": (BODY.format("a[0] = " + "(" * 99_999), "bracket nesting level exceeded"),
    "deep braces": (BODY.format("{{" * 99_999), "bracket nesting level exceeded"),
    "too large an array": (BODY.format("int x[1l << 61]; x[0] = 1;"), "array is too large"),
    "NUL": ("kernel void k(\0device int *a) { a[0] = \0; }", "expected expression"),
    "the same error again and again": (
        "kernel void k(device int *a) {}\n" + "k;\n" * 20_000,
        "too many errors emitted, stopping now",
    ),
    "undeclared templates": (BODY.format("b < " * 1000), "use of undeclared identifier 'b'"),
    "types that double": (
        "template <typename A, typename B> struct P {};\nusing T0 = P<int, int>;\n"
        + "".join(f"using T{i + 1} = P<T{i}, T{i}>;\n" for i in range(40))
        + "void f(thread T40 &x) {}\n"
        + BODY.format("T40 x; f(x);"),
        "written out, this type has more than 65536 template arguments",
    ),
    # What the parser has looked at when this is found must still be there.
    "lists that double": (
        "template <typename... T> struct L {};\ntemplate <typename A, typename B> struct C;\n"
        "template <typename... A, typename... B> struct C<L<A...>, L<B...>> {"
        " using t = L<A..., B...>; };\nusing T0 = L<int>;\n"
        + "".join(f"using T{i + 1} = C<T{i}, T{i}>::t;\n" for i in range(40)),
        "written out, this type has more than 65536 template arguments",
    ),
    "a control character": (BODY.format("a[0] = \x01;"), "error: "),
}
COMPILED = {
    "nothing": "",
    "a long line": BODY.format("a[0] = 1" + " + a[1]" * 20_000 + ";"),
    "a long name": BODY.format(f"int {'n' * 100_000} = 1; a[0] = {'n' * 100_000};"),
    "many kernels": "".join(BODY.replace(" k(", f" k{i}(").format("a[0] = 1;") for i in range(500)),
    "a mark of byte order": "\ufeff" + BODY.format("a[0] = 1;"),
    "CR LF": BODY.format("a[0] = 1;\r\n").replace("\n", "\r\n"),
    "unicode in a comment": BODY.format("/* ½ 🍎 */ a[0] = 1;"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name: str) -> None:
    source, message = REFUSED[name]
    with pytest.raises(mc.CompileError) as caught:
        mc.compile(source)
    assert message in caught.value.diagnostics
    assert "crashed" not in caught.value.diagnostics
    assert mc.compile(BODY.format("a[0] = 1;")).kernel_names == ["k"]


@pytest.mark.parametrize("name", COMPILED)
def test_is_compiled(name: str) -> None:
    library = mc.compile(COMPILED[name])
    for kernel in library.kernel_names[:2]:
        library[kernel].prepare()


def test_text_that_is_no_unicode() -> None:
    with pytest.raises(TypeError):
        mc.compile("kernel void k() {} // \udcff")


def test_time_is_limited(run_python, tmp_path: Path) -> None:
    source = DOUBLING.format("") + BODY.format("A40 A40 A40 A40")
    (tmp_path / "source").write_text(source)
    result = run_python(
        f"import metalcore as mc\ntry:\n  mc.compile(open({str(tmp_path / 'source')!r}).read())\n"
        "except mc.CompileError as error:\n  print(error)",
        METALCORE_COMPILE_TIME_LIMIT="2",
    )
    assert result.stdout == (
        "The Metal source does not compile: program_source: error: the compiler took more than "
        "its limit of 2 s of processor time on this source.\n"
    ), result.stderr


ENDLESS = {
    "tokens of macros": DOUBLING.format("x;") + BODY.format("A22"),
    "macros": DOUBLING.format("") + BODY.format("A40"),
    "macros of a directive": DOUBLING.format("+ 1") + "#if 1 A40\n#endif\n" + BODY.format(""),
    "classes": (
        "template <int N, long M> struct T { static constexpr constant long v ="
        " T<N - 1, 2 * M>::v + T<N - 1, 2 * M + 1>::v; };\n"
        "template <long M> struct T<0, M> { static constexpr constant long v = M; };\n"
        + BODY.format("a[0] = T<40, 1>::v;")
    ),
    "functions": (
        "template <int N, long M> long f() { if constexpr (N == 0) return M;"
        " else return f<N - 1, 2 * M>() + f<N - 1, 2 * M + 1>(); }\n"
        + BODY.format("a[0] = f<40, 0>();")
    ),
    "constants": (
        "template <int N> constexpr int f() { int n = N;"
        " for (int i = 0; i < 100000; ++i) n ^= i; return n; }\n"
        + "".join(f'static_assert(f<{i}>() != -1, "");\n' for i in range(4000))
        + BODY.format("")
    ),
}


def test_what_is_ended_leaves_no_memory(run_python, tmp_path: Path) -> None:
    """By its time or its size, in each part of the front end."""
    for name, source in ENDLESS.items():
        (tmp_path / name).write_text(source)
    program = f"""
import sys
sys.path.append({str(Path(__file__).resolve().parents[1] / "soak")!r})
from memory import heap_in_use
import metalcore as mc
for number in range(2):
    mc.compile({BODY.format("a[0] = NUMBER;")!r}.replace("NUMBER", str(number)))
for name in {list(ENDLESS)!r}:
    source = open({str(tmp_path)!r} + "/" + name).read()
    before = heap_in_use()
    try:
        mc.compile(source)
    except mc.CompileError as error:
        assert "its limit of 1 s" in str(error) or "8388608 tokens" in str(error), (name, error)
    else:
        raise AssertionError(name)
    print(name, heap_in_use() - before, sep=": ")
"""
    result = run_python(program, METALCORE_COMPILE_TIME_LIMIT="1", METALCORE_WARMUP="false")
    kept = dict(line.split(": ") for line in result.stdout.splitlines())
    assert list(kept) == list(ENDLESS), result
    assert all(int(size) < 1 << 20 for size in kept.values()), kept


def test_memory_that_is_not_there(run_python, tmp_path: Path) -> None:
    # 8 million tokens need more than what is left to this process.
    (tmp_path / "source").write_text(DOUBLING.format("x") + BODY.format("A22 A21 A20"))
    result = run_python(
        "import resource, metalcore as mc\n"
        f"mc.compile({BODY.format('a[0] = 1;')!r})\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size + (160 << 20), size + (160 << 20)))\n"
        f"try:\n  mc.compile(open({str(tmp_path / 'source')!r}).read())\n"
        "except mc.CompileError as error:\n  print(error)\n"
        f"print(mc.compile({BODY.format('a[0] = 2;')!r}).kernel_names)"
    )
    assert "the compiler ran out of memory on this source" in result.stdout, result
    assert result.stdout.endswith("['k']\n"), result


def test_every_process_makes_the_same_bytes(run_python) -> None:
    """Of all sources that the fuzz begins with: middle form, machine code, diagnostics."""
    folder = Path(__file__).resolve().parents[1] / "fuzz"
    program = f"""
import sys, hashlib
sys.path.insert(0, {str(folder)!r})
from pathlib import Path
from compiler import Compiler, functions
from seeds import seeds
import metalcore
compiler = Compiler(Path(metalcore.__file__).parent / "libhostmetal-compiler.so")
hold = [bytearray(n) for n in range(1, int(sys.argv[1] if len(sys.argv) > 1 else HOLD))]
for source in seeds():
    outcome = compiler.library(source)
    text = repr(outcome)
    for function in list(functions(outcome.outputs[1]))[:2] if outcome.status == 0 else []:
        text += repr(compiler.kernel(outcome.outputs[0], function))
    print(hashlib.sha256(text.encode()).hexdigest())
"""
    results = [run_python(program.replace("HOLD", hold), timeout=280) for hold in ("2", "3000")]
    first, second = (result.stdout.splitlines() for result in results)
    assert len(first) > 100, results[0].stderr
    assert first == second
    assert len(set(first)) > len(first) // 2


def test_brackets_that_nothing_opens_end_a_compile() -> None:
    with pytest.raises(mc.CompileError, match="expected"):
        mc.compile("kernel float4 ]](device float >a [[buffer(1)k, device ]] *b) {}")
