"""Native messages: on standard error, or in Python's logging where that is set up."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import metalcore as mc
from metalcore import _core


def lines_of(result: subprocess.CompletedProcess[str]) -> list[str]:
    assert result.returncode == 0, result.stderr
    return result.stderr.splitlines()


def test_without_logging_they_go_to_stderr(run_python) -> None:
    result = run_python(
        "import logging, metalcore as mc\n"
        "mc._core.write_log('warning', 'one'); mc._core.write_log('info', 'dropped')\n"
        "mc._core.write_log('error', 'two')"
    )
    assert lines_of(result) == ["metalcore: warning: one", "metalcore: error: two"]


def test_records(caplog: pytest.LogCaptureFixture) -> None:
    _core.write_log("warning", "native %s {}")
    mc.synchronize()
    record = caplog.records[-1]
    assert (record.name, record.levelname) == ("metalcore", "WARNING")
    assert record.getMessage() == "native %s {}"


def test_logger_levels_count(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("ERROR", logger="metalcore"):
        _core.write_log("warning", "too low")
        _core.write_log("error", "high enough")
        mc.synchronize()
    assert [record.getMessage() for record in caplog.records] == ["high enough"]


def test_preference_warnings_reach_a_configured_logger(run_python, tmp_path: Path) -> None:
    program = "import logging; logging.basicConfig(format='%(name)s|%(levelname)s|%(message)s')\n"
    program += "import metalcore"
    result = run_python(program, METALCORE_MATH_MODE="odd", METALCORE_CPU_THREADS="-1")
    lines = lines_of(result)
    assert len(lines) == 2
    assert all(
        line.startswith("metalcore|WARNING|The environment variable METALCORE_") for line in lines
    )


@pytest.mark.parametrize("order", ["logging first", "metalcore first"])
@pytest.mark.parametrize("mode", ["a", "w"])
def test_none_lost_none_doubled(run_python, tmp_path: Path, order: str, mode: str) -> None:
    """Messages of threads, up to the last one that is written at exit."""
    log = tmp_path / "log.txt"
    imports = ["import logging", "import metalcore as mc"]
    program = "\n".join(
        imports if order == "logging first" else reversed(imports)
    ) + textwrap.dedent(
        f"""
        import atexit, threading
        atexit.register(lambda: mc._core.write_log("error", "at exit"))
        logging.basicConfig(filename={str(log)!r}, filemode={mode!r}, format="%(message)s")
        def write(thread):
            for i in range(500):
                mc._core.write_log("warning", f"{{thread}}.{{i}}")
        threads = [threading.Thread(target=write, args=(t,)) for t in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
        mc._core.write_log("error", "last")
        """
    )
    result = run_python(program)
    errors = [line.split(": ")[-1] for line in lines_of(result)]
    everything = log.read_text().splitlines() + errors
    expected = [f"{t}.{i}" for t in range(4) for i in range(500)] + ["last", "at exit"]
    assert sorted(everything) == sorted(expected)
    if order == "logging first":
        assert "last" in log.read_text()


def test_more_than_fit_go_to_stderr(run_python) -> None:
    """While the main thread runs no Python code, only so many can wait."""
    program = textwrap.dedent(
        """
        import ctypes, logging, threading
        import metalcore as mc
        logging.basicConfig(format="logging %(message)s")
        gate = threading.Event()
        def write():
            gate.wait()
            for i in range(3000):
                mc._core.write_log("warning", str(i))
        thread = threading.Thread(target=write)
        thread.start()
        gate.set()
        thread.join()
        """
    )
    lines = lines_of(run_python(program))
    assert sorted(int(line.split()[-1]) for line in lines) == list(range(3000))


def test_a_handler_that_fails_loses_only_its_message(run_python) -> None:
    program = textwrap.dedent(
        """
        import logging, sys
        import metalcore as mc
        seen = []
        class Handler(logging.Handler):
            def emit(self, record):
                if record.getMessage() == "bad":
                    raise RuntimeError("no")
                seen.append(record.getMessage())
                if record.getMessage() == "first":
                    mc._core.write_log("warning", "from the handler")
        logging.getLogger().addHandler(Handler())
        sys.unraisablehook = lambda u: seen.append(type(u.exc_value).__name__)
        for text in ("first", "bad", "last"):
            mc._core.write_log("warning", text)
        mc._core.deliver_log()
        mc._core.deliver_log()
        print(seen)
        """
    )
    result = run_python(program)
    assert sorted(eval(result.stdout)) == ["RuntimeError", "first", "from the handler", "last"]


def test_forked_children_do_not_repeat(run_python) -> None:
    program = textwrap.dedent(
        """
        import logging, os, sys
        import metalcore as mc
        logging.basicConfig(format="%(message)s", stream=sys.stdout)
        mc._core.write_log("warning", "parent")
        child = os.fork()
        mc._core.write_log("warning", f"{'child' if child == 0 else 'parent'} after")
        if child:
            os.waitpid(child, 0)
        """
    )
    result = run_python(program)
    assert result.returncode == 0, result.stderr
    assert sorted(result.stdout.splitlines()) == ["child after", "parent", "parent after"]


def test_native_threads_never_wait_for_the_gil(run_python) -> None:
    """A failing warm-up logs from its thread while Python code holds on to the GIL."""
    program = textwrap.dedent(
        """
        import logging, sys
        logging.basicConfig(format="%(name)s %(levelname)s %(message)s", stream=sys.stdout)
        sys.setswitchinterval(1000)
        import metalcore as mc
        while mc._core.warmup_status().state == "running":
            pass
        """
    )
    result = run_python(program, METALCORE_DEVICE="nonesuch", METALCORE_WARMUP="true")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("metalcore WARNING The warm-up failed in stage")
    assert result.stdout.count("The warm-up failed") == 1
    assert result.stderr == ""


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="There is no log level"):
        _core.write_log("loud", "x")
    with pytest.raises(TypeError):
        _core.set_log_receiver(3)  # type: ignore[arg-type]


def test_unusual_text(run_python) -> None:
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "import logging; logging.basicConfig(format='%(message)s')\n"
            "import metalcore as mc; mc._core.write_log('warning', 'ü\\x00✓ \\n')",
        ],
        capture_output=True,
        check=True,
    )
    assert "ü\x00✓ " in result.stderr.decode()
