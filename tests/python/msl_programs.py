"""Random kernels of nested branches, loops and operations between lanes, and a reference for them.

A program is a tree that prints itself as MSL and that runs on all threads of a threadgroup at once,
statement by statement, with a mask of the lanes that execute it: as a GPU does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

SIMD, QUAD = 32, 4
VARIABLES = ("a", "b", "c")

Words = NDArray[np.uint32]
Mask = NDArray[np.bool_]


@dataclass
class Loop:
    """The turn of a loop: who left it, and who is through with the turn."""

    broken: Mask
    continued: Mask


class Threads:
    """The state of one threadgroup."""

    def __init__(self, size: int, group: int, values: dict[str, Words]) -> None:
        self.group = group
        self.index = np.arange(size, dtype=np.uint32)
        self.values = {name: value.copy() for name, value in values.items()}
        self.shared = np.zeros(size, np.uint32)
        self.out = np.zeros(size, np.uint32)

    def leave(self, mask: Mask) -> None:
        result = self.values["a"] + 3 * self.values["b"] + 7 * self.values["c"]
        self.out[mask] = result[mask]

    def gather(
        self, value: Words, mask: Mask, width: int, operation: Callable[[Words, NDArray], Words]
    ) -> Words:
        """`operation` gets the active values of each group, and the lanes that they are from."""
        result = value.copy()
        for first in range(0, mask.size, width):
            lanes = np.flatnonzero(mask[first : first + width])
            if lanes.size:
                result[first + lanes] = operation(value[first + lanes], lanes)
        return result


@dataclass
class Expression:
    text: str
    value: Callable[[Threads], Words]


@dataclass
class Assign:
    variable: str
    expression: Expression

    def lines(self) -> list[str]:
        return [f"{self.variable} = {self.expression.text};"]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        threads.values[self.variable] = np.where(
            mask, self.expression.value(threads), threads.values[self.variable]
        )
        return mask


def shuffled(source: Callable[[int], int]) -> Callable[[Words, NDArray], Words]:
    """A lane that takes no part gives 0; beyond the last lane the own value is kept."""

    def operation(values: Words, lanes: NDArray) -> Words:
        at = dict.fromkeys(range(SIMD), 0) | dict(zip(lanes.tolist(), values, strict=True))
        return np.array([at.get(source(lane), at[lane]) for lane in lanes.tolist()], np.uint32)

    return operation


def before(values: Words, lanes: NDArray) -> Words:
    return (np.cumsum(values, dtype=np.uint32) - values).astype(np.uint32)


GROUP_OPERATIONS: dict[str, tuple[int, Callable[[Words, NDArray], Words]]] = {
    "simd_sum({x})": (SIMD, lambda x, lanes: x.sum(dtype=np.uint32)),
    "simd_min({x})": (SIMD, lambda x, lanes: x.min()),
    "simd_xor({x})": (SIMD, lambda x, lanes: np.bitwise_xor.reduce(x)),
    "simd_prefix_exclusive_sum({x})": (SIMD, before),
    "simd_broadcast_first({x})": (SIMD, lambda x, lanes: x[0]),
    "simd_shuffle_xor({x}, 5)": (SIMD, shuffled(lambda lane: lane ^ 5)),
    "simd_shuffle_down({x}, 3)": (SIMD, shuffled(lambda lane: lane + 3)),
    "uint(simd_any({x} % 8 == 0))": (SIMD, lambda x, lanes: (x % 8 == 0).any()),
    "uint((simd_vote::vote_t)simd_ballot({x} % 2 == 0))": (
        SIMD,
        lambda x, lanes: np.uint32((1 << lanes[x % 2 == 0]).sum()),
    ),
    "uint((simd_vote::vote_t)simd_active_threads_mask())": (
        SIMD,
        lambda x, lanes: np.uint32((1 << lanes).sum()),
    ),
    "together({x})": (SIMD, lambda x, lanes: x.max() + np.uint32(lanes.size)),
    "early({x})": (
        SIMD,
        lambda x, lanes: np.where(x % 3 == 0, 7, x[x % 3 != 0].sum(dtype=np.uint32)),
    ),
    "quad_sum({x})": (QUAD, lambda x, lanes: x.sum(dtype=np.uint32)),
    "quad_shuffle_xor({x}, 1)": (QUAD, shuffled(lambda lane: lane ^ 1)),
}

# Called from several places: each call is one of its own. Lanes that return meet the others again.
HELPERS = """
uint early(uint x) {
  if (x % 3 == 0)
    return 7;
  return simd_sum(x);
}
uint together(uint x) {
  simdgroup_barrier(mem_flags::mem_none);
  return simd_max(x) + popcount(uint((simd_vote::vote_t)simd_active_threads_mask()));
}
"""


@dataclass
class GroupOperation:
    variable: str
    operand: Expression
    name: str

    def lines(self) -> list[str]:
        return [f"{self.variable} = {self.name.format(x=f'({self.operand.text})')};"]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        width, operation = GROUP_OPERATIONS[self.name]
        result = threads.gather(self.operand.value(threads), mask, width, operation)
        threads.values[self.variable] = np.where(mask, result, threads.values[self.variable])
        return mask


@dataclass
class Block:
    statements: list = field(default_factory=list)

    def lines(self) -> list[str]:
        return ["  " + line for statement in self.statements for line in statement.lines()]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        for statement in self.statements:
            if not mask.any():
                break
            mask = statement.run(threads, mask, loop)
        return mask


class Scope(Block):
    def lines(self) -> list[str]:
        return ["{", *super().lines(), "}"]


@dataclass
class If:
    condition: Expression
    then: Block
    otherwise: Block

    def lines(self) -> list[str]:
        head = f"if (({self.condition.text}) % 2) {{"
        return [head, *self.then.lines(), "} else {", *self.otherwise.lines(), "}"]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        condition = self.condition.value(threads) % 2 != 0
        return self.then.run(threads, mask & condition, loop) | self.otherwise.run(
            threads, mask & ~condition, loop
        )


@dataclass
class Switch:
    selector: Expression
    cases: Sequence[tuple[Block, bool]]  # and whether it falls through to the next

    def lines(self) -> list[str]:
        lines = [f"switch (({self.selector.text}) % {len(self.cases) + 1}) {{"]
        for number, (block, falls_through) in enumerate(self.cases):
            lines += [f"case {number}: {{", *block.lines(), "}"]
            lines += [] if falls_through else ["break;"]
        return [*lines, "}"]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        selector = self.selector.value(threads) % (len(self.cases) + 1)
        done = mask & (selector == len(self.cases))
        falling = np.zeros_like(mask)
        for number, (block, falls_through) in enumerate(self.cases):
            after = block.run(threads, falling | (mask & (selector == number)), loop)
            falling = after if falls_through else np.zeros_like(mask)
            done |= after & ~falling
        return done | falling


@dataclass
class For:
    counter: str
    trips: Expression
    body: Block

    def lines(self) -> list[str]:
        k, trips = self.counter, self.trips.text
        head = f"for (uint {k} = 0, {k}_end = ({trips}) % 4; {k} < {k}_end; ++{k}) {{"
        return [head, *self.body.lines(), "}"]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        trips = self.trips.value(threads) % 4
        threads.values[self.counter] = np.zeros_like(trips)
        done, active = np.zeros_like(mask), mask
        while active.any():
            stays = threads.values[self.counter] < trips
            done |= active & ~stays
            turn = Loop(np.zeros_like(mask), np.zeros_like(mask))
            after = self.body.run(threads, active & stays, turn)
            done |= turn.broken
            active = after | turn.continued
            threads.values[self.counter] = threads.values[self.counter] + np.uint32(1)
        return done


@dataclass
class DoWhile:
    """At most four turns, as long as a condition holds, which each turn changes."""

    counter: str
    condition: Expression
    body: Block

    def lines(self) -> list[str]:
        k = self.counter
        tail = f"}} while (++{k} < 4 && ({self.condition.text}) % 4 != 0);"
        return [f"uint {k} = 0;", "do {", *self.body.lines(), tail]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        threads.values[self.counter] = np.zeros_like(threads.index)
        done, active = np.zeros_like(mask), mask
        while active.any():
            turn = Loop(np.zeros_like(mask), np.zeros_like(mask))
            after = self.body.run(threads, active, turn) | turn.continued
            done |= turn.broken
            threads.values[self.counter] = threads.values[self.counter] + np.uint32(1)
            goes_on = (threads.values[self.counter] < 4) & (self.condition.value(threads) % 4 != 0)
            done |= after & ~goes_on
            active = after & goes_on
        return done


@dataclass
class ByGroup:
    """A branch that a threadgroup takes as a whole, so that barriers may lie in it."""

    then: Block
    otherwise: Block

    def lines(self) -> list[str]:
        return ["if (group % 2) {", *self.then.lines(), "} else {", *self.otherwise.lines(), "}"]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        return (self.then if threads.group % 2 else self.otherwise).run(threads, mask, loop)


@dataclass
class Break:
    condition: Expression

    def lines(self) -> list[str]:
        return [f"if (({self.condition.text}) % 4 == 0)", "  break;"]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        assert loop is not None
        leaves = mask & (self.condition.value(threads) % 4 == 0)
        loop.broken |= leaves
        return mask & ~leaves


@dataclass
class Continue:
    condition: Expression

    def lines(self) -> list[str]:
        return [f"if (({self.condition.text}) % 4 == 0)", "  continue;"]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        assert loop is not None
        leaves = mask & (self.condition.value(threads) % 4 == 0)
        loop.continued |= leaves
        return mask & ~leaves


@dataclass
class Return:
    condition: Expression

    def lines(self) -> list[str]:
        return [f"if (({self.condition.text}) % 8 == 0) {{", *leave_lines(), "  return;", "}"]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        leaves = mask & (self.condition.value(threads) % 8 == 0)
        threads.leave(leaves)
        return mask & ~leaves


@dataclass
class Exchange:
    """Through threadgroup memory, between barriers that all threads still there come to."""

    variable: str
    distance: int

    def lines(self) -> list[str]:
        return [
            f"shared[t] = {self.variable};",
            "threadgroup_barrier(mem_flags::mem_threadgroup);",
            f"{self.variable} += shared[(t + {self.distance}) % size];",
            "threadgroup_barrier(mem_flags::mem_threadgroup);",
        ]

    def run(self, threads: Threads, mask: Mask, loop: Loop | None) -> Mask:
        value = threads.values[self.variable]
        threads.shared[mask] = value[mask]
        other = threads.shared[(threads.index + self.distance) % mask.size]
        threads.values[self.variable] = np.where(mask, value + other, value)
        return mask


def leave_lines() -> list[str]:
    return ["  out[i] = a + 3 * b + 7 * c;"]


class Generator:
    """Draws programs."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._counters: list[str] = []
        self._counter_count = 0

    def _draw(self, choices: Sequence) -> object:
        return choices[self._random.integers(len(choices))]

    def _expression(self) -> Expression:
        x = str(self._draw((*VARIABLES, *self._counters)))
        y = str(self._draw((*VARIABLES, *self._counters)))
        n = int(self._random.integers(1, 100))
        forms = [
            (f"{x} + {n}u", lambda v: v[x] + np.uint32(n)),
            (f"{x} * {n}u ^ {y}", lambda v: v[x] * np.uint32(n) ^ v[y]),
            (f"{x} - {y}", lambda v: v[x] - v[y]),
            (f"({x} >> {n % 7}u) + {y}", lambda v: (v[x] >> np.uint32(n % 7)) + v[y]),
        ]
        text, value = forms[self._random.integers(len(forms))]
        return Expression(text, lambda threads: value(threads.values))

    def _group_operation(self) -> GroupOperation:
        return GroupOperation(
            str(self._draw(VARIABLES)),
            self._expression(),
            str(self._draw(tuple(GROUP_OPERATIONS))),
        )

    def _block(self, depth: int, in_loop: bool, length: int) -> Block:
        return Block([self._statement(depth, in_loop) for _ in range(length)])

    def _statement(self, depth: int, in_loop: bool) -> object:
        kind = self._random.random()
        if kind < 0.4 or depth == 0:
            return self._group_operation()
        if kind < 0.5:
            return Assign(str(self._draw(VARIABLES)), self._expression())
        length = int(self._random.integers(1, 4))
        if kind < 0.68:
            condition = self._expression()
            then = self._block(depth - 1, in_loop, length)
            return If(condition, then, self._block(depth - 1, in_loop, length - 1))
        if kind < 0.76:
            # In a switch, `break` would leave the switch.
            cases = [
                (self._block(depth - 1, False, 1), bool(self._random.random() < 0.4))
                for _ in range(length)
            ]
            return Switch(self._expression(), cases)
        if kind < 0.86:
            return self._loop(depth, self._expression())
        if kind < 0.92:
            return self._do_while(depth)
        choice = self._random.random()
        if not in_loop or choice < 0.2:
            return Return(self._expression())
        if choice < 0.6:
            return Break(self._expression())
        return Continue(self._expression())

    def _loop(self, depth: int, trips: Expression) -> For:
        counter = f"k{self._counter_count}"
        self._counter_count += 1
        self._counters.append(counter)
        body = self._block(depth - 1, True, int(self._random.integers(1, 4)))
        self._counters.pop()
        return For(counter, trips, body)

    def _do_while(self, depth: int) -> Block:
        """In a block of its own, for its counter."""
        loop = self._loop(depth, self._expression())
        return Scope([DoWhile(loop.counter, loop.trips, loop.body)])

    def _exchange(self) -> Exchange:
        return Exchange(str(self._draw(VARIABLES)), int(self._random.integers(1, 64)))

    def program(self, depth: int = 3) -> Block:
        """Barriers lie where all threads come by: outside, or in loops of a constant length."""
        statements: list = []
        for _ in range(int(self._random.integers(3, 7))):
            statements.append(self._statement(depth, False))
            if self._random.random() < 0.4:
                statements.append(self._exchange())
            if self._random.random() < 0.2:
                blocks = [Block([self._group_operation(), self._exchange()]) for _ in range(2)]
                statements.append(ByGroup(*blocks))
            if self._random.random() < 0.2:
                trips = int(self._random.integers(1, 4))
                uniform = Expression(
                    f"{trips}u", lambda threads, n=trips: np.full_like(threads.index, n)
                )
                loop = self._loop(1, uniform)
                loop.body = Block([self._group_operation(), self._exchange()])
                statements.append(loop)
        return Block(statements)


def kernel(name: str, program: Block) -> str:
    body = "\n".join(program.lines())
    return f"""
kernel void {name}(device const uint *a_, device const uint *b_, device const uint *c_,
    device uint *out, uint i [[thread_position_in_grid]],
    uint t [[thread_index_in_threadgroup]], uint size [[threads_per_threadgroup]],
    uint group [[threadgroup_position_in_grid]]) {{
  threadgroup uint shared[1024];
  uint a = a_[i], b = b_[i], c = c_[i];
  shared[t] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
{body}
{leave_lines()[0]}
}}
"""


def expected(program: Block, group_size: int, values: dict[str, Words]) -> Words:
    """What the kernel writes for those values, of one threadgroup after the other."""
    results = []
    for first in range(0, values["a"].size, group_size):
        part = {name: value[first : first + group_size] for name, value in values.items()}
        threads = Threads(part["a"].size, first // group_size, part)
        with np.errstate(over="ignore"):
            mask = program.run(threads, np.ones(threads.index.size, bool), None)
            threads.leave(mask)
        results.append(threads.out)
    return np.concatenate(results)
