"""Qualitative simulation: the behaviors that a system can show."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional, Union

from ._errors import ask
from ._frames import columns_from, frame

__all__ = ["Simulation", "envision", "simulate"]


class Simulation:
    """States and behaviors: `str` gives the text, a notebook shows the graph of states."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.json: dict[str, Any] = answer["system"]
        self.text: str = answer["text"]
        self.svg: str = answer["graph"]
        self.drawn: list[dict[str, Any]] = answer["drawn"]

    @property
    def limit(self) -> Optional[str]:
        """What the limit on states cut off, if anything."""
        told: Optional[str] = self.json["limit"]
        return told

    def states(self) -> Any:
        """A frame with a state a row: its number, time, and the value of each variable."""
        states = self.json["states"]
        plain = ("number", "time", "phase", "region")
        return frame(columns_from({**{name: own[name] for name in plain}, **own["values"]} for own in states))

    def behaviors(self) -> Any:
        """A frame with a row for each state of each behavior."""
        by_number = {own["number"]: own for own in self.json["states"]}
        rows = (
            {"behavior": behavior["number"], "step": step, "state": state, **by_number[state]["values"]}
            for behavior in self.json["behaviors"] or []
            for step, state in enumerate(behavior["states"])
        )
        return frame(columns_from(rows))

    def __str__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        return self.svg


def _text(system: Union[str, "os.PathLike[str]"]) -> str:
    """A system's TOML: the text itself, or that of a path."""
    return system if isinstance(system, str) else Path(system).read_text(encoding="utf-8")


def simulate(system: Union[str, "os.PathLike[str]"], *, max_states: Optional[int] = None) -> Simulation:
    """The tree of behaviors of a system: a `Path` to a TOML file, or its text."""
    return Simulation(ask("simulate", system=_text(system), extent="behaviors", max_states=max_states))


def envision(
    system: Union[str, "os.PathLike[str]"], *, all_states: bool = False, max_states: Optional[int] = None
) -> Simulation:
    """The states that can be reached, each once; or all that the constraints accept."""
    extent = "all" if all_states else "envision"
    return Simulation(ask("simulate", system=_text(system), extent=extent, max_states=max_states))
