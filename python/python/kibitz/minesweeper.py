"""Minesweeper: positions analysed, boards without guesses, and series of games."""

from __future__ import annotations

import math
from typing import Any, Optional

from . import _native
from ._errors import KibitzError, ask
from ._frames import frame

__all__ = ["Analysis", "analyse", "no_guess", "series"]


class Analysis:
    """What follows from a position; `json` is what the program writes."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.position: str = answer["position"]
        self.solve: dict[str, Any] = answer["solve"]
        self.json: dict[str, Any] = answer["analyse"]

    @property
    def probabilities(self) -> Any:
        """The probability of a mine, row by row, NaN where a tile is uncovered: an array where NumPy is."""
        rows = [[math.nan if own is None else own for own in row] for row in self.solve["mine"]]
        try:
            import numpy
        except ImportError:
            return rows
        return numpy.array(rows)

    @property
    def certain(self) -> list[dict[str, Any]]:
        """The tiles that are certain, with the reasons; places count from one."""
        return list(self.json["certain"])

    @property
    def best(self) -> Optional[dict[str, Any]]:
        """The best tile and its chance of a win, where it is computed."""
        told: Optional[dict[str, Any]] = self.json["best"]
        return told


def analyse(position: str, *, mines: Optional[int] = None, density: Optional[float] = None) -> Analysis:
    """Analyses a position: columns, rows and mines, then a line a row.

    >>> analyse("3x2/1\\n01.\\n01.\\n").solve["mine"][0][2]
    0.5
    """
    return Analysis(ask("position", text=position, mines=mines, density=density))


def no_guess(level: str, *, first: tuple[int, int], seed: int, hardest: str = "all") -> dict[str, Any]:
    """A board that needs no guess after its first click, with a certificate."""
    return ask("board", level=level, first=list(first), seed=seed, hardest=hardest)


def series(
    level: str, player: str, games: int, *, seed: int = 1, first_click: str = "unprotected"
) -> Any:
    """A frame of seeded games, one a row: whether it was won, its moves, and those by a fallback."""
    try:
        played = _native.series(level, player, games, seed, first_click)
    except ValueError as error:
        raise KibitzError(str(error)) from None
    names = ("won", "moves", "fallbacks")
    return frame({"game": list(range(games)), **{name: [own[at] for own in played] for at, name in enumerate(names)}})
