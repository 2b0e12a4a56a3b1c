"""What went wrong, and where."""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import Any, Iterable, Mapping, Optional

from . import _native


class KibitzError(ValueError):
    """A mistake in what was given: `file`, `line` and `column` say where, counting from one.

    `messages` has all of them where there are several, each a mapping with the same three names.
    """

    def __init__(self, message: str, messages: Optional[list[dict[str, Any]]] = None) -> None:
        super().__init__(message)
        self.messages = messages or []
        first: Mapping[str, Any] = self.messages[0] if self.messages else {}
        self.file: Optional[str] = first.get("file")
        self.line: Optional[int] = first.get("line")
        self.column: Optional[int] = first.get("column")


class KibitzWarning(UserWarning):
    """What was dropped, repaired or not obeyed, or could not be decided: the answer stands, but read this."""


def warn(messages: Iterable[Mapping[str, Any]]) -> None:
    """Warns of each message, at the line that called the package."""
    here = os.path.dirname(__file__)
    depth = 1
    while sys._getframe(depth).f_code.co_filename.startswith(here):
        depth += 1
    for message in messages:
        text = message.get("text") or message["message"]
        warnings.warn(text.rstrip().removeprefix("warning: "), KibitzWarning, stacklevel=depth + 1)


def checked(answer: str) -> dict[str, Any]:
    """An answer, or the exception that it tells of."""
    parsed: dict[str, Any] = json.loads(answer)
    if "error" in parsed:
        messages = parsed["error"]
        text = "\n".join(message.get("text") or message["message"] for message in messages)
        raise KibitzError(text.rstrip(), messages)
    return parsed


def ask(kind: str, **question: Any) -> dict[str, Any]:
    """The answer to a question; what is `None` is left out."""
    given = {name: value for name, value in question.items() if value is not None}
    return checked(_native.answer(json.dumps({"ask": kind, **given})))
