"""The examples of pages, of docstrings and of notebooks run."""

from __future__ import annotations

import doctest
import importlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))


def test_the_page_prints_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    page = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "python.md", "python.md", 0)
    results = doctest.DocTestRunner().run(page)
    assert results.attempted > 8 and results.failed == 0


def test_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "python" / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(block, {})
    assert "grandparent(" in capsys.readouterr().out


MODULES = ("_estimator", "_frames", "_prolog", "_theory", "_toml", "chess", "ilp", "lab", "minesweeper", "qsim")


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_print_what_they_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    monkeypatch.chdir(ROOT)
    results = doctest.testmod(importlib.import_module(f"kibitz.{name}"))
    assert results.attempted > 0 and results.failed == 0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    if path.stem == "family":
        pytest.importorskip("pandas")
    if path.stem == "player":
        pytest.importorskip("polars")
    names: dict[str, object] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
