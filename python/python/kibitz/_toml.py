"""Tables of Python as TOML, with the place of every key."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Mapping, NamedTuple

from ._errors import KibitzError

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


class _Place(NamedTuple):
    """Which columns of a line, from one, a key has."""

    line: int
    first: int
    end: int
    key: str


def _name(key: Any, within: str) -> str:
    if not isinstance(key, str):
        raise KibitzError(f"{within or 'the system'}: keys are strings, not {key!r}")
    return key if _BARE.match(key) else json.dumps(key, ensure_ascii=False)


class Document:
    """Nested tables as the text of a TOML file.

    >>> print(Document({"title": "Tub", "variables": {"level": {"landmarks": ["0", "top"]}}}).text, end="")
    title = "Tub"
    [variables]
    level = {landmarks = ["0", "top"]}
    """

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._lines: list[str] = []
        self._places: list[_Place] = []
        nested = [(key, value) for key, value in tables.items() if self._is_nested(value)]
        self._entries("", {key: value for key, value in tables.items() if not self._is_nested(value)})
        for key, value in nested:
            if isinstance(value, Mapping):
                self._table(f"[{_name(key, '')}]", key, value)
            else:
                for number, entry in enumerate(value):
                    self._table(f"[[{_name(key, '')}]]", f"{key}[{number}]", entry)

    @staticmethod
    def _is_nested(value: Any) -> bool:
        if isinstance(value, Mapping):
            return True
        return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(own, Mapping) for own in value)

    @property
    def text(self) -> str:
        """The file."""
        return "".join(line + "\n" for line in self._lines)

    def key_at(self, line: int, column: int) -> str:
        """The innermost key at a place."""
        here = [own for own in self._places if own.line == line and own.first <= column <= own.end]
        # A table's own line, or a place between keys, belongs to the last key before it.
        here = here or [own for own in self._places if own.line <= line][-1:]
        return min(here, key=lambda own: own.end - own.first).key if here else ""

    def _table(self, head: str, key: str, entries: Mapping[str, Any]) -> None:
        self._lines.append(head)
        self._places.append(_Place(len(self._lines), 1, len(head) + 1, key))
        self._entries(key + ".", entries)

    def _entries(self, before: str, entries: Mapping[str, Any]) -> None:
        for key, value in entries.items():
            self._lines.append("")
            self._write(f"{_name(key, before)} = ", f"{before}{key}", value)

    def _write(self, lead: str, key: str, value: Any) -> None:
        """Appends a value to the last line."""
        first = len(self._lines[-1]) + 1
        self._lines[-1] += lead
        if isinstance(value, Mapping):
            self._several("{", "}", [(f"{_name(name, key)} = ", f"{key}.{name}", own) for name, own in value.items()])
        elif isinstance(value, (list, tuple)):
            self._several("[", "]", [("", f"{key}[{number}]", own) for number, own in enumerate(value)])
        else:
            self._lines[-1] += _scalar(key, value)
        self._places.append(_Place(len(self._lines), first, len(self._lines[-1]), key))

    def _several(self, opens: str, closes: str, items: list[tuple[str, str, Any]]) -> None:
        self._lines[-1] += opens
        for number, (lead, key, value) in enumerate(items):
            if number:
                self._lines[-1] += ", "
            self._write(lead, key, value)
        self._lines[-1] += closes


def _scalar(key: str, value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if hasattr(value, "item"):
        return _scalar(key, value.item())
    raise KibitzError(f"{key}: {value!r} is no text, number, truth value, list or table")
