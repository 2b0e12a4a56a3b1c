"""Ranks test triples by a file of rules in AnyBURL's syntax, plainly: a reference for `kibitz-ilp graph evaluate`.

    python3 crates/graph/scripts/reference.py RULES.tsv TRAIN.tsv VALID.tsv TEST.tsv

Prints the filtered mean reciprocal rank of both directions together, and Hits@1, 3 and 10. All rules are applied to
all pairs of entities; it suits graphs of some dozens of entities. Strengths are compared in single precision.
"""

import collections
import re
import struct
import sys

UNSEEN = 5


def single(x):
    """A number in single precision."""
    return struct.unpack("f", struct.pack("f", x))[0]


def read(path):
    """The triples of a file, in order."""
    with open(path, encoding="utf-8") as file:
        return [tuple(line.rstrip("\n").split("\t")) for line in file if line.strip()]


def literals(text):
    """Relation, first and second argument of each literal."""
    return re.findall(r"([^\s(]+)\(([^,()]+),([^,()]+)\)", text)


def is_variable(term):
    return re.fullmatch("[A-Z]", term) is not None


def bindings(body, facts, bound):
    """All bindings of the variables of a body; different terms are different entities."""
    if not body:
        yield bound
        return
    relation, *terms = body[0]
    for pair in facts[relation]:
        longer = dict(bound)
        for term, entity in zip(terms, pair):
            if term in longer:
                if longer[term] != entity:
                    break
            elif entity in longer.values():
                break
            else:
                longer[term] = entity
        else:
            yield from bindings(body[1:], facts, longer)


def weight(head, body):
    """Rules of little meaning weigh less: those without a body, and those that only have a constant in the head."""
    if not body:
        return 0.01
    has_constant = not all(map(is_variable, head[1:]))
    is_open = has_constant and all(is_variable(t) for _, *terms in body for t in terms)
    return 0.1 if is_open else 1.0


def predicted(head, body, asked, facts, entities):
    """The pairs that a rule predicts where the first (0) or the second (1) entity is asked for."""
    relation, *terms = head
    if body:
        constants = {t: t for _, *own in (head, *body) for t in own if not is_variable(t)}
        return {tuple(bound[t] for t in terms) for bound in bindings(body, facts, constants)}
    # Without a body: any entity if it is given, and what has the relation if it is asked for.
    place = 0 if is_variable(terms[0]) else 1
    constant = terms[1 - place]
    others = {pair[place] for pair in facts[relation]} if asked == place else set(entities)
    return {(e, constant) if place == 0 else (constant, e) for e in others - {constant}}


def main():
    rules_path, *paths = sys.argv[1:]
    train, valid, test = map(read, paths)
    known = {*train, *valid, *test}
    entities = sorted({e for head, _, tail in known for e in (head, tail)})
    facts = collections.defaultdict(list)
    for head, relation, tail in dict.fromkeys(train):
        facts[relation].append((head, tail))

    # By the place that is asked for and the triple: strengths of the rules that predict it.
    strengths = [collections.defaultdict(list), collections.defaultdict(list)]
    with open(rules_path, encoding="utf-8") as file:
        for line in file:
            body_count, support, _, text = line.rstrip("\n").split("\t")
            left, right = text.split("<=")
            (head,), body = literals(left), literals(right)
            strength = single(weight(head, body) * int(support) / (int(body_count) + UNSEEN))
            for asked in (0, 1):
                for pair in predicted(head, body, asked, facts, entities):
                    strengths[asked][(head[0], *pair)].append(strength)

    ranks = []
    for head, relation, tail in test:
        for asked in (0, 1):
            def own(entity):
                pair = (entity, tail) if asked == 0 else (head, entity)
                return sorted(strengths[asked][(relation, *pair)], reverse=True)

            answer = (head, tail)[asked]
            best = own(answer)
            better = equal = 0
            for entity in entities:
                made = (entity, relation, tail) if asked == 0 else (head, relation, entity)
                if entity == answer or made in known:
                    continue
                other = own(entity)
                better += other > best
                equal += other == best
            ranks.append(1 + better + equal / 2)
    n = len(ranks)
    hits = [sum(rank <= at for rank in ranks) / n for at in (1, 3, 10)]
    print(" ".join(f"{x:.4f}" for x in [sum(1 / rank for rank in ranks) / n, *hits]))


main()
