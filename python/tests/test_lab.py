"""Published values beside reproduced ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kibitz import KibitzError, lab

PUBLISHED = {"group": ["low", "middle", "high"], "mean": ["53.7", "90.6", "2.60"], "n": ["4", "4", "4"]}
REPRODUCED = {"group": ["low", "middle", "high"], "mean": [53.675, 90.65, 2.58], "n": [4, 4, 4]}


def cells(compared: lab.Comparison) -> dict[tuple[str, str], str]:
    values = compared.values
    return {(row, column): word for row, column, word in zip(values["row"], values["column"], values["outcome"])}


def test_plain_tables_are_compared_at_their_published_digits() -> None:
    compared = lab.compare(PUBLISHED, REPRODUCED)
    assert not compared.matches
    assert cells(compared)["low", "mean"] == "matches"
    assert cells(compared)["high", "mean"] == "differs (unexplained)"
    assert list(compared.values["reason"])[-2] == "2.58 rounds to 2.58, not 2.60"
    assert str(compared).startswith("6 values: ")
    assert compared.p is None
    assert "fewer than 4 rows" in compared.summary[1]


def test_a_number_has_no_zeros_at_its_end() -> None:
    assert lab.compare({"row": ["a"], "x": [2.60]}, {"row": ["a"], "x": [2.58]}).matches


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_give_frames(kind: str) -> None:
    frames = pytest.importorskip(kind)
    published, reproduced = frames.DataFrame(PUBLISHED), frames.DataFrame(REPRODUCED)
    compared = lab.compare(published, reproduced)
    assert isinstance(compared.values, frames.DataFrame)
    assert cells(compared) == cells(lab.compare(PUBLISHED, REPRODUCED))
    if kind == "pandas":
        indexed = lab.compare(published.set_index("group"), reproduced.set_index("group"))
        assert cells(indexed) == cells(compared)


def test_files_tolerances_and_permutations(tmp_path: Path) -> None:
    published = tmp_path / "published.csv"
    published.write_text("row,x,x-tolerance\n" + "".join(f"r{at},{at}.5,0.2\n" for at in range(6)))
    compared = lab.compare(published, {"row": [f"r{at}" for at in range(6)], "x": [at + 0.6 for at in range(6)]})
    assert compared.matches and compared.p is not None and compared.p < 0.05
    assert list(compared.values["reason"])[0].startswith("0.1 apart, within the tolerance 0.2")


def test_rows_may_be_named_by_several_columns() -> None:
    table = {"a": ["x", "x"], "b": ["1", "2"], "v": ["3", "4"]}
    compared = lab.compare(table, table, by=["a", "b"])
    assert compared.matches and list(compared.values["row"]) == ["x, 1", "x, 2"]


@pytest.mark.parametrize(
    ("published", "reproduced", "message"),
    [
        ([1, 2], REPRODUCED, "the published values are list: expected a frame or the path of a CSV file"),
        ({"g": ["a", "b"], "x": ["1"]}, REPRODUCED, "the columns of the published values differ in length"),
        ({"g": ["a", "a"], "x": ["1", "2"]}, REPRODUCED, "published.csv: line 3: row `a` is also on line 2"),
        ({"g": ["a", "b"], "x": ["1", "two"]}, REPRODUCED, "found `two` among numbers"),
    ],
)
def test_what_cannot_be_compared_says_where(published: Any, reproduced: Any, message: str) -> None:
    with pytest.raises(KibitzError, match=".*") as error:
        lab.compare(published, reproduced)
    assert message in str(error.value)


def test_a_missing_file_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        lab.compare(tmp_path / "none.csv", REPRODUCED)
