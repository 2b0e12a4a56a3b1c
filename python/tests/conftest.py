"""The programs, and data of the checkout."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Callable

import pytest

ROOT = Path(__file__).resolve().parents[2]

Program = Callable[..., str]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Runs a program in a folder of its own: its output, if it ends with one of the `codes`."""
    folder = os.environ.get("KIBITZ_PROGRAMS")
    if folder is None:
        pytest.skip("KIBITZ_PROGRAMS names no folder of programs")

    def run(name: str, *arguments: object, codes: tuple[int, ...] = (0,), stream: str = "stdout") -> str:
        command = [str(Path(folder) / name), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode in codes, f"{command}\n{done.stderr}"
        return str(getattr(done, stream))

    return run


def first_games(name: str, n: int, to: Path) -> Path:
    """The first games of a collection in `data/`, as a file in a folder."""
    text = (ROOT / "data" / name).read_text(encoding="utf-8")
    path = to / name
    path.write_text("".join("[Event " + game for game in text.split("[Event ")[1 : n + 1]), encoding="utf-8")
    return path
