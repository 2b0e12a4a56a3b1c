"""Published values beside reproduced ones: of two frames, and of a workspace's recorded tables; its datasets."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Union

from . import _native
from ._errors import KibitzError, MissingFileError, checked, existing, suggestion
from ._frames import columns_from, columns_of, frame, is_missing, kind_of, rows_of

__all__ = ["Comparison", "compare", "dataset", "headlines", "outcomes", "table"]

_NUMBERS = ("value", "sd", "n", "se", "samples", "published", "reproduced", "difference")
"""Columns of numbers, of which `n` counts."""

_Path = Union[str, "os.PathLike[str]"]


def _number(text: Optional[str]) -> Optional[float]:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _typed(lines: Iterable[str], like: Optional[str] = None) -> Any:
    """A frame of the lines of a CSV file of results, with numbers as numbers."""
    rows: list[dict[str, Any]] = list(csv.DictReader(lines))
    types: dict[str, type] = {}
    for column in _NUMBERS:
        # A column with words in it stays text.
        if all(not row.get(column) or _number(row[column]) is not None for row in rows):
            for row in rows:
                if column in row:
                    row[column] = _number(row[column])
            types[column] = float
    counted = [row["n"] for row in rows if row.get("n") is not None]
    if types.get("n") is float and all(isinstance(own, float) and own.is_integer() for own in counted):
        types["n"] = int
        for row in rows:
            row["n"] = None if row.get("n") is None else int(row["n"])
    return frame(columns_from(rows), like, types)


def _read(name: str, file: str, root: _Path) -> Any:
    path = Path(root) / "results" / name / file
    results = Path(root) / "results"
    if not path.is_file():
        if not results.is_dir():
            raise MissingFileError(f"{str(root)!r} is not a checkout: it has no folder results", str(path))
        known = [f"{own.parent.parent.name}/{own.parent.name}" for own in sorted(results.glob(f"*/*/{file}"))]
        raise MissingFileError(f"no recorded table {name!r}{suggestion(name, known)}", str(path))
    with path.open(newline="", encoding="utf-8") as lines:
        return _typed(lines)


def table(name: str, root: _Path = ".") -> Any:
    """A frame of a table's figures, of the checkout in the folder `root`.

    `n` is an integer, other numbers are floats; missing values are `None` or NaN.

    >>> figures = table("jansen2000/table2")
    >>> list(figures["n"])[:2]
    [1, 1]
    """
    return _read(name, "table.csv", root)


def outcomes(name: str, root: _Path = ".") -> Any:
    """A frame of published and reproduced values, with tolerance, outcome, baseline and reason.

    >>> compared = outcomes("jansen2000/table2")
    >>> dict(zip(compared["column"], compared["outcome"]))["games"]
    'input'
    """
    return _read(name, "compare.csv", root)


_COUNTED = ("matches", "matches (weak)", "inconclusive", "differs (explained)", "differs (unexplained)")


def headlines(root: _Path = ".") -> dict[str, dict[str, int]]:
    """By paper, how many values are compared, and how many of them have each outcome that is counted.

    >>> counts = headlines()["jansen2000"]
    >>> counts["compared"] == sum(n for word, n in counts.items() if word != "compared")
    True
    """
    path = Path(root) / "results" / "index.json"
    try:
        index: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise KibitzError(f"no index of results: {error}", [{"message": str(error), "file": str(path)}]) from None
    papers: dict[str, dict[str, int]] = {}
    for name, line in index.items():
        counts = papers.setdefault(name.split("/")[0], dict.fromkeys(("compared", *_COUNTED), 0))
        counts["compared"] += line["compared"]
        for word in _COUNTED:
            counts[word] += line["outcomes"][word]
    return papers


@dataclass(frozen=True)
class Comparison:
    """Published and reproduced values, compared cell by cell.

    `values` is a frame with a line per published value: row, column, both values, outcome, baseline and reason.
    `matches` tells whether all of them match; `summary` says in sentences what holds of all together. `p` is the
    share of shuffles of the rows that match as often or more, `None` where there are too few rows.
    """

    values: Any
    matches: bool
    summary: list[str]
    p: Optional[float]

    def __str__(self) -> str:
        return "\n".join(self.summary)


def _written(data: Any, name: str, folder: str) -> str:
    """The path of a table: its own, or that of a file made of a frame."""
    if isinstance(data, (str, os.PathLike)):
        return existing(data, f"file of {name} values")
    if isinstance(data, Mapping):
        names, columns = [str(own) for own in data], [list(values) for values in data.values()]
        if len({len(values) for values in columns}) > 1:
            raise KibitzError(f"the columns of the {name} values differ in length")
        rows: Iterable[tuple[Any, ...]] = zip(*columns)
    else:
        if hasattr(data, "reset_index") and type(data.index).__name__ != "RangeIndex":
            data = data.reset_index()
        of_frame = columns_of(data)
        if of_frame is None:
            raise KibitzError(f"the {name} values are {type(data).__name__}: expected a frame or the path of a CSV file")
        names, rows = of_frame, rows_of(data)
    path = Path(folder) / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(["" if is_missing(value) else value for value in row] for row in rows)
    return str(path)


def compare(published: Any, reproduced: Any, *, by: Union[str, Iterable[str]] = ()) -> Comparison:
    """Compares two tables as `kibitz-lab compare` does: frames, or paths of CSV files.

    The first column names the rows, or the columns `by`; an index of pandas that has names counts as the first
    columns. A value matches if it rounds to the published one at its digits. Numbers lose the zeros at their end
    (2.60 becomes 2.6), so read published values as text: `pandas.read_csv(file, dtype=str)`. A column
    `NAME-tolerance` among the published ones says how far the values of column `NAME` may be apart.

    >>> ours = {"group": ["low", "high"], "mean": [2.58, 4.2]}
    >>> compared = compare({"group": ["low", "high"], "mean": ["2.6", "4.3"]}, ours)
    >>> compared.matches, compared.values["reason"][1]
    (False, '4.2 rounds to 4.2, not 4.3')
    """
    columns = [by] if isinstance(by, str) else list(by)
    with tempfile.TemporaryDirectory() as folder:
        paths = (_written(published, "published", folder), _written(reproduced, "reproduced", folder))
        text = _native.compare_tables(*paths, columns).replace(json.dumps(folder + os.sep)[1:-1], "")
    answer = checked(text)
    kinds = [kind_of(data) for data in (published, reproduced)]
    like = next((kind for kind in kinds if kind != "plain"), None)
    rows = answer["joint"].get("rows")
    values = _typed(answer["csv"].splitlines(), like)
    return Comparison(values, answer["matches"], answer["summary"], rows and rows["p"])


def _runner(root: Path) -> Path:
    """The runner that was built last: it knows which parts in the cache belong to the current code."""
    target = Path(os.environ.get("CARGO_TARGET_DIR") or root / "target")
    names = [target / profile / f"xtask{ending}" for profile in ("debug", "release") for ending in ("", ".exe")]
    built = [path for path in names if path.is_file()]
    if not built:
        raise KibitzError(f"{target} has no runner: build it with `cargo build --workspace`")
    return max(built, key=lambda path: path.stat().st_mtime)


def _runs(name: str, root: Path, cache: Path) -> list[dict[str, Any]]:
    options = ["--format", "json", "--root", str(root), "--cache", str(cache)]
    command = [str(_runner(root)), "cells", name, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise KibitzError((done.stderr or done.stdout).rstrip().removeprefix("error: "))
    runs: list[dict[str, Any]] = json.loads(done.stdout)
    return runs


def dataset(name: str, root: _Path = ".", *, cache: Optional[_Path] = None) -> Any:
    """A dataset of a checkout, such as `dataset("sugar1975/choices")`, from its parts in the cache: a lazy frame of
    polars, else a frame of pandas (which needs pyarrow). If a part is not in the cache, the error names the
    command that computes it."""
    folder = Path(root)
    store = Path(cache) if cache is not None else folder / "target" / "kibitz" / "cache"
    runs = _runs(name, folder, store)
    makes = f"`cargo xtask dataset {name}` makes it"
    missing = sum(run["state"] != "fresh" for run in runs)
    if missing or not runs:
        raise KibitzError(f"{missing} of {len(runs)} parts of {name} are not in the cache: {makes}")
    parts = [store / run["key"][:2] / f"{run['key']}.parquet" for run in runs]
    for part in parts:
        if not part.is_file():
            raise KibitzError(f"{name} is a table: `kibitz.lab.table(\"{name}\")` reads it")
    try:
        import polars

        return polars.scan_parquet(parts)
    except ImportError:
        pass
    try:
        import pandas

        return pandas.concat([pandas.read_parquet(part) for part in parts], ignore_index=True)
    except ImportError as error:
        raise KibitzError(f"a dataset takes polars, or pandas with pyarrow: {error}") from None
