"""Rules from knowledge graphs: learned from frames of triples, applied to rank candidates, and evaluated."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence

from . import _native
from ._errors import KibitzError, warn
from ._frames import columns_from, columns_of, frame, is_missing, kind_of, rows_of

__all__ = ["evaluate", "learn", "predict"]

_RULES = ("rule", "relation", "kind", "support", "body", "confidence", "exact")
_MEASURES = ("ranked", "ranks", "mrr", "hits_1", "hits_3", "hits_10")


def learn(
    train: Any,
    *,
    valid: Optional[Any] = None,
    seed: int = 1,
    steps: Optional[int] = None,
    max_path: int = 3,
    max_constant_path: int = 1,
    min_support: int = 2,
    time_limit: Optional[float] = None,
) -> Any:
    """Learns rules from triples: a frame or tuples of head, relation and tail. The options are those of
    `kibitz-ilp graph learn`; with `valid`, longer paths are added as long as these triples rank higher.

    Returns a frame with a rule a row, the strongest of each relation first: its text as Prolog, `relation`, `kind`
    ("cyclic", "constant", "open", "zero"), `support`, `body` (the count of all that it predicts), `confidence`, and
    whether its counts are `exact`. Ctrl-C ends the search with the rules so far, and a warning.
    A warning also counts the triples that were not looked at because `steps` did not suffice.

    >>> married = [("ann", "bob"), ("bob", "ann"), ("cas", "dan"), ("dan", "cas"), ("eve", "fay")]
    >>> rules = learn([(a, "married", b) for a, b in married])
    >>> rules["rule"][0], rules["support"][0], rules["body"][0]
    ('married(A,B) :- married(B,A).', 4, 5)
    """
    validated = None if valid is None else _triples(valid, "valid")
    try:
        columns, missing, _ = _native.graph_learn(
            _triples(train, "train"), validated, seed, steps, max_path, max_constant_path, min_support, time_limit
        )
    except ValueError as error:
        raise KibitzError(str(error)) from None
    warn({"message": text} for text in missing)
    return frame(dict(zip(_RULES, columns)), kind_of(train))


def predict(
    rules: Any,
    train: Any,
    queries: Iterable[Sequence[Optional[str]]],
    *,
    top: int = 10,
    aggregation: str = "maximum",
) -> Any:
    """Ranks candidates for one place of a triple. A query is head, relation and tail, with `None` for the entity that
    is asked for. Returns a frame with a candidate a row: the query, `rank`, `entity`, `score` and its best rule.

    >>> married = [("ann", "bob"), ("bob", "ann"), ("cas", "dan"), ("dan", "cas"), ("eve", "fay")]
    >>> triples = [(a, "married", b) for a, b in married]
    >>> answers = predict(learn(triples), triples, [("fay", "married", None)])
    >>> answers["entity"][0], answers["score"][0]
    ('eve', 0.4)
    """
    asked = [(head, str(relation), tail) for head, relation, tail in queries]
    try:
        answers, ignored = _native.graph_predict(_lines(rules), _triples(train, "train"), asked, top, aggregation)
    except ValueError as error:
        raise KibitzError(str(error)) from None
    _warn_of(ignored)
    rows = [
        {"head": head, "relation": relation, "tail": tail, "rank": rank, "entity": entity, "score": score, "rule": rule}
        for (head, relation, tail), found in zip(asked, answers)
        for rank, (entity, score, rule) in enumerate(found, 1)
    ]
    names = ("head", "relation", "tail", "rank", "entity", "score", "rule")
    return frame(columns_from(rows) or {name: [] for name in names}, kind_of(train))


def evaluate(rules: Any, train: Any, valid: Any, test: Any, *, aggregation: str = "maximum") -> Any:
    """Ranks both entities of every test triple; known triples of the three sets are left out. Returns a frame with
    the number of ranks, the mean reciprocal rank and the share of ranks up to 1, 3 and 10: of both directions, of
    heads, of tails, and of each relation.

    >>> married = [("ann", "bob"), ("bob", "ann"), ("cas", "dan"), ("dan", "cas"), ("eve", "fay")]
    >>> triples = [(a, "married", b) for a, b in married]
    >>> evaluate(learn(triples), triples, [], [("fay", "married", "eve")])["mrr"][0]
    1.0
    """
    sets = [_triples(rows, name) for rows, name in ((train, "train"), (valid, "valid"), (test, "test"))]
    try:
        rows, ignored = _native.graph_evaluate(_lines(rules), sets[0], sets[1], sets[2], aggregation)
    except ValueError as error:
        raise KibitzError(str(error)) from None
    _warn_of(ignored)
    columns = dict(zip(_MEASURES, map(list, zip(*rows))))
    return frame(columns, kind_of(train))


def _warn_of(ignored: int) -> None:
    """Warns of rules that cannot fire."""
    if ignored:
        rules = "1 rule names" if ignored == 1 else f"{ignored} rules name"
        warn([{"message": f"{rules} what the graph does not have, and predict nothing"}])


def _triples(data: Any, name: str) -> list[tuple[str, str, str]]:
    """Triples of a frame or of tuples, as strings."""
    triples = []
    for at, row in enumerate(rows_of(data)):
        if len(row) != 3:
            raise KibitzError(f"{name}, row {at}: {len(row)} values; expected head, relation and tail")
        for value in row:
            if is_missing(value):
                raise KibitzError(f"{name}, row {at}: a value is missing")
        triples.append((str(row[0]), str(row[1]), str(row[2])))
    return triples


def _lines(rules: Any) -> str:
    """Rules as lines of Prolog with their counts."""
    names = list(rules) if isinstance(rules, dict) else columns_of(rules)
    missing = [name for name in ("rule", "support", "body") if name not in (names or [])]
    if missing:
        raise KibitzError(f"the rules lack the column {missing[0]!r}; expected a frame as `learn` returns it")
    columns = {name: rules[name] for name in ("rule", "support", "body")}
    texts, supports, bodies = (list(columns[name]) for name in ("rule", "support", "body"))
    return "".join(f"{text}  % {support} of {body}\n" for text, support, body in zip(texts, supports, bodies))
