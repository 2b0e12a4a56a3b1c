"""Writes regression.csv and regression_expected.csv, against which least squares is tested.

The values come from numpy 2.4.6 alone, under Python 3.11: coefficients from the singular value
decomposition in numpy.linalg.lstsq, standard errors from the pseudo-inverse, the order of entry by
trying every variable with lstsq at every step.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6
    venv/bin/python regression.py
"""

import numpy as np

rng = np.random.default_rng(19751201)
expected = []


def expect(name, *values):
    expected.append(",".join([name] + [repr(float(v)) for v in values]))


# 300 rows like the records of a chess program: points of many sizes that go together, whole numbers
# of pawns, a variable that is mostly 0, and one far from 0; the target is a small fraction.
n = 300
points = (100 * rng.normal(size=n)).round(3)
related = (0.8 * points + 30 * rng.normal(size=n)).round(3)
pawns = rng.integers(-3, 4, n).astype(float)
rare = np.where(rng.random(n) < 0.05, 56.0, 0.0)
offset = (10000 + 5 * rng.normal(size=n)).round(3)
score = (0.0002 * points + 0.01 * pawns - 0.0005 * rare + 0.03 * rng.normal(size=n)).round(6)
columns = {"points": points, "related": related, "pawns": pawns, "rare": rare, "offset": offset}
with open("regression.csv", "w") as file:
    file.write("# 300 simulated rows; made by regression.py\n")
    file.write(",".join([*columns, "score"]) + "\n")
    for row in zip(*columns.values(), score):
        file.write(",".join(repr(float(value)) for value in row) + "\n")


def fit(x, y, centered):
    # Centering is exact algebra: it changes neither coefficients nor residuals.
    x_mean, y_mean = (x.mean(axis=0), y.mean()) if centered else (0 * x[0], 0.0)
    z = x - x_mean
    scale = np.sqrt((z**2).mean(axis=0))
    slopes = np.linalg.lstsq(z / scale, y - y_mean, rcond=None)[0] / scale
    residuals = y - y_mean - z @ slopes
    freedom = len(y) - x.shape[1] - centered
    variance = residuals @ residuals / freedom
    inverse = np.linalg.pinv((z / scale).T @ (z / scale)) / np.outer(scale, scale)
    r_squared = 1 - residuals @ residuals / ((y - y_mean) @ (y - y_mean))
    constant = y_mean - x_mean @ slopes
    constant_error = np.sqrt(variance * (1 / len(y) + x_mean @ inverse @ x_mean)) if centered else 0.0
    return slopes, np.sqrt(variance * np.diag(inverse)), constant, constant_error, r_squared, variance


x = np.column_stack(list(columns.values()))
for name, centered in [("fitted", True), ("zero", False)]:
    slopes, errors, constant, constant_error, r_squared, variance = fit(x, score, centered)
    expect(f"coefficients {name}", *slopes)
    expect(f"std errors {name}", *errors)
    expect(f"constant {name}", constant, constant_error)
    expect(f"r squared {name}", r_squared)
    expect(f"residual std dev {name}", np.sqrt(variance))

# A second opinion without centering, where it is exact enough: no variable far from 0.
plain = np.column_stack([x[:, :4], np.ones(n)])
again = np.linalg.lstsq(plain, score, rcond=None)[0]
assert np.allclose(again[:4], fit(x[:, :4], score, True)[0], rtol=1e-11, atol=0)

chosen, left = [], list(range(x.shape[1]))
for _ in range(x.shape[1]):
    best = max(left, key=lambda v: fit(x[:, [*chosen, v]], score, True)[4])
    left.remove(best)
    chosen.append(best)
    slopes, errors, *_, r_squared, _ = fit(x[:, chosen], score, True)
    expect(f"step {len(chosen)}", best, r_squared, (slopes[-1] / errors[-1]) ** 2)

expect("correlations", *[np.corrcoef(column, score)[0, 1] for column in columns.values()])
expect("means", *x.mean(axis=0))
expect("std devs", *x.std(axis=0, ddof=1))
difference = points - related
expect("paired", difference.mean(), difference.std(ddof=1), difference.mean() / difference.std(ddof=1))

with open("regression_expected.csv", "w") as file:
    file.write("# Reference values; made by regression.py\n")
    file.write("\n".join(expected) + "\n")
