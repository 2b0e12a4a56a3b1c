"""Tables of any kind as rows, and rows as the reader's own frames."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence

from . import _native


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


def frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """A frame of polars, else of pandas, else the columns themselves, as installed."""
    try:
        import polars

        return polars.DataFrame(dict(columns))
    except ImportError:
        pass
    try:
        import pandas

        return pandas.DataFrame(dict(columns))
    except ImportError:
        return dict(columns)


def columns_from(records: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    """Records as columns, in the order in which names come up."""
    all_records = list(records)
    names = list(dict.fromkeys(name for record in all_records for name in record))
    return {name: [record.get(name) for record in all_records] for name in names}


def taken_over(table: _native.Table) -> Any:
    """A frame that takes over a table's columns by Arrow: of polars, else of pandas; else a `dict` of lists."""
    try:
        import polars

        return polars.DataFrame(table)
    except ImportError:
        pass
    try:
        import pandas
    except ImportError:
        return table.to_dict()
    try:
        import pyarrow

        return pyarrow.table(table).to_pandas()
    except ImportError:
        return pandas.DataFrame(table.to_dict())
