"""Simulates a system file of kibitz-qsim with the Python package qualitative-qsim.

    python3 qualitative_qsim.py SYSTEM.toml '{"variable": "value", ...}' RUNS

The second argument is the complete initial state. Prints one JSON object: the behaviors as lists of
states, and the processor time of the fastest of RUNS simulations. Needs Python 3.11 and
`pip install --no-deps qualitative-qsim`.
"""

import json
import sys
import time
import tomllib

from qrlib.behavior import SimConfig
from qrlib.constraints import Add, Constant, Deriv, Minus, MMinus, MPlus, Mult
from qrlib.energy import EnergyFilter
from qrlib.engines.qsim import qsim
from qrlib.model import Model
from qrlib.quantity import Qdir

KINDS = {
    "add": Add,
    "mult": Mult,
    "minus": Minus,
    "m_plus": MPlus,
    "m_minus": MMinus,
    "deriv": Deriv,
    "constant": Constant,
}
INFINITIES = {"minf": "-inf", "inf": "+inf"}
BACK = {there: here for here, there in INFINITIES.items()}


def landmark(name):
    return INFINITIES.get(name, name)


def read(system):
    """The model of a parsed system file."""
    model = Model(system["title"])
    for name, entry in system["variables"].items():
        names = entry["landmarks"]
        model.variable(
            name,
            landmarks=tuple(n for n in names if n not in INFINITIES),
            lower_unbounded=names[0] == "minf",
            upper_unbounded=names[-1] == "inf",
        )
    for entry in system["constraints"]:
        rows = [tuple(map(landmark, row)) for row in entry.get("corresponding", [])]
        arguments = [*entry["of"], tuple(rows)] if rows else entry["of"]
        model.constrain(KINDS[entry["kind"]](*arguments))
    return model


def state(model, values):
    """The initial state: magnitudes and directions by variable."""
    found = {}
    for name, value in values.items():
        magnitude, direction = value.split("/")
        ends = tuple(map(landmark, magnitude.split("..")))
        found[name] = (ends if len(ends) == 2 else ends[0], Qdir[direction.upper()])
    return model.state(**found)


def show(frame, at, variables):
    """A state as kibitz-qsim writes it; its landmarks are counted from one."""
    shown = []
    for name in variables:
        value, space = at[name], frame.spaces[frame.index(name)]
        names = []
        for known in space.effective_landmarks:
            known = BACK.get(known, known)
            if "*" in known:
                stem, number = known.split("*")
                known = f"{stem}*{int(number) + 1}"
            names.append(known)
        low = names[value.mag // 2]
        magnitude = low if value.mag % 2 == 0 else f"{low}..{names[value.mag // 2 + 1]}"
        direction = "?" if value.dir is Qdir.IGN else value.dir.name.lower()
        shown.append(f"{magnitude}/{direction}")
    return shown


def main():
    path, initial, runs = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
    with open(path, "rb") as file:
        system = tomllib.load(file)
    simulation = system.get("simulation", {})
    model = read(system)
    start = state(model, initial)
    compiled = model.compile()
    filters = ()
    if "energy" in system:
        energy = system["energy"]
        trend = {"conserved": "conserved", "dissipated": "nonincreasing"}[energy["trend"]]
        filters = (EnergyFilter(trend=trend),)
    config = SimConfig(
        discover_landmarks=simulation.get("new-landmarks", False),
        dynamic_chatter=simulation.get("ignore-chatter", True),
        successor_filters=filters,
        backend="reference",
    )
    seconds = float("inf")
    for _ in range(runs):
        begin = time.process_time()
        result = qsim(compiled, start, config=config)
        seconds = min(seconds, time.process_time() - begin)
    nodes = result.graph.nodes
    behaviors = []
    for node in nodes.values():
        if node.terminal is None or node.terminal.name == "DEADEND":
            continue
        states, here = [], node
        while here is not None:
            states.append(show(here.model, here.state, system["variables"]))
            here = None if here.parent is None else nodes[here.parent]
        behaviors.append(states[::-1])
    print(json.dumps({"seconds": seconds, "states": len(nodes), "behaviors": behaviors}))


main()
