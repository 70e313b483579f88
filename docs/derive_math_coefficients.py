"""Derives `lowering/loops/expand_math/coefficients.py`; prints it with the approximation error.

Run it with `python docs/derive_math_coefficients.py`; it needs only numpy. Each fit is a least
squares problem, solved again and again with more weight where the error is large, until the error
oscillates evenly (Lawson's iteration): a near-minimax approximation of the relative error. Where f64 has
too few digits for that, a power series is interpolated at Chebyshev's nodes in exact arithmetic.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev, polynomial

Array = np.ndarray
ROUNDS = 200


class Fit(NamedTuple):
    """A polynomial or rational function, constant terms first, and its largest relative error."""

    numerator: Array
    denominator: Array
    error: float


def lawson(
    system: Callable[[Array], tuple[Array, Array]], error: Callable[[Array], Array]
) -> Array:
    """The solution of matrix @ x = target with the least maximal `error(x)` that the rounds meet;
    `system` makes matrix and target from the solution of the round before."""
    solution, best, least, weights = np.zeros(0), np.zeros(0), math.inf, np.ones(1)
    for round_ in range(ROUNDS):
        matrix, target = system(solution)
        root = np.sqrt(weights) * np.ones(len(target))
        scale = np.linalg.norm(matrix * root[:, None], axis=0)
        solution = np.linalg.lstsq(matrix * root[:, None] / scale, target * root, rcond=1e-18)[0]
        solution = solution / scale
        errors = error(solution)
        if errors.max() < least:
            best, least = solution, errors.max()
        if round_ > 5:
            weights = weights * (errors / errors.mean() + 1e-3)
            weights = weights / weights.mean()
    return best


def fit_rational(f: Callable[[Array], Array], top: float, degree: int, less: int = 0) -> Fit:
    """P / Q near f(u) on [0, top], with Q(0) = 1 and P(0) = f(0), so that tiny arguments are exact. The
    degree is that of Q, and `less` for P.

    P - f Q = 0 is linear in the coefficients; divided by f and the last round's Q it is the
    relative error.
    """
    t = np.cos(np.pi * (np.arange(4000) + 0.5) / 4000)
    at_zero, values = f(np.zeros(1))[0], f((t + 1) / 2 * top)
    at_left = (-1.0) ** np.arange(1, degree + 1)
    basis = chebyshev.chebvander(t, degree)[:, 1:] - at_left  # each column vanishes at u = 0
    count = degree - less
    above = basis[:, :count]

    def numerator(x: Array) -> Array:
        return at_zero + above @ x[:count]

    def denominator(x: Array) -> Array:
        return 1 + basis @ x[count:] if x.size else np.ones_like(t)

    def system(x: Array) -> tuple[Array, Array]:
        last = denominator(x)
        matrix = np.hstack([above / values[:, None], -basis]) / last[:, None]
        return matrix, (1 - at_zero / values) / last

    def error(x: Array) -> Array:
        return np.abs(numerator(x) / (values * denominator(x)) - 1)

    def monomials(x: Array, constant: float) -> Array:
        series = chebyshev.cheb2poly(np.concatenate([[constant - x @ at_left[: x.size]], x]))
        result = np.zeros(1)
        for coefficient in series[::-1]:
            shifted = polynomial.polymul(result, [-1.0, 2 / top])
            result = polynomial.polyadd(shifted, [coefficient])
        return result[: x.size + 1]

    x = lawson(system, error)
    return Fit(monomials(x[:count], at_zero), monomials(x[count:], 1.0), error(x).max())


def fit_exp(degree: int) -> Fit:
    """q of a degree with exp(r) near 1 + r + r * r * q(r) on +-ln(2) / 2 and a little beyond."""
    r = np.cos(np.pi * (np.arange(2000) + 0.5) / 2000) * math.log(2) / 2 * 1.01
    series = sum(r**k / math.factorial(k + 2) for k in range(16))
    matrix = np.vander(r, degree + 1, increasing=True) * (r * r / np.exp(r))[:, None]
    target = series * r * r / np.exp(r)

    def error(x: Array) -> Array:
        return np.abs(matrix @ x - target)

    x = lawson(lambda _: (matrix, target), error)
    return Fit(x, np.ones(1), error(x).max())


def fit_half_exp(degree: int) -> Fit:
    """exp(-r / 2) as a polynomial that is 1 at 0, on +-ln(2) and a little beyond."""
    r = np.cos(np.pi * (np.arange(2000) + 0.5) / 2000) * math.log(2) * 1.002
    matrix = np.vander(r, degree + 1, increasing=True)[:, 1:] * np.exp(r / 2)[:, None]
    target = 1 - np.exp(r / 2)

    def error(x: Array) -> Array:
        return np.abs(matrix @ x - target)

    x = lawson(lambda _: (matrix, target), error)
    return Fit(np.concatenate([[1.0], x]), np.ones(1), error(x).max())


def fit_log(degree: int) -> Fit:
    """q of a degree with log(1 + f) near f - f * f / 2 + f * f * f * q(f) for f in +-1/3."""
    f = np.cos(np.pi * (np.arange(4000) + 0.5) / 4000) / 3 * 1.001
    exact = np.log1p(f)
    series = sum((-f) ** k / (k + 3) for k in range(80))  # nothing cancels, as it would in log1p
    matrix = np.vander(f, degree + 1, increasing=True) * (f**3 / exact)[:, None]
    target = series * f**3 / exact

    def error(x: Array) -> Array:
        return np.abs(matrix @ x - target)

    x = lawson(lambda _: (matrix, target), error)
    return Fit(x, np.ones(1), error(x).max())


def economise(series: Sequence[Fraction], low: float, high: float, degree: int) -> list[float]:
    """The polynomial that meets a power series at Chebyshev's nodes of an interval."""
    centre, radius = (low + high) / 2, (high - low) / 2
    angles = [math.pi * (i + 0.5) / (degree + 1) for i in range(degree + 1)]
    nodes = [Fraction(centre + radius * math.cos(angle)) for angle in angles]
    differences = [value(series, node) for node in nodes]
    for step in range(1, degree + 1):
        for i in range(degree, step - 1, -1):
            rise = differences[i] - differences[i - 1]
            differences[i] = rise / (nodes[i] - nodes[i - step])
    result = [Fraction(0)] * (degree + 1)
    for node, difference in zip(reversed(nodes), reversed(differences)):
        result = [a - node * b for a, b in zip([Fraction(0), *result], result)]
        result[0] += difference
    return [float(coefficient) for coefficient in result]


def value(series: Sequence[Fraction], x: Fraction) -> Fraction:
    """A polynomial by Horner's rule."""
    result = Fraction(0)
    for coefficient in reversed(series):
        result = result * x + coefficient
    return result


def terms(coefficient: Callable[[int], Fraction], count: int = 60) -> list[Fraction]:
    """The first coefficients of a power series."""
    return [coefficient(k) for k in range(count)]


LN2 = sum((Fraction(1, k * 2**k) for k in range(1, 120)), Fraction(0))
EIGHTH, QUARTER = math.tan(math.pi / 8), math.pi / 4 + 0.005


def economised() -> dict[str, list[float]]:
    """The polynomials in use that come from power series."""

    def asin(k: int) -> Fraction:
        return Fraction(math.comb(2 * k + 2, k + 1), 4 ** (k + 1) * (2 * k + 3))

    def alternating(k: int, divisor: int) -> Fraction:
        return Fraction((-1) ** (k + 1), divisor)

    return {
        "sin": economise(
            terms(lambda k: alternating(k, math.factorial(2 * k + 3)), 20), 0, QUARTER**2, 2
        ),
        "cos": economise(
            terms(lambda k: alternating(k, math.factorial(2 * k + 2)), 20), 0, QUARTER**2, 3
        ),
        "exp2": economise(
            terms(lambda k: LN2 ** (k + 1) / math.factorial(k + 1), 30), -0.5001, 0.5001, 5
        ),
        "atanh": economise(terms(lambda k: Fraction(1, 2 * k + 3)), 0, 0.0401, 3),
        "atanh_double": economise(terms(lambda k: Fraction(1, 2 * k + 5)), 0, 0.0401, 7),
        "log1p": economise(terms(lambda k: Fraction(2, 2 * k + 3)), 0, 1 / 9, 3),
        "log1p_double": economise(terms(lambda k: Fraction(2, 2 * k + 3)), 0, 1 / 9, 9),
        "log_double": economise(terms(lambda k: Fraction(2, 2 * k + 3)), 0, 0.04, 8),
        "atan_double": economise(
            terms(lambda k: alternating(k, 2 * k + 3)), 0, EIGHTH**2 * 1.0001, 11
        ),
        "asin_double": economise(terms(asin, 70), 0, 0.25, 13),
    }


def pi(bits: int) -> Fraction:
    """By Machin's formula."""
    one = 1 << bits

    def arc_tangent_of_inverse(n: int) -> int:
        total, power, k = 0, one // n, 0
        while power:
            total += (-1) ** k * power // (2 * k + 1)
            power, k = power // (n * n), k + 1
        return total

    return Fraction(4 * (4 * arc_tangent_of_inverse(5) - arc_tangent_of_inverse(239)), one)


def convergents(x: Fraction) -> Iterator[Fraction]:
    """The best approximations of a number, by its continued fraction."""
    p, q, next_p, next_q = 0, 1, 1, 0
    while True:
        whole = x.numerator // x.denominator
        p, q, next_p, next_q = next_p, next_q, whole * next_p + p, whole * next_q + q
        yield Fraction(next_p, next_q)
        if x == whole:
            return
        x = 1 / (x - whole)


def fold(size: int) -> tuple[float, float]:
    """A number of f64 next to 2**size that is nearest to a multiple of 2 pi, and by how much it exceeds
    that: `m * 2**e` is near for the denominators m of what approximates `2**e / (2 pi)`."""
    turn, found = 2 * pi(1400), list[tuple[Fraction, float]]()
    for e in range(size - 53, size - 47):
        best = Fraction(0)
        for best_next in convergents(Fraction(2) ** e / turn):
            if best_next.denominator >= 2**53:
                break
            best = best_next
        number = best.denominator * Fraction(2) ** e
        if 2 ** (size - 1) <= number < 2 ** (size + 1):
            found.append((number - best.numerator * turn, float(number)))
    excess, number = min(found, key=lambda pair: abs(pair[0]))
    return number, float(excess)


def cube_root_guess(bias: int, digits: int) -> int:
    """The number from which a third of the bits of an f64 is subtracted for the best guess of x**(-1/3)."""
    m = np.linspace(1, 8, 200001)

    def error(sigma: float) -> float:
        guess = round(4 / 3 * (1023 - sigma) * 2**52)
        r = (guess - (m.view(np.int64) >> 32) * (2**32 // 3)).view(np.float64)
        return np.abs(1 - m * r**3).max()

    sigma = min(np.linspace(0, 0.09, 91), key=error)
    return round(4 / 3 * (bias - sigma) * 2**digits)


def over_x(function: Callable[[float], float], slope: float) -> Callable[[Array], Array]:
    """function(x) / x as a function of u = x * x, for an odd function with slope `slope` at 0."""

    def ratio(u: float) -> float:
        x = math.sqrt(u)
        return slope if x < 1e-8 else function(x) / x

    return np.vectorize(ratio)


def normal_tail(a: float) -> float:
    """P(X <= -a) / exp(-a * a / 2) for a normal X."""
    return math.erfc(a * math.sqrt(0.5)) / 2 * math.exp(a * a / 2)


def derive() -> dict[str, Fit]:
    """The approximations in use: beyond the ends of these ranges f32 rounds the function to 1."""
    return {
        "exp": fit_exp(4),
        "tanh": fit_rational(over_x(math.tanh, 1.0), 9.02**2, 4),
        "log": fit_log(7),
        "atan": fit_rational(over_x(math.atan, 1.0), 1.0, 3),
        "asin": fit_rational(over_x(math.asin, 1.0), 0.25, 2),
        "tan": fit_rational(over_x(math.tan, 1.0), QUARTER**2, 2),
        "erf": fit_rational(over_x(math.erf, 2 / math.sqrt(math.pi)), 3.92**2, 5),
        "erfcx": fit_rational(np.vectorize(lambda x: math.erfc(x) * math.exp(x * x)), 10.1, 5, 1),
        "half_exp": fit_half_exp(5),
        "normal_tail": fit_rational(np.vectorize(normal_tail), 14.3, 4, 1),
    }


if __name__ == "__main__":
    for name, (numerator, denominator, error) in derive().items():
        print(f"{name}: relative error {error:.2e} = {error * 2**24:.3f} * 2^-24")
        for coefficients in (numerator, denominator):
            print("   ", ", ".join(f"{np.float32(c):.9g}" for c in coefficients))
    for name, series in economised().items():
        print(f"{name}: {series}")
    print(f"folds: {fold(86)} {fold(44)}")
    print(f"cube root: {cube_root_guess(127, 23):#x} {cube_root_guess(1023, 52):#x}")
