"""What was learned, and what learning says."""

from __future__ import annotations

import html
import json
import os
from typing import Any, Callable, Mapping, Optional, Union

from . import _native
from ._errors import KibitzError, checked, existing, warn

Progress = Callable[[str, str, int, int], object]


def _parts(clause: str) -> dict[str, Any]:
    """Head and body of a printed clause.

    >>> _parts("p(A) :- q(A,'a, b'), r([A,B]).")
    {'head': 'p(A)', 'body': ["q(A,'a, b')", 'r([A,B])']}
    """
    head, _, body = clause.rstrip().removesuffix(".").partition(" :- ")
    literals, depth, is_quoted, start = [], 0, False, 0
    escaped = False
    for place, letter in enumerate(body):
        if escaped:
            escaped = False
        elif is_quoted and letter == "\\":
            escaped = True
        elif letter == "'":
            is_quoted = not is_quoted
        elif not is_quoted:
            depth += (letter in "([{") - (letter in ")]}")
            if letter == "," and depth == 0:
                literals.append(body[start:place].strip())
                start = place + 1
    return {"head": head, "body": [*literals, body[start:].strip()] if body else []}


class Theory:
    """What was learned: `str` gives the clauses, `program` a file that Prolog loads."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        self.json: dict[str, Any] = answer["theory"]
        self.program: str = answer["program"]
        self.text: str = answer["clauses"]
        self.is_correct: bool = answer["correct"]
        self.missed: list[str] = answer["missed"]
        self.wrong: list[str] = answer["wrong"]
        self.messages: list[dict[str, Any]] = answer["messages"]
        self.interrupted: bool = answer["interrupted"]

    @property
    def ending(self) -> str:
        """How the search ended."""
        return str(self.json["ending"])

    @property
    def undecided(self) -> int:
        """Proofs that met a bound, and count as not covered."""
        return int(self.json["undecided"])

    @property
    def test(self) -> Optional[dict[str, Any]]:
        """How the theory does on examples that it was not learned from, if there are some: counts and measures."""
        told: Optional[dict[str, Any]] = self.json["test"]
        return told

    @property
    def rules(self) -> list[dict[str, Any]]:
        """The clauses: the text of each, its `head`, the literals of its `body`, and the counts of what it
        covers."""
        return [{"text": rule["clause"], **_parts(rule["clause"]), **rule["covers"]} for rule in self.json["clauses"]]

    @property
    def why_not(self) -> list[Any]:
        """Why positive examples are left uncovered."""
        return list(self.json["why-not"] or [])

    def __str__(self) -> str:
        return self.text.rstrip()

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{html.escape(rule['text'])}</code></td><td>{rule['tp']}</td><td>{rule['fp']}</td></tr>"
            for rule in self.rules
        )
        return f"<table><tr><th>rule</th><th>right</th><th>wrong</th></tr>{rows}</table>"


def _settings(**options: Any) -> str:
    return json.dumps({name: value for name, value in options.items() if value is not None})


def _learned(
    settings: str,
    folder: Optional[Union[str, "os.PathLike[str]"]],
    texts: Optional[tuple[str, str, str]],
    progress: Optional[Progress],
    layout: Optional[str] = None,
    time_limit: Optional[float] = None,
    place: Optional[Callable[[dict[str, Any]], Optional[dict[str, Any]]]] = None,
) -> dict[str, Any]:
    """What a learner answers; what was ignored, could not be decided or ended early is a warning."""
    if folder is not None:
        existing(folder, "task")
    try:
        answer = checked(_native.learn(settings, folder, texts, progress, layout, time_limit), place)
    except ValueError as error:
        raise error if isinstance(error, KibitzError) else KibitzError(str(error)) from None
    warn((place and place(message)) or message for message in answer["messages"])
    if answer["late"]:
        warn([{"message": f"the time limit of {time_limit} s is reached; this is the best theory so far"}])
    return answer
