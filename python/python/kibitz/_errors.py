"""What went wrong, and where."""

from __future__ import annotations

import difflib
import errno
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional, Union

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


class MissingFileError(KibitzError, FileNotFoundError):
    """A file or folder that does not exist: a `FileNotFoundError`, too, with its `filename`."""

    def __init__(self, message: str, file: str) -> None:
        super().__init__(message, [{"message": message, "file": file}])
        self.errno = errno.ENOENT
        self.strerror = message
        self.filename = file

    def __str__(self) -> str:
        return str(self.strerror)

    def __reduce__(self) -> Any:
        return type(self), (self.strerror, self.filename)


class KibitzWarning(UserWarning):
    """What was dropped, repaired or ignored, or could not be decided: the answer stands, but read this."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """The nearest known names as a question, or nothing."""
    near = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


def existing(path: Union[str, "os.PathLike[str]"], what: str, known: Iterable[str] = ()) -> str:
    """A path whose file or folder exists; `known` are names that a misspelled one may be meant to be."""
    name = os.fspath(path)
    if not Path(name).exists():
        raise MissingFileError(f"no {what}: {name!r} does not exist{suggestion(name, known)}", name)
    return name


def read(path: Union[str, "os.PathLike[str]"], what: str) -> str:
    """The text of a file that must exist."""
    name = existing(path, what)
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KibitzError(f"no {what}: {error}", [{"message": str(error), "file": name}]) from None


def warn(messages: Iterable[Mapping[str, Any]]) -> None:
    """Warns of each message, at the line that called the package."""
    here = os.path.dirname(__file__)
    depth = 1
    while sys._getframe(depth).f_code.co_filename.startswith(here):
        depth += 1
    for message in messages:
        warnings.warn(_sentence(message), KibitzWarning, stacklevel=depth + 1)


def _sentence(message: Mapping[str, Any]) -> str:
    """The text of a message, without the word that programs begin it with."""
    text = str(message.get("text") or message["message"])
    return text.rstrip().removeprefix("warning: ").removeprefix("error: ")


def checked(
    answer: str, place: Optional[Callable[[dict[str, Any]], Optional[dict[str, Any]]]] = None
) -> dict[str, Any]:
    """An answer, or the exception that it tells of. `place` puts what Python was given in place of a file, with a
    text of its own."""
    parsed: dict[str, Any] = json.loads(answer)
    if "error" in parsed:
        messages = [(place and place(message)) or message for message in parsed["error"]]
        raise KibitzError("\n".join(map(_sentence, messages)), messages)
    return parsed


def ask(
    kind: str, place: Optional[Callable[[dict[str, Any]], Optional[dict[str, Any]]]] = None, **question: Any
) -> dict[str, Any]:
    """The answer to a question; what is `None` is left out."""
    given = {name: value for name, value in question.items() if value is not None}
    return checked(_native.answer(json.dumps({"ask": kind, **given})), place)
