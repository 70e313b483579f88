"""Terms over the real numbers: sums are linear, exp and log obey their laws, and choices are polynomials.

    sum of (a * x[r] + b) over r     ->  a * sum of x[r] + b * size
    exp(a + b)                       ->  exp(a) * exp(b)
    log(exp(a) * b)                  ->  a + log(b)
    where(c, a, b)                   ->  [c] * a + (1 - [c]) * b, where [c] is 0 or 1
    1 / b, sqrt(a)                   ->  symbols with b * (1 / b) = 1, sqrt(a) ** 2 = a

A number of -1e4 or lower, with which masks hide scores, is a symbol whose exp is 0. A reduced index has the
same name wherever a sum is, so equal sums are one symbol.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from relax_dialect.prove.reals.polynomials import Monomial, Polynomials
from relax_dialect.prove.scalars.real_numbers import is_hiding, real, root_of, square_of
from relax_dialect.prove.scalars.terms import Terms, constants_in
from relax_dialect.prove.value_terms import Index
from relax_dialect.prove.z3_package import z3
from relax_dialect.symbolic import Expr, const, var

REAL = z3.RealSort()

GREATEST_POWER = 8
"""The greatest power of exp that is written as one."""

COMPARISONS = {
    z3.Z3_OP_LE: (1, 0),
    z3.Z3_OP_LT: (1, 1),
    z3.Z3_OP_GE: (-1, 0),
    z3.Z3_OP_GT: (-1, 1),
}
"""The factor and the number that make a difference at most 0 where a comparison of integers is true."""


@dataclass(frozen=True)
class Made:
    """The definition of a symbol: a leaf of an index, or a function or reduction of arguments."""

    kind: str
    header: Any
    args: Sequence[Any]
    symbol: Any


class RealTerms(Terms):
    """The symbols of one query over the real numbers."""

    def __init__(self) -> None:
        super().__init__(exact=True)
        self.polynomials = Polynomials(self._reduced)
        self._made: dict[int, Made] = {}
        self._symbols: dict[Hashable, Any] = {}
        self._indices: dict[int, frozenset[str]] = {}
        """The names of the indices that a symbol depends on."""
        self._heights: dict[int, int] = {}
        """The number of sums that are nested in a symbol."""
        self._facts: list[Any] = []

    def facts(self) -> list[Any]:
        """Return the axioms about the symbols."""
        found = list(self._facts)
        for term in self.polynomials.terms.values():
            if (square := square_of(term)) is not None:
                found += [term * term == square, term > 0]
        return [*found, *self.congruences()]

    # Symbols ----------------------------------------------------------------------------------

    def leaf(self, key: tuple[int, Index], sort: Any) -> Any:
        symbol = super().leaf(key, sort)
        self._made[symbol.get_id()] = Made("leaf", key[0], key[1], symbol)
        names = (name for i in key[1] for name in i.free_variables)
        self._indices[symbol.get_id()] = frozenset(names)
        return symbol

    def function(self, name: Hashable, args: Sequence[Any], sort: Any = REAL) -> Any:
        args = [self.normal(arg) for arg in args]
        symbol = super().function(name, args, sort)
        return self._known(symbol, Made("function", name, args, symbol))

    def _known(self, symbol: Any, made: Made) -> Any:
        if symbol.get_id() not in self._made:
            self._made[symbol.get_id()] = made
            self._alive.append(symbol)
            own = self._indices.get(symbol.get_id(), frozenset())
            self._indices[symbol.get_id()] = own.union(*map(self.indices, made.args))
            self._heights[symbol.get_id()] = max(map(self.height, made.args), default=0)
        return symbol

    def indices(self, term: Any) -> frozenset[str]:
        """Return the names of the indices that a term depends on."""
        empty = frozenset[str]()
        return empty.union(*(self._indices.get(id, empty) for id in constants_in(term)))

    def height(self, term: Any) -> int:
        """Return the number of sums that are nested in a term."""
        return max((self._heights.get(id, 0) for id in constants_in(term)), default=0)

    def _reduced(self, term: Any, exponent: int) -> tuple[Fraction, int]:
        """Reduce powers of choices, of roots of numbers, and of inverses of them."""
        if self._is_choice(term):
            return Fraction(1), min(exponent, 1)
        if (square := square_of(term)) is not None:
            return Fraction(square) ** (exponent // 2), exponent % 2
        return Fraction(1), exponent

    def normal(self, term: Any) -> Any:
        """Return a term as a polynomial; equal ones are one term."""
        if not z3.is_arith(term):
            return z3.simplify(term)
        found = self.polynomials.term(self.polynomials.of(term))
        self._alive.append(found)
        return found

    def renamed(self, term: Any, names: Mapping[str, Expr]) -> Any:
        """Return a term with other indices."""
        pairs = []
        for id in constants_in(term):
            if self._indices.get(id, frozenset()) & names.keys():
                pairs.append((self._made[id].symbol, self._remade(self._made[id], names)))
        return self.normal(z3.substitute(term, *pairs)) if pairs else term

    def _remade(self, made: Made, names: Mapping[str, Expr]) -> Any:
        if made.kind == "leaf":
            index = tuple(i.substitute(names) for i in made.args)
            return self.leaf((made.header, index), made.symbol.sort())
        if made.kind in ("place", "index"):
            return (self.place if made.kind == "place" else self.index)(
                made.header.substitute(names)
            )
        args = [self.renamed(arg, names) for arg in made.args]
        if made.kind == "function":
            return self.function(made.header, args, made.symbol.sort())
        return self._reduction_symbol(made.header, args, made.symbol.sort())

    # Functions --------------------------------------------------------------------------------

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        """Return a where a condition is true, else b."""
        if not z3.is_arith(a):
            return z3.If(condition, a, b)
        share = self.choice(condition)
        return self.normal(share * a + (1 - share) * b)

    def choice(self, condition: Any) -> Any:
        """Return 1 where a condition is true, else 0."""
        parts = condition.children()
        match condition.decl().kind():
            case z3.Z3_OP_TRUE | z3.Z3_OP_FALSE:
                return real(int(z3.is_true(condition)))
            case z3.Z3_OP_NOT:
                return 1 - self.choice(parts[0])
            case z3.Z3_OP_AND:
                return prod(map(self.choice, parts), start=real(1))
            case z3.Z3_OP_OR:
                return 1 - prod((1 - self.choice(part) for part in parts), start=real(1))
            case z3.Z3_OP_EQ | z3.Z3_OP_DISTINCT if z3.is_arith(parts[0]):
                found = self._is_zero(self.normal(parts[0] - parts[1]))
                return found if z3.is_eq(condition) else 1 - found
            case kind if kind in COMPARISONS:
                return self._compared(kind, self.normal(parts[0] - parts[1]), condition)
            case _:
                return self._choice_symbol(condition)

    def _choice_symbol(self, condition: Any) -> Any:
        share = self.function("choice", [condition])
        self._facts.append(z3.If(condition, share == 1, share == 0))
        return share

    def _is_zero(self, x: Any) -> Any:
        """Return 1 where a number is 0, else 0; of a choice between two numbers it is one itself."""
        polynomial = self.polynomials.of(x)
        shares = [m for m in polynomial if m]
        if len(shares) != 1 or len(shares[0]) != 1:
            return self._choice_symbol(x == 0)
        (share,) = self.polynomials.factors(shares[0])
        if not self._is_choice(share):
            return self._choice_symbol(x == 0)
        elsewhere = polynomial.get((), Fraction(0))
        there = elsewhere + polynomial[shares[0]]
        return (share if there == 0 else real(0)) + (1 - share if elsewhere == 0 else real(0))

    def _compared(self, kind: int, difference: Any, condition: Any) -> Any:
        """Return 1 where a comparison with 0 is true; of indices it is a condition on them."""
        expr = self._as_index(difference)
        if expr is None:
            return self._choice_symbol(condition)
        sign, add = COMPARISONS[kind]
        return self.place(expr * sign + add)

    def _as_index(self, term: Any) -> Expr | None:
        """Return a sum of multiples of indices as an expression, None if a term is something else."""
        result = const(0)
        for monomial, number in self.polynomials.of(term).items():
            index = self._index_of(monomial)
            if index is None or number.denominator != 1:
                return None
            result += int(number) * index
        return result

    def _index_of(self, monomial: Monomial) -> Expr | None:
        """Return 1 or an index, None if a monomial is something else."""
        made = [self._made.get(id) for id, exponent in monomial for _ in range(exponent)]
        match made:
            case []:
                return const(1)
            case [Made(kind="index", header=expr)]:
                return expr
            case _:
                return None

    def place(self, expr: Expr) -> Any:
        """Return 1 where an expression of indices is at most 0, else 0."""
        other = 1 - expr
        if str(other) < str(expr):
            return 1 - self.place(other)
        if expr.value is not None:
            return real(int(expr.value <= 0))
        share = self._of_indices("place", expr)
        self._facts.append(z3.Or(share == 0, share == 1))
        return share

    def index(self, expr: Expr) -> Any:
        """Return an index as a number."""
        return real(expr.value) if expr.value is not None else self._of_indices("index", expr)

    def _of_indices(self, kind: str, expr: Expr) -> Any:
        symbol = z3.Real(f"{kind} {expr}")
        self._indices[symbol.get_id()] = frozenset(expr.free_variables)
        return self._known(symbol, Made(kind, expr, (), symbol))

    def inverse(self, x: Any) -> Any:
        """Return `1 / x`; of a product with numbers the inverses of both."""
        x = self.normal(x)
        polynomial = self.polynomials.of(x)
        if len(polynomial) != 1:
            return self._inverse_symbol(x)
        ((monomial, number),) = polynomial.items()
        result = real(1 / number)
        for factor in self.polynomials.factors(monomial):
            square = square_of(factor)
            result *= self._inverse_symbol(factor) if square is None else factor / square
        return self.normal(result)

    def _inverse_symbol(self, x: Any) -> Any:
        made = self._made.get(x.get_id())
        if made is not None and made.header == "inverse":
            return made.args[0]
        symbol = self.function("inverse", [x])
        self._facts.append(symbol * x == 1)
        if z3.is_const(x):
            self.polynomials.inverses[x.get_id()] = symbol.get_id()
        return symbol

    def root(self, x: Any) -> Any:
        """Return the square root."""
        x = self.normal(x)
        if z3.is_rational_value(x) and x.numerator_as_long() > 0:
            return root_of(Fraction(x.numerator_as_long(), x.denominator_as_long()))
        symbol = self.function("sqrt", [x])
        self._facts += [symbol * symbol == x, symbol > 0]
        return symbol

    def exponential(self, x: Any) -> Any:
        """Return exp, of a sum as a product."""
        x = self.normal(x)
        polynomial = self.polynomials.of(x)
        factors = (f for monomial in polynomial for f in self.polynomials.factors(monomial))
        share = next(filter(self._is_choice, factors), None)
        if share is not None:
            cases = [self.exponential(z3.substitute(x, (share, real(n)))) for n in (1, 0)]
            return self.normal(share * cases[0] + (1 - share) * cases[1])
        result = real(1)
        for monomial, number in polynomial.items():
            factors = list(self.polynomials.factors(monomial))
            if number > 0 and len(factors) == 1 and is_hiding(factors[0]):
                return real(0)
            result *= self._exponential_of(monomial, number)
        return self.normal(result)

    def choices(self) -> list[Any]:
        """Return the symbols that are 1 where a condition is true."""
        return [made.symbol for made in self._made.values() if self._is_choice(made.symbol)]

    def _is_choice(self, term: Any) -> bool:
        made = self._made.get(term.get_id())
        return made is not None and (made.kind == "place" or made.header == "choice")

    def _exponential_of(self, monomial: Monomial, number: Fraction) -> Any:
        """Return exp of a monomial: of `p / q * m` a power of exp of `m / q`, or of its inverse."""
        power = abs(number.numerator) if abs(number.numerator) <= GREATEST_POWER else 1
        symbol = self.function("exp", [self.polynomials.term({monomial: abs(number) / power})])
        self._facts.append(symbol > 0)
        factor = symbol if number > 0 else self.inverse(symbol)
        return prod([factor] * power, start=real(1))

    def logarithm(self, x: Any) -> Any:
        """Return the natural logarithm, of a product of exp and another number as a sum."""
        polynomial = self.polynomials.of(self.normal(x))
        if len(polynomial) != 1:
            return self.function("log", [x])
        ((monomial, number),) = polynomial.items()
        rest, result = real(number), real(0)
        for factor in self.polynomials.factors(monomial):
            power = self._power(factor)
            rest, result = (rest * factor, result) if power is None else (rest, result + power)
        return self.normal(result + self.function("log", [rest]))

    def _power(self, factor: Any) -> Any | None:
        """Return the exponent of a symbol that is exp or the inverse of exp, else None."""
        made = self._made.get(factor.get_id())
        if made is None or made.header not in ("exp", "inverse"):
            return None
        if made.header == "exp":
            return made.args[0]
        inner = self._power(made.args[0])
        return None if inner is None else -inner

    # Sums -------------------------------------------------------------------------------------

    def binder(self, header: Any, operator: str, args: Sequence[Any], sort: Any) -> Any:
        """Return a reduction over the indices that were bound last."""
        sizes = header[1] if header[0] == "sum of products" else header[2]
        bound = {f"r{self._bound + number}__": size for number, size in enumerate(sizes)}
        if header[0] in ("sum of products", "relax.sum", "relax.mean"):
            term = real(1)
            for arg in args:
                term = term * arg
            result = self._summed(term, bound, is_mean=header[0] == "relax.mean")
            if z3.is_mul(args[0]) and args[0].num_args() == 2 and args[0].arg(0).eq(args[0].arg(1)):
                self._facts.append(result >= 0)  # a sum of squares
            return result
        result = self._reduction(header, [self.normal(arg) for arg in args], bound, sort)
        if header[0] == "relax.any":  # a score that is not hidden
            self._facts.append(result)
        return result

    def _summed(self, term: Any, bound: Mapping[str, Expr], is_mean: bool) -> Any:
        """Return the sum of a term, of each monomial by itself, or its mean."""
        result = real(0)
        for monomial, number in self.polynomials.of(self.normal(term)).items():
            inside, outside = real(1), real(number)
            for factor in self.polynomials.factors(monomial):
                if self.indices(factor) & bound.keys():
                    inside = inside * factor
                else:
                    outside = outside * factor
            result = result + outside * self._sum(self.normal(inside), bound, is_mean)
        return self.normal(result)

    def _sum(self, term: Any, bound: Mapping[str, Expr], is_mean: bool) -> Any:
        indices = self.indices(term)
        over = {name: size for name, size in bound.items() if name in indices}
        count = real(1)
        for name, size in bound.items():
            if is_mean and name in over:
                count = count * self.inverse(self._size(size))
            elif not is_mean and name not in over:
                count = count * self._size(size)
        if not over:
            return count
        return count * self._reduction("sum", [term], over, REAL)

    def _reduction(
        self, name: Hashable, args: Sequence[Any], over: Mapping[str, Expr], sort: Any
    ) -> Any:
        """Return the symbol of a reduction, whose indices get the names of its height."""
        height = max(map(self.height, args)) + 1
        names = {old: var(f"s{height}_{number}__") for number, old in enumerate(over)}
        header = (name, height, tuple(over.values()))
        return self._reduction_symbol(header, [self.renamed(arg, names) for arg in args], sort)

    def _reduction_symbol(self, header: Any, args: Sequence[Any], sort: Any) -> Any:
        key = (header, tuple(arg.get_id() for arg in args))
        if key not in self._symbols:
            self._alive.append(args)
            self._symbols[key] = symbol = z3.FreshConst(sort, "reduction")
            self._known(symbol, Made("reduction", header, args, symbol))
            _, height, sizes = header
            own = {f"s{height}_{number}__" for number in range(len(sizes))}
            self._indices[symbol.get_id()] -= own
            self._heights[symbol.get_id()] = height
        return self._symbols[key]

    def _size(self, size: Expr) -> Any:
        """Return a size as a number above 0."""
        if size.value is not None:
            return real(size.value)
        symbol = z3.Real(f"size {size}")
        self._facts.append(symbol > 0)
        return symbol
