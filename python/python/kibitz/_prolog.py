"""Values of Python as terms of Prolog."""

from __future__ import annotations

import datetime
import math
import re
from typing import Any, Iterable, Sequence

from ._errors import KibitzError
from ._frames import is_missing

_PLAIN = re.compile(r"[a-z][A-Za-z0-9_]*\Z")


def atom(name: Any) -> str:
    """The name of a predicate or of a type."""
    if not isinstance(name, str) or not name:
        raise KibitzError(f"{name!r} is not a name: expected a string that is not empty")
    return _atom(name)


def _atom(text: str) -> str:
    if _PLAIN.match(text):
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def term(value: Any) -> str:
    """A value as a term.

    Strings are atoms, quoted where they need it; integers stay numbers; `True` and `False` are atoms;
    dates and times are quoted as in ISO 8601. A missing value (`None`, NaN, NaT) has no term.

    >>> [term(value) for value in ("ann", "Ann", 3, True)]
    ['ann', "'Ann'", '3', 'true']
    """
    if isinstance(value, str):
        return _atom(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    if is_missing(value):
        raise KibitzError(f"{value!r} is missing: drop its row, or give it a name of its own")
    if isinstance(value, (datetime.date, datetime.time)):
        return _atom(value.isoformat())
    if hasattr(value, "item"):
        return term(value.item())
    raise KibitzError(f"{value!r} has no term: strings, numbers, truth values and dates have one")


def _terms(name: str, column: Sequence[Any]) -> list[str]:
    """The values of a column as terms; a long column takes one look at each distinct string."""
    kinds = set(map(type, column))
    if kinds == {int}:
        return list(map(str, column))
    if kinds == {str}:
        known = {text: _atom(text) for text in set(column)}
        return [known[text] for text in column]
    texts = []
    for number, value in enumerate(column):
        try:
            texts.append(term(value))
        except KibitzError as error:
            raise KibitzError(f"{name}: row {number}: {error}") from None
    return texts


def facts(name: str, rows: Iterable[tuple[Any, ...]]) -> tuple[list[str], int]:
    """Rows as atoms of a predicate, and the number of their arguments (0 of no rows)."""
    all_rows = list(rows)
    if not all_rows:
        return [], 0
    arity = len(all_rows[0])
    for number, row in enumerate(all_rows):
        if len(row) != arity or not arity:
            raise KibitzError(f"{name}: row {number} has {len(row)} values, the first has {arity}")
    return atoms(name, list(zip(*all_rows))), arity


def atoms(name: str, columns: Sequence[Sequence[Any]]) -> list[str]:
    """Columns as atoms of a predicate, one a row."""
    texts = [_terms(name, column) for column in columns]
    functor = atom(name)
    return [f"{functor}({','.join(row)})" for row in zip(*texts)]
