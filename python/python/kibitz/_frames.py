"""Tables of any kind as rows, and rows as data frames."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence

from . import _native
from ._errors import KibitzError

__all__ = ["set_frames"]

_KINDS = ("polars", "pandas")

_chosen: Optional[str] = None


def set_frames(kind: Optional[str]) -> None:
    """Chooses the kind of all frames that functions return: "pandas", "polars" or "plain" (a `dict` of lists);
    `None` goes back to the default.

    By default a function that takes data returns the kind of frame that it was given: pandas for pandas, polars
    for polars, plain otherwise. A function that takes no data returns the kind that your program has imported
    (polars before pandas), else the one that is installed, else plain.

    >>> set_frames("plain")
    >>> from kibitz import lab
    >>> type(lab.table("jansen2000/table2")).__name__
    'dict'
    >>> set_frames(None)
    """
    global _chosen
    if kind not in (None, "plain", *_KINDS):
        raise KibitzError(f"unknown kind of frame {kind!r}: expected 'pandas', 'polars', 'plain' or None")
    if kind in _KINDS and not _is_there(kind):
        raise KibitzError(f"{kind} is not installed")
    _chosen = kind


def _is_there(name: Optional[str]) -> bool:
    """Whether a package can be imported."""
    if name is None:
        return False
    if name in sys.modules:
        return sys.modules[name] is not None
    return find_spec(name) is not None


def kind_of(data: Any) -> str:
    """The kind of a frame or of a column of it: "polars", "pandas" or "plain"."""
    of = type(data).__module__.split(".")[0]
    return of if of in _KINDS else "plain"


def _kind(like: Optional[str]) -> str:
    """The kind of a frame to return, after data of a kind, or after none."""
    if _chosen is not None:
        return _chosen
    if like is not None:
        return like
    imported = [name for name in _KINDS if sys.modules.get(name) is not None]
    return next((name for name in (*imported, *_KINDS) if _is_there(name)), "plain")


def is_missing(value: Any) -> bool:
    """Whether a value is `None`, NaN, NaT or NA."""
    # What is missing is unequal to itself, or (pandas) has a name.
    return value is None or str(value) in ("NaT", "<NA>") or bool(value != value)


def columns_of(table: Any) -> Optional[list[str]]:
    """The names of the columns of a frame; `None` of rows."""
    columns = getattr(table, "columns", None)
    return None if columns is None else [str(name) for name in columns]


def rows_of(table: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of a frame of pandas or polars, of an array, or of tuples; single values are rows of one."""
    if hasattr(table, "itertuples"):
        return iter(table.itertuples(index=False, name=None))
    if hasattr(table, "iter_rows"):
        return iter(table.iter_rows())
    if hasattr(table, "tolist"):
        table = table.tolist()
    return (tuple(row) if isinstance(row, (tuple, list)) else (row,) for row in table)


def lists_of(table: Any) -> Optional[list[list[Any]]]:
    """The columns of a frame of pandas or polars, which are quicker to read than its rows; `None` of rows."""
    if hasattr(table, "iloc") and hasattr(table, "columns"):
        return [table.iloc[:, at].tolist() for at in range(len(table.columns))]
    if hasattr(table, "get_columns"):
        return [column.to_list() for column in table.get_columns()]
    return None


def frame(
    columns: Mapping[str, Sequence[Any]], like: Optional[str] = None, types: Optional[Mapping[str, type]] = None
) -> Any:
    """A frame of the kind that `like` names, or that was chosen. `types` declares columns as `int` or
    `float`, even if all their values are missing."""
    kind, known = _kind(like), {name: of for name, of in (types or {}).items() if name in columns}
    if kind == "polars":
        import polars

        dtypes: dict[type, Any] = {int: polars.Int64, float: polars.Float64}
        return polars.DataFrame(dict(columns), schema_overrides={name: dtypes[of] for name, of in known.items()})
    if kind == "pandas":
        import pandas

        made = pandas.DataFrame(dict(columns))
        for name, of in known.items():
            # Whole numbers that may be missing have a type of their own.
            whole = "Int64" if made[name].isna().any() else "int64"
            made[name] = made[name].astype("float64" if of is float else whole)
        return made
    return {name: list(values) for name, values in columns.items()}


def columns_from(records: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    """Records as columns, in the order in which names come up."""
    all_records = list(records)
    names = list(dict.fromkeys(name for record in all_records for name in record))
    return {name: [record.get(name) for record in all_records] for name in names}


def taken_over(table: _native.Table, like: Optional[str] = None) -> Any:
    """A frame that takes over a table's columns by Arrow: see `frame` for its kind."""
    kind = _kind(like)
    if kind == "polars":
        import polars

        return polars.DataFrame(table)
    if kind == "pandas":
        import pandas

        try:
            import pyarrow
        except ImportError:
            return pandas.DataFrame(table.to_dict())
        return pyarrow.table(table).to_pandas()
    return table.to_dict()
