"""Sizes: expressions of sympy over the symbols of a `ShapeEnv` become ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.frontends.torch.errors import TorchError
from relax_dialect.frontends.variable_names import VariableNames
from relax_dialect.symbolic import Expr


def _modular(base: Expr, divisor: Expr, modulus: Expr) -> Expr:
    return symbolic.floormod(symbolic.floordiv(base, divisor), modulus)


FUNCTIONS: Mapping[str, Callable[..., Expr]] = {
    "FloorDiv": symbolic.floordiv,
    "CleanDiv": symbolic.floordiv,
    "IntTrueDiv": symbolic.floordiv,
    "CeilDiv": symbolic.ceildiv,
    "CeilToInt": lambda x: x,
    "Mod": symbolic.floormod,
    "PythonMod": symbolic.floormod,
    "ModularIndexing": _modular,
    "Max": symbolic.maximum,
    "Min": symbolic.minimum,
    "ToFloat": lambda x: x,
    "TruncToInt": lambda x: x,
    "FloorToInt": lambda x: x,
    "Identity": lambda x: x,
}
"""The functions of PyTorch's size expressions, by class name; sizes are 0 or more."""


class Sizes:
    """The symbols of a program, and their names here."""

    def __init__(self, names: Mapping[str, str]):
        self.names = VariableNames()
        self.wishes = names
        self.symbols: dict[str, Expr] = {}
        self._made: dict[Any, Expr] = {}

    def symbol(self, name: str) -> Expr:
        """Return the variable of a symbol: of the name that the user gave its `Dim`, if there is one."""
        if name not in self.symbols:
            self.symbols[name] = self.names.fresh(self.wishes.get(name, name))
        return self.symbols[name]

    def expr(self, size: Any) -> Expr:
        """Return a size: an int, a SymInt, or an expression of sympy."""
        if isinstance(size, int):
            return symbolic.const(size)
        size = size.node.expr if hasattr(size, "node") else size
        if size not in self._made:
            self._made[size] = self._translated(size)
        return self._made[size]

    def _translated(self, size: Any) -> Expr:
        """Return an expression of sympy as one of ours; raises `TorchError` if there is none."""
        kind = type(size).__name__
        if isinstance(size, int) or size.is_Integer:
            return symbolic.const(int(size))
        if size.is_Symbol:
            return self.symbol(str(size))
        try:
            if size.is_Add:
                return symbolic.total(map(self.expr, size.args))
            if size.is_Mul:
                return self._product(size.args)
            if size.is_Pow and size.args[1].is_Integer and size.args[1] > 0:
                return symbolic.product([self.expr(size.args[0])] * int(size.args[1]))
            if kind == "floor" and size.args[0].is_Mul:
                return self._product(size.args[0].args)
            if kind in FUNCTIONS:
                return FUNCTIONS[kind](*map(self.expr, size.args))
        except SymbolicError:
            pass
        raise TorchError(
            f"expected sizes of sums, products, quotients and extremes, found {size}; fix a size "
            "(leave it out of dynamic_shapes)"
        )

    def _product(self, factors: Iterable[Any]) -> Expr:
        """Return a product; a fraction among the factors divides the rest."""
        found, numerator, denominator = symbolic.const(1), 1, 1
        for factor in factors:
            if factor.is_Rational:
                numerator, denominator = numerator * int(factor.p), denominator * int(factor.q)
            else:
                found = found * self.expr(factor)
        found = found * numerator
        return found if denominator == 1 else symbolic.floordiv(found, denominator)


def user_names(shape_env: Any) -> dict[str, str]:
    """Return the names of `Dim`s by the symbols of their sizes.

    `4 * Dim("h")` is a size with the text `4*h`, whose only symbol is h.
    """
    if shape_env is None:
        return {}
    found: dict[str, str] = {}
    texts = getattr(shape_env, "source_name_to_debug_name", {})
    for symbol, sources in getattr(shape_env, "var_to_sources", {}).items():
        for source in sources:
            name = source.name() if callable(source.name) else source.name
            words = set(re.findall(r"[A-Za-z_]\w*", texts.get(name, "")))
            free = shape_env.replace(symbol).free_symbols
            if len(words) == len(free) == 1:
                found.setdefault(str(next(iter(free))), words.pop())
    return found
