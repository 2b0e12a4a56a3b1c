"""A learner of rules as an estimator of scikit-learn."""

from __future__ import annotations

import html
import math
from typing import Any, Callable, Mapping, NoReturn, Optional

from ._errors import KibitzError, ask, warn
from ._frames import columns_of, lists_of, rows_of
from ._prolog import atom, atoms, facts
from ._theory import Progress, Theory, _learned, _settings


class NotFittedError(ValueError, AttributeError):
    """A model was asked before it was fitted. Where scikit-learn is installed it is also scikit-learn's error of
    this name."""


def _is_number(value: Any) -> bool:
    """Whether a value is a number, not a truth value."""
    kind = type(value).__name__
    return isinstance(value, (int, float)) and kind != "bool" or kind.startswith(("int", "uint", "float"))


def _is_rows(values: Any, n: int) -> bool:
    """Whether these are examples, not `n` labels: a table of several columns, or tuples of several values."""
    columns = columns_of(values)
    if columns is not None and len(columns) != 1:
        return True
    if getattr(values, "ndim", 1) == 2:
        return bool(values.shape[1] != 1)
    rows = list(rows_of(values))
    if rows and len(rows[0]) != 1:
        return True
    # A column of labels is a table of one column, or a list of tuples of one.
    first = next(iter(values), None) if columns is None else None
    return isinstance(first, (tuple, list)) and len(rows) != n


def _array(values: list[Any]) -> Any:
    """An array where NumPy is, else the list."""
    try:
        import numpy
    except ImportError:
        return values
    return numpy.asarray(values)


def _plain(values: Any) -> list[Any]:
    """The items of an array or list, as values of Python."""
    return list(values.tolist() if hasattr(values, "tolist") else values)


def _not_fitted(model: object) -> NoReturn:
    message = f"This {type(model).__name__} is not fitted yet: call `fit` first"
    try:
        from sklearn.exceptions import NotFittedError as Known
    except ImportError:
        raise NotFittedError(message) from None
    raise type("NotFittedError", (NotFittedError, Known), {"__module__": __name__})(message)


def _row_of(argument: str) -> Callable[[int], str]:
    return lambda row: f"{argument}, row {row}"


class _Texts:
    """The texts of a task, and the argument that each line comes from."""

    _FILES = {"exs.pl": "examples", "bk.pl": "background", "bias.pl": "bias"}

    def __init__(self) -> None:
        # Blocks of lines, each with what names the line of a number.
        self._blocks: dict[str, list[tuple[list[str], Callable[[int], str]]]] = {name: [] for name in self._FILES}

    def add(self, file: str, lines: list[str], name: Callable[[int], str]) -> None:
        """Adds lines that values of Python are written as; `name` tells where that of a number comes from."""
        self._blocks[file].append((lines, name))

    def add_text(self, file: str, text: str, argument: str) -> None:
        """Adds a text in Prolog, whose lines count from one."""
        self.add(file, text.split("\n"), lambda number: f"{argument}, line {number + 1}")

    @property
    def texts(self) -> tuple[str, str, str]:
        """Examples, background and bias."""
        examples, background, bias = (
            "".join("\n".join(lines) + "\n" for lines, _ in blocks if lines) for blocks in self._blocks.values()
        )
        return examples, background, bias

    def _argument(self, file: str, line: Optional[int]) -> str:
        number = -1 if line is None else line - 1
        for lines, name in self._blocks[file]:
            if 0 <= number < len(lines):
                return name(number)
            number -= len(lines)
        return self._FILES[file]

    def place(self, message: dict[str, Any]) -> Optional[dict[str, Any]]:
        """A message with the argument in place of a file, and with its notes."""
        file = message.get("file") or ""
        if file not in self._FILES:
            return None
        argument = self._argument(file, message.get("line"))
        rendered = str(message.get("text", "")).split("\n")
        notes = [line.strip()[2:] for line in rendered if line.strip().startswith("= ")]
        text = f"{argument}: {'; '.join([message['message'], *notes])}"
        return {"message": text, "severity": message.get("severity"), "argument": argument}


class RuleLearner:
    """Learns which tuples a relation holds of, as an estimator of scikit-learn (which need not be there).

    `background` maps names of predicates to frames or to rows, or is Prolog text. `bias` is Prolog text with
    more settings, `types` maps a predicate (that of the target too) to the types of its arguments. The other
    parameters are the options of `learn`.

    >>> family = [("ann", "bob"), ("bob", "dan"), ("ann", "cas"), ("cas", "eve"), ("dan", "fay")]
    >>> model = RuleLearner({"parent": family}, target="grandparent", learner="foil")
    >>> known = [("ann", "dan"), ("ann", "eve"), ("bob", "fay")]
    >>> others = [("ann", "bob"), ("dan", "ann"), ("cas", "fay"), ("eve", "eve"), ("bob", "dan")]
    >>> print(model.fit(known, neg=others).theory_)
    grandparent(A,B) :- parent(A,C), parent(C,B).
    >>> [bool(label) for label in model.predict([("ann", "eve"), ("eve", "ann")])]
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
                raise ValueError(f"unknown parameter {name!r}: expected one of {', '.join(self._names)}")
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
        """Learns from labeled examples, or from positive and negative ones.

        `fit(X, y)`: `y` has a label for each example of `X`, of two kinds; the greater one (`True`, 1, "yes") is
        that of examples that the relation holds of. `fit(pos, neg=neg)`: all of `pos` are positive, all of `neg`
        negative. `fit(pos)` has positive examples alone. Examples are rows of a frame or array, or tuples; single
        values are tuples of one. A second argument of tuples of several values cannot be labels and is taken as
        `neg`. `background` is used in place of the constructor's, which it leaves as it is.
        """
        wanted_rows = list(rows_of(X))
        if y is not None and neg is not None:
            raise KibitzError("expected labels `y`, or negative examples `neg`, not both")
        if y is not None and _is_rows(y, len(wanted_rows)):
            y, neg = None, y
        if y is None:
            pos, others = wanted_rows, list(rows_of([] if neg is None else neg))
            classes: list[Any] = [False, True]
        else:
            labels = [row[0] for row in rows_of(y)]
            if len(wanted_rows) != len(labels):
                raise KibitzError(
                    f"y has {len(labels)} labels for {len(wanted_rows)} examples; negative examples that are single "
                    "values are given by name: fit(pos, neg=...)"
                )
            classes = sorted(set(labels))
            if len(classes) != 2:
                raise KibitzError(
                    f"y has {len(classes)} classes, {classes[:5]}: expected labels of 2 kinds; negative examples "
                    "that are single values are given by name: fit(pos, neg=...)"
                )
            pos = [row for row, label in zip(wanted_rows, labels) if label == classes[1]]
            others = [row for row, label in zip(wanted_rows, labels) if label != classes[1]]
        wanted, arity = facts(self.target, pos)
        unwanted, other = facts(self.target, others)
        if not arity:
            raise KibitzError("X has no positive examples")
        if other not in (0, arity):
            raise KibitzError(f"positive examples have {arity} values, negative ones {other}")
        texts = self._texts(arity, self.background if background is None else background)
        texts.add("exs.pl", [f"pos({own})." for own in wanted], _row_of("positive examples"))
        texts.add("exs.pl", [f"neg({own})." for own in unwanted], _row_of("negative examples"))
        settings = _settings(learner=self.learner, **{name: getattr(self, name) for name in self._options})
        learned = _learned(settings, None, texts.texts, self.progress, None, self.time_limit, texts.place)
        self.theory_ = Theory(learned)
        self.classes_ = _array(classes)
        self.n_features_in_ = arity
        names = columns_of(X)
        if names is not None:
            self.feature_names_in_ = _array(names)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        _, self._background, self._bias = texts.texts
        self._warn_of_numbers(self.background if background is None else background, [*pos, *others])
        return self

    def _texts(self, arity: int, background: Any) -> _Texts:
        """The background and the bias."""
        texts = _Texts()

        def declare(line: str, argument: str) -> None:
            texts.add("bias.pl", [line], lambda _: argument)

        declare(f"head_pred({atom(self.target)},{arity}).", "target")
        if isinstance(background, str):
            texts.add_text("bk.pl", background, "background")
        else:
            for name, table in (background or {}).items():
                columns = lists_of(table)
                if columns is None:
                    told, own = facts(name, rows_of(table))
                else:
                    told, own = atoms(name, columns), len(columns)
                place = f"background[{name!r}]"
                texts.add("bk.pl", [f"{fact}." for fact in told], _row_of(place))
                if own:
                    declare(f"body_pred({atom(name)},{own}).", place)
        for name, types in (self.types or {}).items():
            names = ",".join(map(atom, types)) + ("," if len(types) == 1 else "")
            declare(f"type({atom(name)},({names})).", f"types[{name!r}]")
        for name in ("max_body", "max_vars"):
            most = getattr(self, name)
            if most is not None:
                declare(f"{name}({most}).", name)
        texts.add_text("bias.pl", self.bias, "bias")
        return texts

    def _warn_of_numbers(self, background: Any, examples: list[tuple[Any, ...]]) -> None:
        """Warns of columns of numbers that are used as names only, where examples are left uncovered."""
        counts = self.theory_.json["training"]["counts"]
        if isinstance(background, str) or not background or not counts["fn"]:
            return
        numbers: dict[str, set[Any]] = {}
        for name, table in background.items():
            names = columns_of(table)
            for at, column in enumerate(lists_of(table) or [list(own) for own in zip(*rows_of(table))]):
                # A column is one of numbers, or none.
                if column and _is_number(column[0]) and all(map(_is_number, column)):
                    numbers[f"{name}.{names[at]}" if names else f"{name}[{at}]"] = set(column)
        named = {value for row in examples for value in row if _is_number(value)}
        lonely = []
        for name, own in numbers.items():
            others = (values for other, values in numbers.items() if other != name)
            if len(own) > 1 and own.isdisjoint(named) and all(map(own.isdisjoint, others)):
                lonely.append(name)
        if not lonely:
            return
        values = sorted(numbers[lonely[0]])
        middle = values[len(values) // 2]
        relation = lonely[0].split(".")[0].split("[")[0]
        found = "no rule was learned" if not self.rules_ else f"{counts['fn']} positive examples are left uncovered"
        warn([{
            "message": f"{found}, and the numbers of {', '.join(lonely)} are names only: values that differ have "
            f"nothing in common, and no rule compares them; give thresholds as relations of their own, such as "
            f"background[{f'{relation}_at_least_{middle:g}'.replace('.', '_').replace('-', 'minus_')!r}] with the "
            f"rows whose number is {middle:g} or more, without the number"
        }])  # fmt: skip

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

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "theory_") and hasattr(self, "classes_")

    def _rows(self, X: Any) -> list[tuple[Any, ...]]:
        """The rows of examples, as many values each as those that were learned from."""
        if not self.__sklearn_is_fitted__():
            _not_fitted(self)
        rows = list(rows_of(X))
        for number, row in enumerate(rows):
            if len(row) != self.n_features_in_:
                raise KibitzError(
                    f"X has {len(row)} features in row {number}, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input"
                )
        return rows

    def _task(self, examples: list[str]) -> dict[str, str]:
        text = "".join(f"pos({atom}).\n" for atom in examples)
        return {"examples": text, "background": self._background, "bias": self._bias}

    def _covered(self, X: Any) -> list[bool]:
        """Whether the theory covers each example."""
        examples, _ = facts(self.target, self._rows(X))
        each = list(dict.fromkeys(examples))
        if not each or not self.rules_:
            return [False] * len(examples)
        told = ask("judge", _Texts().place, **self._task(each), theory=self.theory_.text)
        if told["undecided"]:
            warn([{"message": f"{told['undecided']} proofs met a bound and count as not covered"}])
        covered = dict(zip(each, told["covered"]))
        return [bool(covered[example]) for example in examples]

    def predict(self, X: Any) -> Any:
        """The label of each example: an array where NumPy is, else a list."""
        covered = self._covered(X)
        no, yes = _plain(self.classes_)
        try:
            import numpy
        except ImportError:
            return [yes if own else no for own in covered]
        return self.classes_[numpy.asarray(covered, dtype=int)]

    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the two labels, in the order of `classes_`, a row for each example.

        That of the positive label is the share of positive ones among the examples of `fit` that are covered, or
        among those that are not, with one more of each kind (Laplace): (tp + 1) / (tp + fp + 2), or
        (fn + 1) / (fn + tn + 2). It is above one half exactly where `predict` says the positive label.
        """
        covered = self._covered(X)
        counts = self.theory_.json["training"]["counts"] if "training" in self.theory_.json else {}
        tp, fn, tn, fp = (counts.get(name, 0) for name in ("tp", "fn", "tn", "fp"))
        of_covered = max((tp + 1) / (tp + fp + 2), math.nextafter(0.5, 1.0))
        of_others = min((fn + 1) / (fn + tn + 2), 0.5)
        shares = (of_covered if own else of_others for own in covered)
        rows = [[1.0 - share, share] for share in shares]
        try:
            import numpy
        except ImportError:
            return rows
        return numpy.asarray(rows, dtype=float).reshape(-1, 2)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of examples whose label is predicted."""
        labels = [row[0] for row in rows_of(y)]
        told = _plain(self.predict(X))
        if len(told) != len(labels):
            raise KibitzError(f"y has {len(labels)} labels for {len(told)} examples")
        weights = [1.0] * len(labels) if sample_weight is None else [float(own) for own in sample_weight]
        return float(sum(own for own, a, b in zip(weights, told, labels) if a == b) / sum(weights))

    def explain(self, example: Any) -> str:
        """The proof of an example, or the literal that fails."""
        row = tuple(example) if isinstance(example, (tuple, list)) else (example,)
        (own,), _ = facts(self.target, self._rows([row]))
        told = ask("explain", _Texts().place, **self._task([own]), theory=self.theory_.text, example=own)
        return str(told["text"])

    def __repr__(self) -> str:
        given = {"target": self.target, "learner": self.learner, "max_body": self.max_body, "seed": self.seed}
        return f"RuleLearner({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def _repr_html_(self) -> str:
        return self.theory_._repr_html_() if hasattr(self, "theory_") else f"<code>{html.escape(repr(self))}</code>"
