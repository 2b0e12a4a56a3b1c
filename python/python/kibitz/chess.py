"""Chess: collections as frames, attributes of positions, CHUTE's scores of moves, models of choices."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any, Iterable, Sequence, Union

from . import _native
from ._errors import KibitzError
from ._frames import columns_of, frame, rows_of

__all__ = ["ChoiceModel", "attributes", "choice_model", "chute", "games"]


def games(path: Union[str, "os.PathLike[str]"]) -> Any:
    """A frame of the games of a collection (PGN and what else the programs read). Games that cannot be read
    are passed over with a warning that counts them."""
    try:
        columns, good, bad, messages = _native.games(path)
    except OSError as error:
        raise KibitzError(str(error)) from None
    if bad:
        told = "\n".join(messages)
        warnings.warn(f"{bad} of {good + bad} games could not be read:\n{told}", stacklevel=2)
    return frame(columns)


def attributes(positions: Iterable[str]) -> Any:
    """A frame of the attributes of positions in FEN, from the side to move."""
    try:
        names, rows = _native.attributes(list(positions))
    except ValueError as error:
        raise KibitzError(str(error)) from None
    return frame({name: [row[at] for row in rows] for at, name in enumerate(names)})


def chute(fen: str) -> Any:
    """A frame of the moves of a position, the best first: the total and the 22 scores of each."""
    try:
        names, moves = _native.chute(fen)
    except ValueError as error:
        raise KibitzError(str(error)) from None
    columns: dict[str, list[Any]] = {"move": [own[0] for own in moves], "total": [own[1] for own in moves]}
    columns.update({name: [own[2][at] for own in moves] for at, name in enumerate(names)})
    return frame(columns)


@dataclass
class ChoiceModel:
    """A conditional logit model: a weight and a standard error for each attribute, and bits a fit needs."""

    names: list[str]
    weights: list[float]
    errors: list[float]
    bits: float
    uniform_bits: float
    decisions: int

    def frame(self) -> Any:
        """A frame with an attribute a row."""
        return frame({"attribute": self.names, "weight": self.weights, "se": self.errors})


def choice_model(alternatives: Any, ends: Sequence[int], chosen: Sequence[int]) -> ChoiceModel:
    """Fits a model to choices: `alternatives` has a row each, those of a decision together; `ends` says
    where each decision's end, `chosen` which of its alternatives was taken, from zero."""
    rows = [[float(value) for value in row] for row in rows_of(alternatives)]
    width = len(rows[0]) if rows else 0
    names = columns_of(alternatives) or [f"x{at + 1}" for at in range(width)]
    try:
        fitted = _native.choice_model(names, rows, list(ends), list(chosen))
    except ValueError as error:
        raise KibitzError(str(error)) from None
    return ChoiceModel(names, *fitted)
