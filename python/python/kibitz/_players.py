"""Models of chess players: weights inferred from their moves."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

from . import _native
from ._errors import KibitzError, checked, existing, read, warn
from ._frames import columns_from, frame

__all__ = ["PlayerModel", "compare", "who"]

Paths = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]
Progress = Callable[[str, int, int], object]


def _listed(paths: Paths) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [existing(paths, "games")]
    return [existing(path, "games") for path in paths]


def _answer(text: str) -> dict[str, Any]:
    answer = checked(text)
    warn(answer["messages"])
    return answer


def _end(value: Optional[float], otherwise: float) -> float:
    """The end of an interval; JSON has no infinity."""
    return otherwise if value is None else value


class PlayerModel:
    """A fitted player; `fit` and `load` make one.

    `toml` is the text of its file, the same that `kibitz-players fit --out` writes; `json` is the
    output of `--format json`.
    """

    def __init__(self, toml: str, file: str = "model.toml") -> None:
        answer = _answer(_native.read_player(file, toml))
        self.toml: str = answer["toml"]
        self.json: dict[str, Any] = answer["model"]
        self.remarks: list[str] = []
        self.selection: Optional[dict[str, Any]] = None

    @classmethod
    def fit(
        cls,
        games: Paths,
        player: str,
        *,
        model: str = "one-ply",
        attributes: Union[str, Sequence[str], None] = None,
        select: Optional[str] = None,
        phases: bool = False,
        folds: int = 5,
        level: int = 95,
        seed: int = 0,
        progress: Optional[Progress] = None,
    ) -> "PlayerModel":
        """Fits the weights of a player, named by a prefix of the name, to the games of PGN files.

        The options are those of `kibitz-players fit`: `model` is "one-ply" or "four-ply"; `attributes` are
        names, or "paper" or "all"; `select="mml"` selects among them by message length;
        `phases` fits opening, middle game and endgame separately. `progress(step, done, total)` is called in
        long steps. Ctrl-C raises `KeyboardInterrupt`. Limits of the data are warnings, and in `remarks`.
        """
        if select not in (None, "mml"):
            raise KibitzError(f"attributes are selected by `mml`, not by `{select}`")
        if model not in ("one-ply", "four-ply"):
            raise KibitzError(f"a model is `one-ply` or `four-ply`, not `{model}`")
        question = {
            "player": player,
            "model": model,
            "attributes": attributes.split(",") if isinstance(attributes, str) else list(attributes or []),
            "select": select is not None,
            "phases": phases,
            "folds": folds,
            "level": level,
            "seed": seed,
        }
        answer = _answer(_native.fit_player(_listed(games), json.dumps(question), progress))
        fitted = cls(answer["toml"])
        fitted.remarks = [message["message"] for message in answer["messages"]]
        fitted.selection = answer["selection"]
        return fitted

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> "PlayerModel":
        """Reads a model that `save` or the program wrote."""
        return cls(read(path, "model"), os.fspath(path))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the model to a file that `kibitz-players` can read."""
        Path(path).write_text(self.toml, encoding="utf-8", newline="\n")

    @property
    def player(self) -> str:
        """The name of the player."""
        return str(self.json["player"])

    def _parts(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Of each part the columns that name it, and its fit."""
        parts = self.json["parts"]
        return [({"phase": part["phase"]} if "phase" in part else {}, part["fit"]) for part in parts]

    def weights(self) -> Any:
        """A frame with one row per weight: log-odds per unit of the attribute, its standard error and its
        confidence interval."""
        rows = (
            {
                **name,
                "attribute": own["attribute"],
                "weight": own["value"],
                "se": own["std-error"],
                "low": _end(own["low"], -math.inf),
                "high": _end(own["high"], math.inf),
            }
            for name, fit in self._parts()
            for own in fit["weights"]
        )
        return frame(columns_from(rows))

    def measures(self) -> Any:
        """A frame with bits per move, those of a uniform choice, and top-1 and top-3 accuracy in percent: on
        the `fitted` games and on `held out` games."""
        rows = (
            {
                **name,
                "on": on.replace("-", " "),
                **{column: fit[on][column] for column in ("moves", "bits", "uniform")},
                "top_1": fit[on]["top-1"],
                "top_3": fit[on]["top-3"],
            }
            for name, fit in self._parts()
            for on in ("fitted", "held-out")
            if fit.get(on) is not None
        )
        return frame(columns_from(rows))

    def explain(
        self, game: Union[str, "os.PathLike[str]"], *, number: int = 1, side: Optional[str] = None
    ) -> Any:
        """A frame of a game move by move, as `explain --format csv` writes it: probability, rank and bits of each
        move, and the contribution of each attribute, in bits, relative to the mean legal move. `number` is the
        game in the file, from one; `side` is "white" or "black", by default that of the model's player."""
        model = ("model.toml", self.toml)
        told = _answer(_native.explain_game(model, existing(game, "games"), number, side))["game"]
        names = told["attributes"]
        rows = (
            {
                **{name: own[name] for name in ("ply", "number")},
                "side": "white" if own["white"] else "black",
                **{name: own[name] for name in ("san", "phase", "alternatives", "probability", "rank", "bits", "rest")},
                **dict(zip(names, own["contributions"])),
                "preferred": own["preferred"][0]["san"] if own["preferred"] else None,
            }
            for own in told["moves"]
        )
        return frame(columns_from(rows))

    def __repr__(self) -> str:
        return f"PlayerModel({self.player!r}, {len(self.json['parts'][0]['fit']['weights'])} weights)"

    def _repr_html_(self) -> str:
        table = self.weights()
        html = getattr(table, "_repr_html_", None)
        return str(html()) if html else f"<code>{table}</code>"


def who(
    games: Paths,
    models: Sequence[PlayerModel],
    *,
    prior: Optional[Mapping[str, float]] = None,
    side: Optional[str] = None,
    player: Optional[str] = None,
) -> Any:
    """Player identification: a frame with one row for each side of each game, with the bits of its moves under
    each model and the probability of each player.

    With `side`, or `player` (a prefix of the unknown player's name), the moves are those of one player, and the
    last row combines all games."""
    texts = [(f"model {number}", model.toml) for number, model in enumerate(models, 1)]
    answer = _native.who_played(texts, _listed(games), list((prior or {}).items()), side, player)
    told = _answer(answer)["who"]
    rows = [*told["games"], *([told["together"]] if "together" in told else [])]
    names = told["players"]
    if len(set(names)) < len(names):
        names = [f"{name} ({number})" for number, name in enumerate(names, 1)]
    columns = (
        {
            "what": own["what"],
            "moves": own["moves"],
            **{f"bits {name}": bits for name, bits in zip(names, own["bits"])},
            **{f"probability {name}": share for name, share in zip(names, own["posterior"])},
            "untypical": own["untypical"],
        }
        for own in rows
    )
    return frame(columns_from(columns))


def compare(first: PlayerModel, second: PlayerModel) -> Any:
    """A frame of the differences of two players' weights, with standard errors and p-values; the row without an
    attribute is a joint test of all weights."""
    answer = _native.compare_players(("first model", first.toml), ("second model", second.toml))
    rows = []
    for phase, own in _answer(answer)["parts"]:
        name = {} if phase is None else {"phase": phase}
        for one in own["differences"]:
            values = dict(zip(("first", "second"), one["values"]))
            rows.append({**name, "attribute": one["attribute"], **values, "difference": one["difference"]})
            rows[-1].update({"se": one["std-error"], "p": one["p"]})
        rows.append({**name, "attribute": None, "p": own["p"]})
    return frame(columns_from(rows))
