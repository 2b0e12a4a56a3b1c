"""Frames by Arrow, players, systems built in Python, trajectories, options and warnings."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from kibitz import KibitzError, KibitzWarning, chess, ilp, lab, minesweeper, qsim, set_frames

from conftest import ROOT, first_games

TASK = ROOT / "crates" / "web" / "tasks" / "grandparent"
PGN = ROOT / "data" / "chute-library.pgn"
TUB = ROOT / "crates" / "qsim" / "systems" / "bathtub.toml"


def test_games_are_taken_over_by_arrow() -> None:
    table = chess.read_games(PGN)
    plain = table.to_dict()
    assert list(plain) == table.columns and {len(own) for own in plain.values()} == {len(table)}
    for name, maker in (("polars", "DataFrame"), ("pyarrow", "table")):
        module = pytest.importorskip(name)
        taken = getattr(module, maker)(table)
        lists = taken.to_dict(as_series=False) if name == "polars" else taken.to_pydict()
        assert lists == plain
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.schema(table).field("white_elo").type == pyarrow.uint16()
    assert plain["moves"][0].split()[0] in ("e4", "d4", "c4", "Nf3")
    assert chess.read_games(PGN, moves="uci").to_dict()["moves"][0][:4] in ("e2e4", "d2d4", "c2c4", "g1f3")
    assert set(chess.read_games(PGN, moves=None).to_dict()["moves"]) == {None}
    with pytest.raises(KibitzError, match="lan"):
        chess.read_games(PGN, moves="lan")


def test_a_table_outlives_whoever_took_it() -> None:
    polars = pytest.importorskip("polars")
    table = chess.attributes(polars.Series(["8/8/8/8/8/6k1/4q3/7K b - - 0 1"] * 3))
    assert table.height == 3
    games = chess.read_games(PGN)
    frames = [polars.DataFrame(games) for _ in range(3)]
    del games
    assert frames[0].equals(frames[2])


@pytest.fixture
def default_frames() -> Iterator[None]:
    yield
    set_frames(None)


def kind(table: object) -> str:
    return type(table).__module__.split(".")[0]


FEN = "8/8/8/8/8/6k1/4q3/7K b - - 0 1"


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_the_kind_of_frame_that_goes_in_comes_out(name: str, default_frames: None) -> None:
    module = pytest.importorskip(name)
    other = pytest.importorskip({"pandas": "polars", "polars": "pandas"}[name])
    assert other
    assert kind(chess.attributes(module.Series([FEN] * 2))) == name
    rows = module.DataFrame({"x": [1.0, 0.0] * 4})
    assert kind(chess.choice_model(rows, [2, 4, 6, 8], [0, 0, 0, 1]).frame()) == name
    samples = module.DataFrame({"time": [0.0, 1.0], "amount": [10.0, 7.0]})
    assert kind(qsim.check(tank(), samples).path()) == name
    set_frames("plain")
    assert isinstance(qsim.check(tank(), samples).path(), dict)


def test_other_data_has_plain_columns_and_the_kind_can_be_chosen(default_frames: None) -> None:
    assert isinstance(chess.attributes([FEN]), dict)
    assert isinstance(qsim.check(tank(), [{"time": 0, "amount": 10.0}, {"time": 1, "amount": 7.0}]).path(), dict)
    for name in ("pandas", "polars"):
        pytest.importorskip(name)
        set_frames(name)
        assert kind(chess.attributes([FEN])) == kind(lab.table("jansen2000/table2", ROOT)) == name
    with pytest.raises(KibitzError, match="unknown kind of frame"):
        set_frames("panda")


def test_without_data_frames_are_those_that_the_program_imported() -> None:
    for name in ("pandas", "polars"):
        pytest.importorskip(name)
        code = f"import {name}; from kibitz import lab; print(type(lab.table('jansen2000/table2', {str(ROOT)!r})))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert f"'{name}." in done.stdout


@pytest.mark.parametrize("absent", [["polars"], ["polars", "pyarrow"], ["polars", "pandas"]])
def test_frames_are_those_that_are_there(monkeypatch: pytest.MonkeyPatch, absent: list[str]) -> None:
    expected = chess.read_games(PGN).to_dict()["white"]
    if "pandas" not in absent:
        pytest.importorskip("pandas")
    for name in absent:
        monkeypatch.setitem(sys.modules, name, None)
    seen = chess.games(PGN)
    assert isinstance(seen, dict) == ("pandas" in absent)
    assert list(seen["white"]) == expected


@pytest.mark.parametrize("name", ["pandas", "polars", "plain"])
def test_numbers_of_tables_are_numbers(name: str, default_frames: None) -> None:
    if name != "plain":
        pytest.importorskip(name)
    set_frames(name)
    table = lab.table("jansen2000/table2", ROOT)
    assert all(isinstance(own, int) for own in _values(table["n"]))
    noise = lab.table("beyond/noise", ROOT)
    assert all(isinstance(own, float) for own in _values(noise["sd"]) if own is not None)
    if name == "pandas":
        assert [str(table[column].dtype) for column in ("n", "sd", "samples", "value")] == ["int64"] + ["float64"] * 3
    if name == "polars":
        assert [str(table[column].dtype) for column in ("n", "sd", "samples", "value")] == ["Int64"] + ["Float64"] * 3


def _values(column: Any) -> list[Any]:
    return list(column.tolist() if hasattr(column, "tolist") else column)


def test_missing_files_are_missing_and_names_are_suggested(tmp_path: Path) -> None:
    nowhere = tmp_path / "nothere.toml"
    for call in (
        lambda: qsim.simulate(nowhere),
        lambda: qsim.simulate(str(nowhere)),
        lambda: ilp.learn(tmp_path / "task", "foil"),
        lambda: ilp.learn(TASK, "foil", test=tmp_path / "more.pl"),
        lambda: ilp.cross_validate(tmp_path / "task", "foil"),
        lambda: chess.read_games(tmp_path / "games.pgn"),
        lambda: chess.PlayerModel.fit(tmp_path / "games.pgn", "Fischer"),
        lambda: chess.PlayerModel.load(tmp_path / "model.toml"),
        lambda: lab.table("jansen2000/tabel2", ROOT),
        lambda: lab.table("jansen2000/table2", tmp_path),
    ):
        with pytest.raises(FileNotFoundError) as error:
            call()
        assert isinstance(error.value, KibitzError) and error.value.filename
        assert not str(error.value).startswith("error")
    assert qsim.simulate("bathtub").text == qsim.simulate(TUB).text
    with pytest.raises(KibitzError, match="did you mean 'bathtub'"):
        qsim.simulate("bathtube")
    with pytest.raises(KibitzError, match="did you mean 'jansen2000/table2'"):
        lab.table("jansen2000/tabel2", ROOT)


def test_bad_games_are_counted_in_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "two.pgn"
    path.write_text('[White "A"]\n\n1. e4 e5 *\n\n[White "B"]\n\n1. e4 Ke4 *\n')
    with pytest.warns(KibitzWarning) as told:
        assert len(chess.read_games(path)) == 1
    assert told[0].filename == __file__ and "Ke4" in str(told[0].message)


@pytest.fixture(scope="module")
def fischer(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, chess.PlayerModel]:
    path = first_games("fischer-games.pgn", 40, tmp_path_factory.mktemp("games"))
    return path, chess.PlayerModel.fit(path, "Fischer")


def test_a_player_has_weights_and_measures(fischer: tuple[Path, chess.PlayerModel]) -> None:
    _, model = fischer
    weights = model.weights()
    assert list(weights["attribute"]) == ["material", "mobility"]
    for low, value, high, se in zip(*(weights[name] for name in ("low", "weight", "high", "se"))):
        assert low < value < high and se > 0
    measures = model.measures()
    assert list(measures["on"]) == ["fitted", "held out"]
    assert all(bits < uniform for bits, uniform in zip(measures["bits"], measures["uniform"]))
    assert all(top_1 < top_3 for top_1, top_3 in zip(measures["top_1"], measures["top_3"]))


def test_a_games_bits_are_those_of_the_fit(fischer: tuple[Path, chess.PlayerModel]) -> None:
    path, model = fischer
    bits = [own for number in range(1, 41) for own in model.explain(path, number=number)["bits"]]
    fitted = model.json["parts"][0]["fit"]["fitted"]
    assert len(bits) == fitted["moves"] and math.isclose(sum(bits) / len(bits), fitted["bits"], rel_tol=1e-9)
    for number in (0, 41):
        with pytest.raises(KibitzError, match="40 games"):
            model.explain(path, number=number)


def test_mistakes_about_players(fischer: tuple[Path, chess.PlayerModel], tmp_path: Path) -> None:
    path, model = fischer
    with pytest.raises(KibitzError, match="names and their games"):
        chess.PlayerModel.fit(path, "Fisher")
    with pytest.raises(KibitzError, match="did you mean `mobility`"):
        chess.PlayerModel.fit(path, "Fischer", attributes=["material", "mobilty"])
    with pytest.raises(KibitzError, match="two models"):
        chess.who(path, [model])
    with pytest.raises(KibitzError, match="prior"):
        chess.who(path, [model, model], prior={"Tal": 0.5})
    broken = tmp_path / "model.toml"
    broken.write_text(model.toml.replace("version = 2", "version = 9"))
    with pytest.raises(KibitzError) as error:
        chess.PlayerModel.load(broken)
    assert error.value.file == str(broken) and error.value.line == 1


def test_a_fit_tells_its_steps_and_can_be_stopped(fischer: tuple[Path, chess.PlayerModel]) -> None:
    path, _ = fischer
    told: list[str] = []
    chess.PlayerModel.fit(path, "Fischer", progress=lambda step, done, total: told.append(step))
    assert told

    def stop(*_: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        chess.PlayerModel.fit(path, "Fischer", progress=stop)


def tank(**changes: Any) -> dict[str, Any]:
    """A tank with a leak."""
    return {
        "title": "A tank with a leak",
        "variables": {
            "amount": {"landmarks": ["0", "full"], "range": ["0", "full"]},
            "change": {"landmarks": ["minf", "0", "inf"]},
        },
        "constraints": [
            {"kind": "m_minus", "of": ["amount", "change"], "corresponding": [["0", "0"]]},
            {"kind": "deriv", "of": ["amount", "change"]},
        ],
        "initial": [{"amount": "full"}],
        **changes,
    }


def test_a_system_in_python_is_that_of_its_file() -> None:
    tomllib = pytest.importorskip("tomllib")
    for path in TUB.parent.glob("*.toml"):
        text = path.read_text(encoding="utf-8")
        system = tomllib.loads(text)
        if "initial" in system:
            assert qsim.simulate(system).text == qsim.simulate(text).text


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"constraints": [{"kind": "m_minos", "of": ["amount", "change"]}]}, "constraints[0].kind"),
        ({"initial": [{"amount": "fill"}]}, "initial[0].amount"),
        ({"initial": [{}, {"amont": "full"}]}, "initial[1].amont"),
        (
            {"constraints": [{"kind": "deriv", "of": ["amount", "speed"]}]},
            "constraints[0].of[1]",
        ),
        ({"simulation": {"max-state": 3}}, "simulation.max-state"),
    ],
)
def test_mistakes_in_a_system_are_told_by_key(changes: dict[str, Any], key: str) -> None:
    with pytest.raises(KibitzError) as error:
        qsim.simulate(tank(**changes))
    assert error.value.messages[0]["key"] == key and str(error.value).startswith(f"{key}: ")


def test_values_without_a_form_in_toml_are_refused() -> None:
    with pytest.raises(KibitzError, match=r"initial\[0\].amount: None"):
        qsim.simulate(tank(initial=[{"amount": None}]))


def test_trajectories_are_checked() -> None:
    falling = [{"time": t, "amount": 10 * math.exp(-t / 4)} for t in range(12)]
    found = qsim.check(tank(), falling)
    assert found and len(found.path()) > 0 and found.contradiction is None
    wrong = qsim.check(tank(), [*falling, {"time": 20, "amount": 5.0}])
    assert not wrong and wrong.contradiction is not None
    assert (wrong.contradiction["number"], wrong.contradiction["time"]) == (12, 20)
    assert "among the behaviors" in str(wrong)
    outside = qsim.check(tank(), [{"time": 0, "amount": 10.0}, {"time": 1, "amount": 11.0}])
    assert not outside
    for name in ("pandas", "polars"):
        module = pytest.importorskip(name)
        samples = module.DataFrame({key: [row[key] for row in falling] for key in ("time", "amount")})
        assert qsim.check(tank(), samples).text == found.text


def test_qualitative_values_are_checked() -> None:
    assert qsim.check(tank(), [{"amount": "full/dec"}, {"amount": "0..full/dec"}])
    wrong = qsim.check(tank(), [{"amount": "full/dec"}, {"amount": "0..full/inc"}])
    assert not wrong and wrong.contradiction is not None and wrong.contradiction["number"] == 1
    # What a simulation shows is consistent with it.
    seen = qsim.simulate(tank())
    states = {own["number"]: own["values"] for own in seen.json["states"]}
    for behavior in seen.json["behaviors"]:
        assert qsim.check(tank(), [states[number] for number in behavior["states"]])


@pytest.mark.parametrize(
    ("rows", "options", "match"),
    [
        ([{"amount": 1.0}], {}, "time"),
        ([{"time": 1, "amont": 1.0}], {}, "did you mean `amount`"),
        ([{"time": 1, "amount": 1.0}, {"time": 1, "amount": 1.0}], {}, "time"),
        ([{"amount": "full"}], {"steady": 0.1}, "steady"),
        ([{"time": 0, "amount": 1.0}], {"landmarks": {"amount": {"fill": 1}}}, "did you mean `full`"),
        ([{"time": 0, "amount": 1.0}], {"tolerance": -1.0}, "at least 0"),
        ([1.0, 2.0], {}, "row 0"),
    ],
)
def test_mistakes_about_trajectories(rows: list[Any], options: dict[str, Any], match: str) -> None:
    with pytest.raises(KibitzError, match=match):
        qsim.check(tank(), rows, **options)


def test_a_limit_on_states_is_a_warning() -> None:
    with pytest.warns(KibitzWarning, match="limit"):
        assert qsim.simulate(TUB, max_states=4).limit is not None


FREE = {
    "title": "Anything goes",
    "variables": {f"x{number}": {"landmarks": ["minf", "0", "a", "b", "inf"]} for number in range(12)},
    "initial": [{}],
}


@pytest.fixture
def interrupt() -> Iterator[Callable[[], None]]:
    """Ctrl-C in half a second."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timer here")

    def raised(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, raised)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.5) and None
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("work", ["simulate", "envision", "all", "series"])
def test_an_interrupt_is_raised(work: str, interrupt: Callable[[], None]) -> None:
    interrupt()
    with pytest.raises(KeyboardInterrupt):
        if work == "simulate":
            qsim.simulate(FREE, max_states=10**9)
        elif work == "series":
            minesweeper.series("8x8/10", "random", 10**9)
        else:
            qsim.envision(FREE, all_states=work == "all", max_states=10**9)


def test_what_is_not_obeyed_or_undecided_is_a_warning(tmp_path: Path) -> None:
    for file in TASK.iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ilp.learn(tmp_path, "foil")
    with (tmp_path / "bias.pl").open("a") as bias:
        bias.write("noisy.\n")
    with pytest.warns(KibitzWarning, match="setting `noisy` is ignored by golem") as told:
        ilp.learn(tmp_path, "golem")
    assert told[0].filename == __file__
    with pytest.raises(KibitzError, match="criterion is not supported by foil"):
        ilp.learn(TASK, "foil", criterion="mdl")
    with pytest.raises(KibitzError, match="did you mean `foil`"):
        ilp.learn(TASK, "foyl")
    with pytest.warns(KibitzWarning, match="other tuples as negative examples"):
        ilp.learn(TASK, "foil", closed_world=True)
    with pytest.warns(KibitzWarning, match="time limit"):
        ilp.learn(TASK, "foil", time_limit=0.0)
    with pytest.raises(KibitzError, match="time_limit"):
        ilp.learn(TASK, "foil", time_limit=-1.0)
    with pytest.raises(KibitzError, match="layout"):
        ilp.learn(TASK, "foil", layout="swi")
    with pytest.raises(TypeError, match="max_bodies"):
        ilp.cross_validate(TASK, "foil", **{"max_bodies": 2})  # type: ignore[arg-type]


def test_proofs_without_an_end_are_warned_of() -> None:
    loop = "far(A,B) :- far(B,A).\nnear(a,b).\nnear(b,c).\n"
    model = ilp.RuleLearner(loop, target="t", learner="foil", bias="body_pred(near,2).\n")
    model.fit([("a", "b"), ("b", "c")], neg=[("c", "a"), ("b", "a")])
    with pytest.warns(KibitzWarning, match="count as not covered"):
        model.use("t(A,B) :- far(A,B).").predict([("a", "b")])


def test_options_of_the_estimator_are_parameters() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone

    model = ilp.RuleLearner({"parent": []}, learner="mml", criterion="mdl", noise="none", min_positives=3)
    copy = clone(model)
    assert copy.get_params() == model.get_params() and copy.get_params()["criterion"] == "mdl"


def test_probabilities_are_an_array() -> None:
    numpy = pytest.importorskip("numpy")
    seen = minesweeper.analyse("3x2/1\n01.\n01.\n")
    array = numpy.asarray(seen, dtype=numpy.float32)
    assert array.shape == (2, 3) and array.dtype == numpy.float32 and array[0, 2] == 0.5
    assert len(seen.guesses()["player"]) > 0


def test_an_analysis_counts_tiles_from_zero() -> None:
    seen = minesweeper.analyse("3x2/1\n01.\n01.\n")
    assert seen.best is not None and seen.best["tile"] == (0, 2)
    assert {tuple(tile) for tile in zip(seen.guesses()["row"], seen.guesses()["column"])} <= {(0, 2), (1, 2)}
    assert seen.fifty_fifties == [[[(0, 2)], [(1, 2)]]]
    assert seen.json["best"]["tile"] == [1, 3]
    sure = minesweeper.analyse("5x4/4\n.....\n.21..\n.101.\n.101.\n")
    for own in sure.certain:
        assert sure.probabilities[own["tile"]] == float(own["mine"])
        assert all(sure.solve["mine"][row][column] is None for row, column in own["because"])
    assert repr(seen).startswith("Analysis(2 rows, 3 columns") and "best (0, 2)" in repr(seen)
    page = sure._repr_html_()
    assert page.count("<tr>") == 5 and "safe" in page and page.startswith("<table>")
    board = minesweeper.generate("6x5/4", 1, first=(0, 5), no_guess=True, certificate=True)[0]
    assert board["first"] == (0, 5) and board["certificate"]["first"] == (0, 5)
    assert board["board"][0][5] != "*"


def test_probabilities_are_lists_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert minesweeper.analyse("3x2/1\n01.\n01.\n").probabilities[0][2] == 0.5


def test_series_say_how_to_make_them_again() -> None:
    for player in minesweeper.PLAYERS:
        seen = minesweeper.series("5x5/3", player, 3, seed=9, first_click="safe")
        assert list(seen["seed"]) == [9] * 3 and list(seen["player"]) == [player] * 3
        assert list(seen["game"]) == [0, 1, 2]
    with pytest.raises(KibitzError, match="begins where it likes"):
        minesweeper.series("5x5/3", "rules", 1, first=(0, 0))
    with pytest.raises(KibitzError, match="rows go from 0 to 4"):
        minesweeper.series("5x5/3", "exact", 1, first=(5, 1))
    with pytest.raises(KibitzError, match="count from zero"):
        minesweeper.series("5x5/3", "exact", 1, first=(-1, 1))
    with pytest.raises(KibitzError, match="no_guess=True"):
        minesweeper.generate("5x5/3", max_rule="sets")


RUNNER = """#!{python}
import json, sys
assert sys.argv[1:5] == ["cells", "demo/dice", "--format", "json"], sys.argv
print(json.dumps([{{"key": key, "state": "{state}"}} for key in ("aa01", "bb02")]))
"""


@pytest.mark.parametrize("state", ["fresh", "stale"])
def test_datasets_are_parts_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    polars = pytest.importorskip("polars")
    if sys.platform == "win32":
        pytest.skip("the runner here is a script")
    monkeypatch.delenv("CARGO_TARGET_DIR", raising=False)
    with pytest.raises(KibitzError, match="cargo build"):
        lab.dataset("demo/dice", tmp_path)
    runner = tmp_path / "target" / "debug" / "xtask"
    runner.parent.mkdir(parents=True)
    runner.write_text(RUNNER.format(python=sys.executable, state=state))
    runner.chmod(0o755)
    cache = tmp_path / "target" / "kibitz" / "cache"
    for key, values in (("aa01", [1, 2]), ("bb02", [3])):
        (cache / key[:2]).mkdir(parents=True)
        polars.DataFrame({"eyes": values}).write_parquet(cache / key[:2] / f"{key}.parquet")
    if state == "stale":
        with pytest.raises(KibitzError, match="cargo xtask dataset demo/dice"):
            lab.dataset("demo/dice", tmp_path)
        return
    assert lab.dataset("demo/dice", tmp_path).collect()["eyes"].to_list() == [1, 2, 3]
    pytest.importorskip("pyarrow")
    monkeypatch.setitem(sys.modules, "polars", None)
    assert list(lab.dataset("demo/dice", tmp_path)["eyes"]) == [1, 2, 3]


def test_a_model_of_the_program_is_read(fischer: tuple[Path, chess.PlayerModel], tmp_path: Path) -> None:
    _, model = fischer
    model.save(tmp_path / "model.toml")
    again = chess.PlayerModel.load(tmp_path / "model.toml")
    assert again.toml == model.toml and json.dumps(again.json) == json.dumps(model.json)
