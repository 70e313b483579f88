"""Scalar expressions and sizes as the text of TIR."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import BFloat16Type

from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.prim_funcs.intrinsics import LIBRARY, WRITTEN
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import I1, I64, INDEX, DType, bits, kind, width
from relax_dialect.te.scalar import (
    Apply,
    Cast,
    Choice,
    Constant,
    Element,
    IterVar,
    Reinterpret,
    Scalar,
    Size,
    binary,
    const,
)
from relax_dialect.te.tensor import Load

INFIX = {
    "add": ("+", 6), "sub": ("-", 6), "mul": ("*", 7), "div": ("/", 7), "floordiv": ("//", 7),
    "eq": ("==", 3), "ne": ("!=", 3), "lt": ("<", 3), "le": ("<=", 3), "gt": (">", 3), "ge": (">=", 3),
}  # fmt: skip
"""Operators and how closely they bind."""
_ATOM = 9
_BITS = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "shl": "shift_left",
         "shr": "shift_right"}  # fmt: skip
_OF_BOOLEANS = {
    "add": "or",
    "or": "or",
    "maximum": "or",
    "mul": "and",
    "and": "and",
    "minimum": "and",
}


class Unwritable(RelaxError):
    """A prim func, or a part of one, that TIR has no words for."""


def dtype_name(dtype: DType, narrow: bool = False) -> str:
    """TVM's name of an element type; indices are of type `int64`, or `int32`."""
    if dtype == INDEX:
        return "int32" if narrow else "int64"
    if dtype == I1:
        return "bool"
    if isinstance(dtype, BFloat16Type):
        return "bfloat16"
    return {"float": "float", "integer": "int", "unsigned": "uint"}[kind(dtype)] + str(bits(dtype))


class ScalarText:
    """Writes expressions; `names` are the texts of variables, `tensors` the names of buffers."""

    def __init__(
        self,
        names: Mapping[Scalar, str],
        tensors: Mapping[Any, str],
        sizes: Mapping[str, str],
        narrow: bool = False,
        precise: Callable[[Constant], float] = lambda node: float(node.value),
        forms: Mapping[Expr, str] = MappingProxyType({}),
    ):
        self.names, self.tensors, self.sizes, self.narrow = names, tensors, sizes, narrow
        self.precise, self.forms = precise, forms
        self._done: dict[Scalar, tuple[str, int]] = {}

    def alias(self, name: Scalar, node: Scalar) -> None:
        """Let a node stand for another one."""
        self._done[name] = self._text(node)

    def write(self, node: Scalar) -> str:
        """The text of an expression."""
        return self._text(node)[0]

    def size(self, size: Expr) -> str:
        """The text of a size."""
        return self._size(size)[0]

    def index(self, node: Scalar) -> str:
        """An index of a buffer, which may be of any type of integers."""
        if (
            isinstance(node, Cast)
            and node.dtype == INDEX
            and kind(node.operands[0].dtype) == "integer"
        ):
            node = node.operands[0]
        return self.write(node)

    def number(self, value: int) -> str:
        """An index."""
        return str(value) if self.narrow else f"T.int64({value})"

    def shape(self, shape: tuple[Expr, ...]) -> str:
        """The text of a shape, a tuple."""
        texts = ", ".join(map(self.size, shape))
        return f"({texts},)" if len(shape) == 1 else f"({texts})"

    # Sizes

    def _size(self, size: Expr) -> tuple[str, int]:
        if size.value is not None:
            return self.number(size.value), _ATOM
        if size in self.forms:
            return self.forms[size], 0 if not size.is_variable else _ATOM
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
            texts.append((self.number(coefficient), _ATOM))
        (text, binds), *rest = texts
        for each, inner in rest:
            text = f"{_around(text, binds, 7)} * {_around(each, inner, 8)}"
            binds = 7
        return text, binds

    def _atom(self, atom: Any) -> tuple[str, int]:
        if atom.name is not None:
            return self.sizes[atom.name], _ATOM
        operands = [self._size(arg) for arg in atom.args]
        infix = {"floordiv": "//", "mod": "%"}.get(atom.kind)
        (text, binds), *rest = operands
        for each, inner in rest:
            if infix is not None:
                text, binds = f"{_around(text, binds, 7)} {infix} {_around(each, inner, 8)}", 7
            elif atom.kind in ("max", "min"):
                text, binds = f"T.{atom.kind}({text}, {each})", _ATOM
            elif atom.kind == "broadcast":
                one = self.number(1)
                text, binds = f"T.if_then_else({text} == {one}, {each}, {text})", _ATOM
            else:
                raise Unwritable(
                    f"expected sizes of +, -, *, //, %, max and min, found {atom.text}"
                )
        return text, binds

    # Expressions

    def _text(self, node: Scalar) -> tuple[str, int]:
        if node not in self._done:
            found = self.names.get(node)
            self._done[node] = (found, _ATOM) if found is not None else self._written(node)
        return self._done[node]

    def _within(self, node: Scalar, binds: int) -> str:
        return _around(*self._text(node), binds)

    def _call(self, name: str, *nodes: Scalar) -> tuple[str, int]:
        return f"T.{name}({', '.join(map(self.write, nodes))})", _ATOM

    def _written(self, node: Scalar) -> tuple[str, int]:
        node = simplified(node)
        match node:
            case Constant():
                return self.constant(node), _ATOM
            case Size():
                return self._size(node.expr)
            case IterVar() | Element():
                raise Unwritable(f"the variable '{node.name}' is used outside of its loop")
            case Load():
                indices = ", ".join(map(self.index, node.operands)) or "()"
                return f"{self.tensors[node.tensor]}[{indices}]", _ATOM
            case Cast():
                return self._cast(node.operands[0], node.dtype)
            case Reinterpret():
                return self._reinterpreted(node)
            case Choice():
                if (parts := _signed_floor_mod(node)) is not None:
                    return self._infix("%", 7, *parts)
                return self._call("if_then_else" if node.lazy else "Select", *node.operands)
            case Apply():
                return self._applied(node)
            case _:
                raise Unwritable(f"no expression of TIR: {type(node).__name__}")

    def constant(self, node: Constant) -> str:
        """The text of a number."""
        value, name = node.value, dtype_name(node.dtype, self.narrow)
        if name == "int32":
            return str(int(value))
        if kind(node.dtype) == "float":
            value = self.precise(node)
            return f"T.{name}({value!r})" if math.isfinite(value) else f'T.{name}("{value}")'
        return f"T.bool({bool(value)})" if node.dtype == I1 else f"T.{name}({int(value)})"

    def _cast(self, source: Scalar, dtype: DType) -> tuple[str, int]:
        source = simplified(source)
        while (
            isinstance(source, Cast) and source.operands[0].dtype == INDEX and source.dtype == I64
        ):
            source = simplified(source.operands[0])  # a float is made of an index by way of i64
        to = dtype_name(dtype, self.narrow)
        if dtype_name(source.dtype, self.narrow) == to:
            return self._text(source)
        return f'T.Cast("{to}", {self.write(source)})', _ATOM

    def _reinterpreted(self, node: Scalar) -> tuple[str, int]:
        """Bits as another type: of integers a conversion, which keeps them."""
        inner, dtype = node.operands[0], node.dtype
        while isinstance(inner, Reinterpret):
            inner = inner.operands[0]
        if inner.dtype == dtype:
            return self._text(inner)
        if kind(inner.dtype) == "float" or kind(dtype) == "float":
            return f'T.reinterpret("{dtype_name(dtype)}", {self.write(inner)})', _ATOM
        if isinstance(inner, Constant):
            return self.constant(Constant(int(inner.value) % (1 << width(dtype)), dtype)), _ATOM
        if isinstance(inner, Cast) and width(inner.operands[0].dtype) >= width(dtype):
            inner = inner.operands[0] if kind(inner.operands[0].dtype) != "float" else inner
        return self._cast(inner, dtype)

    def _applied(self, node: Apply) -> tuple[str, int]:
        name, operands, of = node.name, node.operands, kind(node.operands[0].dtype)
        if (parts := _floor_mod(node)) is not None:
            return self._infix("%", 7, *parts)
        if of == "bool" and name in _OF_BOOLEANS:
            word = _OF_BOOLEANS[name]
            return self._infix(word, {"and": 2, "or": 1}[word], *operands)
        if of == "bool" and name == "xor":
            if isinstance(operands[1], Constant) and operands[1].value:
                return f"not {self._within(operands[0], 4)}", 2
            return self._call("bitwise_xor", *operands)
        if of == "bool" and name in ("ne", "eq"):  # TVM's LLVM compares truth values as floats
            differ = self._call("bitwise_xor", *operands)
            return differ if name == "ne" else (f"not {differ[0]}", 2)
        if name == "xor" and isinstance(operands[1], Constant) and operands[1].value == -1:
            return self._call("bitwise_not", operands[0])
        if (
            name == "ne"
            and of == "float"
            and isinstance(operands[1], Constant)
            and not operands[1].value
        ):
            return self._cast(operands[0], I1)
        if name == "ne" and of == "float" and operands[0] is operands[1]:
            return self._call("isnan", operands[0])
        if name in ("truncdiv", "rem") and of != "float" and self._not_negative(*operands):
            return self._infix("//" if name == "truncdiv" else "%", 7, *operands)
        if name == "add" and (difference := _difference(*operands)) is not None:
            return self._infix(*INFIX["sub"], *difference)
        if name == "div" and (operand := _sigmoid(node)) is not None:
            return self._call("sigmoid", operand)
        if name in INFIX:
            return self._infix(*INFIX[name], *operands)
        return self._function(node)

    def _function(self, node: Apply) -> tuple[str, int]:
        name, operands, dtype = node.name, node.operands, node.operands[0].dtype
        if name in ("truncdiv", "rem"):
            return self._call("truncdiv" if name == "truncdiv" else "truncmod", *operands)
        if name in _BITS:
            return self._call(_BITS[name], *operands)
        if name == "neg":
            return self._infix("*", 7, operands[0], const(-1, dtype))
        if name in ("fmax", "fmin"):
            a, b = map(self.write, operands)
            word = WRITTEN["maximum" if name == "fmax" else "minimum"]
            inner = f"T.Select(T.isnan({b}), {a}, T.{word}({a}, {b}))"
            return f"T.Select(T.isnan({a}), {b}, {inner})", _ATOM
        if name == "power" and kind(dtype) != "float":
            raise Unwritable("TIR has no power of integers; cast to a float")
        if name in WRITTEN:
            return self._call(WRITTEN[name], *operands)
        if name in LIBRARY:
            return self._library(LIBRARY[name], dtype, operands[0])
        raise Unwritable(f"TIR has no operation '{name}' of {dtype}")

    def _library(self, function: str, dtype: DType, operand: Scalar) -> tuple[str, int]:
        """A function of C's library, which has those of f32 and f64."""
        own, text = dtype_name(dtype), self.write(operand)
        of, suffix = ("float64", "") if bits(dtype) == 64 else ("float32", "f")
        if of != own:
            text = f'T.Cast("{of}", {text})'
        call = f'T.call_pure_extern("{of}", "{function}{suffix}", {text})'
        return (call if of == own else f'T.Cast("{own}", {call})'), _ATOM

    def _infix(self, word: str, binds: int, a: Scalar, b: Scalar) -> tuple[str, int]:
        left = self._within(a, binds if binds > 3 else binds + 1)
        return f"{left} {word} {self._within(b, binds + 1)}", binds

    @staticmethod
    def _not_negative(*operands: Scalar) -> bool:
        if kind(operands[0].dtype) == "unsigned":
            return True
        return operands[0].dtype == INDEX and all(map(not_negative, operands))


def _around(text: str, binds: int, within: int) -> str:
    return text if binds >= within else f"({text})"


def simplified(node: Scalar) -> Scalar:
    """A node without the guard that a division by zero has, where it stands for one."""
    match node:
        case Choice(
            operands=(
                Apply(name="eq", operands=(divisor, Constant(value=0))),
                Constant(value=0),
                Apply(name="floordiv" | "truncdiv" as name, operands=(dividend, safe)),
            )
        ) if _guarded(safe) is divisor:
            return Apply(name, node.dtype, (dividend, divisor))
        case Apply(name="floordiv" | "truncdiv" | "rem" as name, operands=(dividend, safe)) if (
            divisor := _guarded(safe)
        ) is not None:
            return Apply(name, node.dtype, (dividend, divisor))
        case _:
            return node


def _guarded(divisor: Scalar) -> Scalar | None:
    match divisor:
        case Choice(
            operands=(
                Apply(name="eq", operands=(tested, Constant(value=0))),
                Constant(value=1),
                value,
            )
        ) if tested is value:
            return value
        case _:
            return None


def alike(a: Scalar, b: Scalar) -> bool:
    """Whether two expressions compute the same in the same way."""
    work = [(a, b)]
    seen: set[tuple[int, int]] = set()
    while work:
        x, y = work.pop()
        if x is y or (id(x), id(y)) in seen:
            continue
        seen.add((id(x), id(y)))
        same = type(x) is type(y) and x.dtype == y.dtype and len(x.operands) == len(y.operands)
        if not same or _own(x) != _own(y) or isinstance(x, IterVar | Element):
            return False
        work.extend(zip(x.operands, y.operands))
    return True


def _own(node: Scalar) -> list[Any]:
    """What a node is besides its type and operands."""
    return [getattr(node, field, None) for field in ("name", "value", "expr", "tensor", "lazy")]


def _floor_mod(node: Scalar) -> tuple[Scalar, Scalar] | None:
    """The operands of a remainder that is rounded down, of indices, where a node is one."""
    match node:
        case Apply(
            name="sub",
            operands=(a, Apply(name="mul", operands=(quotient, b))),
        ) if a.dtype == INDEX:
            match simplified(quotient):
                case Apply(name="floordiv", operands=(x, y)) if alike(x, a) and alike(y, b):
                    return a, b
                case _:
                    return None
        case _:
            return None


def _signed_floor_mod(node: Choice) -> tuple[Scalar, Scalar] | None:
    """The same of other integers, whose remainder is corrected where its sign is not the divisor's."""
    match node.operands[2]:
        case Apply(name="rem", operands=(a, b)) if kind(a.dtype) == "integer":
            return (a, b) if alike(node, binary("rem", a, b)) else None
        case _:
            return None


def not_negative(node: Scalar) -> bool:
    """Whether an index is 0 or more wherever it is computed."""
    match simplified(node):
        case IterVar():
            return True
        case Constant(value=value):
            return value >= 0
        case Size(expr=expr):
            low = expr.bounds()[0]
            return low is not None and low >= 0
        case Apply(
            name="add" | "mul" | "floordiv" | "truncdiv" | "rem" | "minimum", operands=operands
        ):
            return all(map(not_negative, operands))
        case Apply(name="maximum", operands=operands):
            return any(map(not_negative, operands))
        case _:
            return False


def _difference(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar] | None:
    """`b - a * c` for `a * -c + b`, as an affine map puts it."""
    for x, y in ((b, a), (a, b)):
        match x:
            case Apply(name="mul", operands=(value, Constant(value=factor))) if (
                factor < 0 and x.dtype == INDEX
            ):
                turned = Apply("mul", INDEX, (value, const(-factor, INDEX)))
                return y, value if factor == -1 else turned
            case _:
                pass
    return None


def _sigmoid(node: Scalar) -> Scalar | None:
    """The operand of `1 / (1 + exp(-x))`."""
    match node:
        case Apply(
            operands=(
                Constant(value=1),
                Apply(
                    name="add",
                    operands=(
                        Constant(value=1),
                        Apply(name="exp", operands=(Apply(name="neg", operands=(x,)),)),
                    ),
                ),
            )
        ):
            return x
        case _:
            return None
