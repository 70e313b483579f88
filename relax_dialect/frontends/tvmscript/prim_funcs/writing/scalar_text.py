"""Scalar expressions as the text of TIR."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from relax_dialect.frontends.tvmscript.prim_funcs.tir_intrinsics import LIBRARY_OF, WRITTEN
from relax_dialect.frontends.tvmscript.prim_funcs.writing.recognised import (
    difference,
    floor_mod,
    not_negative,
    sigmoid,
    signed_floor_mod,
    simplified,
)
from relax_dialect.frontends.tvmscript.prim_funcs.writing.size_text import (
    ATOM,
    SizeText,
    UnwritablePrimFunc,
    around,
    dtype_name,
)
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import I1, I64, INDEX, DType, bits, kind, width
from relax_dialect.te.scalar import (
    Apply,
    Cast,
    Choice,
    Element,
    IterVar,
    Reinterpret,
    Scalar,
    ScalarConstant,
    Size,
    const,
)
from relax_dialect.te.tensor import Load

MOST_CHARACTERS = 1 << 16

INFIX = {
    "add": ("+", 6), "sub": ("-", 6), "mul": ("*", 7), "div": ("/", 7), "floordiv": ("//", 7),
    "eq": ("==", 3), "ne": ("!=", 3), "lt": ("<", 3), "le": ("<=", 3), "gt": (">", 3), "ge": (">=", 3),
}  # fmt: skip
"""Operators and their precedence."""
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


class ScalarText(SizeText):
    """Writes expressions; `names` are the texts of variables, `tensors` the names of buffers."""

    def __init__(
        self,
        names: Mapping[Scalar, str],
        tensors: Mapping[Any, str],
        sizes: Mapping[str, str],
        narrow: bool = False,
        precise: Callable[[ScalarConstant], float] = lambda node: float(node.value),
        forms: Mapping[Expr, str] = MappingProxyType({}),
    ):
        super().__init__(sizes, narrow, forms)
        self.names, self.tensors, self.precise = names, tensors, precise
        self._done: dict[Scalar, tuple[str, int]] = {}

    def alias(self, name: Scalar, node: Scalar) -> None:
        """Make a node an alias of another one."""
        self._done[name] = self._text(node)

    def write(self, node: Scalar) -> str:
        """Return the text of an expression."""
        return self._text(node)[0]

    def index(self, node: Scalar) -> str:
        """Return an index of a buffer, which may be of any type of integers."""
        if (
            isinstance(node, Cast)
            and node.dtype == INDEX
            and kind(node.operands[0].dtype) == "integer"
        ):
            node = node.operands[0]
        return self.write(node)

    # Expressions

    def _text(self, node: Scalar) -> tuple[str, int]:
        if node not in self._done:
            found = self.names.get(node)
            text, binds = (found, ATOM) if found is not None else self._written(node)
            if len(text) > MOST_CHARACTERS:
                raise UnwritablePrimFunc(
                    f"expected at most {MOST_CHARACTERS} characters for the expression of an element, "
                    "found more, since a value with several uses is written out at each; compute "
                    "it in stages"
                )
            self._done[node] = text, binds
        return self._done[node]

    def _within(self, node: Scalar, binds: int) -> str:
        return around(*self._text(node), binds)

    def _call(self, name: str, *nodes: Scalar) -> tuple[str, int]:
        return f"T.{name}({', '.join(map(self.write, nodes))})", ATOM

    def _written(self, node: Scalar) -> tuple[str, int]:
        node = simplified(node)
        match node:
            case ScalarConstant():
                return self.constant(node), ATOM
            case Size():
                return self._size(node.expr)
            case IterVar() | Element():
                raise UnwritablePrimFunc(f"the variable '{node.name}' is used outside of its loop")
            case Load():
                indices = ", ".join(map(self.index, node.operands)) or "()"
                return f"{self.tensors[node.tensor]}[{indices}]", ATOM
            case Cast():
                return self._cast(node.operands[0], node.dtype)
            case Reinterpret():
                return self._reinterpreted(node)
            case Choice():
                if (parts := signed_floor_mod(node)) is not None:
                    return self._infix("%", 7, *parts)
                condition, a, b = node.operands
                if (
                    not node.lazy
                    and node.dtype == I1
                    and isinstance(b, ScalarConstant)
                    and not b.value
                ):
                    return self._infix("*", 7, condition, a)
                return self._call("if_then_else" if node.lazy else "Select", *node.operands)
            case Apply():
                return self._applied(node)
            case _:
                raise UnwritablePrimFunc(f"no expression of TIR: {type(node).__name__}")

    def constant(self, node: ScalarConstant) -> str:
        """Return the text of a number."""
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
            source = simplified(source.operands[0])  # an index becomes a float via i64
        to = dtype_name(dtype, self.narrow)
        if dtype_name(source.dtype, self.narrow) == to:
            return self._text(source)
        return f'T.Cast("{to}", {self.write(source)})', ATOM

    def _reinterpreted(self, node: Scalar) -> tuple[str, int]:
        """Write a bit cast to another type: of integers a conversion, which keeps the bits."""
        inner, dtype = node.operands[0], node.dtype
        while isinstance(inner, Reinterpret):
            inner = inner.operands[0]
        if inner.dtype == dtype:
            return self._text(inner)
        if kind(inner.dtype) == "float" or kind(dtype) == "float":
            return f'T.reinterpret("{dtype_name(dtype)}", {self.write(inner)})', ATOM
        if isinstance(inner, ScalarConstant):
            return self.constant(
                ScalarConstant(int(inner.value) % (1 << width(dtype)), dtype)
            ), ATOM
        if isinstance(inner, Cast) and width(inner.operands[0].dtype) >= width(dtype):
            inner = inner.operands[0] if kind(inner.operands[0].dtype) != "float" else inner
        return self._cast(inner, dtype)

    def _applied(self, node: Apply) -> tuple[str, int]:
        name, operands, of = node.name, node.operands, kind(node.operands[0].dtype)
        if (parts := floor_mod(node)) is not None:
            return self._infix("%", 7, *parts)
        if of == "bool" and name in _OF_BOOLEANS:
            word = _OF_BOOLEANS[name]
            return self._infix(word, {"and": 2, "or": 1}[word], *operands)
        if of == "bool" and name == "xor":
            if isinstance(operands[1], ScalarConstant) and operands[1].value:
                return f"not {self._within(operands[0], 4)}", 2
            return self._call("bitwise_xor", *operands)
        if of == "bool" and name in ("ne", "eq"):  # TVM's LLVM compares truth values as floats
            differ = self._call("bitwise_xor", *operands)
            return differ if name == "ne" else (f"not {differ[0]}", 2)
        if name == "xor" and isinstance(operands[1], ScalarConstant) and operands[1].value == -1:
            return self._call("bitwise_not", operands[0])
        if (
            name == "ne"
            and of == "float"
            and isinstance(operands[1], ScalarConstant)
            and not operands[1].value
        ):
            return self._cast(operands[0], I1)
        if name == "ne" and isinstance(operands[0], ScalarConstant) and not operands[0].value:
            return self._cast(operands[1], I1)
        if name == "ne" and of == "float" and operands[0] is operands[1]:
            return self._call("isnan", operands[0])
        if name in ("truncdiv", "rem") and of != "float" and self._not_negative(*operands):
            return self._infix("//" if name == "truncdiv" else "%", 7, *operands)
        if name == "add" and (parts := difference(*operands)) is not None:
            return self._infix(*INFIX["sub"], *parts)
        if name == "div" and (operand := sigmoid(node)) is not None:
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
            return f"T.Select(T.isnan({a}), {b}, {inner})", ATOM
        if name == "power" and kind(dtype) != "float":
            raise UnwritablePrimFunc("TIR has no power of integers; cast to a float")
        if name in WRITTEN:
            return self._call(WRITTEN[name], *operands)
        if name in LIBRARY_OF:
            return self._library(LIBRARY_OF[name], dtype, operands[0])
        raise UnwritablePrimFunc(f"TIR has no operation '{name}' of {dtype}")

    def _library(self, function: str, dtype: DType, operand: Scalar) -> tuple[str, int]:
        """Return a function of C's library, which has variants of f32 and f64."""
        own, text = dtype_name(dtype), self.write(operand)
        of, suffix = ("float64", "") if bits(dtype) == 64 else ("float32", "f")
        if of != own:
            text = f'T.Cast("{of}", {text})'
        call = f'T.call_pure_extern("{of}", "{function}{suffix}", {text})'
        return (call if of == own else f'T.Cast("{own}", {call})'), ATOM

    def _infix(self, word: str, binds: int, a: Scalar, b: Scalar) -> tuple[str, int]:
        left = self._within(a, binds if binds > 3 else binds + 1)
        return f"{left} {word} {self._within(b, binds + 1)}", binds

    @staticmethod
    def _not_negative(*operands: Scalar) -> bool:
        if kind(operands[0].dtype) == "unsigned":
            return True
        return operands[0].dtype == INDEX and all(map(not_negative, operands))
