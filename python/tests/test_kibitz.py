"""The answers of the package are those of the programs, and its estimator is one of scikit-learn."""

from __future__ import annotations

import datetime
import math
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz import KibitzError, chess, ilp, lab, minesweeper, qsim
from kibitz._prolog import term

ROOT = Path(__file__).resolve().parents[2]
TASK = ROOT / "crates" / "web" / "tasks" / "grandparent"
PARENT = [("ann", "bob"), ("ann", "cas"), ("bob", "dan"), ("cas", "eve"), ("dan", "fay")]
POS = [("ann", "dan"), ("ann", "eve"), ("bob", "fay")]
NEG = [("ann", "bob"), ("bob", "dan"), ("dan", "ann"), ("cas", "fay"), ("eve", "eve")]
RULE = "grandparent(A,B) :- parent(A,C), parent(C,B)."


def learner(background: object) -> ilp.RuleLearner:
    return ilp.RuleLearner({"parent": background}, target="grandparent", learner="foil")


def test_a_folder_and_tuples_give_the_same_theory() -> None:
    theory = ilp.learn(TASK, "foil")
    assert theory.is_correct
    model = learner(PARENT).fit(POS, neg=NEG)
    assert theory.text.strip() == model.theory_.text.strip() == RULE
    assert model.rules_[0]["tp"] == 3 and model.rules_[0]["fp"] == 0


def test_a_rule_has_parts_and_a_theory_goes_both_ways() -> None:
    model = learner(PARENT).fit(POS, neg=NEG)
    assert (model.rules_[0]["head"], model.rules_[0]["body"]) == ("grandparent(A,B)", ["parent(A,C)", "parent(C,B)"])
    before = list(model.predict(POS + NEG))
    assert list(model.use(model.theory_.program).predict(POS + NEG)) == before
    given = model.use("grandparent(A,B) :- parent(A,B).")
    assert list(given.predict([("ann", "bob"), ("ann", "dan")])) == [True, False]


def test_an_interrupt_gives_the_best_so_far() -> None:
    import random
    import signal

    if not hasattr(signal, "setitimer"):
        pytest.skip("no timer here")
    draw = random.Random(7)
    names = [f"n{i}" for i in range(400)]
    pairs = [(draw.choice(names), draw.choice(names)) for _ in range(2000)]
    edges = [(draw.choice(names), draw.choice(names)) for _ in range(4000)]

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        model = ilp.RuleLearner({"edge": edges}, learner="progol", max_body=5)
        theory = model.fit(pairs[:1000], pairs[1000:]).theory_
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert theory.interrupted


@pytest.mark.parametrize("module", ["pandas", "polars"])
def test_frames_are_rows(module: str) -> None:
    frames = pytest.importorskip(module)
    parent = frames.DataFrame({"of": [a for a, _ in PARENT], "child": [b for _, b in PARENT]})
    rows = POS + NEG
    pairs = frames.DataFrame({"old": [a for a, _ in rows], "young": [b for _, b in rows]})
    labels = frames.Series([True] * len(POS) + [False] * len(NEG))
    model = learner(parent).fit(pairs, labels)
    assert str(model.theory_).strip() == RULE
    assert model.score(pairs, labels) == 1.0


def test_scikit_learn_clones_and_validates() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_score

    model = learner(PARENT)
    assert clone(model).get_params() == model.get_params()
    rows, labels = (POS + NEG) * 3, ([1] * len(POS) + [0] * len(NEG)) * 3
    scores = cross_val_score(model, rows, labels, cv=3)
    assert len(scores) == 3 and min(scores) == 1.0
    search = GridSearchCV(model, {"max_body": [1, 2]}, cv=2).fit(rows, labels)
    assert search.best_params_ == {"max_body": 2}


def test_explanations_name_what_fails() -> None:
    model = learner(PARENT).fit(POS, neg=NEG)
    assert list(model.predict([("ann", "eve"), ("eve", "ann"), ("ann", "eve")])) == [True, False, True]
    assert "parent(ann,cas)" in model.explain(("ann", "eve"))
    assert model.explain(("eve", "ann")) != model.explain(("ann", "eve"))


def test_terms_are_quoted_and_what_is_missing_is_refused() -> None:
    assert term("it's") == r"'it\'s'"
    assert term(datetime.date(2020, 1, 2)) == "'2020-01-02'"
    for missing in (None, math.nan):
        with pytest.raises(KibitzError, match="missing"):
            term(missing)
    pandas = pytest.importorskip("pandas")
    for missing in (pandas.NA, pandas.NaT):
        with pytest.raises(KibitzError, match="missing"):
            term(missing)
    with pytest.raises(KibitzError, match="parent: row 1"):
        learner([("ann", "bob"), ("ann", None)]).fit(POS, neg=NEG)


def test_mistakes_have_places(tmp_path: Path) -> None:
    for file in TASK.iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    (tmp_path / "bk.pl").write_text("parent(ann,bob).\nparent(ann,.\n")
    with pytest.raises(KibitzError) as error:
        ilp.learn(tmp_path, "foil")
    assert error.value.file is not None and error.value.file.endswith("bk.pl")
    assert error.value.line == 2 and error.value.column is not None


def test_progress_is_called_and_its_exception_is_raised() -> None:
    told: list[str] = []
    ilp.learn(TASK, "foil", progress=lambda what, text, *_: told.append(text))
    assert any("parent" in text for text in told)

    def stop(*_: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ilp.learn(TASK, "foil", progress=stop)


def test_a_bathtub_has_three_behaviors() -> None:
    tub = qsim.simulate(ROOT / "crates" / "qsim" / "systems" / "bathtub.toml")
    assert len(tub.json["behaviors"]) == 3
    assert tub._repr_svg_().startswith("<svg")
    assert len(tub.states()) > 0 and len(tub.behaviors()) > 0


def test_presses_have_signs(tmp_path: Path) -> None:
    links = [("grass", "grass", "-"), ("grass", "hare", "+"), ("hare", "grass", "-"), ("hare", "hare", "-")]
    rows = [dict(zip(("from", "to", "sign"), link)) for link in links]
    found = qsim.press(rows)
    assert [found.sign("hare", name) for name in ("grass", "hare")] == ["-", "+"]
    assert list(found.signs()["press"]) == ["grass", "hare"]
    path = tmp_path / "links.csv"
    path.write_text("".join(",".join(link) + "\n" for link in [("from", "to", "sign"), *links]))
    assert qsim.press(path).json == found.json
    with pytest.raises(KibitzError, match="did you mean"):
        found.sign("hares", "grass")
    with pytest.raises(KibitzError, match="sign"):
        qsim.press([{"from": "a", "to": "b"}])


def test_a_position_has_probabilities_and_series_repeat() -> None:
    seen = minesweeper.analyse("3x2/1\n01.\n01.\n")
    assert seen.probabilities[0][2] == seen.probabilities[1][2] == 0.5
    with pytest.raises(KibitzError):
        minesweeper.analyse("3x2/1\n01?\n")
    games = minesweeper.series("8x8/10", "exact", 20, seed=3)
    assert list(games["won"]) == list(minesweeper.series("8x8/10", "exact", 20, seed=3)["won"])
    with pytest.raises(KibitzError):
        minesweeper.series("8x8/10", "nobody", 1)
    assert minesweeper.no_guess("8x8/10", first=(4, 4), seed=1)["level"] == "8x8/10"


def test_chess_has_games_scores_and_choices(tmp_path: Path) -> None:
    path = tmp_path / "one.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n')
    games = chess.games(path)
    assert list(games["white"]) == ["A"] and list(games["plies"]) == [3]
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    moves = chess.chute(start)
    assert len(moves["move"]) == 20
    with pytest.raises(KibitzError, match="no position"):
        chess.chute("nonsense")
    # Chosen 3 of 4 times: the weight of the one attribute is ln 3.
    fit = chess.choice_model([[1.0], [0.0]] * 4, [2, 4, 6, 8], [0, 0, 0, 1])
    assert math.isclose(fit.weights[0], math.log(3), rel_tol=1e-6) and fit.decisions == 4


def test_tables_have_outcomes() -> None:
    assert "outcome" in lab.outcomes("jansen2000/table2", ROOT)


def test_headlines_are_those_of_the_index() -> None:
    text = (ROOT / "results" / "index.md").read_text(encoding="utf-8")
    for paper, counts in lab.headlines(ROOT).items():
        section = text.split(f"\n## {paper}\n")[1].split("\n## ")[0]
        matching = counts["matches"] + counts["matches (weak)"]
        assert f"{counts['compared']} values compared: {matching} match" in section
    assert len(lab.table("jansen2000/table2", ROOT)) > 0


def test_frames_are_imported_when_used() -> None:
    code = "import sys; import kibitz; sys.exit(any(m in sys.modules for m in ('pandas', 'polars', 'sklearn')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
