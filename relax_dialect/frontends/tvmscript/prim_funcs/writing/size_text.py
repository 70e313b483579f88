"""Names of types, and sizes as the text of TIR."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import BFloat16Type

from relax_dialect.errors import RelaxError
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import I1, INDEX, DType, bits, kind

ATOM = 9
"""The precedence of a name, and of parenthesised expressions."""


class UnwritablePrimFunc(RelaxError):
    """A prim func, or a part of one, that TIR has no words for."""


def dtype_name(dtype: DType, narrow: bool = False) -> str:
    """Return TVM's name of an element type; indices are of type `int64`, or `int32`."""
    if dtype == INDEX:
        return "int32" if narrow else "int64"
    if dtype == I1:
        return "bool"
    if isinstance(dtype, BFloat16Type):
        return "bfloat16"
    return {"float": "float", "integer": "int", "unsigned": "uint"}[kind(dtype)] + str(bits(dtype))


class SizeText:
    """Writes sizes; `sizes` are the names of symbols, `forms` texts of sizes that are known."""

    def __init__(
        self,
        sizes: Mapping[str, str],
        narrow: bool = False,
        forms: Mapping[Expr, str] = MappingProxyType({}),
    ):
        self.sizes, self.narrow, self.forms = sizes, narrow, forms

    def size(self, size: Expr) -> str:
        """Return the text of a size."""
        return self._size(size)[0]

    def number(self, value: int) -> str:
        """Return the text of an index."""
        return str(value) if self.narrow else f"T.int64({value})"

    def shape(self, shape: tuple[Expr, ...]) -> str:
        """Return the text of a shape, a tuple."""
        texts = ", ".join(map(self.size, shape))
        return f"({texts},)" if len(shape) == 1 else f"({texts})"

    def _size(self, size: Expr) -> tuple[str, int]:
        if size.value is not None:
            return self.number(size.value), ATOM
        if size in self.forms:
            return self.forms[size], 0 if not size.is_variable else ATOM
        terms = sorted(size.terms, key=lambda term: (not term[0], term[1] < 0))
        (factors, coefficient), *rest = terms
        text, binds = self._term(factors, coefficient)
        for factors, coefficient in rest:
            sign = "-" if coefficient < 0 else "+"
            term, inner = self._term(factors, abs(coefficient))
            text = f"{text} {sign} {term if inner > 6 else f'({term})'}"
            binds = 6
        return text, binds

    def _term(self, factors: Any, coefficient: int) -> tuple[str, int]:
        texts = [self._atom(atom) for atom in factors]
        if coefficient != 1 or not texts:
            texts.append((self.number(coefficient), ATOM))
        (text, binds), *rest = texts
        for each, inner in rest:
            text = f"{around(text, binds, 7)} * {around(each, inner, 8)}"
            binds = 7
        return text, binds

    def _atom(self, atom: Any) -> tuple[str, int]:
        if atom.name is not None:
            return self.sizes[atom.name], ATOM
        operands = [self._size(arg) for arg in atom.args]
        infix = {"floordiv": "//", "mod": "%"}.get(atom.kind)
        (text, binds), *rest = operands
        for each, inner in rest:
            if infix is not None:
                text, binds = f"{around(text, binds, 7)} {infix} {around(each, inner, 8)}", 7
            elif atom.kind in ("max", "min"):
                text, binds = f"T.{atom.kind}({text}, {each})", ATOM
            elif atom.kind == "broadcast":
                one = self.number(1)
                text, binds = f"T.if_then_else({text} == {one}, {each}, {text})", ATOM
            else:
                raise UnwritablePrimFunc(
                    f"expected sizes of +, -, *, //, %, max and min, found {atom.text}"
                )
        return text, binds


def around(text: str, binds: int, within: int) -> str:
    """Parenthesise a text of a precedence if it must bind closer."""
    return text if binds >= within else f"({text})"
