"""Makes the tab-separated splits of FB15k-237, NELL-995 and WN18RR from a clone of thunlp/OpenKE.

    git clone https://github.com/thunlp/OpenKE
    python3 crates/graph/scripts/openke.py OpenKE/benchmarks FOLDER

OpenKE writes a triple as the numbers of head, tail and relation; the names of the numbers are in two other files.
"""

import pathlib
import sys

GRAPHS = {"fb15k-237": "FB15K237", "nell-995": "NELL-995", "wn18rr": "WN18RR"}


def rows(path):
    """The fields of each line after the first, which is the number of lines."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines[1:] if line.strip()]


def names(path):
    """The name of each number."""
    return {number: name for name, number in rows(path)}


def main(source, target):
    """Writes three files for each graph."""
    for graph, folder in GRAPHS.items():
        entities = names(source / folder / "entity2id.txt")
        relations = names(source / folder / "relation2id.txt")
        (target / graph).mkdir(parents=True, exist_ok=True)
        for split in ["train", "valid", "test"]:
            triples = rows(source / folder / f"{split}2id.txt")
            lines = [f"{entities[head]}\t{relations[relation]}\t{entities[tail]}\n" for head, tail, relation in triples]
            (target / graph / f"{split}.tsv").write_text("".join(lines), encoding="utf-8", newline="")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
