"""The package and the programs say the same of the same input: texts byte for byte, numbers bit for bit."""

from __future__ import annotations

import csv
import io
import json
import math
import warnings
from pathlib import Path
from typing import Any

import pytest

from kibitz import KibitzError, chess, ilp, minesweeper, qsim

from conftest import ROOT, Program, first_games

TASKS = ROOT / "crates" / "web" / "tasks"
SYSTEMS = ROOT / "crates" / "qsim" / "systems"


def columns(frame: Any) -> dict[str, list[Any]]:
    return {name: list(frame[name]) for name in frame.columns}


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("grandparent", {"learner": "foil"}),
        ("grandparent", {"learner": "mml", "criterion": "mdl", "noise": "none"}),
        ("grandparent", {"learner": "progol", "max_depth": 2, "min_positives": 2, "min_accuracy": 0.9}),
        ("grandparent", {"learner": "foil", "negation": True, "max_clauses": 1, "max_body": 3, "max_vars": 4}),
        ("ancestor", {"learner": "lff", "max_steps": 100_000}),
        ("krki-1000", {"learner": "foil", "exceptions": True, "memory_limit": 512}),
        ("krki-1000", {"learner": "golem", "seed": 7, "test": 0.3}),
        ("too-short", {"learner": "foil", "recursion": True, "closed_world": True}),
    ],
)
def test_theories(program: Program, task: str, options: dict[str, Any]) -> None:
    switches = [part for name, value in options.items() if name != "learner" for part in switch(name, value)]
    command = ["learn", TASKS / task, "--learner", options["learner"], *switches]
    # A theory that is not right of every example ends the program with 1.
    text = program("kibitz-ilp", *command, "--format", "prolog", codes=(0, 1))
    told = json.loads(program("kibitz-ilp", *command, "--format", "json", codes=(0, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theory = ilp.learn(TASKS / task, **options)
    assert theory.text == text
    assert theory.json == told


def switch(name: str, value: Any) -> list[str]:
    option = "--" + name.replace("_", "-")
    return [option] if value is True else [option, str(value)]


def test_folds(program: Program) -> None:
    command = ["learn", TASKS / "krki-1000", "--learner", "foil", "--folds", 3, "--seed", 5, "--format", "json"]
    told = json.loads(program("kibitz-ilp", *command))
    seen = columns(ilp.cross_validate(TASKS / "krki-1000", "foil", folds=3, seed=5))
    assert seen["tp"] == [own["counts"]["tp"] for own in [*told["folds"], told["total"]]]
    assert seen["mcc"] == [own["mcc"] for own in [*told["folds"], told["total"]]]


@pytest.mark.parametrize("name", sorted(path.stem for path in SYSTEMS.glob("*.toml")))
def test_behaviors(program: Program, name: str) -> None:
    path = SYSTEMS / f"{name}.toml"
    try:
        found = qsim.simulate(path)
    except KibitzError:
        # A system without an initial state has states, and no behaviors.
        found = qsim.envision(path, all_states=True)
        assert found.text == program("kibitz-qsim", "simulate", path, "--all")
        return
    codes = (0,) if found.limit is None else (5,)
    assert found.text == program("kibitz-qsim", "simulate", path, codes=codes)
    told = json.loads(program("kibitz-qsim", "simulate", path, "--format", "json", codes=codes))
    assert found.json == told
    assert found.svg == program("kibitz-qsim", "simulate", path, "--format", "svg", codes=codes)
    assert qsim.envision(path).text == program("kibitz-qsim", "simulate", path, "--envision", codes=(0, 5))


def rising(n: int) -> list[dict[str, float]]:
    """A tub that fills to an equilibrium."""
    return [{"time": float(t), "amount": 60 * (1 - math.exp(-t / 5))} for t in range(n)]


@pytest.mark.parametrize("end", [[], [{"time": 40.0, "amount": 30.0}], [{"time": 40.0, "amount": 500.0}]])
def test_trajectories(program: Program, tmp_path: Path, end: list[dict[str, float]]) -> None:
    rows = rising(20) + end
    text = "time,amount\n" + "".join(f"{row['time']!r},{row['amount']!r}\n" for row in rows)
    (tmp_path / "trajectory.csv").write_text(text)
    path = SYSTEMS / "bathtub.toml"
    found = qsim.check(path, rows, landmarks={"amount": {"full": 120.0}}, tolerance=0.01)
    command = ["check", path, "--trajectory", "trajectory.csv", "--landmark", "amount:full=120", "--tolerance", "0.01"]
    if found:
        assert not end and found.text == program("kibitz-qsim", *command)
    else:
        told = program("kibitz-qsim", *command, codes=(1,), stream="stderr")
        assert end and told.startswith(found.text.rstrip())


@pytest.mark.parametrize("second", ["0..full/inc", "0..full/dec"])
def test_sequences(program: Program, tmp_path: Path, second: str) -> None:
    rows = [{"amount": "0/inc"}, {"amount": second}]
    lines = "".join(f'[[states]]\namount = "{row["amount"]}"\n' for row in rows)
    (tmp_path / "states.toml").write_text(lines)
    path = SYSTEMS / "bathtub.toml"
    found = qsim.check(path, rows)
    told = program("kibitz-qsim", "check", path, "--states", "states.toml", codes=(0, 1))
    assert found.text == told and bool(found) == (second == "0..full/inc")


POSITIONS = ["5x4/4\n.....\n.21..\n.101.\n.101.\n", "3x2/1\n01.\n01.\n", "5x3/1\n11...\n.....\n11...\n"]


@pytest.mark.parametrize("position", POSITIONS)
def test_probabilities(program: Program, tmp_path: Path, position: str) -> None:
    (tmp_path / "position.txt").write_text(position)
    seen = minesweeper.analyse(position)
    assert seen.solve == json.loads(program("kibitz-minesweeper", "solve", "position.txt", "--format", "json"))
    assert seen.json == json.loads(program("kibitz-minesweeper", "analyse", "position.txt", "--format", "json"))


@pytest.mark.parametrize("player", minesweeper.PLAYERS)
def test_records(program: Program, tmp_path: Path, player: str) -> None:
    command = ["record", "--level", "9x9/10", "--games", 4, "--player", player, "--seed", 8, "--out", "games.csv"]
    program("kibitz-minesweeper", *command)
    text = minesweeper.record("9x9/10", player, 4, seed=8)
    assert text == (tmp_path / "games.csv").read_text()
    assert "every one replayed" in program("kibitz-minesweeper", "check", "games.csv")
    won = [line.split(",")[4] for line in text.splitlines()[1:]]
    series = columns(minesweeper.series("9x9/10", player, 4, seed=8, first_click="safe"))
    assert len(set(won)) <= 2 and len(won) == len(series["won"])
    yes = {is_won: text for is_won, text in zip(series["won"], won)}
    assert [yes[is_won] for is_won in series["won"]] == won


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"first": (1, 1), "first_click": "safe", "seed": 4},
        {"no_guess": True, "max_rule": "sets", "certificate": True},
    ],
)
def test_boards(program: Program, options: dict[str, Any]) -> None:
    switches = [
        part
        for name, value in options.items()
        for part in switch(name, f"{value[0] + 1},{value[1] + 1}" if name == "first" else value)
    ]
    command = ["generate", "--level", "9x9/10", "--count", 3, "--format", "json", *switches]
    told = program("kibitz-minesweeper", *command).splitlines()
    boards = minesweeper.generate("9x9/10", 3, **options)
    for board, line in zip(boards, told):
        known = json.loads(line)
        # Here places count from zero, and those of certificates are rows and columns, too.
        assert board["first"] == tuple(own - 1 for own in known["first"])
        steps = known.get("certificate", {}).get("steps", [])
        seen = board.get("certificate", {}).get("steps", [])
        assert [9 * row + column for row, column in (own["tile"] for own in seen)] == [own["tile"] for own in steps]
        of_places = ("first", "certificate")
        assert {**board, **dict.fromkeys(of_places)} == {**known, **dict.fromkeys(of_places)}
    assert len(boards) == len(told) == 3


@pytest.mark.parametrize("options", [{}, {"attributes": "paper"}, {"phases": True}, {"select": "mml"}])
def test_players(program: Program, tmp_path: Path, options: dict[str, Any]) -> None:
    games = first_games("fischer-games.pgn", 40, tmp_path)
    switches = [part for name, value in options.items() for part in switch(name, value)]
    program("kibitz-players", "fit", games, "--player", "Fischer", "--out", "model.toml", *switches)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = chess.PlayerModel.fit(games, "Fischer", **options)
    model.save(tmp_path / "own.toml")
    assert (tmp_path / "own.toml").read_bytes() == (tmp_path / "model.toml").read_bytes()
    assert chess.PlayerModel.load(tmp_path / "model.toml").toml == model.toml
    told = program("kibitz-players", "explain", games, "--number", 3, "--model", "model.toml", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(told)))
    seen = columns(model.explain(games, number=3))
    assert list(seen) == list(rows[0])
    for name, values in seen.items():
        if isinstance(values[0], float):
            assert values == [float(row[name]) for row in rows], name
        else:
            assert ["" if value is None else str(value) for value in values] == [row[name] for row in rows], name


def test_who(program: Program, tmp_path: Path) -> None:
    paths = [first_games(f"{name}-games.pgn", 30, tmp_path) for name in ("fischer", "kasparov")]
    models = [chess.PlayerModel.fit(path, name) for path, name in zip(paths, ("Fischer", "Kasparov"))]
    for number, model in enumerate(models):
        model.save(tmp_path / f"{number}.toml")
    command = ["who", paths[0], "--player", "Fischer", "--models", "0.toml", "1.toml", "--prior", "Fischer=0.4"]
    told = json.loads(program("kibitz-players", *command, "--format", "json"))
    seen = columns(chess.who(paths[0], models, player="Fischer", prior={"Fischer": 0.4}))
    rows = [*told["games"], told["together"]]
    assert seen["what"] == [row["what"] for row in rows]
    for number, name in enumerate(("Fischer", "Kasparov")):
        assert seen[f"bits {name}"] == [row["bits"][number] for row in rows]
        assert seen[f"probability {name}"] == [row["posterior"][number] for row in rows]
    told = json.loads(program("kibitz-players", "compare", "0.toml", "1.toml", "--format", "json"))
    seen = columns(chess.compare(*models))
    assert seen["p"] == [*(own["p"] for own in told[0][1]["differences"]), told[0][1]["p"]]
