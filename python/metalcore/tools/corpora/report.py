"""What came of the units, for people and for programs."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from metalcore._cli.output import print_columns

from .causes import ranked
from .unit import Failure, Outcome


@dataclass
class Report:
    """Grows by one outcome at a time."""

    outcomes: list[Outcome] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether there was something, and nothing failed."""
        return bool(self.outcomes) and all(outcome.ok for outcome in self.outcomes)

    @property
    def passed(self) -> int:
        """Kernels."""
        return sum(outcome.passed for outcome in self.outcomes)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        failures = [failure for outcome in self.outcomes for failure in outcome.failures]
        return {
            "ok": self.ok,
            "files": len(self.outcomes),
            "kernels": sum(outcome.kernels or 0 for outcome in self.outcomes),
            "wanted": sum(outcome.wanted for outcome in self.outcomes),
            "passed": self.passed,
            "failed": len(failures),
            "refused": sum(len(outcome.refused) for outcome in self.outcomes),
            "seconds": round(self.seconds, 3),
            "causes": [
                {"cause": cause, "count": count, "example": asdict(example)}
                for cause, count, example in ranked(failures)
            ],
            "outcomes": [asdict(outcome) for outcome in self.outcomes],
        }

    def print(self) -> None:
        """The table of the units, the causes and the sum."""
        print_columns([row(outcome) for outcome in self.outcomes] or [("no files",)])
        failures = [failure for outcome in self.outcomes for failure in outcome.failures]
        if failures:
            print(f"\nCauses of the {len(failures)} failures:")
            _print_causes(failures)
        refused = [failure for outcome in self.outcomes for failure in outcome.refused]
        if refused:
            print(f"\nPipelines that Metal refuses, too ({len(refused)}):")
            _print_causes(refused)
        print(f"\n{self.sum()}")

    def sum(self) -> str:
        """One line."""
        wanted = sum(outcome.wanted for outcome in self.outcomes)
        kernels = sum(outcome.kernels or 0 for outcome in self.outcomes)
        frontend = sum(outcome.frontend_seconds for outcome in self.outcomes)
        code = sum(outcome.code_seconds for outcome in self.outcomes)
        files = [outcome for outcome in self.outcomes if not outcome.beyond]
        failed = [outcome for outcome in files if outcome.failures]
        parts = [f"{self.passed} of {wanted} kernels are code"]
        if refused := sum(len(outcome.refused) for outcome in self.outcomes):
            parts.append(f"{refused} more, of pipelines that Metal refuses, too")
        if wanted != kernels:
            parts.append(f"{kernels} in all passed the front end")
        parts.append(f"{len(files) - len(failed)} of {len(files)} files")
        if beyond := [outcome.beyond for outcome in self.outcomes if outcome.beyond]:
            parts.append(f"{len(beyond)} more need {' or '.join(sorted(set(beyond)))}")
        if stand_ins := sum(outcome.stand_ins for outcome in self.outcomes):
            parts.append(f"{stand_ins} kernels had function constants of 1 for want of values")
        rate = f", {self.passed / self.seconds:.1f} kernels/s" if self.seconds else ""
        return (
            f"{'; '.join(parts)}. {self.seconds:.1f} s{rate} "
            f"(front end {frontend:.1f} s, code {code:.1f} s over the threads)"
        )


def _print_causes(failures: list[Failure]) -> None:
    for cause, count, example in ranked(failures):
        where = f"kernel {example.kernel}: " if example.kernel else ""
        print(f"{count:6}  {cause}\n        {where}{example.message}")


def row(outcome: Outcome) -> tuple[str, ...]:
    """The unit, how many of its kernels are code, and the times or what is wrong."""
    if outcome.beyond:
        return (outcome.unit, "-", f"needs {outcome.beyond}")
    if outcome.kernels is None:
        return (outcome.unit, "0/?", outcome.failures[0].message)
    count = f"{outcome.passed}/{outcome.wanted}"
    if outcome.wanted != outcome.kernels:
        count += f" of {outcome.kernels}"
    text = f"{outcome.frontend_seconds:.2f} s + {outcome.code_seconds:.2f} s"
    if outcome.failures:
        text = outcome.failures[0].message
    return (outcome.unit, count, text)


def print_report(report: Report, is_json: bool) -> int:
    """Prints it; returns the exit code."""
    if is_json:
        from metalcore._cli.output import print_json

        print_json(report.as_dict())
    else:
        report.print()
    sys.stdout.flush()
    return 0 if report.ok else 1
