"""The text inside types: dimensions, and element types under their MLIR and numpy names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute
from xdsl.parser import AttrParser

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.storage import NUMPY_NAMES, STORAGE
from relax_dialect.symbolic import Expr

Dim: TypeAlias = Expr | None
Dims: TypeAlias = tuple[Dim, ...]

_FLOATS = {
    "f16": Float16Type(),
    "bf16": BFloat16Type(),
    "f32": Float32Type(),
    "f64": Float64Type(),
}
_INTEGERS = {
    f"{'u' if signedness is Signedness.UNSIGNED else ''}i{width}": IntegerType(width, signedness)
    for signedness in (Signedness.SIGNLESS, Signedness.UNSIGNED)
    for width in ((1,) if signedness is Signedness.SIGNLESS else ()) + (8, 16, 32, 64)
}
DTYPES: dict[str, Attribute] = {**_FLOATS, **_INTEGERS, "index": IndexType(), **STORAGE}
_NUMPY_NAMES: dict[str, Attribute] = {
    "bool": _INTEGERS["i1"],
    "bfloat16": _FLOATS["bf16"],
    **{f"float{width}": _FLOATS[f"f{width}"] for width in (16, 32, 64)},
    **{f"int{width}": _INTEGERS[f"i{width}"] for width in (8, 16, 32, 64)},
    **{f"uint{width}": _INTEGERS[f"ui{width}"] for width in (8, 16, 32, 64)},
    **{numpy_name: STORAGE[name] for name, numpy_name in NUMPY_NAMES.items()},
}
_ELEMENTS = frozenset(DTYPES.values())
_BODY = re.compile(r'[^<>{}%"!]*')


def body_text(parser: AttrParser) -> str:
    """Return the raw text between `<` and its `>`, and move the parser past the `>`.

    The text is read raw because the lexer would take `//` in `[n // 2]` for a comment.
    """
    if parser._current_token.text != "<":
        parser.raise_error("'<' expected, as in !relax.tensor<[n, 4], f32>")
    content = parser.lexer.input.content
    start = parser.pos + 1
    body = _BODY.match(content, start)
    assert body is not None
    end = body.end()
    if not content.startswith(">", end) or content[end - 1] == "-":
        parser.raise_error("'>' expected at the end of the type, as in !relax.tensor<[n, 4], f32>")
    parser._resume_from(end + 1)
    return body[0]


@lru_cache(maxsize=65536)
def parse_dims(text: str) -> Dims | None:
    """`*` or `[n, 4, ?]` as dimensions."""
    text = text.strip()
    if text == "*":
        return None
    if not (text.startswith("[") and text.endswith("]")):
        raise SymbolicError(
            f"shape '{text}': expected '*' or a list of dimensions in brackets, as in [n, 4, ?]"
        )
    return _not_negative(symbolic.parse_dims(text[1:-1]))


def _not_negative(dims: Dims) -> Dims:
    for dim in dims:
        if dim is not None and (most := dim.bounds()[1]) is not None and most < 0:
            raise SymbolicError(
                f"size '{dim}': expected at least 0, found {most} at most; write ? if it is unknown"
            )
    return dims


def dims_text(dims: Dims | None) -> str:
    """Return the spelling of a shape: `[n, 4, ?]`, or `*` for an unknown rank."""
    if dims is None:
        return "*"
    return "[" + ", ".join("?" if d is None else str(d) for d in dims) + "]"


ELSEWHERE = {
    **dict.fromkeys(("float32", "fp32", "float"), "f32"),
    **dict.fromkeys(("float64", "fp64", "double"), "f64"),
    **dict.fromkeys(("float16", "fp16", "half"), "f16"),
    **dict.fromkeys(("bfloat16", "bf"), "bf16"),
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"ui{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"ui{bits}" for bits in (8, 16, 32, 64)},
    **{"int": "i32", "long": "i64", "bool": "i1"},
}
"""Names of element types in numpy, PyTorch, C and Rust, and MLIR's."""


def parse_dtype(text: str) -> Attribute:
    """Return an element type by its MLIR name (`f32`, `i1`, `ui8`), `SymbolicError` if there is none
    such."""
    if text not in DTYPES:
        meant = ELSEWHERE.get(text)
        mend = "" if meant is None else f"; write {meant}"
        raise SymbolicError(f"element type '{text}': expected one of {', '.join(DTYPES)}{mend}")
    return DTYPES[text]


def as_dtype(dtype: object) -> Attribute:
    """Return an element type from MLIR's name (`f32`, `ui8`), numpy's (`float32`, `uint8`) or numpy's type.

    A type of xDSL is returned as it is. Raises `SymbolicError` for anything else.
    """
    if isinstance(dtype, Attribute):
        return dtype
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None)  # of a np.dtype
    if name is None and isinstance(dtype, type):
        name = dtype.__name__.rstrip("_")
    known = DTYPES | _NUMPY_NAMES
    if name not in known:
        found = f"'{dtype}'" if isinstance(dtype, str) else repr(dtype)
        raise SymbolicError(
            f"element type {found}: expected one of {', '.join(known)}, or a type of numpy or xDSL"
        )
    return known[name]


def is_element_type(type: Attribute) -> bool:
    """Return whether tensors can have elements of this type."""
    return type in _ELEMENTS


def to_dims(dims: Iterable[Expr | int | str | None] | None) -> Dims | None:
    if dims is None:
        return None
    unknown = (None, "?")
    return _not_negative(tuple(None if d in unknown else symbolic.as_expr(d) for d in dims))
