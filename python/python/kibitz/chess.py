"""Chess: collections as frames, attributes of positions, CHUTE's scores of moves, models of choices and of
players."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence, Union

from . import _native
from ._errors import KibitzError, existing, warn
from ._frames import columns_of, frame, kind_of, rows_of, taken_over
from ._native import Table
from ._players import PlayerModel, compare, who

__all__ = [
    "ChoiceModel",
    "PlayerModel",
    "Table",
    "attributes",
    "choice_model",
    "chute",
    "compare",
    "games",
    "read_games",
    "who",
]


def read_games(path: Union[str, "os.PathLike[str]"], *, moves: Optional[str] = "san") -> Table:
    """The games of a database (PGN or another supported format) as a table that Arrow libraries import without a
    copy: `polars.DataFrame(table)`, `pyarrow.table(table)`. Moves are written as "san" or "uci"; `None` leaves
    them out. Games that cannot be read are skipped, with a warning that counts them.

    >>> import polars
    >>> polars.DataFrame(read_games("data/chute-library.pgn")).height
    98
    """
    existing(path, "games")
    try:
        table, report = _native.games(path, moves)
    except (OSError, ValueError) as error:
        raise KibitzError(str(error)) from None
    if report:
        warn([{"message": report}])
    return table


def games(path: Union[str, "os.PathLike[str]"], *, moves: Optional[str] = "san") -> Any:
    """A frame of the games of a database: see `read_games`.

    >>> len(games("data/chute-library.pgn", moves=None)["white"])
    98
    """
    return taken_over(read_games(path, moves=moves))


def attributes(positions: Iterable[str]) -> Any:
    """A frame of the attributes of positions in FEN, from the side to move: of the same kind as the column of
    positions, a `dict` of lists for a list.

    >>> start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    >>> {len(column) for column in attributes([start, start]).values()}
    {2}
    """
    try:
        return taken_over(_native.attributes(list(positions)), kind_of(positions))
    except ValueError as error:
        raise KibitzError(str(error)) from None


def chute(fen: str) -> Any:
    """A frame of the moves of a position, the best first: the total and the 22 scores of each.

    >>> moves = chute("8/8/8/8/8/6k1/4q3/7K b - - 0 1")
    >>> "Qg2#" in list(moves["move"])
    True
    """
    try:
        names, moves = _native.chute(fen)
    except ValueError as error:
        raise KibitzError(str(error)) from None
    columns: dict[str, list[Any]] = {"move": [own[0] for own in moves], "total": [own[1] for own in moves]}
    columns.update({name: [own[2][at] for own in moves] for at, name in enumerate(names)})
    return frame(columns)


@dataclass
class ChoiceModel:
    """A conditional logit model: a weight and a standard error for each attribute, and the code length in bits."""

    names: list[str]
    weights: list[float]
    errors: list[float]
    bits: float
    uniform_bits: float
    decisions: int
    like: str = "plain"

    def frame(self) -> Any:
        """A frame with one row per attribute, of the same kind as the alternatives."""
        return frame({"attribute": self.names, "weight": self.weights, "se": self.errors}, self.like)


def choice_model(alternatives: Any, ends: Sequence[int], chosen: Sequence[int]) -> ChoiceModel:
    """Fits a model to choices: `alternatives` has one row each, grouped by decision; `ends` has the index behind
    the last alternative of each decision, `chosen` the index of the chosen one in its decision.

    In two of three decisions the alternative with the larger value is chosen: the weight is log 2.

    >>> round(choice_model([[1.0], [0.0], [0.0], [1.0], [1.0], [0.0]], [2, 4, 6], [0, 0, 0]).weights[0], 4)
    0.6931
    """
    rows = [[float(value) for value in row] for row in rows_of(alternatives)]
    width = len(rows[0]) if rows else 0
    names = columns_of(alternatives) or [f"x{at + 1}" for at in range(width)]
    try:
        fitted = _native.choice_model(names, rows, list(ends), list(chosen))
    except ValueError as error:
        raise KibitzError(str(error)) from None
    return ChoiceModel(names, *fitted, like=kind_of(alternatives))
