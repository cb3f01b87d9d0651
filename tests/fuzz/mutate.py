"""Makes of one source another that is nearly right, or not at all."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

TOKEN = re.compile(
    rb"""//[^\n]* | /\*.*?\*/ | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
    | \#[^\n]* | [A-Za-z_]\w* | \.?\d(?:[eEpP][+-]|[\w.])* | \[\[ | \]\]
    | ::|->|<<=|>>=|<<|&&|\|\||[-+*/%&|^=!<>]= | \+\+|-- | \s+ | .""",
    re.DOTALL | re.VERBOSE,
)
EXPECTED_ERROR = b"//! error"  # in tests/msl_errors
SPACES = b"device constant threadgroup thread".split()
TYPES = (
    b"bool char uchar short ushort int uint long ulong half bfloat float void size_t bool2 char4 "
    b"ushort3 int2 uint3 ulong4 half2 half4 bfloat4 float2 float3 float4 packed_float3 float4x4 "
    b"half2x3 atomic_int atomic_uint atomic<float> sampler simdgroup_float8x8 double auto "
    b"array<int,3> vec<float,4> vec<T,N> T S"
).split()
NUMBERS = (
    b"0 1 -1 2 31 32 255 65536 2147483647 2147483648 4294967295 4294967296 18446744073709551615 "
    b"18446744073709551616 0x 0x8000000000000000 1e999 1e-999 0.0 1.0h 65504.0h 1e9h 1.0bf 0x1p-3h "
    b"0x1p99999 1.f 1ull 08 0b2 1'000"
).split()
OPERATORS = (
    b"+ - * / % & | ^ ! ~ = == != < > <= >= << >> && || ? : , . -> :: ++ -- += <<= [ ] ( )".split()
)
BINARY = b"+ - * / % & | ^ = == != < > <= >= << >> && || += -= *= /= <<= |=".split()
WORDS = (
    b"kernel vertex fragment visible template typename struct class union enum namespace using "
    b"typedef static const constexpr inline extern volatile mutable operator this sizeof alignof "
    b"alignas decltype auto if else for while do switch case default break continue return goto "
    b"asm new delete try catch throw virtual friend public private explicit noexcept static_cast "
    b"reinterpret_cast const_cast dynamic_cast typeid thread_local static_assert concept requires "
    b"METAL_FUNC ray_data object_data threadgroup_imageblock as_type select simd_sum simd_shuffle "
    b"threadgroup_barrier mem_flags metal air printf main"
).split()
ATTRIBUTES = (
    b"buffer(0) buffer(31) buffer(-1) buffer(N) texture(0) sampler(0) threadgroup(0) id(0) kernel "
    b"function_constant(0) function_constant(x) function_constant(65536) host_name() host_name(0) "
    b'host_name("") host_name("k") host_name("\\0") max_total_threads_per_threadgroup(0) '
    b"max_total_threads_per_threadgroup(2048) thread_position_in_grid threads_per_grid visible "
    b"thread_index_in_simdgroup simdgroup_index_in_threadgroup threads_per_threadgroup grid_size "
    b"thread_position_in_threadgroup threadgroup_position_in_grid dispatch_threads_per_threadgroup "
    b"nodiscard maybe_unused noreturn likely unknown early_fragment_tests stage_in position"
).split()
FRAGMENTS = [
    b"threadgroup float s[64];",
    b"threadgroup atomic_int c;",
    b"constant int x [[function_constant(0)]];",
    b"constant bool y = is_function_constant_defined(x);",
    b"template <typename T> ",
    b"template <typename T, int N> struct S { T x[N]; device T *p; };",
    b'template [[host_name("k")]] kernel void f<float>(device float *);',
    b"kernel void g(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i]++; }",
    b"struct B { int a : 3; B() device {} B() thread {} };",
    b"__attribute__((opencl_global)) ",
    b"__attribute__((address_space(3))) ",
    b'__attribute__((annotate("msl.kernel"))) ',
    b"__attribute__((msl_kernel)) ",
    b"#define A(x) x##x A(x)\n",
    b"#define device thread\n",
    b"#define kernel\n",
    b"#if 1\n",
    b"#endif\n",
    b"#include <metal_stdlib>\n",
    b"#include __FILE__\n",
    b"#pragma clang diagnostic push\n",
    b"#pragma METAL internals : enable\n",
    b'#line 7 "x"\n',
    b"\n#",
    b"??/\n",
    b"\\\n",
    b'[[clang::annotate("msl.buffer", 1)]]',
    b'_Pragma("unroll")',
    b"threadgroup_barrier(mem_flags::mem_threadgroup);",
    b"simd_shuffle_xor(x, 1)",
    b"as_type<uint4>(float4(1))",
    b"float4(1).xyzw.xy.yx",
    b"(device float *)0",
    b"*(threadgroup int *)a",
    b"[&](int n) { return n; }(1)",
    b"atomic_fetch_add_explicit(&c, 1, memory_order_relaxed)",
    b"for (int q = 0; q < 4; ++q) ",
    b"while (true) ",
    b"switch (i) { case 0: ",
    b"using namespace metal;",
    b"}",
    b"{",
]
OPENING, CLOSING = b"( [ { [[ <".split(), b") ] } ]] >".split()

Tokens = list[bytes]


class Mutator:
    """Mutations with the words and pieces of all sources at hand."""

    def __init__(self, sources: list[bytes]) -> None:
        self._sources = [TOKEN.findall(source) for source in sources]
        # Those that are wrong from the start do not get far.
        self._hopeful = [
            tokens
            for source, tokens in zip(sources, self._sources, strict=True)
            if EXPECTED_ERROR not in source
        ]
        names = {token for tokens in self._sources for token in tokens if token[:1].isalpha()}
        self._names = sorted(names)
        # Most of what these make is still a program, or nearly one.
        self._gentle: list[Callable[[Tokens, random.Random], None]] = [
            self._address_space,
            self._attribute,
            self._number,
            self._number,
            self._operator,
            self._operator,
            self._name,
            self._type,
            self._type,
            self._statement,
            self._splice,
        ]
        self._of_tokens = [
            *self._gentle,
            self._delete,
            self._duplicate,
            self._swap,
            self._replace,
            self._replace,
            self._replace,
            self._insert,
            self._insert,
            self._drop_group,
            self._nest,
            self._rename,
        ]
        self._of_bytes = [
            self._flip,
            self._insert_bytes,
            self._cut,
            self._repeat,
            self._end,
        ]

    def case(self, rng: random.Random) -> bytes:
        """One source."""
        tokens = list(rng.choice(self._hopeful if rng.random() < 0.8 else self._sources))
        is_gentle = rng.random() < 0.6
        for _ in range(rng.choice((1, 1, 2, 3) if is_gentle else (1, 1, 2, 2, 3, 5, 9))):
            if tokens:
                rng.choice(self._gentle if is_gentle else self._of_tokens)(tokens, rng)
        source = bytearray(b"".join(tokens))
        if rng.random() < (0.05 if is_gentle else 0.3):
            for _ in range(rng.choice((1, 1, 2, 4, 16))):
                if source:
                    rng.choice(self._of_bytes)(source, rng)
        return bytes(source)

    # ---- tokens

    def _like(self, token: bytes, rng: random.Random) -> bytes:
        if token[:1].isdigit():
            return rng.choice(NUMBERS)
        if token[:1].isalpha() or token[:1] == b"_":
            return rng.choice(
                (TYPES, SPACES, WORDS, self._names, self._names, [b"x", b"i", b"a"])[
                    rng.randrange(6)
                ]
            )
        if token.isspace():
            return rng.choice((b"", b" ", b"\n", b"\\\n", b"/**/"))
        return rng.choice(OPERATORS)

    def _any(self, tokens: Tokens, rng: random.Random) -> int:
        """The place of one, seldom of blanks."""
        for _ in range(8):
            at = rng.randrange(len(tokens))
            if not tokens[at].isspace():
                break
        return at

    def _number(self, tokens: Tokens, rng: random.Random) -> None:
        places = [at for at, token in enumerate(tokens) if token[:1].isdigit()]
        if places:
            tokens[rng.choice(places)] = rng.choice(NUMBERS)

    def _operator(self, tokens: Tokens, rng: random.Random) -> None:
        at = self._find(tokens, rng, BINARY)
        if at is not None:
            tokens[at] = rng.choice(BINARY)

    def _name(self, tokens: Tokens, rng: random.Random) -> None:
        """One name gives way to another of the same source, in one place."""
        places = [at for at, token in enumerate(tokens) if token[:1].isalpha()]
        if places:
            tokens[rng.choice(places)] = tokens[rng.choice(places)]

    def _find(self, tokens: Tokens, rng: random.Random, words: list[bytes]) -> int | None:
        places = [at for at, token in enumerate(tokens) if token in words]
        return rng.choice(places) if places else None

    def _delete(self, tokens: Tokens, rng: random.Random) -> None:
        at = self._any(tokens, rng)
        del tokens[at : at + rng.choice((1, 1, 1, 2, 5))]

    def _duplicate(self, tokens: Tokens, rng: random.Random) -> None:
        at, count = self._any(tokens, rng), rng.choice((1, 1, 3, 9))
        tokens[at:at] = tokens[at : at + count] * rng.choice((1, 1, 1, 2, 40))

    def _swap(self, tokens: Tokens, rng: random.Random) -> None:
        a, b = self._any(tokens, rng), self._any(tokens, rng)
        tokens[a], tokens[b] = tokens[b], tokens[a]

    def _replace(self, tokens: Tokens, rng: random.Random) -> None:
        at = self._any(tokens, rng)
        tokens[at] = self._like(tokens[at], rng)

    def _insert(self, tokens: Tokens, rng: random.Random) -> None:
        piece = rng.choice((rng.choice(FRAGMENTS), self._like(b"x", rng), self._like(b"+", rng)))
        tokens.insert(self._any(tokens, rng), b" " + piece + b" ")

    def _attribute(self, tokens: Tokens, rng: random.Random) -> None:
        text = b" [[" + rng.choice(ATTRIBUTES) + b"]] "
        at = self._find(tokens, rng, [b"[["])
        if at is not None and rng.random() < 0.7:
            end = self._end_of_group(tokens, at)
            tokens[at:end] = [text] if rng.random() < 0.8 else []
        else:
            tokens.insert(self._any(tokens, rng), text)

    def _address_space(self, tokens: Tokens, rng: random.Random) -> None:
        at = self._find(tokens, rng, SPACES)
        if at is not None and rng.random() < 0.8:
            tokens[at] = rng.choice((*SPACES, b""))
        else:
            tokens.insert(self._any(tokens, rng), b" " + rng.choice(SPACES) + b" ")

    def _type(self, tokens: Tokens, rng: random.Random) -> None:
        at = self._find(tokens, rng, TYPES)
        if at is not None:
            tokens[at] = rng.choice(TYPES)

    def _end_of_group(self, tokens: Tokens, at: int) -> int:
        opening = tokens[at]
        closing, depth = CLOSING[OPENING.index(opening)], 0
        for end in range(at, len(tokens)):
            depth += (tokens[end] == opening) - (tokens[end] == closing)
            if depth == 0:
                return end + 1
        return len(tokens)

    def _drop_group(self, tokens: Tokens, rng: random.Random) -> None:
        at = self._find(tokens, rng, OPENING)
        if at is not None:
            end = self._end_of_group(tokens, at)
            inside = slice(at + 1, end - 1) if rng.random() < 0.5 else slice(at, end)
            del tokens[inside]

    def _nest(self, tokens: Tokens, rng: random.Random) -> None:
        at, times = self._any(tokens, rng), rng.choice((1, 2, 8, 300, 2000))
        opening, closing = rng.choice(
            ((b"(", b")"), (b"{", b"}"), (b"[", b"]"), (b"vec<", b",2>"), (b"-", b""), (b"*", b""))
        )
        if opening == b"vec<":  # a name that nobody declared: exponentially slow in clang
            times = min(times, 8)
        tokens[at : at + 1] = [opening * times + tokens[at] + closing * times]

    def _splice(self, tokens: Tokens, rng: random.Random) -> None:
        """A group of another source in place of one of this one."""
        other = rng.choice(self._sources)
        kind = [rng.choice(OPENING)]
        here, there = self._find(tokens, rng, kind), self._find(other, rng, kind)
        if here is not None and there is not None:
            piece = other[there : self._end_of_group(other, there)]
            tokens[here : self._end_of_group(tokens, here)] = piece

    def _statement(self, tokens: Tokens, rng: random.Random) -> None:
        """One statement goes elsewhere, or is there twice."""
        ends = [-1] + [at for at, token in enumerate(tokens) if token in (b";", b"{", b"}")]
        if len(ends) < 3:
            return
        number = rng.randrange(len(ends) - 1)
        begin, end = ends[number] + 1, ends[number + 1] + 1
        piece = tokens[begin:end]
        if rng.random() < 0.5:
            del tokens[begin:end]
        place = min(rng.choice(ends) + 1, len(tokens))
        tokens[place:place] = piece

    def _rename(self, tokens: Tokens, rng: random.Random) -> None:
        """A name gives way to another of the same source, everywhere."""
        names = sorted({token for token in tokens if token[:1].isalpha()})
        if names:
            old, new = rng.choice(names), rng.choice(names)
            tokens[:] = [new if token == old else token for token in tokens]

    # ---- bytes

    def _flip(self, source: bytearray, rng: random.Random) -> None:
        source[rng.randrange(len(source))] ^= 1 << rng.randrange(8)

    def _insert_bytes(self, source: bytearray, rng: random.Random) -> None:
        at = rng.randrange(len(source) + 1)
        source[at:at] = rng.choice(
            (
                b"\0",
                b"\xff",
                b"\xc3\x28",
                b"\xef\xbb\xbf",
                b"\xf0\x9f\x8d\x8e",
                b"\r",
                rng.randbytes(3),
            )
        ) * rng.choice((1, 1, 1, 3, 1000))

    def _cut(self, source: bytearray, rng: random.Random) -> None:
        at = rng.randrange(len(source))
        del source[at : at + rng.choice((1, 2, 16, 256))]

    def _repeat(self, source: bytearray, rng: random.Random) -> None:
        at = rng.randrange(len(source))
        source[at:at] = source[at : at + rng.choice((1, 4, 16))] * rng.choice((1, 2, 16, 1000))

    def _end(self, source: bytearray, rng: random.Random) -> None:
        del source[rng.randrange(len(source)) :]
