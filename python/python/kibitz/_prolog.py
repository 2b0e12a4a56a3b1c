"""Values of Python as terms of Prolog."""

from __future__ import annotations

import datetime
import math
import re
from typing import Any, Iterable

from ._errors import KibitzError

_PLAIN = re.compile(r"[a-z][A-Za-z0-9_]*\Z")


def _atom(text: str) -> str:
    if _PLAIN.match(text):
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def term(value: Any) -> str:
    """A value as a term.

    Strings are atoms, quoted where they need it; whole numbers stay numbers; `True` and `False` are atoms;
    dates and times are quoted as in ISO 8601. What is missing (`None`, NaN, NaT) has no term.

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
    # What is missing is unequal to itself.
    if value is None or value != value or str(value) in ("NaT", "<NA>"):
        raise KibitzError(f"{value!r} is missing: drop its row, or give it a name of its own")
    if isinstance(value, (datetime.date, datetime.time)):
        return _atom(value.isoformat())
    if hasattr(value, "item"):
        return term(value.item())
    raise KibitzError(f"{value!r} has no term: strings, numbers, truth values and dates have one")


def facts(name: str, rows: Iterable[tuple[Any, ...]]) -> tuple[list[str], int]:
    """Rows as atoms of a predicate, and the number of their arguments (0 of no rows)."""
    atoms: list[str] = []
    known: dict[str, str] = {}
    functor, arity = _atom(name), 0
    for number, row in enumerate(rows):
        arity = arity or len(row)
        if len(row) != arity or not arity:
            raise KibitzError(f"{name}: row {number} has {len(row)} values, the first has {arity}")
        texts = []
        for value in row:
            text = known.get(value) if type(value) is str else None
            if text is None:
                try:
                    text = term(value)
                except KibitzError as error:
                    raise KibitzError(f"{name}: row {number}: {error}") from None
                if type(value) is str:
                    known[value] = text
            texts.append(text)
        atoms.append(f"{functor}({','.join(texts)})")
    return atoms, arity
