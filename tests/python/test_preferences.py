"""`metalcore.preferences`: values with their sources, and the user's file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from metalcore import preferences

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    tomllib = pytest.importorskip("tomli", reason="Python 3.10 has no TOML reader of its own")

NAMES = [
    "warmup",
    "warmup_profile",
    "cache",
    "cache_dir",
    "cache_max_size",
    "device",
    "cpu_threads",
    "compile_time_limit",
    "storage_mode",
    "math_mode",
    "log_level",
]


@pytest.fixture
def user_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's file of this test; it does not exist yet, and nothing overrides it."""
    monkeypatch.delenv("METALCORE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "metalcore" / "preferences.toml"


def section(file: Path) -> dict[str, object]:
    return tomllib.loads(file.read_text())["metalcore"]


def test_values_and_get() -> None:
    assert [entry.name for entry in preferences.values()] == NAMES
    for entry in preferences.values():
        assert preferences.get(entry.name) == entry.value
        assert entry.name in repr(entry)
    assert isinstance(preferences.get("cpu_threads"), int)
    assert isinstance(preferences.get("cache"), bool)


def test_sources(run_python, tmp_path: Path) -> None:
    (tmp_path / "metalcore").mkdir()
    (tmp_path / "metalcore" / "preferences.toml").write_text(
        '[metalcore]\ncpu_threads = 3\nmath_mode = "fast"\ncache_max_size = "1 GB"\n'
    )
    program = """
import json
from metalcore import preferences
print(json.dumps({e.name: [e.value, e.source] for e in preferences.values()}))
"""
    result = run_python(program, XDG_CONFIG_HOME=str(tmp_path), METALCORE_WARMUP="off")
    found = json.loads(result.stdout)
    file = str(tmp_path / "metalcore" / "preferences.toml")
    assert found["cpu_threads"] == [3, file]
    assert found["math_mode"] == ["fast", file]
    assert found["warmup"] == [False, "environment"]
    assert found["device"] == ["", "default"]


def test_set_keeps_the_rest(user_file: Path, run_python) -> None:
    preferences.set("warmup", False)
    assert user_file.read_text() == "[metalcore]\nwarmup = false\n"
    user_file.write_text("# mine\n[metalcore]\nwarmup = false # slow machine\n\n[other]\nx = 1\n")
    preferences.set("cpu_threads", 2)
    preferences.set("device", 'a "b" \\ ü')
    preferences.set("cache_dir", Path("/some/where"))
    preferences.set("warmup", "auto")
    text = user_file.read_text()
    assert text.startswith('# mine\n[metalcore]\nwarmup = "auto" # slow machine\n')
    assert text.endswith("\n\n[other]\nx = 1\n")
    assert section(user_file) == {
        "warmup": "auto",
        "cpu_threads": 2,
        "device": 'a "b" \\ ü',
        "cache_dir": "/some/where",
    }
    shown = run_python(
        "from metalcore import preferences as p; print(p.get('cpu_threads'), p.get('cache_dir'))",
        XDG_CONFIG_HOME=str(user_file.parents[1]),
    )
    assert shown.stdout == "2 /some/where\n"


def test_set_takes_effect_at_the_next_start(user_file: Path) -> None:
    before = preferences.get("math_mode")
    preferences.set("math_mode", "fast")
    assert preferences.get("math_mode") == before


def test_unset(user_file: Path) -> None:
    assert not preferences.unset("cache")
    assert not user_file.exists()
    preferences.set("cache", False)
    preferences.set("log_level", "off")
    assert preferences.unset("cache")
    assert section(user_file) == {"log_level": "off"}
    assert not preferences.unset("cache")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("warmpu", True, 'There is no preference "warmpu"; there are "warmup", '),
        ("warmup", "maybe", 'cannot be "maybe", but must be "auto", true or false'),
        ("cpu_threads", -1, 'cannot be "-1", but must be a whole number from 0 to 65536'),
        ("cpu_threads", 65537, "65537"),
        ("cpu_threads", True, 'cannot be "true"'),
        ("cache_dir", "here", 'cannot be "here", but must be an absolute path'),
        ("cache_dir", "/a\0b", "absolute path"),
        ("cache_max_size", "1 elephant", 'a size such as "256 MiB"'),
        ("math_mode", "FAST", '"safe", "relaxed" or "fast"'),
        ("log_level", "verbose", '"debug", "info"'),
    ],
)
def test_wrong_values(user_file: Path, name: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match="preference") as caught:
        preferences.set(name, value)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert not user_file.exists()


def test_wrong_types_and_names(user_file: Path) -> None:
    for value in (None, 1.5, [1], b"x"):
        with pytest.raises(TypeError, match="must be a bool, an int, a str or a path"):
            preferences.set("warmup", value)  # type: ignore[arg-type]
    for call in (preferences.get, preferences.unset):
        with pytest.raises(ValueError, match='There is no preference "x"; there are "warmup"'):
            call("x")


def test_malformed_file_stays(user_file: Path) -> None:
    user_file.parent.mkdir()
    user_file.write_text("[metalcore]\nwarmup = = 1\n")
    with pytest.raises(ValueError, match=r"preferences\.toml\" cannot be changed: line 2: "):
        preferences.set("cache", True)
    assert user_file.read_text() == "[metalcore]\nwarmup = = 1\n"


def test_what_cannot_be_written(user_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file.mkdir(parents=True)
    with pytest.raises(OSError, match="cannot be changed"):
        preferences.set("cache", True)
    monkeypatch.setenv("XDG_CONFIG_HOME", "/dev/null/x")
    with pytest.raises(OSError, match="cannot be changed"):
        preferences.set("cache", True)


def test_no_home(run_python) -> None:
    result = run_python(
        "import metalcore as mc\n"
        "print(repr(mc.preferences.path()))\n"
        "try: mc.preferences.set('cache', True)\n"
        "except mc.UnsupportedError as error: print(error)",
        HOME="",
        XDG_CONFIG_HOME="",
    )
    assert result.stdout == (
        "''\nThere is no preferences file to write: the environment names no home folder.\n"
    )


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    preferences.show()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert lines[NAMES.index("cache_max_size")].split(maxsplit=1)[1].startswith('"')


def test_a_folder_cannot_name_what_is_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of a cloned project: its paths are refused, the rest counts."""
    monkeypatch.delenv("METALCORE_CACHE_DIR", raising=False)
    monkeypatch.delenv("METALCORE_WARMUP_PROFILE", raising=False)
    (tmp_path / "metalcore.toml").write_text(
        '[metalcore]\nmath_mode = "fast"\ncache_dir = "/tmp/evil"\n'
        'warmup_profile = "/tmp/evil.json"\n'
    )
    program = "from metalcore import preferences as p\n" + "\n".join(
        f"print(p.get({name!r}))" for name in ("math_mode", "cache_dir", "warmup_profile")
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert result.stdout == "fast\n\nTrue\n"
    lines = sorted(result.stderr.splitlines())
    assert len(lines) == 2
    for line, name, number in zip(lines, ("cache_dir", "warmup_profile"), (3, 4), strict=True):
        assert line.startswith(
            f'metalcore: warning: "{tmp_path}/metalcore.toml", line {number}: the preference '
            f'"{name}" is ignored, because cached files are executed'
        )
        assert line.endswith(f"METALCORE_{name.upper()}.")
