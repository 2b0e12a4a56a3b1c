"""`RuleLearner` as an estimator of scikit-learn, and what it says to mistakes."""

from __future__ import annotations

import pickle
import sys
import warnings
from typing import Any

import pytest

from kibitz import KibitzError, KibitzWarning, ilp

PARENT = [("ann", "bob"), ("ann", "cas"), ("bob", "dan"), ("cas", "eve"), ("dan", "fay")]
POS = [("ann", "dan"), ("ann", "eve"), ("bob", "fay")]
NEG = [("ann", "bob"), ("bob", "dan"), ("dan", "ann"), ("cas", "fay"), ("eve", "eve")]
X = (POS + NEG) * 4


def learner(**options: Any) -> ilp.RuleLearner:
    return ilp.RuleLearner({"parent": PARENT}, target="grandparent", learner="foil", **options)


def labels(no: Any, yes: Any) -> list[Any]:
    return ([yes] * len(POS) + [no] * len(NEG)) * 4


SCORERS = (
    "accuracy", "balanced_accuracy", "f1", "f1_macro", "f1_micro", "f1_weighted", "precision", "precision_macro",
    "recall", "recall_weighted", "jaccard", "roc_auc", "roc_auc_ovr", "average_precision", "neg_log_loss",
    "neg_brier_score", "matthews_corrcoef",
)  # fmt: skip


@pytest.mark.parametrize("scoring", SCORERS)
def test_every_scorer_works(scoring: str) -> None:
    pytest.importorskip("sklearn")
    from sklearn.model_selection import cross_val_score

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = cross_val_score(learner(), X, labels(0, 1), cv=4, scoring=scoring, error_score="raise")
    if scoring == "neg_log_loss":
        assert -0.3 < scores.min() <= scores.max() < 0.0
    elif scoring == "neg_brier_score":
        assert -0.1 < scores.min() <= scores.max() < 0.0
    else:
        assert scores.tolist() == [1.0] * 4


@pytest.mark.parametrize("classes", [(False, True), (0, 1), ("no", "yes")])
def test_labels_come_back_as_arrays_of_their_kind(classes: tuple[Any, Any]) -> None:
    numpy = pytest.importorskip("numpy")
    y = numpy.array(labels(*classes))
    model = learner().fit(X, y)
    assert isinstance(model.classes_, numpy.ndarray) and model.classes_.tolist() == list(classes)
    told = model.predict(X)
    assert told.dtype == y.dtype and (told == y).all() and model.score(X, y) == 1.0
    shares = model.predict_proba(X)
    assert shares.shape == (len(X), 2) and numpy.allclose(shares.sum(axis=1), 1.0)
    assert (model.classes_[shares.argmax(axis=1)] == told).all()
    # Twelve positive and twenty negative examples, each kind with one more.
    assert shares[0].tolist() == [1 - 13 / 14, 13 / 14] and numpy.isclose(shares[-1][1], 1 / 22)
    assert model.fit(X, y.reshape(-1, 1)).score(X, y.reshape(-1, 1)) == 1.0
    assert model.predict([]).shape == (0,) and model.predict_proba([]).shape == (0, 2)


def test_probabilities_agree_with_predictions_under_noise() -> None:
    numpy = pytest.importorskip("numpy")
    wrong = numpy.array(labels(0, 1))
    wrong[::5] = 1 - wrong[::5]
    for name in ("foil", "mml"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = ilp.RuleLearner({"parent": PARENT}, target="t", learner=name).fit(X, wrong)
        assert (model.predict_proba(X).argmax(axis=1) == model.predict(X)).all()


def test_lists_come_back_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    model = learner().fit(X, labels(0, 1))
    assert model.predict(X[:2]) == [1, 1] and model.classes_ == [0, 1]
    assert model.predict_proba(X[:1]) == [[1 - 13 / 14, 13 / 14]]


def test_before_fit_it_says_so() -> None:
    for error in (ValueError, AttributeError, ilp.NotFittedError):
        for call in (learner().predict, learner().predict_proba, learner().explain):
            with pytest.raises(error, match="not fitted"):
                call(POS[0] if call.__name__ == "explain" else POS)
    pytest.importorskip("sklearn")
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    with pytest.raises(NotFittedError):
        learner().predict(POS)
    with pytest.raises(NotFittedError):
        check_is_fitted(learner())
    check_is_fitted(learner().fit(POS, neg=NEG))


def test_fit_changes_no_parameter() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone

    model = ilp.RuleLearner(target="grandparent", learner="foil")
    before = model.get_params()
    model.fit(POS, neg=NEG, background={"parent": PARENT})
    assert model.get_params() == before and model.background is None
    assert str(model.theory_) == "grandparent(A,B) :- parent(A,C), parent(C,B)."
    assert not hasattr(clone(model), "theory_")
    again = pickle.loads(pickle.dumps(model))
    assert list(again.predict(POS + NEG)) == list(model.predict(POS + NEG))
    assert model.set_params(max_body=1).max_body == 1
    with pytest.raises(ValueError, match="unknown parameter 'max_bodies'"):
        model.set_params(max_bodies=1)


def test_names_of_columns_are_kept() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["old", "young"])
    model = learner().fit(frame, pandas.Series(labels("no", "yes")))
    assert list(model.feature_names_in_) == ["old", "young"] and model.n_features_in_ == 2
    assert model.fit(frame, pandas.DataFrame({"y": labels(0, 1)})).score(frame, labels(0, 1)) == 1.0
    assert not hasattr(model.fit(X, labels(0, 1)), "feature_names_in_")


def test_fit_has_two_forms() -> None:
    theory = "grandparent(A,B) :- parent(A,C), parent(C,B)."
    for arguments, options in (((POS,), {"neg": NEG}), ((POS, NEG), {}), ((POS + NEG, labels(0, 1)[:8]), {})):
        assert str(learner().fit(*arguments, **options).theory_) == theory
    with pytest.raises(KibitzError, match="not both"):
        learner().fit(POS, [1, 0, 1], neg=NEG)
    with pytest.raises(KibitzError, match="3 labels for 8 examples.*neg="):
        learner().fit(POS + NEG, [1, 0, 1])
    with pytest.raises(KibitzError, match="y has 1 classes"):
        learner().fit(POS, [1, 1, 1])
    with pytest.raises(KibitzError, match="y has 3 classes"):
        learner().fit(POS, [1, 2, 3])


def test_mistakes_name_arguments() -> None:
    def told(call: Any) -> str:
        with pytest.raises(KibitzError) as error:
            call()
        text = str(error.value)
        assert not text.startswith("error") and ".pl" not in text, text
        return text

    named = ilp.RuleLearner({"parent": PARENT}, target="Grand parent", learner="foil").fit(POS, neg=NEG)
    assert str(named.theory_).startswith("'Grand parent'(A,B) :- ")
    assert "''" in told(lambda: ilp.RuleLearner({"parent": PARENT}, target="").fit(POS, neg=NEG))
    model = learner().fit(POS, neg=NEG)
    assert "3 features" in told(lambda: model.predict([("ann", "bob", "cas")]))
    assert "1 features" in told(lambda: model.explain("ann"))
    broken = "parent(ann,bob).\nparent(ann,.\n"
    assert told(lambda: ilp.RuleLearner(broken).fit(POS, neg=NEG)).startswith("background, line 2: ")
    assert told(lambda: learner(bias="max_varz(3).").fit(POS, neg=NEG)).startswith("bias, line 1: ")
    types = {"parent": ("person",)}
    assert told(lambda: learner(types=types).fit(POS, neg=NEG)).startswith("types['parent']: ")
    assert told(lambda: learner(max_body=0).fit(POS, neg=NEG))


def test_numbers_that_teach_nothing_are_told() -> None:
    pandas = pytest.importorskip("pandas")
    weight = pandas.DataFrame({"o": list("abcdefghijkl"), "w": [1.5, 2.5, 0.1, 9, 1, 8, 2, 7, 0.5, 6, 1.2, 5]})
    pos, neg = list("dfhjl"), list("abcegik")
    model = ilp.RuleLearner({"weight": weight}, target="heavy", learner="mml")
    with pytest.warns(KibitzWarning, match=r"weight\.w .*background\['weight_at_least_") as warned:
        model.fit(pos, neg=neg)
    assert warned[0].filename == __file__
    # What it says to do teaches the rule.
    model.background = {"weight": weight, "weight_at_least_5": weight[weight["w"] >= 5][["o"]]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(pos, neg=neg)
    assert str(model.theory_) == "heavy(A) :- weight_at_least_5(A)."
    # Numbers that name things are no measures.
    edges = [(1, 2), (2, 3), (3, 4), (4, 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ilp.RuleLearner({"edge": edges}, learner="mml").fit([(1, 3), (2, 2)], neg=[(3, 3), (1, 1)])
