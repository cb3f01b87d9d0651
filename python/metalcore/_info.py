"""What metalcore says of itself."""

from __future__ import annotations

import sys

from . import _core, cache, preferences
from ._core import WarmupReport
from ._system import devices

TYPE_CHECKING = False  # as typing has it, whose import would slow that of metalcore
if TYPE_CHECKING:
    from typing import Any


def info() -> dict[str, Any]:
    """What `versioninfo` prints, for programs: it can be written as JSON.

    Returns
    -------
    dict
        "metalcore", "python", "driver", "compiler": versions; "devices": a list with name, limits
        and memory (bytes); "cache": path, files, sizes (bytes), hits and misses of this process;
        "warmup": state, reason, stages (seconds), pipelines built, hits and misses in memory;
        "preferences": value and source by name.

    Examples
    --------
    >>> import metalcore as mc
    >>> mc.info()["warmup"]["state"] in ("running", "done", "disabled", "skipped")
    True
    """
    stats = cache.stats()
    versions = _core.versions()
    return {
        "metalcore": _core.version,
        "python": sys.version.split()[0],
        "driver": versions.driver,
        "compiler": versions.compiler,
        "devices": [
            {
                "name": device.name,
                "allocated_bytes": device.current_allocated_size,
                "recommended_bytes": device.recommended_max_working_set_size,
                "max_threads_per_threadgroup": device.max_threads_per_threadgroup,
                "max_threadgroup_memory_bytes": device.max_threadgroup_memory_length,
            }
            for device in devices()
        ],
        "cache": {
            "path": "" if cache.path is None else str(cache.path),
            "disabled_reason": stats.disabled_reason,
            "files": stats.files,
            "bytes": stats.bytes,
            "max_size": stats.max_size,
            "hits": stats.hits,
            "misses": stats.misses,
            "damaged": stats.damaged,
            "stored": stats.stored,
        },
        "warmup": warmup_facts(_core.warmup_status()),
        "preferences": {
            entry.name: {"value": entry.value, "source": entry.source}
            for entry in preferences.values()
        },
    }


def warmup_facts(report: WarmupReport) -> dict[str, Any]:
    """A report as JSON has it; times in seconds."""
    return {
        "state": report.state,
        "reason": report.reason,
        "error": report.error,
        "stages": [
            {"name": stage.name, "seconds": stage.seconds, "done": stage.done}
            for stage in report.stages
        ],
        "cpu_seconds": report.cpu_seconds,
        "pipelines_built": report.pipelines_built,
        "cache_hits": report.cache_hits,
        "cache_misses": report.cache_misses,
        "profile_built": report.profile_built,
        "profile_failed": report.profile_failed,
        "profile_blocked": report.profile_blocked,
    }


def _mebibytes(count: int) -> str:
    return f"{count / 2**20:.0f} MiB"


def _rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Heading and text of each line."""
    rows = [(name, facts[name]) for name in ("metalcore", "driver", "compiler")]
    rows.append(("Python", facts["python"]))
    if not facts["devices"]:
        rows.append(("device", "none"))
    for number, device in enumerate(facts["devices"]):
        rows += [
            (f"device {number}", device["name"]),
            (
                "  memory",
                f"{_mebibytes(device['allocated_bytes'])} allocated, "
                f"{_mebibytes(device['recommended_bytes'])} recommended at most",
            ),
            (
                "  limits",
                f"{device['max_threads_per_threadgroup']} threads and "
                f"{device['max_threadgroup_memory_bytes']} bytes per threadgroup",
            ),
        ]
    kept = facts["cache"]
    if kept["disabled_reason"]:
        rows.append(("cache", f"not in use: {kept['disabled_reason']}"))
    else:
        rows += [
            ("cache", kept["path"]),
            (
                "  on disk",
                f"{kept['files']} files, {_mebibytes(kept['bytes'])} of "
                f"{_mebibytes(kept['max_size'])}",
            ),
            (
                "  this run",
                f"{kept['hits']} hits, {kept['misses']} misses, {kept['stored']} stored, "
                f"{kept['damaged']} damaged",
            ),
        ]
    report = facts["warmup"]
    rows.append(("warm-up", ": ".join(filter(None, (report["state"], report["reason"])))))
    for stage in report["stages"]:
        more = "" if stage["done"] else ", running"
        rows.append((f"  {stage['name']}", f"{stage['seconds'] * 1e3:.1f} ms{more}"))
    rows.append(
        (
            "pipelines",
            f"{report['pipelines_built']} built, {report['cache_hits']} cache hits, "
            f"{report['cache_misses']} cache misses",
        )
    )
    for name, entry in facts["preferences"].items():
        if entry["source"] != "default":
            rows.append((f"preference {name}", f"{entry['value']} ({entry['source']})"))
    return rows


def versioninfo() -> None:
    """Print versions, devices, the cache's hits and misses, and the stages of the warm-up.

    Preferences are listed where they come from the environment or a file. `info` returns all of it
    as a dict.
    """
    rows = _rows(info())
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        print(f"{name:{width}}  {text}")
