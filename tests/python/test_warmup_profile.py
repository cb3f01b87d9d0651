"""What a program used is recorded, and its next start finds it ready."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from metalcore import _warmup

PROGRAM = """
import json, os, sys, time
import metalcore as mc
SOURCE = "kernel void {name}(device int *out [[buffer(0)]]) {{ *out = {value}; }}"

def use(value, name="one"):
    out = mc.zeros(1, dtype="int32")
    mc.compile(SOURCE.format(name=name, value=value))[name](out, threads=1)
    assert out.item() == value

def report():
    now = mc.warmup()
    built = mc.warmup_status().pipelines_built
    print(json.dumps([now.profile_built, now.profile_failed, now.profile_blocked]))
    return built
"""


class Program:
    """A script with a cache folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.script = folder / "program.py"
        self.cache = folder / "cache"
        self.environment = {
            **os.environ,
            "METALCORE_WARMUP": "true",
            "METALCORE_WARMUP_PROFILE": "true",
            "XDG_CACHE_HOME": str(self.cache),
            "PYTHONWARNINGS": "ignore::DeprecationWarning",
        }
        self.environment.pop("METALCORE_CACHE_DIR", None)

    def start(self, body: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        text = PROGRAM + body
        if not self.script.exists() or self.script.read_text() != text:  # another may be reading it
            self.script.write_text(text)
        return subprocess.Popen(
            [sys.executable, str(self.script), *arguments],
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, body: str, **environment: str) -> str:
        process = self.start(body, **environment)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
        return out

    def profiles(self) -> list[Path]:
        return sorted(self.cache.glob("**/profiles/*.json"))

    def recorded(self) -> list[str]:
        """The kernels' sources, or names for the built-in ones, in order."""
        (file,) = self.profiles()
        profile = json.loads(file.read_text())
        return [
            entry["kernel"]
            if entry["library"] is None
            else profile["libraries"][entry["library"]]["source"]
            for entry in profile["pipelines"]
        ]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    os.chmod(tmp_path, 0o700)
    return Program(tmp_path)


def test_the_second_run_finds_everything_ready(program: Program) -> None:
    body = """
report()
before = mc.warmup_status().pipelines_built
for k in (3, 1, 2):
    use(k)
(mc.arange(5) + 1).tolist()
print(mc.warmup_status().pipelines_built - before)
"""
    first = program.run(body).split("\n")
    assert first[0] == "[0, 0, 0]"
    assert int(first[1]) > 3
    recorded = program.recorded()
    assert [text[-4] for text in recorded[:3]] == ["3", "1", "2"]
    assert all(" " not in name for name in recorded[3:])  # built-in kernels
    second = program.run(body).split("\n")
    assert second[0] == f"[{len(recorded)}, 0, 0]"
    assert int(second[1]) == 0
    assert program.recorded() == recorded


def test_the_replay_is_no_use(program: Program) -> None:
    program.run("use(1); use(2); use(3)")
    program.run("report(); use(2)")
    (file,) = program.profiles()
    unused = [entry["runs_unused"] for entry in json.loads(file.read_text())["pipelines"]]
    assert unused == [0, 1, 1]
    assert [text[-4] for text in program.recorded()] == ["2", "1", "3"]


def test_constants_and_macros_come_back(program: Program) -> None:
    body = """
report()
source = '''
constant float f [[function_constant(0)]];
constant uint u [[function_constant(1)]];
constant bool b [[function_constant(2)]];
kernel void k(device float *out [[buffer(0)]]) { *out = b ? f * u + VALUE : 0; }
'''
before = mc.warmup_status().pipelines_built
out = mc.zeros(1)
kernel = mc.compile(source, macros={"VALUE": 7}, math_mode="fast").k
kernel(out, threads=1, constants={"f": 0.5, "u": 3, "b": True})
assert out.item() == 8.5
print(mc.warmup_status().pipelines_built - before)
"""
    assert program.run(body) == "[0, 0, 0]\n1\n"
    assert program.run(body) == "[1, 0, 0]\n0\n"


def test_runs_at_the_same_time_lose_nothing(program: Program) -> None:
    body = "use(int(sys.argv[1]))"
    program.script.write_text(PROGRAM + body)

    def run(number: int) -> int:
        process = program.start(body, str(number))
        process.communicate(timeout=120)
        return process.returncode

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(8))) == [0] * 8
    assert sorted(text[-4] for text in program.recorded()) == list("01234567")


@pytest.mark.parametrize(
    "how", ["-c", "-", "off", "preference off"], ids=["command", "stdin", "variable", "file"]
)
def test_what_has_no_profile(program: Program, tmp_path: Path, how: str) -> None:
    text = PROGRAM + "use(1)\nassert mc._warmup.profile_path() is None"
    environment = dict(program.environment)
    arguments = ["-c", text] if how == "-c" else ["-"] if how == "-" else [str(program.script)]
    program.script.write_text(text)
    if how == "off":
        environment["METALCORE_WARMUP_PROFILE"] = "false"
    if how == "preference off":
        del environment["METALCORE_WARMUP_PROFILE"]
        (tmp_path / "metalcore.toml").write_text("[metalcore]\nwarmup_profile = false\n")
    result = subprocess.run(
        [sys.executable, *arguments],
        input=text,
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert program.profiles() == []


def test_a_module_has_a_profile(program: Program, tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    for first, second in [("", PROGRAM + "use(1)"), ("import metalcore", PROGRAM + "use(2)")]:
        (package / "__init__.py").write_text(first)
        (package / "__main__.py").write_text(second)
        result = subprocess.run(
            [sys.executable, "-m", "package"],
            env=program.environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (result.returncode, result.stderr) == (0, "")
    assert len(program.profiles()) == 2  # by file, and by name


def test_the_own_command_has_none(program: Program) -> None:
    subprocess.run(
        [sys.executable, "-m", "metalcore", "info"],
        env=program.environment,
        capture_output=True,
        check=True,
    )
    assert program.profiles() == []


def test_a_profile_is_private(program: Program) -> None:
    program.run("use(1)")
    (file,) = program.profiles()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    file.chmod(0o666)
    assert program.run("report()") == "[0, 0, 0]\n"


def test_damage_of_every_kind_is_ignored(program: Program, rng) -> None:
    program.run("use(1)")
    (file,) = program.profiles()
    good = file.read_bytes()
    for _ in range(6):
        cut = int(rng.integers(0, len(good) - 1))
        file.write_bytes(good[:cut] + rng.bytes(int(rng.integers(0, 20))))
        program.run("assert mc.warmup().state == 'done'; use(1)")
    assert [text[-4] for text in program.recorded()] == ["1"]


def test_what_does_not_compile_any_more_is_tried_once(program: Program) -> None:
    program.run("use(1); use(2)")
    (file,) = program.profiles()
    profile = json.loads(file.read_text())
    profile["libraries"][0]["source"] = "nonsense"
    profile["pipelines"][1]["kernel"] = "missing"
    file.write_text(json.dumps(profile))
    assert program.run("report()") == "[0, 2, 0]\n"
    assert program.run("report()") == "[0, 0, 2]\n"
    program.run("use(3)")
    assert program.run("report()") == "[1, 0, 2]\n"
    # Another compiler may think otherwise.
    profile = json.loads(file.read_text())
    for entry in profile["pipelines"]:
        entry["blocked_by"] = entry["blocked_by"] and "an older compiler"
    file.write_text(json.dumps(profile))
    assert program.run("report()") == "[1, 2, 0]\n"


SLOW = """
body = "".join(f"x = x * {k} + sin(x);" for k in range(6000))
source = "#include <metal_stdlib>\\nusing namespace metal;\\n" + (
    "kernel void slow(device float *out [[buffer(0)]]) { float x = out[0]; " + body + " *out = x; }"
)
"""


def test_what_ended_a_process_is_not_tried_again(program: Program) -> None:
    program.environment["METALCORE_CACHE"] = "false"  # what is kept on disk is never slow
    program.run(SLOW + "use(1); mc.compile(source).slow.prepare()")
    process = program.start("mc.warmup()")
    marks: list[Path] = []
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        marks = list(program.cache.glob("**/*.replay"))
        # The quick kernel is done: only the slow one is marked.
        if marks and marks[0].read_bytes().strip(b"\0") and _marked(marks[0]) == 1:
            time.sleep(0.02)
            if marks[0].exists() and _marked(marks[0]) == 1:
                break
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL, "the slow kernel was too quick"
    assert program.run("report()") == "[1, 0, 1]\n"
    assert list(program.cache.glob("**/*.replay")) == []
    program.run(SLOW + "mc.compile(source).slow.prepare()")  # it does no harm after all
    assert program.run("report()") == "[2, 0, 0]\n"


def _marked(file: Path) -> int:
    content = file.read_bytes()
    return sum(bool(content[i : i + 64].strip(b"\0")) for i in range(0, len(content), 64))


def test_a_shipped_profile(program: Program, tmp_path: Path) -> None:
    shipped = tmp_path / "shipped.json"
    # The run that names a file that is not there makes it.
    program.run("use(1)", METALCORE_WARMUP_PROFILE=str(shipped))
    assert shipped.exists()
    assert program.profiles() == []
    content = shipped.read_text()
    assert program.run("report(); use(2)", METALCORE_WARMUP_PROFILE=str(shipped)) == "[1, 0, 0]\n"
    assert shipped.read_text() == content
    assert [text[-4] for text in program.recorded()] == ["2"]
    assert program.run("report()", METALCORE_WARMUP_PROFILE=str(shipped)) == "[2, 0, 0]\n"


def test_a_shipped_profile_that_cannot_be_used_is_said(program: Program, tmp_path: Path) -> None:
    shipped = tmp_path / "shipped.json"
    shipped.write_text("{}")
    process = program.start("report()", METALCORE_WARMUP_PROFILE=str(shipped))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "[0, 0, 0]\n")
    assert str(shipped) in err
    assert len(err.splitlines()) == 1


def test_forked_children_add_their_kernels(program: Program) -> None:
    program.run(
        """
use(1)
pid = os.fork()
if pid == 0:
    use(2)
    sys.exit()
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
use(3)
"""
    )
    assert sorted(text[-4] for text in program.recorded()) == ["1", "2", "3"]


def test_a_known_program_opens_the_compiler_late(program: Program) -> None:
    """Unless somebody asks for the whole warm-up."""
    body = """
while [stage.done for stage in mc.warmup_status().stages].count(True) < 3:
    time.sleep(0.001)
time.sleep(0.05)
print(len(mc.warmup_status().stages), mc.warmup().state)
"""
    program.run("use(1)")
    assert program.run(body) == "3 done\n"


def test_a_cache_is_built_ahead(program: Program, tmp_path: Path) -> None:
    program.run("use(1); use(2); (mc.arange(5) + 1).tolist()")
    (file,) = program.profiles()
    seen: list[tuple[int, int]] = []
    result = _warmup.build_profile(file, progress=lambda done, wanted: seen.append((done, wanted)))
    wanted = len(program.recorded())
    assert result.ok
    assert result.as_dict() == {
        "wanted": wanted,
        "built": wanted,
        "failed": 0,
        "failures": [],
        "kept": True,
    }
    assert seen[-1] == (wanted, wanted)
    profile = json.loads(file.read_text())
    profile["libraries"][0]["source"] = "nonsense;"
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(profile))
    result = _warmup.build_profile(broken)
    assert not result.ok
    assert result.built == wanted - 1
    assert len(result.failures) == 1
    assert 'Kernel "one"' in result.failures[0]
    with pytest.raises(ValueError, match="cannot be used: No such file"):
        _warmup.build_profile(tmp_path / "none.json")
    broken.write_text("x")
    with pytest.raises(ValueError, match="cannot be used: it is not JSON"):
        _warmup.build_profile(broken)
