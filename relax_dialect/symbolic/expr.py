"""Symbolic sizes in one canonical form: a sum of products of atoms with integer coefficients.

Expressions are immutable and interned, so two equal ones are the same object: compare with `is`. Every
variable is a size and at least zero; simplifications and facts rely on that.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from functools import lru_cache
from math import gcd
from typing import Any, NamedTuple, SupportsIndex, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import interval
from relax_dialect.symbolic.caps import (
    MAX_COEFFICIENT,
    MAX_DEPTH,
    MAX_SIZE,
    MAX_TERMS,
    SymbolicOverflow,
    check_cap,
)
from relax_dialect.symbolic.checks import require_size
from relax_dialect.symbolic.printing import text_of, text_of_operation

T = TypeVar("T")

RESERVED_WORDS = frozenset({"floordiv", "ceildiv", "mod", "min", "max", "broadcast"})
"""Names that are operations in the text and so name no variable."""

CACHE_SIZE = 1 << 14
_set = object.__setattr__
_LOCK = threading.Lock()


class Atom:
    """An indivisible factor of a product: a variable, or one operation that is no sum or product.

    `kind` is "var", "floordiv", "mod", "min", "max" or "broadcast"; a variable has a `name` and no
    `args`.
    """

    __slots__ = ("__weakref__", "args", "depth", "kind", "name", "size", "text", "variables")

    kind: str
    name: str | None
    args: tuple[Expr, ...]
    text: str
    variables: frozenset[str]
    size: int
    depth: int

    def __repr__(self) -> str:
        return f"<Atom {self.text}>"

    def __copy__(self) -> Atom:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Atom:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if self.name is not None:
            return _variable_atom, (self.name,)
        return operation_atom, (self.kind, self.args)


class Term(NamedTuple):
    """A product of atoms, in the order of their text, times a coefficient other than zero."""

    factors: tuple[Atom, ...]
    coefficient: int


class Expr:
    """A symbolic size; see the module's docstring. Build it by `const`, `var` and arithmetic."""

    __slots__ = (
        "__weakref__",
        "_bounds",
        "_text",
        "depth",
        "free_variables",
        "name",
        "size",
        "terms",
        "value",
    )

    terms: tuple[Term, ...]
    """The summands: products of more factors first, then by text, the constant last."""
    value: int | None
    """The value of a constant, else None."""
    name: str | None
    """The name of a bare variable, else None."""
    free_variables: tuple[str, ...]
    """The names of all variables, sorted."""
    size: int
    depth: int
    _text: str | None
    _bounds: interval.Interval | None

    @property
    def is_constant(self) -> bool:
        """Return whether the expression has no variables."""
        return self.value is not None

    @property
    def is_variable(self) -> bool:
        """Whether the expression is one bare variable."""
        return self.name is not None

    @property
    def atom(self) -> Atom | None:
        """The atom that the expression consists of, if it is a single one, else None."""
        if len(self.terms) == 1:
            factors, coefficient = self.terms[0]
            if coefficient == 1 and len(factors) == 1:
                return factors[0]
        return None

    def __add__(self, other: Expr | SupportsIndex) -> Expr:
        y = _operand(other)
        return NotImplemented if y is None else _add(self, y)

    def __sub__(self, other: Expr | SupportsIndex) -> Expr:
        y = _operand(other)
        return NotImplemented if y is None else _add(self, -y)

    def __rsub__(self, other: SupportsIndex) -> Expr:
        y = _operand(other)
        return NotImplemented if y is None else _add(y, -self)

    def __mul__(self, other: Expr | SupportsIndex) -> Expr:
        y = _operand(other)
        return NotImplemented if y is None else _multiply(self, y)

    def __floordiv__(self, other: Expr | SupportsIndex) -> Expr:
        y = _operand(other)
        return NotImplemented if y is None else OPERATIONS["floordiv"](self, y)

    def __rfloordiv__(self, other: SupportsIndex) -> Expr:
        y = _operand(other)
        return NotImplemented if y is None else OPERATIONS["floordiv"](y, self)

    def __mod__(self, other: Expr | SupportsIndex) -> Expr:
        y = _operand(other)
        return NotImplemented if y is None else OPERATIONS["mod"](self, y)

    def __rmod__(self, other: SupportsIndex) -> Expr:
        y = _operand(other)
        return NotImplemented if y is None else OPERATIONS["mod"](y, self)

    def __neg__(self) -> Expr:
        return _multiply(self, MINUS_ONE)

    __radd__ = __add__
    __rmul__ = __mul__

    def __str__(self) -> str:
        if self._text is None:
            _set(self, "_text", text_of(self))
        assert self._text is not None
        return self._text

    def __repr__(self) -> str:
        return f"Expr({str(self)!r})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot set '{name}' of '{self}': symbolic sizes are immutable")

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Expr:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _intern, (self.terms,)

    def fold(
        self,
        constant: Callable[[int], T],
        variable: Callable[[str], T],
        apply: Callable[[str, T, T], T],
        done: MutableMapping[Atom, T] | None = None,
    ) -> T:
        """Compute bottom-up: `apply` gets "+", "*" or the kind of an operation's atom.

        Every atom is computed once, however often it occurs; atoms in `done` are not computed again.
        """
        done = {} if done is None else done

        def of_atom(atom: Atom) -> T:
            if atom in done:
                return done[atom]
            if atom.name is not None:
                result = variable(atom.name)
            else:
                result = of_expr(atom.args[0])
                for arg in atom.args[1:]:
                    result = apply(atom.kind, result, of_expr(arg))
            done[atom] = result
            return result

        def of_term(factors: tuple[Atom, ...], coefficient: int) -> T:
            if coefficient == 1 and factors:
                result, rest = of_atom(factors[0]), factors[1:]
            else:
                result, rest = constant(coefficient), factors
            for atom in rest:
                result = apply("*", result, of_atom(atom))
            return result

        def of_expr(expr: Expr) -> T:
            if not expr.terms:
                return constant(0)
            result = of_term(*expr.terms[0])
            for term in expr.terms[1:]:
                result = apply("+", result, of_term(*term))
            return result

        return of_expr(self)

    def substitute(self, mapping: Mapping[str, Expr | int]) -> Expr:
        """Replace variables, all at once; names that the mapping lacks stay."""
        if self.name is not None:
            return expect(mapping[self.name]) if self.name in mapping else self
        if not any(name in mapping for name in self.free_variables):
            return self

        def variable(name: str) -> Expr:
            return expect(mapping[name]) if name in mapping else var(name)

        return self.fold(const, variable, lambda op, x, y: OPERATIONS[op](x, y))

    def evaluate(self, mapping: Mapping[str, int], *, as_size: bool = False) -> int:
        """Return the value of the expression for the variable values in `mapping`.

        A size (`as_size`) is subject to the checks of compiled programs (`symbolic.checks`).
        """
        if self.value is not None:
            return self.value
        if self.name is not None and self.name in mapping:
            return int(mapping[self.name])

        def variable(name: str) -> int:
            if name not in mapping:
                bound = ", ".join(sorted(mapping)) or "none"
                raise SymbolicError(
                    f"cannot evaluate '{self}': no value for '{name}' (known values: {bound})"
                )
            return int(mapping[name])

        def apply(op: str, x: int, y: int) -> int:
            if as_size:
                require_size(self, op, x, y, x if isinstance(x, _Coefficient) else None)
            if y == 0 and op in ("floordiv", "mod"):
                at = ", ".join(f"{name} = {mapping[name]}" for name in self.free_variables)
                raise SymbolicError(f"cannot evaluate '{self}' at {at}: '{op}' by zero")
            try:
                return _PYTHON[op](x, y)
            except SymbolicError as error:
                at = ", ".join(f"{name} = {mapping[name]}" for name in self.free_variables)
                raise SymbolicError(f"cannot evaluate '{self}' at {at}: {error}") from None

        return self.fold(_Coefficient, variable, apply)

    def bounds(
        self, known: Mapping[str, tuple[int, int | None]] | None = None
    ) -> tuple[int | None, int | None]:
        """Return the least and greatest value, None for no bound; `known` bounds some variables."""
        return interval.ends(_interval(self, known))

    def divisible_by(self, k: int) -> bool:
        """Return whether `k` provably divides the value."""
        if k == 0:
            raise SymbolicError(f"cannot divide '{self}' by zero: expected a divisor other than 0")
        return divisor(self) % k == 0


class _Coefficient(int):
    """A literal of an expression."""


_EXPRS: WeakValueDictionary[tuple[Term, ...], Expr] = WeakValueDictionary()
_ATOMS: WeakValueDictionary[tuple[Any, ...], Atom] = WeakValueDictionary()
_ATOM_BOUNDS: WeakKeyDictionary[Atom, interval.Interval] = WeakKeyDictionary()


def _intern(terms: tuple[Term, ...]) -> Expr:
    """Return the one expression of these terms, which are in canonical order."""
    found = _EXPRS.get(terms)
    if found is not None:
        return found
    size = sum(1 + sum(atom.size for atom in term.factors) for term in terms)
    depth = max((atom.depth for term in terms for atom in term.factors), default=0)
    check_cap(len(terms), MAX_TERMS, "a number of terms of")
    check_cap(size, MAX_SIZE, "a number of variables and operations of")
    check_cap(depth, MAX_DEPTH, "a nesting of operations of")
    for _, coefficient in terms:
        check_cap(abs(coefficient), MAX_COEFFICIENT, "a coefficient of magnitude")
    names = {name for term in terms for factor in term.factors for name in factor.variables}
    new = Expr()
    _set(new, "terms", terms)
    _set(new, "size", size)
    _set(new, "depth", depth)
    _set(new, "free_variables", tuple(sorted(names)))
    _set(new, "name", new.atom.name if new.atom else None)
    _set(new, "value", _value(terms))
    _set(new, "_text", None)
    _set(new, "_bounds", None)
    with _LOCK:
        return _EXPRS.setdefault(terms, new)


def _value(terms: tuple[Term, ...]) -> int | None:
    """Return the value of a sum of no term or of a constant one."""
    if not terms:
        return 0
    return terms[0].coefficient if not terms[0].factors else None


def _variable_atom(name: str) -> Atom:
    """Return the one atom of a variable."""
    return _intern_atom(("var", name), name, (), name)


def operation_atom(kind: str, args: tuple[Expr, ...]) -> Atom:
    """Return the one atom of an operation on expressions."""
    return _intern_atom((kind, args), None, args, text_of_operation(kind, args))


def _intern_atom(key: tuple[Any, ...], name: str | None, args: tuple[Expr, ...], text: str) -> Atom:
    found = _ATOMS.get(key)
    if found is not None:
        return found
    new = Atom()
    new.kind, new.name, new.args, new.text = key[0], name, args, text
    new.variables = frozenset([name] if name else [v for arg in args for v in arg.free_variables])
    new.size = 1 + sum(arg.size for arg in args)
    new.depth = 1 + max(arg.depth for arg in args) if args else 0
    with _LOCK:
        return _ATOMS.setdefault(key, new)


def _order(item: tuple[tuple[Atom, ...], int]) -> tuple[int, list[str]]:
    """Sorts products of more factors first, then by text; the constant comes last."""
    return -len(item[0]), [atom.text for atom in item[0]]


def from_terms(terms: dict[tuple[Atom, ...], int]) -> Expr:
    """Return the expression of a sum, coefficients of zero dropped."""
    items = [item for item in terms.items() if item[1]]
    if len(items) > 1:
        items.sort(key=_order)
    return _intern(tuple(Term(*item) for item in items))


def _operand(x: object) -> Expr | None:
    """Return an operand of Python arithmetic as an expression, None if it is neither that nor an int."""
    if isinstance(x, Expr):
        return x
    try:
        return const(operator.index(x))  # pyright: ignore[reportArgumentType]
    except TypeError:
        return None


def expect(x: object) -> Expr:
    """Return an expression or an integer as an expression."""
    result = _operand(x)
    if result is None:
        raise SymbolicError(
            f"expected a symbolic size or an integer, found {x!r} of type {type(x).__name__}"
        )
    return result


@lru_cache(CACHE_SIZE, typed=True)
def const(value: int) -> Expr:
    """Return a constant size."""
    return from_terms({(): int(operator.index(value))})


@lru_cache(CACHE_SIZE)
def var(name: str) -> Expr:
    """Return a variable; as a size it is at least zero."""
    if not (name.isascii() and name.isidentifier()) or name in RESERVED_WORDS:
        raise SymbolicError(
            f"'{name}' cannot name a symbolic variable: expected letters, digits and '_', no "
            f"digit first, and none of the words {', '.join(sorted(RESERVED_WORDS))}"
        )
    return from_terms({(_variable_atom(name),): 1})


ZERO = const(0)
ONE = const(1)
MINUS_ONE = const(-1)


def total(xs: Iterable[Expr | SupportsIndex]) -> Expr:
    """Return the sum of any number of sizes, in one step."""
    terms: dict[tuple[Atom, ...], int] = {}
    for x in xs:
        for factors, coefficient in expect(x).terms:
            terms[factors] = terms.get(factors, 0) + coefficient
    return from_terms(terms)


def product(xs: Iterable[Expr | SupportsIndex]) -> Expr:
    """Return the product of any number of sizes, as of all dimensions of a shape."""
    result = ONE
    for x in xs:
        result = _multiply(result, expect(x))
    return result


@lru_cache(CACHE_SIZE)
def _add(x: Expr, y: Expr) -> Expr:
    return total((x, y))


@lru_cache(CACHE_SIZE)
def _multiply(x: Expr, y: Expr) -> Expr:
    terms: dict[tuple[Atom, ...], int] = {}
    for xs, i in x.terms:
        for ys, j in y.terms:
            factors = tuple(sorted(xs + ys, key=_atom_text)) if xs and ys else xs + ys
            terms[factors] = terms.get(factors, 0) + i * j
    return from_terms(terms)


_atom_text = operator.attrgetter("text")


def operation(kind: str, *args: Expr) -> Expr:
    """Return the unsimplified operation, as an atom of its own."""
    return from_terms({(operation_atom(kind, args),): 1})


OPERATIONS: dict[str, Callable[[Expr, Expr], Expr]] = {"+": _add, "*": _multiply}
"""The function that builds each operation that `Expr.fold` reports; `division`, `extremum` and
`broadcasting` add theirs."""


def broadcast_values(x: int, y: int) -> int:
    """Return the size that two known sizes broadcast to."""
    if x != y and x != 1 and y != 1:
        raise SymbolicError(
            f"sizes '{x}' and '{y}' do not broadcast: expected equal sizes, or one of them 1"
        )
    return y if x == 1 else x


_PYTHON: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "*": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "min": min,
    "max": max,
    "broadcast": broadcast_values,
}


def _interval(expr: Expr, known: Mapping[str, tuple[int, int | None]] | None) -> interval.Interval:
    """Return the interval of an expression's values; without `known` it is computed once, and so is that of
    every operation in it."""
    if not known and expr._bounds is not None:
        return expr._bounds

    def variable(name: str) -> interval.Interval:
        return interval.interval(*known[name]) if known and name in known else interval.SIZES

    done = None if known else _ATOM_BOUNDS
    apply = interval.OPERATIONS
    result = expr.fold(interval.point, variable, lambda op, x, y: apply[op](x, y), done)
    if (same := _with_remainder(expr)) is not None:
        result = interval.intersection(result, _interval(same, known))
    if not known:
        _set(expr, "_bounds", result)
    return result


def _with_remainder(expr: Expr) -> Expr | None:
    """Return the expression with a remainder for a quotient that is multiplied again, None if there is
    none.

    n - 2 * (n floordiv 2) -> n mod 2
    n floordiv 2 - 2 * (n floordiv 4) -> (n floordiv 2) mod 2
    """
    if len(expr.terms) < 2:
        return None
    quotients = [f[0] for f, _ in expr.terms if len(f) == 1 and f[0].kind == "floordiv"]
    for atom in quotients:
        for x, c in _dividends(atom, quotients):
            if c > 1 and (same := _remainder_for(expr, atom, x, c)) is not None:
                return same
    return None


def _dividends(atom: Atom, quotients: Iterable[Atom]) -> Iterator[tuple[Expr, int]]:
    """Yield expressions and numbers whose quotient is that of an atom: its own, and those of nested
    quotients.

    (n + 3) floordiv 4 is ((n + 1) floordiv 2 + 1) floordiv 2.
    """
    x, c = atom.args[0], atom.args[1].value or 0
    yield x, c
    for other in quotients:
        y, d = other.args[0], other.args[1].value or 0
        if other is not atom and d > 0 and c % d == 0:
            more = (x - y).value
            if more is not None and more % d == 0:
                yield from_terms({(other,): 1}) + more // d, c // d


def _remainder_for(expr: Expr, atom: Atom, x: Expr, c: int) -> Expr | None:
    """Return the expression with `x - x mod c` for c times a quotient, None if it does not become
    simpler."""
    k = next(k for f, k in expr.terms if f == (atom,))
    if k % c:
        return None
    try:
        rest = expr - from_terms({(atom,): k}) + k // c * x
        return (
            rest - k // c * OPERATIONS["mod"](x, const(c))
            if len(rest.terms) < len(expr.terms)
            else None
        )
    except SymbolicOverflow:
        return None


def divisor(expr: Expr) -> int:
    """Return the greatest number known to divide the expression, zero for the constant zero."""
    return gcd(*(coefficient * _atoms_divisor(f) for f, coefficient in expr.terms))


def _atoms_divisor(atoms: tuple[Atom, ...]) -> int:
    result = 1
    for atom in atoms:
        if atom.kind in ("min", "max", "mod"):
            result *= gcd(*map(divisor, atom.args))
    return result


def variable_divisor(expr: Expr) -> int:
    """Return the greatest number known to divide all terms but the constant, zero if there are none."""
    return gcd(*(coefficient * _atoms_divisor(f) for f, coefficient in expr.terms if f))
