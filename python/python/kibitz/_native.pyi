from os import PathLike
from typing import Any, Callable, Optional, Sequence, Union, final

__all__ = [
    "Table",
    "answer",
    "attributes",
    "choice_model",
    "chute",
    "compare_players",
    "compare_tables",
    "explain_game",
    "fit_player",
    "games",
    "generate",
    "graph_evaluate",
    "graph_learn",
    "graph_predict",
    "learn",
    "players",
    "read_player",
    "record",
    "series",
    "simulate",
    "who_played",
]

@final
class Table:
    @property
    def columns(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def to_dict(self) -> dict[str, list[Any]]: ...

def answer(question: str) -> str: ...
def learn(
    settings: str,
    folder: Optional[Union[str, PathLike[str]]] = None,
    texts: Optional[tuple[str, str, str]] = None,
    progress: Optional[Callable[[str, str, int, int], object]] = None,
    files: Optional[str] = None,
    time_limit: Optional[float] = None,
) -> str: ...
def compare_tables(
    published: Union[str, PathLike[str]], reproduced: Union[str, PathLike[str]], by: Sequence[str]
) -> str: ...
def simulate(question: str) -> str: ...
def players() -> list[str]: ...
def series(
    level: str,
    name: str,
    numbers: tuple[int, int],
    seed: int,
    click: str,
    first: Optional[tuple[int, int]],
) -> list[tuple[bool, int, int]]: ...
def record(
    level: str,
    name: str,
    games: int,
    seed: int,
    click: str,
    first: Optional[tuple[int, int]],
) -> str: ...
def generate(
    level: str,
    count: int,
    seed: int,
    click: str,
    first: Optional[tuple[int, int]],
    no_guess: Optional[tuple[str, bool, bool]],
) -> list[str]: ...
def games(
    path: Union[str, PathLike[str]], moves: Optional[str]
) -> tuple[Table, Optional[str]]: ...
def attributes(positions: Sequence[str]) -> Table: ...
def chute(fen: str) -> tuple[list[str], list[tuple[str, float, list[float]]]]: ...
def choice_model(
    names: list[str],
    rows: list[list[float]],
    ends: list[int],
    chosen: list[int],
) -> tuple[list[float], list[float], float, float, int]: ...
def fit_player(
    paths: Sequence[Union[str, PathLike[str]]],
    question: str,
    progress: Optional[Callable[[str, int, int], object]] = None,
) -> str: ...
def read_player(file: str, text: str) -> str: ...
def explain_game(
    model: tuple[str, str],
    path: Union[str, PathLike[str]],
    number: int,
    of: Optional[str],
) -> str: ...
def who_played(
    models: Sequence[tuple[str, str]],
    paths: Sequence[Union[str, PathLike[str]]],
    prior: Sequence[tuple[str, float]],
    of: Optional[str],
    player: Optional[str],
) -> str: ...
def compare_players(first: tuple[str, str], second: tuple[str, str]) -> str: ...
def graph_learn(
    train: list[tuple[str, str, str]],
    valid: Optional[list[tuple[str, str, str]]],
    seed: int,
    steps: Optional[int],
    max_path: int,
    max_constant_path: int,
    min_support: int,
    time_limit: Optional[float],
) -> tuple[tuple[list[Any], ...], list[str], Optional[int]]: ...
def graph_predict(
    lines: str,
    train: list[tuple[str, str, str]],
    queries: list[tuple[Optional[str], str, Optional[str]]],
    top: int,
    aggregation: str,
) -> tuple[list[list[tuple[str, float, str]]], int]: ...
def graph_evaluate(
    lines: str,
    train: list[tuple[str, str, str]],
    valid: list[tuple[str, str, str]],
    test: list[tuple[str, str, str]],
    aggregation: str,
) -> tuple[list[tuple[str, int, float, float, float, float]], int]: ...
