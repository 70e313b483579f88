"""Parts of formulas in all the ways in which they are written."""

from __future__ import annotations

from relax_dialect.dpl import Pattern, is_op
from relax_dialect.rewrites.recognition.recognize.formula_numbers import FormulaNumbers


def product(a: Pattern, b: Pattern, c: Pattern) -> Pattern:
    """`a * b * c` in every order."""
    return (a * b) * c | (a * c) * b | a * (b * c)


def half(x: Pattern, numbers: FormulaNumbers) -> Pattern:
    """`x / 2`."""
    return x * numbers(0.5) | x / numbers(2.0)


def half_product(a: Pattern, b: Pattern, numbers: FormulaNumbers) -> Pattern:
    """`a * b / 2` in every order, halved by a factor or a divisor."""
    return product(a, b, numbers(0.5)) | (a * b) / numbers(2.0)  # (a / 2) * b as well


def square(x: Pattern, numbers: FormulaNumbers) -> Pattern:
    """`x * x`."""
    return x * x | is_op("power")(x, numbers(2.0)) | is_op("square")(x)


def scaled_square(x: Pattern, factor: Pattern, numbers: FormulaNumbers) -> Pattern:
    """`factor * x * x`."""
    return factor * square(x, numbers) | (factor * x) * x


def scaled_cube(x: Pattern, factor: Pattern, numbers: FormulaNumbers) -> Pattern:
    """`factor * x * x * x`."""
    second = square(x, numbers)
    cube = is_op("power")(x, numbers(3.0)) | second * x
    return factor * cube | scaled_square(x, factor, numbers) * x | (factor * x) * second


def root(x: Pattern, numbers: FormulaNumbers) -> Pattern:
    """`sqrt(x)`."""
    return is_op("sqrt")(x) | is_op("power")(x, numbers(0.5))


def inverse_root(x: Pattern, numbers: FormulaNumbers) -> Pattern:
    """`1 / sqrt(x)`."""
    power = is_op("power")(x, numbers(-0.5))
    below = root(x, numbers)
    return is_op("rsqrt")(x) | power | numbers(1.0) / below | is_op("reciprocal")(below)
