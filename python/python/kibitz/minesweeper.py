"""Minesweeper: positions analysed, boards, players, and series of games.

Rows and columns count from zero everywhere in this module, as those of arrays do; a tile is a pair `(row, column)`.
The programs, and the `json` of an `Analysis`, which is what they write, count from one.
"""

from __future__ import annotations

import html
import json
import math
import re
from typing import Any, Optional

from . import _native
from ._errors import KibitzError, ask
from ._frames import frame

__all__ = ["PLAYERS", "Analysis", "analyse", "generate", "no_guess", "record", "series"]

PLAYERS: tuple[str, ...] = tuple(_native.players())
"""The names of all players, the weakest first."""


_PLACES = ("tile", "first", "because")
"""Keys of tiles in what the programs write."""


def _from_zero(value: Any, is_place: bool = False) -> Any:
    """What a program wrote, with rows and columns from zero."""
    if isinstance(value, dict):
        return {key: _from_zero(own, key in _PLACES) for key, own in value.items()}
    if isinstance(value, list) and is_place and len(value) == 2 and all(isinstance(own, int) for own in value):
        return (value[0] - 1, value[1] - 1)
    if isinstance(value, list):
        return [_from_zero(own, is_place) for own in value]
    return value


def _made(board: dict[str, Any]) -> dict[str, Any]:
    """A board as the programs write it, with rows and columns from zero. Its certificate numbers the tiles row by
    row there."""
    certificate = board.pop("certificate", None)
    made: dict[str, Any] = _from_zero(board)
    if certificate is not None:
        width = len(made["board"][0])
        steps = [
            {**own, "tile": divmod(own["tile"], width), "because": [divmod(at, width) for at in own["because"]]}
            for own in certificate["steps"]
        ]
        made["certificate"] = {**certificate, "first": divmod(certificate["first"], width), "steps": steps}
    return made


def _from_one(first: Optional[tuple[int, int]]) -> Optional[tuple[int, int]]:
    """A tile as the programs count."""
    if first is None:
        return None
    row, column = (int(own) for own in first)
    if row < 0 or column < 0:
        raise KibitzError(f"first is {(row, column)}: rows and columns count from zero")
    return (row + 1, column + 1)


def _refused(error: Exception) -> KibitzError:
    """Why a tile is none, with rows and columns from zero."""
    found = re.search(r"rows go to (\d+), columns to (\d+)", str(error))
    if found is None:
        return KibitzError(str(error))
    height, width = (int(own) for own in found.groups())
    return KibitzError(f"first is outside the board: rows go from 0 to {height - 1}, columns from 0 to {width - 1}")


class Analysis:
    """What follows from a position. Tiles are pairs `(row, column)` from zero; `json` is what the program writes,
    whose places count from one. NumPy takes it for the array of its probabilities."""

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
        """The tiles that are certain, safe or mines, with the reasons: each with its `tile`, `mine`, `rule` and the
        tiles of the numbers that it follows from (`because`)."""
        return [_from_zero(own) for own in self.json["certain"]]

    @property
    def fifty_fifties(self) -> list[Any]:
        """Pairs of indistinguishable arrangements: for each pair, the mines of the one and of the other."""
        return [_from_zero(own, True) for own in self.json["fifty_fifties"]]

    @property
    def best(self) -> Optional[dict[str, Any]]:
        """The tile to uncover: its place, the probability of a mine, the rule, and what it wins (`None` where
        complete search is not possible). Of equal chances a safe tile comes first, then the least risk."""
        told: Optional[dict[str, Any]] = _from_zero(self.json["best"])
        return told

    def guesses(self) -> Any:
        """A frame of what each player would guess: the tile, the rule, the risk, and the chance to win where it is
        computed; empty where something is safe."""
        names = ("player", "row", "column", "rule", "mine", "wins")
        rows = [
            (own["player"], *_from_zero(own)["tile"], own["rule"], own["mine"], own["wins"] and own["wins"]["chance"])
            for own in self.json["guesses"]
        ]
        return frame({name: [row[at] for row in rows] for at, name in enumerate(names)})


    def __repr__(self) -> str:
        safe = sum(not own["mine"] for own in self.json["certain"])
        mines = len(self.json["certain"]) - safe
        best = self.best
        told = "" if best is None else f", best {best['tile']} wins {best['wins']['chance']:.3f}"
        return f"Analysis({self.solve['rows']} rows, {self.solve['columns']} columns: {safe} safe, {mines} mines{told})"

    def _repr_html_(self) -> str:
        """The position with the probability of a mine on every covered tile."""
        certain = {own["tile"]: own["mine"] for own in self.certain}
        best = self.best
        rows = []
        shown = self.position.splitlines()[-self.solve["rows"] :]
        for row, (line, shares) in enumerate(zip(shown, self.solve["mine"])):
            cells = [f"<th>{row}</th>"]
            for column, (letter, share) in enumerate(zip(line, shares)):
                style, text = "background:#eee", html.escape(letter)
                if share is not None:
                    known = certain.get((row, column))
                    text = f"{share:.3f}" if known is None else "mine" if known else "safe"
                    style = f"background:rgba({'0,140,0,.3' if share == 0 else f'200,0,0,{0.1 + 0.6 * share:.2f}'})"
                if best is not None and best["tile"] == (row, column):
                    style += ";outline:2px solid"
                cells.append(f'<td style="{style};text-align:center">{text}</td>')
            rows.append(f"<tr>{''.join(cells)}</tr>")
        head = "".join(f"<th>{column}</th>" for column in range(self.solve["columns"]))
        caption = html.escape(repr(self))
        return f"<table><caption>{caption}</caption><tr><th></th>{head}</tr>{''.join(rows)}</table>"


def analyse(position: str, *, mines: Optional[int] = None, density: Optional[float] = None) -> Analysis:
    """Analyses a position: columns, rows and mines, then a line a row.

    >>> seen = analyse("3x2/1\\n01.\\n01.\\n")
    >>> seen.solve["mine"][0][2]
    0.5
    >>> seen.best["tile"]
    (0, 2)
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

    `first` is the first click, row and column from zero, the middle if it is not said; `first_click` what it may
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
        boards = _native.generate(level, count, seed, first_click, _from_one(first), how)
    except ValueError as error:
        raise error if isinstance(error, KibitzError) else _refused(error) from None
    return [_made(json.loads(board)) for board in boards]


def no_guess(level: str, *, first: tuple[int, int], seed: int, hardest: str = "all") -> dict[str, Any]:
    """A board that needs no guess after its first click, row and column from zero, with a certificate.

    >>> made = no_guess("8x8/10", first=(4, 4), seed=1)
    >>> made["first"], made["level"]
    ((4, 4), '8x8/10')
    """
    place = _from_one(first)
    assert place is not None
    try:
        return _made(ask("board", level=level, first=list(place), seed=seed, hardest=hardest))
    except KibitzError as error:
        raise _refused(error) from None


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

    `first` tells players who compute probabilities where to begin, row and column from zero. Games have numbers
    from `start` on: each has random numbers of its own.

    >>> games = series("8x8/10", "exact", 5, seed=3)
    >>> list(games["moves"])[3:] == list(series("8x8/10", "exact", 2, seed=3, start=3)["moves"])
    True
    """
    try:
        played = _native.series(level, player, (start, games), seed, first_click, _from_one(first))
    except ValueError as error:
        raise error if isinstance(error, KibitzError) else _refused(error) from None
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
    replays, whose tiles count from one; `first` counts from zero, as it does here.

    >>> record("8x8/10", "exact", 2, seed=3) == record("8x8/10", "exact", 2, seed=3)
    True
    """
    try:
        return _native.record(level, player, games, seed, first_click, _from_one(first))
    except ValueError as error:
        raise error if isinstance(error, KibitzError) else _refused(error) from None
