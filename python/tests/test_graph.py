"""Rules from frames of triples."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from kibitz import KibitzError, KibitzWarning, graph, set_frames

MARRIED = [("ann", "bob"), ("bob", "ann"), ("cas", "dan"), ("dan", "cas"), ("eve", "fay")]
TRIPLES = [(a, "married", b) for a, b in MARRIED]


@pytest.fixture(autouse=True)
def plain() -> Any:
    set_frames("plain")
    yield
    set_frames(None)


def test_rules_are_a_frame_that_predicts_and_evaluates() -> None:
    rules = graph.learn(TRIPLES)
    assert rules["rule"][0] == "married(A,B) :- married(B,A)."
    assert (rules["support"][0], rules["body"][0], rules["confidence"][0]) == (4, 5, 0.4)
    assert rules["kind"][0] == "cyclic" and rules["exact"][0]
    answers = graph.predict(rules, TRIPLES, [("fay", "married", None), (None, "married", "eve")])
    assert answers["entity"][:1] == ["eve"] and answers["entity"][1] == "fay"
    measures = graph.evaluate(rules, TRIPLES, [], [("fay", "married", "eve")])
    assert measures["ranked"] == ["both", "heads", "tails", "married"]
    assert measures["mrr"] == [1.0] * 4 and measures["ranks"] == [2, 1, 1, 2]


def test_the_same_seed_gives_the_same_rules() -> None:
    assert graph.learn(TRIPLES, seed=3) == graph.learn(TRIPLES, seed=3)


def test_a_frame_of_pandas_gives_one() -> None:
    pandas = pytest.importorskip("pandas")
    set_frames(None)
    frame = pandas.DataFrame(TRIPLES, columns=["head", "relation", "tail"])
    rules = graph.learn(frame, valid=frame.head(0))
    assert isinstance(rules, pandas.DataFrame)
    answers = graph.predict(rules, frame, [("fay", "married", None)])
    assert answers["entity"].tolist() == ["eve"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: graph.learn([("a", "b")]), "train, row 0: 2 values; expected head, relation and tail"),
        (lambda: graph.learn([("a", None, "b")]), "train, row 0: a value is missing"),
        (lambda: graph.learn(TRIPLES, max_path=9), "max_path is out of range: expected 1 to 5"),
        (lambda: graph.predict({"rule": []}, TRIPLES, []), "the rules lack the column 'support'"),
        (
            lambda: graph.predict(graph.learn(TRIPLES), TRIPLES, [("zoe", "married", None)]),
            "unknown entity `zoe`: the graph does not have it",
        ),
        (
            lambda: graph.predict(graph.learn(TRIPLES), TRIPLES, [("ann", "married", "bob")]),
            "a query asks for one entity",
        ),
        (
            lambda: graph.evaluate(graph.learn(TRIPLES), TRIPLES, [], TRIPLES, aggregation="mean"),
            "unknown aggregation `mean`: expected maximum or noisy-or",
        ),
    ],
)
def test_mistakes_are_told(call: Any, message: str) -> None:
    with pytest.raises(KibitzError) as told:
        call()
    assert message in str(told.value)


def test_rules_of_another_graph_and_a_time_limit_are_warned_of() -> None:
    rules = graph.learn(TRIPLES)
    other = [(a, "knows", b) for a, b in MARRIED]
    with pytest.warns(KibitzWarning, match="name what the graph does not have|names what"):
        graph.predict(rules, other, [("ann", "knows", None)])
    with pytest.warns(KibitzWarning, match="the time limit was reached"):
        assert graph.learn(TRIPLES, time_limit=0)["rule"] == []
    with pytest.warns(KibitzWarning, match="cyclic rules of 1 literal are from a sample: the steps did not suffice for"):
        graph.learn(TRIPLES, steps=0, max_path=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph.predict(rules, TRIPLES, [("ann", "married", None)])
