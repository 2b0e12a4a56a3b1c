"""Plays boards with the probabilities of minesweepr.

    python3 minesweepr.py CHECKOUT BOARDS

CHECKOUT is a clone of https://github.com/mrgriscom/minesweepr, which is written for Python 2 and is
translated as it is loaded (lib2to3, up to Python 3.12). BOARDS is a file: a line with columns, rows
and mines, then a line a board, a character a tile (`*` is a mine). Uncovers the top left corner first,
then what is safe, or else the first tile, row by row, of least probability. Prints the processor
seconds of play, and a `1` for each board won, otherwise a `0`.
"""

import pathlib
import sys
import time
import types
import warnings

warnings.simplefilter("ignore")
from lib2to3 import refactor  # noqa: E402

EQUAL = 1e-9
"""Probabilities that differ by less are the same."""


def load(checkout):
    """The module `minesweeper` of a checkout, in Python 3."""
    tool = refactor.RefactoringTool(refactor.get_fixers_from_package("lib2to3.fixes"))
    for name in ["util", "minesweeper"]:
        text = (pathlib.Path(checkout) / f"{name}.py").read_text()
        module = types.ModuleType(name)
        sys.modules[name] = module
        exec(compile(str(tool.refactor_string(text, name)), name, "exec"), module.__dict__)
    # Python 2 put objects of equal priority in any order.
    sys.modules["util"].ImmutableMixin.__lt__ = lambda one, other: False
    return sys.modules["minesweeper"]


class Game:
    """A board, and what is uncovered of it."""

    def __init__(self, columns, rows, mines):
        self.mines = mines
        self.numbers = {}
        self.around = []
        for tile in range(columns * rows):
            row, column = divmod(tile, columns)
            near = [
                r * columns + c
                for r in range(max(row - 1, 0), min(row + 2, rows))
                for c in range(max(column - 1, 0), min(column + 2, columns))
            ]
            self.around.append([other for other in near if other != tile])

    def uncover(self, tile):
        """Uncovers a tile and what follows; whether it is none of the mines."""
        waiting = [tile]
        while waiting:
            tile = waiting.pop()
            if self.mines[tile] == "*":
                return False
            if tile not in self.numbers:
                around = self.around[tile]
                self.numbers[tile] = sum(self.mines[near] == "*" for near in around)
                if self.numbers[tile] == 0:
                    waiting.extend(around)
        return True

    def covered(self):
        return [tile for tile in range(len(self.mines)) if tile not in self.numbers]


def is_won(solver, columns, rows, n_mines, mines):
    game = Game(columns, rows, mines)
    total = solver.MineCount(columns * rows, n_mines)
    tiles = [0]
    while True:
        if not all(game.uncover(tile) for tile in tiles):
            return False
        covered = game.covered()
        if len(covered) == n_mines:
            return True
        rules = {solver.Rule(0, list(game.numbers))}
        for tile, number in game.numbers.items():
            near = [other for other in game.around[tile] if other not in game.numbers]
            if near:
                rules.add(solver.Rule(number, near))
        found = solver.solve(rules, total, "other")
        risks = [found.get(tile, found.get("other")) for tile in covered]
        safe = [tile for tile, risk in zip(covered, risks) if risk < EQUAL]
        least = min(risks)
        tiles = safe or [tile for tile, risk in zip(covered, risks) if risk <= least + EQUAL][:1]


def main():
    checkout, path = sys.argv[1:]
    solver = load(checkout)
    first, *boards = pathlib.Path(path).read_text().split("\n")[:-1]
    columns, rows, n_mines = map(int, first.split())
    start = time.process_time()
    won = [is_won(solver, columns, rows, n_mines, board) for board in boards]
    print(time.process_time() - start)
    print("".join("01"[int(each)] for each in won))


if __name__ == "__main__":
    main()
