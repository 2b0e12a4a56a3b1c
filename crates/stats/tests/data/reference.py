"""Writes choices.csv, samples.csv and expected.csv, against which the crate is tested.

The values come from implementations that share nothing with the crate:
numpy 2.4.6, scipy 1.17.1 and statsmodels 0.15.0 under Python 3.11.

    python3 -m venv venv && venv/bin/pip install numpy scipy statsmodels
    venv/bin/python reference.py
"""

import numpy as np
from scipy import optimize, special, stats
from statsmodels.discrete.conditional_models import ConditionalLogit
from statsmodels.stats.proportion import proportion_confint, proportions_ztest

rng = np.random.default_rng(20000803)
expected = []


def expect(name, *values):
    expected.append(",".join([name] + [repr(float(v)) for v in values]))


# Conditional logit: 150 choices, 30 games, attributes like material, mobility (halves) and checks.
rows, sets = [], []
for index in range(150):
    n = int(rng.integers(2, 12))
    x = np.column_stack(
        [rng.integers(-2, 3, n), rng.integers(-20, 21, n) / 2, rng.integers(0, 2, n)]
    )
    p = special.softmax(x @ [0.6, 0.05, 0.4])
    chosen = int(rng.choice(n, p=p))
    sets.append((x, chosen))
    rows += [(index, index // 5, int(i == chosen), *x[i]) for i in range(n)]
with open("choices.csv", "w") as file:
    file.write("# 150 simulated choices; made by reference.py\n")
    file.write("set,group,chosen,material,mobility,check\n")
    for set_, group, chosen, a, b, c in rows:
        file.write(f"{set_},{group},{chosen},{a:g},{b:g},{c:g}\n")


def log_likelihood(w):
    return sum(x[c] @ w - special.logsumexp(x @ w) for x, c in sets)


def gradient(w):
    return sum(x[c] - special.softmax(x @ w) @ x for x, c in sets)


table = np.array(rows)
fit = ConditionalLogit(table[:, 2], table[:, 3:], groups=table[:, 0]).fit(
    method="newton", tol=1e-14, disp=False
)
# A second opinion on the maximum: the root of the gradient.
root = optimize.root(gradient, fit.params, tol=1e-15)
assert np.allclose(root.x, fit.params, rtol=0, atol=1e-9)
expect("logit weights", *root.x)
expect("logit log-likelihood", log_likelihood(root.x))
information = sum(
    np.cov(x.T, aweights=special.softmax(x @ root.x), bias=True) for x, _ in sets
)
expect("logit std errors", *np.sqrt(np.diag(np.linalg.inv(information))))
assert np.allclose(np.sqrt(np.diag(np.linalg.inv(information))), fit.bse, rtol=1e-4)
expect("logit uniform bits", sum(np.log2(len(x)) for x, _ in sets))
expect("logit log-likelihood at 0.3 -0.1 1", log_likelihood(np.array([0.3, -0.1, 1.0])))
expect("logit gradient at 0.3 -0.1 1", *gradient(np.array([0.3, -0.1, 1.0])))

# Summaries of 60 rows: a normal sample, a wide one, and a skewed one that depends on the first.
normal = rng.normal(size=60).round(6)
wide = (1e4 + 100 * rng.normal(size=60)).round(6)
skewed = (3 + 1.5 * normal + rng.exponential(size=60)).round(6)
samples = {"normal": normal, "wide": wide, "skewed": skewed}
with open("samples.csv", "w") as file:
    file.write("# Three samples, row by row; made by reference.py\n")
    file.write(",".join(samples) + "\n")
    for row in zip(*samples.values()):
        file.write(",".join(repr(float(value)) for value in row) + "\n")
for name, values in samples.items():
    expect(f"mean {name}", values.mean())
    expect(f"std dev {name}", values.std(ddof=1))
    expect(f"quantiles {name}", *np.quantile(values, [0.0, 0.1, 0.25, 0.5, 0.975, 1.0]))

# Intervals.
for successes, trials, level in [(7, 50, 0.95), (0, 12, 0.9), (499, 500, 0.99)]:
    low, high = proportion_confint(successes, trials, alpha=1 - level, method="wilson")
    expect(f"wilson {successes} {trials} {level}", max(low, 0.0), min(high, 1.0))
for level in [0.5, 0.95, 0.999]:
    expect(f"wald {level}", *stats.norm.interval(level, loc=2, scale=0.25))

with open("expected.csv", "w") as file:
    file.write("# Reference values; made by reference.py\n")
    file.write("\n".join(expected) + "\n")
