"""Random control flow around operations between lanes, against an interpreter of lanes."""

from __future__ import annotations

import numpy as np
import pytest

import metalcore as mc
from msl_kernels import HEADER
from msl_programs import HELPERS, Generator, expected, kernel

PROGRAMS = 12


@pytest.mark.parametrize("group_size", [32, 64, 77, 5])
def test_random_programs(rng: np.random.Generator, group_size: int) -> None:
    generator = Generator(rng)
    programs = [generator.program() for _ in range(PROGRAMS)]
    texts = [kernel(f"f{number}", program) for number, program in enumerate(programs)]
    library = mc.compile(HEADER + HELPERS + "".join(texts))
    count = 2 * group_size + group_size // 2  # and a threadgroup at the edge
    for number, program in enumerate(programs):
        values = {name: rng.integers(0, 1 << 32, count, dtype=np.uint32) for name in "abc"}
        out = mc.zeros(count, dtype="uint32")
        library[f"f{number}"](
            *(mc.asarray(value) for value in values.values()),
            out,
            threads=count,
            group_size=group_size,
        )
        np.testing.assert_array_equal(
            np.asarray(out), expected(program, group_size, values), err_msg=texts[number]
        )
