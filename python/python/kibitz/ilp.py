"""Rules from examples: inductive logic programming over folders, data frames and tuples."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, TypedDict, Union

from ._errors import read
from ._estimator import NotFittedError, RuleLearner
from ._frames import columns_from, frame
from ._theory import Progress, Theory, _learned, _settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["LearnOptions", "NotFittedError", "RuleLearner", "Theory", "cross_validate", "learn"]


class LearnOptions(TypedDict, total=False):
    """The options of `learn` that `cross_validate` also takes."""

    negation: bool
    exceptions: bool
    max_steps: Optional[int]
    memory_limit: Optional[int]
    criterion: Optional[str]
    noise: Optional[str]
    max_clauses: Optional[int]
    max_body: Optional[int]
    max_vars: Optional[int]
    max_depth: Optional[int]
    min_positives: Optional[int]
    min_accuracy: Optional[float]
    recursion: bool
    closed_world: bool


def _test(test: Union[float, str, "os.PathLike[str]", None]) -> Union[float, str, None]:
    """A share, or the text of a file."""
    if test is None or isinstance(test, (int, float)):
        return test
    return read(test, "file of test examples")


def learn(
    folder: Union[str, "os.PathLike[str]"],
    learner: str = "mml",
    *,
    layout: Optional[str] = None,
    negation: bool = False,
    exceptions: bool = False,
    max_steps: Optional[int] = None,
    time_limit: Optional[float] = None,
    memory_limit: Optional[int] = None,
    seed: int = 1,
    criterion: Optional[str] = None,
    noise: Optional[str] = None,
    max_clauses: Optional[int] = None,
    max_body: Optional[int] = None,
    max_vars: Optional[int] = None,
    max_depth: Optional[int] = None,
    min_positives: Optional[int] = None,
    min_accuracy: Optional[float] = None,
    recursion: bool = False,
    closed_world: bool = False,
    test: Union[float, str, "os.PathLike[str]", None] = None,
    progress: Optional[Progress] = None,
) -> Theory:
    """Learns from the files of a task, with the options of `kibitz-ilp learn`.

    `layout` is "popper", "aleph", "golem", "progol" or "foil", by default inferred from the file names. `negation` allows negated literals, `exceptions` repairs clauses that cover negative examples,
    `recursion` lets clauses call their own predicate, `closed_world` counts every other tuple as a negative
    example. `criterion` ("mml", "mdl") and `noise` ("learned", "none") are those of the learners mml and auto.
    `max_*` and `min_*` override the settings in the files. `memory_limit` is in MiB, `time_limit` in seconds.
    `test` is a file of test examples, or the share of the examples to hold out: `Theory.test`.

    `progress(what, text, first, second)` is called for each clause (`what` is "clause", with the numbers of
    covered positive and negative examples) and for each learner tried. Ctrl-C ends the search with the best
    theory so far, which is then `interrupted`. Settings in the files that the learner does not support, proofs
    that reach a limit, and other limits of the answer are warnings; unsupported options are errors.

    >>> print(learn("crates/ilp/examples/family", "foil"))
    grandparent(A,B) :- parent(A,C), parent(C,B).
    """
    settings = _settings(
        learner=learner,
        negation=negation,
        exceptions=exceptions,
        max_steps=max_steps,
        memory_limit=memory_limit,
        seed=seed,
        criterion=criterion,
        noise=noise,
        max_clauses=max_clauses,
        max_body=max_body,
        max_vars=max_vars,
        max_depth=max_depth,
        min_positives=min_positives,
        min_accuracy=min_accuracy,
        recursion=recursion,
        closed_world=closed_world,
        test=_test(test),
    )
    return Theory(_learned(settings, folder, None, progress, layout, time_limit))


def cross_validate(
    folder: Union[str, "os.PathLike[str]"],
    learner: str = "mml",
    *,
    folds: int = 10,
    layout: Optional[str] = None,
    time_limit: Optional[float] = None,
    seed: int = 1,
    progress: Optional[Progress] = None,
    **options: Unpack[LearnOptions],
) -> Any:
    """A frame with one row per fold, as `learn --folds` reports them: the performance on each fold of a theory
    learned from the others; the last row combines all folds. `options` are those of `learn`.

    >>> folds = cross_validate("crates/ilp/examples/family", "foil", folds=2, max_body=2)
    >>> list(folds["fold"])
    ['1', '2', 'all']
    """
    known = LearnOptions.__annotations__
    for name in options:
        if name not in known:
            raise TypeError(f"unknown option {name!r}: expected one of {', '.join(sorted(known))}")
    settings = _settings(learner=learner, folds=folds, seed=seed, **options)
    answer = _learned(settings, folder, None, progress, layout, time_limit)
    rows = [(str(number), own) for number, own in enumerate(answer["folds"], 1)] + [("all", answer["total"])]
    shares = ("accuracy", "precision", "recall")
    return frame(
        columns_from(
            {
                "fold": name,
                **own["counts"],
                **{share: own[share] and own[share]["value"] for share in shares},
                "f1": own["f1"],
                "mcc": own["mcc"],
            }
            for name, own in rows
        )
    )
