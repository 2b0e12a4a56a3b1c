"""CPU time of the package: `python measure.py import`, `facts`, or `games FILE`."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
from typing import Callable


def processor_time() -> float:
    """Seconds of this process and of those that it waited for."""
    times = os.times()
    return sum(times[:4])


def best(work: Callable[[], object], times: int = 3) -> float:
    """The fewest CPU seconds of some runs."""
    seconds = []
    for _ in range(times):
        start = processor_time()
        work()
        seconds.append(processor_time() - start)
    return min(seconds)


def imported() -> None:
    """A new process that imports the package, beside one that imports nothing."""
    with_package = best(lambda: subprocess.run([sys.executable, "-c", "import kibitz"], check=True), 20)
    without = best(lambda: subprocess.run([sys.executable, "-c", ""], check=True), 20)
    print(f"import kibitz: {1000 * (with_package - without):.0f} ms")


def facts() -> None:
    """A million rows of two columns of names, from a frame to the learner's own terms."""
    import polars

    from kibitz.ilp import RuleLearner

    draw = random.Random(1)
    names = [f"n{number}" for number in range(100_000)]
    parent = polars.DataFrame({side: draw.choices(names, k=1_000_000) for side in ("of", "child")})
    pairs = list(zip(parent["of"], parent["child"]))
    pos, neg = pairs[:20], [(b, a) for a, b in pairs[:20]]
    model = RuleLearner({"parent": parent}, learner="foil", max_body=1)
    print(f"a million facts as text: {best(lambda: model._texts(2, model.background).texts):.2f} s")
    print(f"read, and a rule learned: {best(lambda: model.fit(pos, neg=neg), 1):.2f} s")
    print(model.theory_)


def games(path: str) -> None:
    """A collection as columns, and taken over by polars."""
    import polars

    from kibitz import chess

    for moves in ("san", "uci", None):
        start = processor_time()
        table = chess.read_games(path, moves=moves)
        read = processor_time() - start
        taken = best(lambda: polars.DataFrame(table))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"moves {moves}: {len(table):,} games in {read:.1f} s, {len(table) / read:,.0f} games/s; "
            f"taken over in {1000 * taken:.0f} ms; at most {peak:.0f} MiB"
        )


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["import"]
    kinds: dict[str, Callable[..., None]] = {"import": imported, "facts": facts, "games": games}
    kinds[what](*rest)
