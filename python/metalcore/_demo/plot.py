"""The picture of the demonstration."""

from __future__ import annotations

from .command import METAL_JL, MODE_NAMES
from .measure import MODES, Row

_COLOURS = {"metal_jl": "#9d9d9d", "custom": "#f58518", "filled": "#54a24b", "builtin": "#4c78a8"}


def write_plot(rows: list[Row], file: str) -> None:
    """Draws the first call of every case and mode as bars beside Metal.jl's."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    first = {(row["case"], row["mode"], row["cache"]): row["first_ms"] for row in rows}
    series = {
        "Metal.jl PR 721, on Apple hardware": ("metal_jl", [METAL_JL[m] * 1e3 for m in MODES]),
        "custom MSL kernel, never seen before": (
            "custom",
            [first["custom", m, "empty"] for m in MODES],
        ),
        "custom MSL kernel, in the cache": (
            "filled",
            [first["custom", m, "filled"] for m in MODES],
        ),
        "built-in fill": ("builtin", [first["builtin", m, "empty"] for m in MODES]),
    }
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    width = 0.21
    for offset, (label, (colour, values)) in enumerate(series.items()):
        positions = [
            index + (offset - (len(series) - 1) / 2) * width for index in range(len(MODES))
        ]
        bars = axes.bar(positions, values, width * 0.92, label=label, color=_COLOURS[colour])
        axes.bar_label(bars, [_label(value) for value in values], padding=2, fontsize=9)
    axes.set_yscale("log")
    axes.margins(y=0.18)
    axes.set_ylabel("first call, milliseconds (logarithmic)")
    axes.set_xticks(range(len(MODES)), [MODE_NAMES[mode] for mode in MODES])
    axes.set_title("Time to the first kernel, fresh processes, medians")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", which="major", alpha=0.3)
    axes.set_axisbelow(True)
    axes.legend(frameon=False)
    figure.savefig(file, dpi=150)
    plt.close(figure)


def _label(milliseconds: float) -> str:
    if milliseconds >= 100:
        return f"{milliseconds:.0f} ms"
    return f"{milliseconds:.1f} ms"
