"""The recorded tables of a workspace, verdicts included."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any, Optional, Union

from ._errors import KibitzError
from ._frames import columns_from, frame

__all__ = ["table", "verdicts"]

_NUMBERS = ("value", "sd", "se", "paper", "ours", "difference")


def _number(text: Optional[str]) -> Optional[float]:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _read(name: str, file: str, root: Union[str, "os.PathLike[str]"]) -> Any:
    path = Path(root) / "results" / name / file
    try:
        with path.open(newline="", encoding="utf-8") as lines:
            rows: list[dict[str, Any]] = list(csv.DictReader(lines))
    except OSError as error:
        raise KibitzError(f"no recorded table: {error}", [{"message": str(error), "file": str(path)}]) from None
    for column in _NUMBERS:
        # A column with words in it stays text.
        if all(not row.get(column) or _number(row[column]) is not None for row in rows):
            for row in rows:
                if column in row:
                    row[column] = _number(row[column])
    return frame(columns_from(rows))


def table(name: str, root: Union[str, "os.PathLike[str]"] = ".") -> Any:
    """A frame of a table's figures: `table("jansen2000/table2")` in a checkout."""
    return _read(name, "table.csv", root)


def verdicts(name: str, root: Union[str, "os.PathLike[str]"] = ".") -> Any:
    """A frame of print beside ours, with tolerance, verdict and reason."""
    return _read(name, "compare.csv", root)
