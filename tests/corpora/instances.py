"""Instances of kernel templates, read off the names under which a project ships them.

A rule has the form of a name, "gemv_{t:type}_bm{bm}", and the template arguments that belong to it,
"{t}, {bm}". So the shipped library says which instances there are, and the rules how they are made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

Fields = dict[str, str]

FIELD = re.compile(r"\{(\w+)(?::(\w+))?\}")


@dataclass(frozen=True)
class Kind:
    """What a field of a name matches, and the C++ that each of its words stands for."""

    pattern: str
    words: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, words: Mapping[str, str]) -> Kind:
        """One of some words."""
        longest_first = sorted(words, key=len, reverse=True)
        return cls("|".join(map(re.escape, longest_first)), words)

    def text(self, word: str) -> str:
        """The C++."""
        return self.words.get(word, word)


NUMBER = Kind(r"\d+")


class Rule:
    """Makes instances of one template from the names that have its form."""

    def __init__(
        self,
        form: str,
        kernel: str,
        arguments: str,
        kinds: Mapping[str, Kind],
        complete: Callable[[Fields], None] | None = None,
    ) -> None:
        self._kernel = kernel
        self._arguments = arguments
        self.complete = complete
        self._kinds: dict[str, Kind] = {}
        pattern, end = "", 0
        for part in FIELD.finditer(form):
            kind = kinds[part[2]] if part[2] else NUMBER
            self._kinds[part[1]] = kind
            pattern += re.escape(form[end : part.start()]) + f"(?P<{part[1]}>{kind.pattern})"
            end = part.end()
        self._pattern = re.compile(pattern + re.escape(form[end:]))

    def instance(self, name: str) -> str | None:
        """The explicit instantiation with this name, if the name has the form."""
        match = self._pattern.fullmatch(name)
        if match is None:
            return None
        fields = {key: self._kinds[key].text(word) for key, word in match.groupdict().items()}
        if self.complete:
            self.complete(fields)
        instance = f"{self._kernel}<{self._arguments}>".format_map(fields)
        return f'template [[host_name("{name}")]] [[kernel]] decltype({instance}) {instance};\n'


@dataclass(frozen=True)
class Family:
    """The kernels of one library: headers, and rules for the names of the instances."""

    name: str
    headers: Sequence[str]
    rules: Sequence[Rule]

    def text(self, instances: Iterable[str], folder: str) -> str:
        """The source."""
        includes = [f'#include "{folder}{header}"\n' for header in self.headers]
        return "".join(["#include <metal_stdlib>\nusing namespace metal;\n", *includes, *instances])


def sort_out(
    names: Iterable[str], families: Sequence[Family]
) -> tuple[list[tuple[Family, list[str]]], list[str]]:
    """The instances of each family, and the names that have no form; the first family wins."""
    instances: list[list[str]] = [[] for _ in families]
    others = []
    for name in names:
        for family, made in zip(families, instances, strict=True):
            found = next(filter(None, (rule.instance(name) for rule in family.rules)), None)
            if found:
                made.append(found)
                break
        else:
            others.append(name)
    return list(zip(families, instances, strict=True)), others
