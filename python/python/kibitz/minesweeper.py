"""Minesweeper: positions analysed, boards, players, and series of games."""

from __future__ import annotations

import json
import math
from typing import Any, Optional

from . import _native
from ._errors import KibitzError, ask
from ._frames import frame

__all__ = ["PLAYERS", "Analysis", "analyse", "generate", "no_guess", "record", "series"]

PLAYERS: tuple[str, ...] = tuple(_native.players())
"""The names of all players, the weakest first."""


class Analysis:
    """What follows from a position; `json` is what the program writes. NumPy takes it for the array of its
    probabilities."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.position: str = answer["position"]
        self.solve: dict[str, Any] = answer["solve"]
        self.json: dict[str, Any] = answer["analyse"]

    def _rows(self) -> list[list[float]]:
        return [[math.nan if own is None else own for own in row] for row in self.solve["mine"]]

    @property
    def probabilities(self) -> Any:
        """The probability of a mine, row by row, NaN where a tile is uncovered: an array where NumPy is."""
        try:
            import numpy
        except ImportError:
            return self._rows()
        return numpy.array(self._rows())

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        import numpy

        if copy is False:
            raise ValueError("the probabilities are no array yet: one is made")
        return numpy.array(self._rows(), dtype=dtype)

    @property
    def certain(self) -> list[dict[str, Any]]:
        """The tiles that are certain, with the reasons; places count from one."""
        return list(self.json["certain"])

    @property
    def best(self) -> Optional[dict[str, Any]]:
        """The tile to uncover: its place, the probability of a mine, the rule, and what it wins (`None` where
        complete search is not possible). Of equal chances a safe tile comes first, then the least risk."""
        told: Optional[dict[str, Any]] = self.json["best"]
        return told

    def guesses(self) -> Any:
        """A frame of what each player would guess: the tile, the rule, the risk, and the chance to win where it is
        computed; empty where something is safe."""
        names = ("player", "row", "column", "rule", "mine", "wins")
        rows = [
            (own["player"], *own["tile"], own["rule"], own["mine"], own["wins"] and own["wins"]["chance"])
            for own in self.json["guesses"]
        ]
        return frame({name: [row[at] for row in rows] for at, name in enumerate(names)})


def analyse(position: str, *, mines: Optional[int] = None, density: Optional[float] = None) -> Analysis:
    """Analyses a position: columns, rows and mines, then a line a row.

    >>> analyse("3x2/1\\n01.\\n01.\\n").solve["mine"][0][2]
    0.5
    """
    return Analysis(ask("position", text=position, mines=mines, density=density))


def generate(
    level: str = "8x8/10",
    count: int = 1,
    *,
    seed: int = 1,
    first: Optional[tuple[int, int]] = None,
    first_click: str = "opening",
    no_guess: bool = False,
    max_rule: Optional[str] = None,
    uniform: bool = False,
    certificate: bool = False,
) -> list[dict[str, Any]]:
    """Boards with their measures, as `kibitz-minesweeper generate --format json` writes them.

    `first` is the first click, row and column from one, the middle if it is not said; `first_click` what it may
    meet ("unprotected", "safe", "opening"). With `no_guess` deduction solves every board: `max_rule` is the
    hardest that it takes ("S-1", "sets", "numbers", "all"), `uniform` draws among such boards however rare, and
    `certificate` tells the deductions.

    >>> [board["level"] for board in generate("8x8/10", 2, no_guess=True)]
    ['8x8/10', '8x8/10']
    """
    of_no_guess = {"max_rule": max_rule, "uniform": uniform or None, "certificate": certificate or None}
    given = [name for name, value in of_no_guess.items() if value is not None]
    if given and not no_guess:
        raise KibitzError(f"{', '.join(given)}: for boards with no_guess=True")
    how = (max_rule or "all", uniform, certificate) if no_guess else None
    try:
        boards = _native.generate(level, count, seed, first_click, first, how)
    except ValueError as error:
        raise KibitzError(str(error)) from None
    return [json.loads(board) for board in boards]


def no_guess(level: str, *, first: tuple[int, int], seed: int, hardest: str = "all") -> dict[str, Any]:
    """A board that needs no guess after its first click, with a certificate.

    >>> made = no_guess("8x8/10", first=(4, 4), seed=1)
    >>> made["first"], made["level"]
    ([4, 4], '8x8/10')
    """
    return ask("board", level=level, first=list(first), seed=seed, hardest=hardest)


def series(
    level: str,
    player: str,
    games: int,
    *,
    seed: int = 1,
    first_click: str = "unprotected",
    first: Optional[tuple[int, int]] = None,
    start: int = 0,
) -> Any:
    """A frame of seeded games of one of `PLAYERS`, one a row: level, player, seed and number, which make it again,
    whether it was won, its moves, and those by a fallback.

    `first` tells players who compute probabilities where to begin, row and column from one. Games have numbers
    from `start` on: each has random numbers of its own.

    >>> games = series("8x8/10", "exact", 5, seed=3)
    >>> list(games["moves"])[3:] == list(series("8x8/10", "exact", 2, seed=3, start=3)["moves"])
    True
    """
    try:
        played = _native.series(level, player, (start, games), seed, first_click, first)
    except ValueError as error:
        raise KibitzError(str(error)) from None
    given = {"level": level, "player": player, "seed": seed, "first_click": first_click}
    columns: dict[str, list[Any]] = {name: [value] * len(played) for name, value in given.items()}
    columns["game"] = list(range(start, start + len(played)))
    names = ("won", "moves", "fallbacks")
    columns.update({name: [own[at] for own in played] for at, name in enumerate(names)})
    return frame(columns)


def record(
    level: str,
    player: str,
    games: int,
    *,
    seed: int = 1,
    first_click: str = "safe",
    first: Optional[tuple[int, int]] = None,
) -> str:
    """Seeded games with their boards and moves, as the file that `kibitz-minesweeper record` writes and `check`
    replays.

    >>> record("8x8/10", "exact", 2, seed=3) == record("8x8/10", "exact", 2, seed=3)
    True
    """
    try:
        return _native.record(level, player, games, seed, first_click, first)
    except ValueError as error:
        raise KibitzError(str(error)) from None
