"""`python -m metalcore demo`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from .measure import ROWS, Row, measure

# Metal.jl, pull request 721, first kernel in seconds: https://github.com/JuliaGPU/Metal.jl/pull/721
METAL_JL = {"off": 1.75, "at_once": 0.20, "waited": 0.035}
METAL_JL_ROWS = ("custom", "empty")  # a kernel that nothing had compiled before

CASE_NAMES = {
    "builtin": "built-in fill",
    "custom": "custom MSL kernel",
    "program": "slowest of 50 kernels",
}
MODE_NAMES = {
    "off": "warm-up off",
    "at_once": "called at once",
    "waited": "after warmup()",
}


def run(repeat: int, json_file: str | None, plot_file: str | None) -> int:
    """Measures, prints and writes what was asked for; returns the exit code.

    The JSON file "-" is standard output, which gets nothing else then.
    """
    missing = _missing_modules(plot_file is not None)
    if missing:
        print(
            f"The demo needs {' and '.join(missing)}; install metalcore-compute[demo].",
            file=sys.stderr,
        )
        return 1
    from tqdm import tqdm

    only_json = json_file == "-"
    if not only_json:
        _show_warmup()
    total = repeat * len(ROWS)
    with tqdm(
        total=total, desc="fresh processes", file=sys.stderr, disable=not sys.stderr.isatty()
    ) as bar:
        rows = measure(repeat, bar.update)
    if only_json:
        print(json.dumps({"cases": rows}, indent=2))
    else:
        _print_table(rows, repeat)
    if json_file is not None and not only_json:
        Path(json_file).write_text(json.dumps({"cases": rows}, indent=2) + "\n")
        print(f"wrote {json_file}")
    if plot_file is not None:
        from .plot import write_plot

        write_plot(rows, plot_file)
        print(f"wrote {plot_file}", file=sys.stderr if only_json else sys.stdout)
    return 0


def _missing_modules(with_plot: bool) -> list[str]:
    from importlib.util import find_spec

    wanted = ["rich", "tqdm", *(["matplotlib"] if with_plot else [])]
    return [name for name in wanted if find_spec(name) is None]


def _show_warmup() -> None:
    """Waits for this process's own warm-up, with a bar, and prints its stages."""
    import metalcore

    report = metalcore.warmup(progress=True)
    stages = ", ".join(f"{stage.name} {stage.seconds * 1e3:.0f} ms" for stage in report.stages)
    print(f"{metalcore.devices()[0].name}; warm-up {report.state}: {stages}")


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1e3:.4f} s"


def _print_table(rows: list[Row], repeat: int) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"Time to the first kernel (medians of {repeat} fresh processes)")
    for heading, justify in (
        ("case", "left"),
        ("warm-up", "left"),
        ("disk cache", "left"),
        ("import", "right"),
        ("first call", "right"),
        ("second call", "right"),
        ("whole process", "right"),
        ("Metal.jl PR 721", "right"),
    ):
        column: Any = {"justify": justify}
        table.add_column(heading, **column)

    def section(row: Row) -> tuple[str, str]:
        return row["case"], row["cache"]

    for row, following in zip(rows, [*rows[1:], None], strict=True):
        table.add_row(
            CASE_NAMES[row["case"]],
            MODE_NAMES[row["mode"]],
            row["cache"],
            f"{row['import_ms']:.1f} ms",
            _seconds(row["first_ms"]),
            _seconds(row["second_ms"]),
            _seconds(row["process_ms"]),
            f"{METAL_JL[row['mode']]:g} s" if (row["case"], row["cache"]) == METAL_JL_ROWS else "",
            end_section=following is None or section(following) != section(row),
        )
    # Wide enough for the table where the output is no terminal.
    console = Console() if sys.stdout.isatty() else Console(width=120)
    console.print(table)
    imports = {row["mode"]: row["import_ms"] for row in rows if row["case"] == "builtin"}
    console.print(
        f"Arrays have 1024x1024 float32 elements. The 50 kernels are run after 0.2 s of other "
        f"work. Import: {imports['at_once']:.1f} ms with the warm-up on, {imports['off']:.1f} ms "
        "with it off. Metal.jl's numbers are those of its pull request 721, on Apple hardware."
    )
    for row in rows:
        if row["mode"] == "waited" and row["warmup_stages"]:
            stages = ", ".join(f"{n} {ms:.0f} ms" for n, ms in row["warmup_stages"].items())
            console.print(f"warm-up stages ({row['case']}, {row['cache']} cache): {stages}")
