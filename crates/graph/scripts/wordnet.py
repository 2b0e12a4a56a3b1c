"""Makes a knowledge graph of WordNet 3.0, split into training, validation and test triples.

    apt-get install wordnet-base
    python3 crates/graph/scripts/wordnet.py /usr/share/wordnet FOLDER [SEED]

Entities are the synsets that are in three triples at least. Of two relations that are inverses of each other only one
is kept, and of a symmetric one each pair once: no test triple follows from its own inverse. A test or validation
triple is in the split only if both of its synsets are in other triples of the training set. The order of the triples
is that of SHA-256 over the seed and the triple, so that the split is the same everywhere.
"""

import collections
import hashlib
import pathlib
import sys

# One of each pair of inverse pointers, by the signs of WordNet's files.
RELATIONS = {
    "@": "hypernym",
    "@i": "instance_hypernym",
    "#m": "member_holonym",
    "#p": "part_holonym",
    "#s": "substance_holonym",
    ";c": "topic_domain",
    ";r": "region_domain",
    ";u": "usage_domain",
    "*": "entailment",
    ">": "cause",
    "<": "participle_of",
    "\\": "pertains_to",
    "+": "derivationally_related",
    "!": "antonym",
    "=": "attribute",
    "^": "also_see",
    "$": "verb_group",
    "&": "similar_to",
}
SYMMETRIC = {
    "derivationally_related",
    "antonym",
    "attribute",
    "also_see",
    "verb_group",
    "similar_to",
}
FEWEST = 3
SHARE = 20


def triples(folder):
    """The triples of all four files, each once."""
    names = {}
    found = set()
    for part in ["noun", "verb", "adj", "adv"]:
        text = (folder / f"data.{part}").read_text(encoding="latin-1")
        for line in text.splitlines():
            if line.startswith("  "):
                continue
            fields = line.split("|")[0].split()
            # Satellites are adjectives.
            own = fields[2].replace("s", "a") + fields[0]
            n_words = int(fields[3], 16)
            names[own] = f"{fields[4].split('(')[0].lower()}.{own}"
            at = 4 + 2 * n_words
            for pointer in range(int(fields[at])):
                sign, offset, kind, _ = fields[at + 1 + 4 * pointer : at + 5 + 4 * pointer]
                relation = RELATIONS.get(sign)
                other = kind.replace("s", "a") + offset
                if relation is None or other == own:
                    continue
                if relation in SYMMETRIC:
                    found.add((min(own, other), relation, max(own, other)))
                else:
                    found.add((own, relation, other))
    return {(names[head], relation, names[tail]) for head, relation, tail in found}


def core(found):
    """The triples whose synsets are all in some number of them."""
    while True:
        degrees = collections.Counter(e for head, _, tail in found for e in (head, tail))
        kept = {t for t in found if min(degrees[t[0]], degrees[t[2]]) >= FEWEST}
        if kept == found:
            return kept
        found = kept


def split(found, seed):
    """Training, validation and test triples."""
    order = sorted(found, key=lambda t: hashlib.sha256("\t".join((seed, *t)).encode()).digest())
    degrees = collections.Counter(e for head, _, tail in order for e in (head, tail))
    relations = collections.Counter(relation for _, relation, _ in order)
    wanted = len(order) // SHARE
    parts = {"test": [], "valid": [], "train": []}
    for triple in order:
        head, relation, tail = triple
        part = next((p for p in ("test", "valid") if len(parts[p]) < wanted), "train")
        if min(degrees[head], degrees[tail], relations[relation]) < 2:
            part = "train"
        if part != "train":
            degrees.subtract((head, tail))
            relations.subtract((relation,))
        parts[part].append(triple)
    return parts


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    source, target = map(pathlib.Path, sys.argv[1:3])
    seed = sys.argv[3] if len(sys.argv) == 4 else "1"
    target.mkdir(parents=True, exist_ok=True)
    for part, own in split(core(triples(source)), seed).items():
        lines = ["\t".join(triple) + "\n" for triple in sorted(own)]
        (target / f"{part}.tsv").write_text("".join(lines), encoding="utf-8", newline="")
        print(f"{part}: {len(own)} triples")


main()
