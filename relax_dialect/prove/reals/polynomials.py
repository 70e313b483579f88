"""Terms of z3 as polynomials with rational coefficients, so that equal sums and arguments have one form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

from relax_dialect.prove.scalars.real_numbers import real
from relax_dialect.prove.z3_package import z3

Monomial = tuple[tuple[int, int], ...]
"""The ids of terms, ordered, with their exponents."""

Reduction = Callable[[Any, int], tuple[Fraction, int]]
"""Returns a number and an exponent for a power of a term: 2 and 0 for the square of the root of 2."""


@dataclass
class Polynomials:
    """Polynomials in terms that are no sums or products themselves."""

    reduce: Reduction
    terms: dict[int, Any] = field(default_factory=dict)
    """The terms that occur, by their ids."""
    inverses: dict[int, int] = field(default_factory=dict)
    """The id of the inverse of a term; their product is 1."""

    def of(self, term: Any) -> Mapping[Monomial, Fraction]:
        """Return the polynomial of a term: coefficients by monomial, without zeros."""
        if z3.is_rational_value(term) or z3.is_int_value(term):
            return _constant(Fraction(str(term.as_fraction() if term.is_real() else term)))
        match term.decl().kind():
            case z3.Z3_OP_ADD:
                return _sum(*map(self.of, term.children()))
            case z3.Z3_OP_SUB:
                first, *rest = map(self.of, term.children())
                return _sum(first, *(_scaled(each, Fraction(-1)) for each in rest))
            case z3.Z3_OP_UMINUS:
                return _scaled(self.of(term.arg(0)), Fraction(-1))
            case z3.Z3_OP_MUL:
                return self._product(*map(self.of, term.children()))
            case z3.Z3_OP_POWER if z3.is_int_value(term.arg(1)) or _is_natural(term.arg(1)):
                return self._product(*[self.of(term.arg(0))] * int(str(term.arg(1))))
            case _:
                self.terms[term.get_id()] = term
                return {((term.get_id(), 1),): Fraction(1)}

    def _product(self, *factors: Mapping[Monomial, Fraction]) -> Mapping[Monomial, Fraction]:
        result: Mapping[Monomial, Fraction] = _constant(Fraction(1))
        for factor in factors:
            result = _sum(
                *(self._times(a, x, b, y) for a, x in result.items() for b, y in factor.items())
            )
        return result

    def _times(
        self, a: Monomial, x: Fraction, b: Monomial, y: Fraction
    ) -> Mapping[Monomial, Fraction]:
        powers = Counter(dict(a))
        powers.update(dict(b))
        for id, inverse in self.inverses.items():
            if common := min(powers[id], powers[inverse]):
                powers.subtract({id: common, inverse: common})
        found = x * y
        for id, exponent in [pair for pair in powers.items() if pair[1]]:
            number, powers[id] = self.reduce(self.terms[id], exponent)
            found *= number
        return {tuple(sorted((id, e) for id, e in powers.items() if e)): found}

    def factors(self, monomial: Monomial) -> Iterator[Any]:
        """Yield the factors of a monomial."""
        for id, exponent in monomial:
            yield from [self.terms[id]] * exponent

    def term(self, polynomial: Mapping[Monomial, Fraction]) -> Any:
        """Return a polynomial as a term; equal ones are one term."""
        parts = [
            prod(self.factors(monomial), start=real(number))
            for monomial, number in sorted(polynomial.items())
        ]
        return z3.simplify(z3.Sum(parts)) if parts else real(Fraction(0))


def _is_natural(term: Any) -> bool:
    return (
        z3.is_rational_value(term)
        and term.denominator_as_long() == 1
        and term.numerator_as_long() > 0
    )


def _constant(number: Fraction) -> Mapping[Monomial, Fraction]:
    return {(): number} if number else {}


def _scaled(polynomial: Mapping[Monomial, Fraction], by: Fraction) -> Mapping[Monomial, Fraction]:
    return {monomial: by * number for monomial, number in polynomial.items()}


def _sum(*polynomials: Mapping[Monomial, Fraction]) -> Mapping[Monomial, Fraction]:
    result: dict[Monomial, Fraction] = {}
    for polynomial in polynomials:
        for monomial, number in polynomial.items():
            result[monomial] = result.get(monomial, Fraction(0)) + number
    return {monomial: number for monomial, number in result.items() if number}
