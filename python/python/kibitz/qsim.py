"""Qualitative simulation: the behaviors that a system can show, and whether a trajectory is one of them."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Union

from . import _native
from ._errors import KibitzError, MissingFileError, ask, checked, read, suggestion, warn
from ._frames import columns_from, columns_of, frame, is_missing, kind_of, rows_of
from ._toml import Document

__all__ = ["Check", "Press", "Simulation", "check", "envision", "press", "simulate"]

System = Union[str, "os.PathLike[str]", Mapping[str, Any]]


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


def _is_text(system: str) -> bool:
    """Whether a string is the text of a system, not the name of one or of a file."""
    return "\n" in system or "=" in system or not system.strip()


def _named(name: str) -> str:
    """The text of a file, or of a system that comes with the package."""
    if Path(name).is_file():
        return read(name, "system")
    bundled = {own["name"]: own["toml"] for own in ask("about")["systems"]}
    if name in bundled:
        return str(bundled[name])
    if name.endswith(".toml") or "/" in name or os.sep in name:
        raise MissingFileError(f"no system: {name!r} does not exist", name)
    known = ", ".join(sorted(bundled))
    raise MissingFileError(f"no system {name!r}{suggestion(name, bundled)}; there are {known}", name)


class _Source:
    """The text of a system, and of tables built in Python the key at each place."""

    def __init__(self, system: System) -> None:
        self._document: Optional[Document] = None
        if isinstance(system, Mapping):
            self._document = Document(system)
            self.text = self._document.text
        elif isinstance(system, str):
            self.text = system if _is_text(system) else _named(system)
        else:
            self.text = read(system, "system")

    def __enter__(self) -> str:
        return self.text

    def __exit__(self, kind: object, error: Optional[BaseException], trace: object) -> None:
        """Reports errors in tables with their keys."""
        if self._document is None or not isinstance(error, KibitzError) or error.file != "system.toml":
            return
        for message in error.messages:
            if message.get("line") is not None:
                message["key"] = self._document.key_at(message["line"], message.get("column") or 1)
        told = (f"{own['key']}: {own['text']}" if "key" in own else str(own["text"]) for own in error.messages)
        raise KibitzError("\n".join(told).rstrip(), error.messages) from None


def _simulated(system: System, extent: str, max_states: Optional[int]) -> Simulation:
    with _Source(system) as text:
        question = {"system": text, "extent": extent, "max_states": max_states}
        simulation = Simulation(checked(_native.simulate(json.dumps(question))))
    warn(simulation.json["warnings"])
    if simulation.limit is not None:
        warn([{"message": simulation.limit}])
    return simulation


def simulate(system: System, *, max_states: Optional[int] = None) -> Simulation:
    """The tree of behaviors of a system: a path to a TOML file, its text, the name of a system that comes with the
    package ("bathtub"), or nested tables of the same structure. A limit that cut states off is a warning. Ctrl-C
    raises `KeyboardInterrupt`.

    >>> tank = {
    ...     "title": "A tank that runs out",
    ...     "variables": {
    ...         "amount": {"landmarks": ["0", "full"], "range": ["0", "full"]},
    ...         "change": {"landmarks": ["minf", "0", "inf"]},
    ...     },
    ...     "constraints": [
    ...         {"kind": "m_minus", "of": ["amount", "change"], "corresponding": [["0", "0"]]},
    ...         {"kind": "deriv", "of": ["amount", "change"]},
    ...     ],
    ...     "initial": [{"amount": "full"}],
    ... }
    >>> len(simulate(tank).json["behaviors"])
    1
    """
    return _simulated(system, "behaviors", max_states)


def envision(system: System, *, all_states: bool = False, max_states: Optional[int] = None) -> Simulation:
    """The states that can be reached, each once; or all that the constraints accept.

    >>> from pathlib import Path
    >>> bathtub = envision(Path("crates/qsim/systems/bathtub.toml"))
    >>> [state["number"] for state in bathtub.json["states"]]
    [0, 1, 2, 3, 4]
    """
    return _simulated(system, "all" if all_states else "envision", max_states)


class Check:
    """Whether a trajectory is among the behaviors of a system: true or false, and `str` gives the reason."""

    def __init__(self, answer: dict[str, Any], like: str = "plain") -> None:
        self._like = like
        self.consistent: bool = answer["consistent"]
        self.text: str = answer["text"]
        self.contradiction: Optional[dict[str, Any]] = answer.get("contradiction")
        self._path: list[dict[str, Any]] = answer.get("path") or []

    def path(self) -> Any:
        """A frame of the states of a behavior that agrees with samples, each with the time of the sample after
        which it begins; of the kind of the trajectory's frame."""
        rows = ({**{name: own[name] for name in ("after", "phase", "region")}, **own["values"]} for own in self._path)
        return frame(columns_from(rows), self._like)

    def __bool__(self) -> bool:
        return self.consistent

    def __str__(self) -> str:
        return self.text.rstrip()


def _records(trajectory: Any) -> Iterator[dict[str, Any]]:
    """The rows of a frame or of mappings, without what is missing."""
    names = columns_of(trajectory)
    if names is not None:
        trajectory = [dict(zip(names, row)) for row in rows_of(trajectory)]
    for number, row in enumerate(trajectory):
        if not isinstance(row, Mapping):
            raise KibitzError(f"row {number}: a frame, or mappings from variables to values, are wanted")
        yield {str(name): value for name, value in row.items() if not is_missing(value)}


def _csv(rows: list[dict[str, Any]]) -> str:
    columns = list(columns_from(rows))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        plain = {name: value.item() if hasattr(value, "item") else value for name, value in row.items()}
        writer.writerow({name: repr(value) for name, value in plain.items()})
    return text.getvalue()


def check(
    system: System,
    trajectory: Any,
    *,
    landmarks: Optional[Mapping[str, Mapping[str, float]]] = None,
    tolerance: Union[float, Mapping[str, float], None] = None,
    steady: Optional[float] = None,
    any_start: bool = False,
    max_states: Optional[int] = None,
) -> Check:
    """Whether a trajectory is among the behaviors of a system, and if not, where the first contradiction lies.

    The trajectory is a frame or a list of mappings. In numbers it has a column `time`; variables that have no
    column, or at a sample no value, are not observed there. `landmarks` says what they are in numbers, as
    `{"amount": {"full": 120}}`, where the system does not; `tolerance` how near to a landmark a value is equal
    to it (a share of the variable's spread; or, by variable, a number in its units), `steady` how slowly a
    variable changes where it may be steady. Qualitative values are texts as in a system's initial states
    (`"0..full/inc"`): the first row is at a point in time, in any state that the constraints accept, the second
    over the interval after it, and so on.

    >>> tub = {
    ...     "title": "Filled without a drain",
    ...     "variables": {"amount": {"landmarks": ["0", "full"]}, "inflow": {"landmarks": ["0", "on"]}},
    ...     "constraints": [{"kind": "constant", "of": ["inflow"]}, {"kind": "deriv", "of": ["amount", "inflow"]}],
    ...     "initial": [{"amount": "0", "inflow": "on"}],
    ... }
    >>> bool(check(tub, [{"time": 0, "amount": 0}, {"time": 1, "amount": 4}]))
    True
    >>> check(tub, [{"time": 0, "amount": 0}, {"time": 1, "amount": 4}, {"time": 2, "amount": 3}]).contradiction["time"]
    2.0
    """
    rows = list(_records(trajectory))
    of: dict[str, Any]
    if any(isinstance(value, str) for row in rows for value in row.values()):
        given = {"landmarks": landmarks, "tolerance": tolerance, "steady": steady, "any_start": any_start or None}
        numeric = [name for name, value in given.items() if value is not None]
        if numeric:
            raise KibitzError(f"{', '.join(numeric)}: for trajectories in numbers, and these are qualitative values")
        of = {"states": Document({"states": rows}).text}
    else:
        own = {"tolerances": dict(tolerance)} if isinstance(tolerance, Mapping) else {"tolerance": tolerance}
        of = {"trajectory": {"text": _csv(rows), "landmarks": landmarks or {}, "steady": steady}}
        of["trajectory"].update(own, any_start=any_start)
    with _Source(system) as text:
        return Check(ask("check", system=text, of=of, max_states=max_states), kind_of(trajectory))


class Press:
    """The responses of variables to presses: `str` gives the signs with their proofs, a notebook shows the matrix."""

    def __init__(self, answer: dict[str, Any], like: str = "plain") -> None:
        self._like = like
        self.json: dict[str, Any] = answer["press"]
        self.text: str = answer["text"]
        self.svg: str = answer["svg"]

    def signs(self) -> Any:
        """A frame with a row for each press, and the sign of the response of each variable: `+`, `-`, `0`, or
        `?` where it depends on magnitudes."""
        rows: dict[str, dict[str, Any]] = {}
        for own in self.json["responses"]:
            rows.setdefault(own["press"], {"press": own["press"]})[own["variable"]] = own["sign"]
        return frame(columns_from(rows.values()), self._like)

    def sign(self, press: str, variable: str) -> str:
        """The sign of the response of a variable to a press on another."""
        for own in self.json["responses"]:
            if own["press"] == press and own["variable"] == variable:
                return str(own["sign"])
        name = variable if press in self.json["variables"] else press
        raise KibitzError(f"no variable {name!r}{suggestion(name, self.json['variables'])}")

    def __str__(self) -> str:
        return self.text.rstrip()

    def _repr_svg_(self) -> str:
        return self.svg


def press(links: Any, *, self_limits: bool = False) -> Press:
    """Which variables rise and which fall at equilibrium where one is pressed for good (loop analysis).

    The links are a frame or a list of mappings with `from`, `to` and `sign` (`+`, `-` or `?`), the path of a CSV
    file with these columns, or the path of a Stella or Vensim model (XMILE), whose equations are signed.
    `self_limits` lets every variable without a link to itself limit itself.

    >>> hares = [
    ...     {"from": "grass", "to": "grass", "sign": "-"},
    ...     {"from": "grass", "to": "hare", "sign": "+"},
    ...     {"from": "hare", "to": "grass", "sign": "-"},
    ... ]
    >>> press(hares).sign("hare", "grass")
    '-'
    """
    if isinstance(links, (str, os.PathLike)):
        text = read(links, "links")
        of = {"xmile": text} if text.lstrip("\ufeff \n\r\t").startswith("<") else {"csv": text}
        return Press(ask("press", of=of, self_limits=self_limits))
    rows = [{name: str(value) for name, value in row.items()} for row in _records(links)]
    written = io.StringIO()
    writer = csv.DictWriter(written, ["from", "to", "sign"], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(row)
    return Press(ask("press", of={"csv": written.getvalue()}, self_limits=self_limits), kind_of(links))
