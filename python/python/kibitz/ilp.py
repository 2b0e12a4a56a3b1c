"""Rules from examples: inductive logic programming over folders, data frames and tuples."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Union

from . import _native
from ._errors import KibitzError, ask, checked, warn
from ._frames import columns_from, columns_of, frame, lists_of, rows_of
from ._prolog import atoms, facts

__all__ = ["RuleLearner", "Theory", "cross_validate", "learn"]

Progress = Callable[[str, str, int, int], object]


def _parts(clause: str) -> dict[str, Any]:
    """Head and body of a printed clause.

    >>> _parts("p(A) :- q(A,'a, b'), r([A,B]).")
    {'head': 'p(A)', 'body': ["q(A,'a, b')", 'r([A,B])']}
    """
    head, _, body = clause.rstrip().removesuffix(".").partition(" :- ")
    literals, depth, is_quoted, start = [], 0, False, 0
    escaped = False
    for place, letter in enumerate(body):
        if escaped:
            escaped = False
        elif is_quoted and letter == "\\":
            escaped = True
        elif letter == "'":
            is_quoted = not is_quoted
        elif not is_quoted:
            depth += (letter in "([{") - (letter in ")]}")
            if letter == "," and depth == 0:
                literals.append(body[start:place].strip())
                start = place + 1
    return {"head": head, "body": [*literals, body[start:].strip()] if body else []}


class Theory:
    """What was learned: `str` gives the clauses, `program` a file that Prolog loads."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        self.json: dict[str, Any] = answer["theory"]
        self.program: str = answer["program"]
        self.text: str = answer["clauses"]
        self.is_correct: bool = answer["correct"]
        self.missed: list[str] = answer["missed"]
        self.wrong: list[str] = answer["wrong"]
        self.messages: list[dict[str, Any]] = answer["messages"]
        self.interrupted: bool = answer["interrupted"]

    @property
    def ending(self) -> str:
        """How the search ended."""
        return str(self.json["ending"])

    @property
    def undecided(self) -> int:
        """Proofs that met a bound, and count as not covered."""
        return int(self.json["undecided"])

    @property
    def test(self) -> Optional[dict[str, Any]]:
        """How the theory does on examples that it was not learned from, if there are some: counts and measures."""
        told: Optional[dict[str, Any]] = self.json["test"]
        return told

    @property
    def rules(self) -> list[dict[str, Any]]:
        """The clauses: the text of each, its `head`, the literals of its `body`, and the counts of what it
        covers."""
        return [{"text": rule["clause"], **_parts(rule["clause"]), **rule["covers"]} for rule in self.json["clauses"]]

    @property
    def why_not(self) -> list[Any]:
        """Why positive examples are left uncovered."""
        return list(self.json["why-not"] or [])

    def __str__(self) -> str:
        return self.text.rstrip()

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{html.escape(rule['text'])}</code></td><td>{rule['tp']}</td><td>{rule['fp']}</td></tr>"
            for rule in self.rules
        )
        return f"<table><tr><th>rule</th><th>right</th><th>wrong</th></tr>{rows}</table>"


def _settings(**options: Any) -> str:
    return json.dumps({name: value for name, value in options.items() if value is not None})


def _learned(
    settings: str,
    folder: Optional[Union[str, "os.PathLike[str]"]],
    texts: Optional[tuple[str, str, str]],
    progress: Optional[Progress],
    layout: Optional[str] = None,
    time_limit: Optional[float] = None,
) -> dict[str, Any]:
    """What a learner answers; what was not obeyed, could not be decided or ended early is a warning."""
    try:
        answer = checked(_native.learn(settings, folder, texts, progress, layout, time_limit))
    except ValueError as error:
        raise error if isinstance(error, KibitzError) else KibitzError(str(error)) from None
    warn(answer["messages"])
    if answer["late"]:
        warn([{"message": f"the time limit of {time_limit} s is reached; this is the best theory so far"}])
    return answer


def _test(test: Union[float, str, "os.PathLike[str]", None]) -> Union[float, str, None]:
    """A share, or the text of a file."""
    if test is None or isinstance(test, (int, float)):
        return test
    try:
        return Path(test).read_text(encoding="utf-8")
    except OSError as error:
        raise KibitzError(f"no test examples: {error}", [{"message": str(error), "file": os.fspath(test)}]) from None


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
    """Learns from the files of a task, as `kibitz-ilp learn` does, whose options these are.

    `layout` is "popper", "aleph", "golem", "progol" or "foil", and found out from the names of the files if not
    given. `negation` allows negated literals, `exceptions` repairs clauses that cover negative examples,
    `recursion` lets clauses call their own predicate, `closed_world` counts every other tuple as a negative
    example. `criterion` ("mml", "mdl") and `noise` ("learned", "none") are those of the learners mml and auto.
    `max_*` and `min_*` stand in place of what the files say. `memory_limit` is in MiB, `time_limit` in seconds.
    `test` is a file of more examples, or a share of the task's own that is not learned from: `Theory.test`.

    `progress(what, text, first, second)` is told of each clause (`what` is "clause", with what it covers of
    the positive and of the negative examples) and of each learner tried. Ctrl-C ends the search with the
    best so far: the theory is then `interrupted`. Settings of the files that a learner does not obey, proofs
    that met a bound, and what else limits the answer are warnings; options that it does not obey are errors.

    >>> print(learn("crates/ilp/examples/family", "foil"))
    grandparent(A,B) :- parent(C,B), parent(A,C).
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
    **options: Any,
) -> Any:
    """A frame with a fold a row, as `learn --folds` of the program tells them: what a theory that was learned
    without a part of the examples does on this part; the last row takes all together. `options` are those of
    `learn`.

    >>> folds = cross_validate("crates/ilp/examples/family", "foil", folds=2, max_body=2)
    >>> list(folds["fold"])
    ['1', '2', 'all']
    """
    known = set(learn.__kwdefaults__ or {}) - {"test"}
    for name in options:
        if name not in known:
            raise TypeError(f"no option `{name}`: there are {', '.join(sorted(known))}")
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


def _is_rows(values: Any) -> bool:
    """Whether these are examples, not labels."""
    if columns_of(values) is not None or getattr(values, "ndim", 1) == 2:
        return True
    first = next(iter(values), None)
    return isinstance(first, (tuple, list))


class RuleLearner:
    """Learns which tuples a relation holds of, as an estimator of scikit-learn (which need not be there).

    `background` maps names of predicates to frames or to rows, or is Prolog text. `bias` is Prolog text with
    more settings, `types` maps a predicate (that of the target too) to the types of its arguments. The other
    parameters are the options of `learn`.

    >>> family = [("ann", "bob"), ("bob", "dan"), ("ann", "cas"), ("cas", "eve"), ("dan", "fay")]
    >>> model = RuleLearner({"parent": family}, target="grandparent", learner="foil")
    >>> known = [("ann", "dan"), ("ann", "eve"), ("bob", "fay")]
    >>> others = [("ann", "bob"), ("dan", "ann"), ("cas", "fay"), ("eve", "eve"), ("bob", "dan")]
    >>> print(model.fit(known, others).theory_)
    grandparent(A,B) :- parent(C,B), parent(A,C).
    >>> model.predict([("ann", "eve"), ("eve", "ann")])
    [True, False]
    """

    _estimator_type = "classifier"
    _options = (
        "negation", "exceptions", "max_steps", "memory_limit", "seed", "criterion", "noise", "max_clauses",
        "max_depth", "min_positives", "min_accuracy", "recursion", "closed_world",
    )  # fmt: skip
    _names = (
        "background", "target", "learner", "max_body", "max_vars", "types", "bias", "time_limit", "progress", *_options
    )  # fmt: skip

    def __init__(
        self,
        background: Any = None,
        *,
        target: str = "target",
        learner: str = "mml",
        max_body: Optional[int] = None,
        max_vars: Optional[int] = None,
        types: Optional[Mapping[str, tuple[str, ...]]] = None,
        bias: str = "",
        negation: bool = False,
        exceptions: bool = False,
        max_steps: Optional[int] = None,
        time_limit: Optional[float] = None,
        memory_limit: Optional[int] = None,
        seed: int = 1,
        criterion: Optional[str] = None,
        noise: Optional[str] = None,
        max_clauses: Optional[int] = None,
        max_depth: Optional[int] = None,
        min_positives: Optional[int] = None,
        min_accuracy: Optional[float] = None,
        recursion: bool = False,
        closed_world: bool = False,
        progress: Optional[Progress] = None,
    ) -> None:
        self.background = background
        self.target = target
        self.learner = learner
        self.max_body = max_body
        self.max_vars = max_vars
        self.types = types
        self.bias = bias
        self.negation = negation
        self.exceptions = exceptions
        self.max_steps = max_steps
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.seed = seed
        self.criterion = criterion
        self.noise = noise
        self.max_clauses = max_clauses
        self.max_depth = max_depth
        self.min_positives = min_positives
        self.min_accuracy = min_accuracy
        self.recursion = recursion
        self.closed_world = closed_world
        self.progress = progress

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor."""
        return {name: getattr(self, name) for name in self._names}

    def set_params(self, **params: Any) -> "RuleLearner":
        """Sets parameters of the constructor."""
        for name, value in params.items():
            if name not in self._names:
                raise ValueError(f"no parameter `{name}`: there are {', '.join(self._names)}")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_class=False),
            input_tags=InputTags(string=True, categorical=True),
        )

    def fit(self, X: Any, y: Any = None, *, neg: Any = None, background: Any = None) -> "RuleLearner":
        """Learns from examples `X` and labels `y` of two kinds (the greater one is that of the relation), or
        from positive and negative examples: `fit(pos, neg)`. Single values are tuples of one; negative examples
        that are single values must be named `neg`."""
        if background is not None:
            self.background = background
        if y is not None and neg is None and _is_rows(y):
            y, neg = None, y
        if y is None:
            pos, neg = list(rows_of(X)), list(rows_of([] if neg is None else neg))
            self.classes_: list[Any] = [False, True]
        else:
            rows, labels = list(rows_of(X)), [row[0] for row in rows_of(y)]
            if len(rows) != len(labels):
                raise KibitzError(f"{len(rows)} examples have {len(labels)} labels")
            kinds = sorted(set(labels))
            if len(kinds) != 2:
                raise KibitzError(f"labels of two kinds are wanted, not {kinds}")
            self.classes_ = kinds
            pos = [row for row, label in zip(rows, labels) if label == kinds[1]]
            neg = [row for row, label in zip(rows, labels) if label != kinds[1]]
        wanted, arity = facts(self.target, pos)
        unwanted, other = facts(self.target, neg)
        if other not in (0, arity):
            raise KibitzError(f"positive examples have {arity} values, negative ones {other}")
        examples = [f"pos({atom})." for atom in wanted] + [f"neg({atom})." for atom in unwanted]
        self._background, self._bias = self._texts(arity)
        texts = ("\n".join(examples) + "\n", self._background, self._bias)
        settings = _settings(learner=self.learner, **{name: getattr(self, name) for name in self._options})
        self.theory_ = Theory(_learned(settings, None, texts, self.progress, None, self.time_limit))
        self.n_features_in_ = arity
        return self

    def _texts(self, arity: int) -> tuple[str, str]:
        """The background, and the bias."""
        bias = [f"head_pred({self.target},{arity})."]
        text: list[str] = []
        if isinstance(self.background, str):
            text.append(self.background)
        else:
            for name, table in (self.background or {}).items():
                columns = lists_of(table)
                if columns is None:
                    told, own = facts(name, rows_of(table))
                else:
                    told, own = atoms(name, columns), len(columns)
                if told:
                    text.append(".\n".join(told) + ".")
                if own:
                    bias.append(f"body_pred({name},{own}).")
        for name, types in (self.types or {}).items():
            names = ",".join(types) + ("," if len(types) == 1 else "")
            bias.append(f"type({name},({names})).")
        for name in ("max_body", "max_vars"):
            most = getattr(self, name)
            if most is not None:
                bias.append(f"{name}({most}).")
        return "\n".join(text) + "\n", "\n".join([*bias, self.bias]) + "\n"

    @property
    def rules_(self) -> list[dict[str, Any]]:
        """The clauses: the text of each and the counts of what it covers."""
        return self.theory_.rules

    @property
    def why_not_(self) -> list[Any]:
        """Why positive examples are left uncovered."""
        return self.theory_.why_not

    def use(self, program: str) -> "RuleLearner":
        """Takes the clauses of a Prolog text, such as `theory_.program`, in place of those learned."""
        lines = [line.strip() for line in program.splitlines()]
        clauses = [line.split("  % ")[0] for line in lines if line and not line.startswith(("%", ":-"))]
        told: dict[str, Any] = {"clauses": [{"clause": clause, "covers": {}} for clause in clauses], "why-not": []}
        told.update({"ending": "it was given", "undecided": 0, "test": None})
        given = {"theory": told, "program": program, "clauses": "\n".join(clauses) + "\n", "correct": False}
        self.theory_ = Theory({**given, "missed": [], "wrong": [], "messages": [], "interrupted": False})
        return self

    def _task(self, examples: list[str]) -> dict[str, str]:
        text = "".join(f"pos({atom}).\n" for atom in examples)
        return {"examples": text, "background": self._background, "bias": self._bias}

    def predict(self, X: Any) -> list[Any]:
        """The label of each example."""
        examples, _ = facts(self.target, rows_of(X))
        no, yes = self.classes_
        each = list(dict.fromkeys(examples))
        if not each or not self.rules_:
            return [no] * len(examples)
        told = ask("judge", **self._task(each), theory=self.theory_.text)
        if told["undecided"]:
            warn([{"message": f"{told['undecided']} proofs met a bound and count as not covered"}])
        covered = dict(zip(each, told["covered"]))
        return [yes if covered[atom] else no for atom in examples]

    def score(self, X: Any, y: Any) -> float:
        """The share of examples whose label is predicted."""
        labels = [row[0] for row in rows_of(y)]
        told = self.predict(X)
        return float(sum(a == b for a, b in zip(told, labels)) / len(labels))

    def explain(self, example: Any) -> str:
        """The proof of an example, or the literal that fails."""
        row = example if isinstance(example, (tuple, list)) else (example,)
        (atom,), _ = facts(self.target, [tuple(row)])
        told = ask("explain", **self._task([atom]), theory=self.theory_.text, example=atom)
        return str(told["text"])

    def __repr__(self) -> str:
        given = {"target": self.target, "learner": self.learner, "max_body": self.max_body, "seed": self.seed}
        return f"RuleLearner({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def _repr_html_(self) -> str:
        return self.theory_._repr_html_() if hasattr(self, "theory_") else f"<code>{html.escape(repr(self))}</code>"
