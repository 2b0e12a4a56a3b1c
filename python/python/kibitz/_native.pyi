from os import PathLike
from typing import Any, Callable, Optional, Union

__all__ = ["answer", "attributes", "choice_model", "chute", "games", "learn", "series"]

def answer(question: str) -> str: ...
def learn(
    settings: str,
    folder: Optional[Union[str, PathLike[str]]] = None,
    texts: Optional[tuple[str, str, str]] = None,
    progress: Optional[Callable[[str, str, int, int], object]] = None,
) -> str: ...
def series(
    level: str, player: str, games: int, seed: int, first_click: str
) -> list[tuple[bool, int, int]]: ...
def games(
    path: Union[str, PathLike[str]],
) -> tuple[dict[str, list[Any]], int, int, list[str]]: ...
def attributes(positions: list[str]) -> tuple[list[str], list[list[float]]]: ...
def chute(fen: str) -> tuple[list[str], list[tuple[str, float, list[float]]]]: ...
def choice_model(
    names: list[str],
    rows: list[list[float]],
    ends: list[int],
    chosen: list[int],
) -> tuple[list[float], list[float], float, float, int]: ...
