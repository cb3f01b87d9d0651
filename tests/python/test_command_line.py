"""`python -m metalcore`: every command, for people and for programs."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

import metalcore as mc


@pytest.fixture
def place(tmp_path: Path) -> dict[str, str]:
    """Environment with the user's and the cache's folders of this test, and no warm-up of its own:
    that would put its kernel into the cache.
    """
    return {
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "METALCORE_CACHE_DIR": str(tmp_path / "cache"),
        "METALCORE_WARMUP": "false",
    }


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "metalcore", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


def output(*arguments: str, **environment: str) -> str:
    result = run(*arguments, **environment)
    assert (result.returncode, result.stderr) == (0, ""), result
    assert "\x1b" not in result.stdout
    return result.stdout


def parsed(*arguments: str, **environment: str) -> Any:
    return json.loads(output(*arguments, "--json", **environment))


def test_info() -> None:
    text = output("info")
    facts = parsed("info")
    device = mc.devices()[0].name
    assert device in text
    assert facts["devices"][0]["name"] == device
    assert facts["metalcore"] == mc.__version__
    assert facts["driver"] in text
    assert facts["compiler"].split()[-1].split(".")[0].isdigit()
    assert str(mc.cache.path) in text
    assert facts["cache"]["path"] == str(mc.cache.path)
    assert {"hits", "misses", "files", "bytes"} <= facts["cache"].keys()
    assert facts["preferences"]["storage_mode"] == {"value": "shared", "source": "default"}


def test_info_is_what_the_library_says() -> None:
    json.dumps(mc.info())
    assert mc.info().keys() == parsed("info").keys()


def test_warmup(place: dict[str, str]) -> None:
    report = parsed("warmup", **place)
    assert report["state"] == "done"
    assert {"device", "library", "compiler"} <= {stage["name"] for stage in report["stages"]}
    assert report["error"] is None
    assert "compiler" in output("warmup", **place)
    short = run("warmup", "--timeout", "0", METALCORE_WARMUP="false")
    assert (short.returncode, short.stdout.split()[1]) == (1, "running")
    assert run("warmup", "--timeout", "soon").returncode == 2
    assert run("warmup", "--timeout", "-1").returncode == 2


@pytest.fixture
def recorded(place: dict[str, str], tmp_path: Path) -> Path:
    """A profile that a run of a program left, as it would be shipped; the cache is empty."""
    program = tmp_path / "program.py"
    program.write_text(
        "import metalcore as mc\nfrom metalcore._warmup import profile_path\n"
        "x = mc.empty(1, dtype=mc.int32)\n"
        "mc.compile('kernel void nothing(device int *x) { x[0] = 1; }').nothing(x, threads=1)\n"
        "mc.synchronize()\nprint(profile_path())"
    )
    environment = {**os.environ, **place, "METALCORE_WARMUP_PROFILE": "true"}
    profile = subprocess.run(
        [sys.executable, str(program)], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()
    shipped = tmp_path / "shipped.json"
    shipped.write_bytes(Path(profile).read_bytes())
    shipped.chmod(0o600)
    output("cache", "clear", **place)
    return shipped


def test_warmup_of_a_profile(place: dict[str, str], recorded: Path) -> None:
    """What one run recorded is built, and kept on disk, ahead of another."""
    built = parsed("warmup", "--profile", str(recorded), **place)
    assert built["wanted"] == built["built"] >= 1
    assert built["kept"] is True
    assert parsed("cache", "stats", **place)["files"] >= 1
    assert "kernels are ready" in output("warmup", "--profile", str(recorded), **place)
    wrong = run("warmup", "--profile", __file__, **place)
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith("error: ")


def test_warmup_of_a_profile_says_what_is_missing(place: dict[str, str], recorded: Path) -> None:
    unkept = run("warmup", "--profile", str(recorded), METALCORE_CACHE="false", **place)
    assert unkept.returncode == 1
    assert unkept.stderr == (
        'warning: they were not all kept on disk: The preference "cache" is false.\n'
    )
    profile = json.loads(recorded.read_text())
    number = len(profile["pipelines"])
    profile["pipelines"].append({**profile["pipelines"][-1], "kernel": "nonesuch"})
    recorded.write_text(json.dumps(profile))
    failing = run("warmup", "--profile", str(recorded), **place)
    assert failing.returncode == 1
    assert failing.stdout == f"{number} of {number + 1} kernels are ready\n"
    assert failing.stderr.startswith('error: Kernel "nonesuch": ')
    assert failing.stderr.count("\n") == 1
    result = run("warmup", "--profile", str(recorded), "--json", **place)
    report = json.loads(result.stdout)
    assert (result.returncode, report["built"], report["failed"]) == (1, number, 1)


def test_warmup_of_a_profile_ends_in_time(place: dict[str, str], recorded: Path) -> None:
    result = run("warmup", "--profile", str(recorded), "--timeout", "0", "--json", **place)
    report = json.loads(result.stdout)
    assert result.returncode == 1
    assert report["built"] < report["wanted"]
    assert (report["failed"], result.stderr) == (0, "")


def test_warmup_without_a_device() -> None:
    result = run("warmup", METALCORE_DEVICE="nonesuch", METALCORE_WARMUP="false")
    assert result.returncode == 1
    assert 'failed: The preference "device" is "nonesuch"' in result.stdout


def test_cache(place: dict[str, str]) -> None:
    folder = Path(output("cache", "path", **place).strip())
    assert folder.is_relative_to(place["METALCORE_CACHE_DIR"])
    assert parsed("cache", "path", **place) == {"path": str(folder)}
    source = "kernel void nothing(device int *x) { x[0] = 1; }"
    program = (
        f"import metalcore as mc; mc.compile({source!r}).nothing(mc.empty(1, dtype=mc.int32), "
    )
    program += "threads=1); mc.synchronize(); assert mc.cache.wait(30)"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, **place}, check=True)
    stats = parsed("cache", "stats", **place)
    assert stats["files"] >= 1
    assert 0 < stats["bytes"] <= stats["max_size"] == 256 << 20
    assert "256.0 MiB at most" in output("cache", "stats", **place)
    assert parsed("cache", "prune", **place)["files"] == 0
    assert parsed("cache", "clear", **place)["files"] == stats["files"]
    assert parsed("cache", "stats", **place)["files"] == 0
    assert output("cache", "clear", **place) == "removed 0 files, 0 B\n"


def test_cache_without_a_folder() -> None:
    nowhere = {"HOME": "", "XDG_CACHE_HOME": "", "METALCORE_CACHE_DIR": ""}
    assert output("cache", "path", **nowhere) == "\n"
    assert parsed("cache", "path", **nowhere) == {"path": ""}
    stats = parsed("cache", "stats", **nowhere)
    assert (stats["path"], stats["files"]) == ("", 0)
    assert "names a folder" in stats["disabled_reason"]


def test_cache_that_is_not_used(place: dict[str, str]) -> None:
    assert "not in use" in output("cache", "stats", METALCORE_CACHE="false", **place)


def test_preferences(place: dict[str, str]) -> None:
    file = str(Path(place["XDG_CONFIG_HOME"]) / "metalcore" / "preferences.toml")
    assert output("preferences", "path", **place) == file + "\n"
    assert output("preferences", "set", "cpu_threads", "2", **place) == (
        f"{file}: cpu_threads takes effect at the next start\n"
    )
    assert output("preferences", "get", "cpu_threads", **place) == "2\n"
    assert parsed("preferences", "get", "cpu_threads", **place)["value"] == 2
    shown = parsed("preferences", **place)
    assert shown == parsed("preferences", "show", **place)
    assert shown["preferences"]["cpu_threads"] == {"value": 2, "source": file}
    line = next(x for x in output("preferences", **place).splitlines() if "cpu_threads" in x)
    assert line.split() == ["cpu_threads", "2", file]
    assert parsed("preferences", "unset", "cpu_threads", **place)["changed"] is True
    assert output("preferences", "unset", "cpu_threads", **place) == (
        f"{file}: there is no cpu_threads\n"
    )
    assert parsed("preferences", "path", **place) == {"path": file}
    assert output("preferences", "get", "cache", **place) == "true\n"
    assert output("preferences", "get", "cache_max_size", **place) == "256 MiB\n"


def test_a_preference_that_something_overrides(place: dict[str, str]) -> None:
    result = run("preferences", "set", "math_mode", "fast", METALCORE_MATH_MODE="safe", **place)
    assert result.returncode == 0
    assert result.stderr == "note: here, math_mode comes from the environment, which wins\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("preferences", "set", "warmup", "maybe"), 'cannot be "maybe"'),
        (("preferences", "get", "warmpu"), 'There is no preference "warmpu"'),
    ],
)
def test_errors_are_one_line(
    place: dict[str, str], arguments: tuple[str, ...], message: str
) -> None:
    result = run(*arguments, **place)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_doctor(place: dict[str, str]) -> None:
    result = run("doctor", "--json", **place)
    report = json.loads(result.stdout)
    levels = {check["subject"]: check["level"] for check in report["checks"]}
    assert result.returncode == 0, report
    for subject in ("device", "driver", "compiler", "results", "NumPy", "Python", "cache"):
        assert levels[subject] == "ok", report
    assert parsed("cache", "stats", **place)["files"] == 0  # it leaves nothing behind


def test_doctor_finds_faults(place: dict[str, str], tmp_path: Path) -> None:
    result = run(
        "doctor",
        METALCORE_DEVICE="nonesuch",
        METALCORE_WARMPU="1",
        METALCORE_TRACE=str(tmp_path / "trace.json"),
        METALCORE_CPU_THREADS="-3",
        **place,
    )
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert any(line.startswith("error    device: The preference") for line in lines)
    assert any(line.startswith("error    compiler: a small kernel failed") for line in lines)
    for text in (
        "METALCORE_WARMPU means nothing to metalcore",
        "METALCORE_TRACE is set",
        'METALCORE_CPU_THREADS is "-3"',
    ):
        assert any(line.startswith("warning") and text in line for line in lines), text
    assert any(line.startswith("         → ") for line in lines)
    assert "Traceback" not in result.stdout


def test_doctor_looks_at_the_cache(place: dict[str, str]) -> None:
    folder = Path(output("cache", "path", **place).strip())
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o777)
    lines = run("doctor", **place).stdout.splitlines()
    assert any(line.startswith("warning  cache: ") for line in lines), lines


def test_doctor_on_one_cpu(place: dict[str, str]) -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system has no CPU affinity")
    one = {min(os.sched_getaffinity(0))}
    result = subprocess.run(
        [sys.executable, "-m", "metalcore", "doctor"],
        env={**os.environ, **place, "METALCORE_WARMUP": "auto"},
        preexec_fn=lambda: os.sched_setaffinity(0, one),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0
    assert "warning  warm-up: skipped: The process may use only one CPU." in result.stdout


def test_terminal_and_pipe(place: dict[str, str], recorded: Path) -> None:
    """Colours and a bar are for terminals."""
    pytest.importorskip("tqdm", reason="the bar needs metalcore-compute[demo]")
    for command, expected in (
        (["doctor"], b"\x1b[32mok"),
        (["warmup"], b"warm-up:   0%"),
        (["warmup", "--profile", str(recorded)], b"kernels: "),
    ):
        try:
            leader, follower = pty.openpty()
        except OSError as error:
            pytest.skip(f"this machine lends no terminal: {error}")
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 80, 0, 0))
        child = subprocess.Popen(
            [sys.executable, "-m", "metalcore", *command],
            env={**os.environ, **place, "TERM": "xterm"},
            stdout=follower,
            stderr=follower,
        )
        os.close(follower)
        seen = b""
        try:
            while chunk := os.read(leader, 4096):
                seen += chunk
        except OSError:  # the other end is closed
            pass
        os.close(leader)
        assert child.wait() == 0, seen
        assert expected in seen, seen
    assert run("warmup", **place).stderr == ""


def test_a_reader_that_goes_away(place: dict[str, str]) -> None:
    program = f"{sys.executable} -m metalcore preferences | true"
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", program],
        env={**os.environ, **place},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stderr == ""


def test_help_and_mistakes() -> None:
    for arguments in ((), ("cache",), ("nonesuch",)):
        result = run(*arguments)
        assert result.returncode == 2
        assert "usage: python -m metalcore" in result.stderr
    for command in ("info", "warmup", "cache", "preferences", "doctor", "demo"):
        assert command in output("--help")
        assert "usage" in output(command, "--help")
