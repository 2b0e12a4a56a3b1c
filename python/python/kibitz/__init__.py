"""Rules learned from data frames, qualitative simulation, Minesweeper, and chess.

The modules are those of the programs of the same names and give the same answers:
`kibitz.ilp`, `kibitz.graph`, `kibitz.qsim`, `kibitz.minesweeper`, `kibitz.chess`, and `kibitz.lab` for the
tables of a workspace.
"""

from __future__ import annotations

from ._errors import KibitzError, KibitzWarning, MissingFileError
from ._frames import set_frames

__all__ = [
    "KibitzError",
    "KibitzWarning",
    "MissingFileError",
    "chess",
    "graph",
    "ilp",
    "lab",
    "minesweeper",
    "qsim",
    "set_frames",
]

from . import chess, graph, ilp, lab, minesweeper, qsim  # noqa: E402
