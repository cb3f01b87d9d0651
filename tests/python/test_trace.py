"""METALCORE_TRACE: a file in Chrome's Trace Event Format, valid and nested."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

Event = dict[str, Any]

PROGRAM = """
import metalcore as mc
mc.warmup()
source = '''
kernel void scale(device float *x, constant float &f, uint i [[thread_position_in_grid]]) {
  x[i] *= f;
}
'''
x = mc.ones(100_000)
for factor in (1.0, 2.0):
    mc.compile(source).scale(x, factor, threads=x.size)
mc.synchronize()
mc.compile(source)
mc.synchronize()
"""


def check_format(events: list[Event]) -> None:
    """The rules of the Trace Event Format for the kinds of events that are used."""
    tracks: dict[tuple[int, int], list[Event]] = {}
    named = set()
    for event in events:
        assert {"ph", "name", "pid", "tid"} <= event.keys()
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        assert event["ph"] in "XiM", event
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name")
            assert isinstance(event["args"]["name"], str)
            if event["name"] == "thread_name":
                named.add(event["tid"])
            continue
        assert event["ts"] > 0
        if event["ph"] == "i":
            assert event["s"] in ("g", "p", "t")
        else:
            assert event["dur"] >= 0
            tracks.setdefault((event["pid"], event["tid"]), []).append(event)
    for (_, tid), spans in tracks.items():
        assert tid in named, tid
        check_nesting(spans)


def check_nesting(spans: list[Event]) -> None:
    """Two intervals of one track: apart, or one inside of the other."""
    # In whole nanoseconds, which the microseconds are exact to.
    intervals = [
        (round(span["ts"] * 1e3), round(span["ts"] * 1e3) + round(span["dur"] * 1e3))
        for span in spans
    ]
    open_ends: list[int] = []
    for begin, end in sorted(intervals, key=lambda interval: (interval[0], -interval[1])):
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1]
        open_ends.append(end)


def trace(program: str, file: Path, **environment: str) -> list[Event]:
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "METALCORE_TRACE": str(file), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (result.returncode, result.stderr) == (0, "")
    events = json.loads(file.read_text())
    check_format(events)
    return events


def named(events: list[Event], category: str) -> list[str]:
    return [event["name"] for event in events if event.get("cat") == category]


def test_what_is_recorded(tmp_path: Path) -> None:
    events = trace(PROGRAM, tmp_path / "trace.json", METALCORE_WARMUP="true")
    assert {"device", "library", "compiler"} <= set(named(events, "warm-up"))
    compiles = [event for event in events if event.get("cat") == "compile"]
    libraries = [event for event in compiles if event["name"] == "library"]
    pipelines = [event for event in compiles if event["name"] == "scale"]
    assert len(pipelines) == 1
    assert pipelines[0]["args"]["from"] in ("disk", "compiler")
    assert len(pipelines[0]["args"]["key"]) == 12
    assert any(len(event["args"]["key"]) == 12 for event in libraries)
    assert "library" in named(events, "memory hit")
    assert named(events, "launch").count("scale") == 2
    assert named(events, "wait").count("synchronize") >= 2
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    warm_up = next(event for event in events if event.get("cat") == "warm-up")
    assert names[warm_up["tid"]].startswith("mc-")
    assert events[-1]["name"] == "end"


def test_the_device_runs_after_the_launch(tmp_path: Path) -> None:
    events = trace(PROGRAM, tmp_path / "trace.json")
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    # The warm-up sends a signal without a launch through the queue.
    runs = [e for e in events if e.get("cat") == "gpu" and e["name"] != "signal"]
    assert all(names[run["tid"]].startswith("queue ") for run in runs)
    launches = [event for event in events if event.get("cat") == "launch"]
    assert sum(run["args"]["commands"] for run in runs) == len(launches)
    first = min(event["ts"] for event in launches)
    wait = max(e["ts"] + e["dur"] for e in events if e.get("cat") == "wait")
    for run in runs:
        assert first <= run["ts"]
        assert run["ts"] + run["dur"] <= wait


def test_no_file_without_the_variable(run_python, tmp_path: Path) -> None:
    result = run_python(PROGRAM, METALCORE_TRACE="")
    assert (result.returncode, result.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_processes_have_files_of_their_own(tmp_path: Path) -> None:
    """A forked child, and programs that the process starts."""
    program = PROGRAM + textwrap.dedent(
        """
        import os, subprocess, sys
        child = os.fork()
        if child == 0:
            mc.ones(3).sum().item()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        subprocess.run([sys.executable, "-c", "import metalcore as mc; mc.ones(3).sum().item()"],
                       check=True)
        """
    )
    file = tmp_path / "trace.json"
    events = trace(program, file)
    pids = {event["pid"] for event in events}
    assert len(pids) == 1
    others = sorted(tmp_path.glob("trace.*.json"))
    assert len(others) == 2
    for other in others:
        text = other.read_text()
        # The forked child ended without saying so: its array is open.
        content = json.loads(text if text.endswith("]\n") else text.rstrip(",\n") + "]")
        check_format(content)
        assert {event["pid"] for event in content} == {int(other.suffixes[0][1:])}
        assert not pids & {event["pid"] for event in content}


def test_process_number_in_the_name(tmp_path: Path) -> None:
    program = "import os, metalcore; print(os.getpid())"
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "METALCORE_TRACE": str(tmp_path / "of-%p.json")},
        capture_output=True,
        text=True,
        check=True,
    )
    check_format(json.loads((tmp_path / f"of-{result.stdout.strip()}.json").read_text()))


@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_abnormal_end(tmp_path: Path, end: str) -> None:
    file = tmp_path / "trace.json"
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM + f"\nimport os, signal\n{end}"],
        env={**os.environ, "METALCORE_TRACE": str(file)},
        check=False,
    )
    assert result.returncode in (3, -signal.SIGKILL)
    text = file.read_text()
    assert text.endswith("},\n")
    events = json.loads(text.removesuffix(",\n") + "]")
    check_format(events)
    assert named(events, "launch").count("scale") == 2


def test_a_file_that_cannot_be_written(run_python, tmp_path: Path) -> None:
    file = tmp_path / "no" / "trace.json"
    result = run_python(
        "import metalcore as mc; print(mc.ones(3).sum().item())", METALCORE_TRACE=str(file)
    )
    assert result.stdout == "3.0\n"
    assert result.stderr == (
        f'metalcore: warning: The trace file "{file}" cannot be written: No such file or '
        "directory.\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_a_full_disk_ends_the_trace_only(run_python) -> None:
    result = run_python(PROGRAM, METALCORE_TRACE="/dev/full")
    assert result.returncode == 0
    assert result.stderr.count("\n") == 1
    assert "No space left on device" in result.stderr


def test_the_nesting_check_sees_faults() -> None:
    with pytest.raises(AssertionError):
        check_nesting([{"ts": 1, "dur": 3}, {"ts": 2, "dur": 4}])
    check_nesting([{"ts": 1, "dur": 3}, {"ts": 1, "dur": 1}, {"ts": 2, "dur": 2}])
