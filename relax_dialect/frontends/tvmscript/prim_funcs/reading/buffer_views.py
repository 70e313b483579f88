"""Buffers that are parts of other ones, or other shapes of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from relax_dialect.frontends.tvmscript.prim_funcs.reading.arithmetic import size_of
from relax_dialect.frontends.tvmscript.prim_funcs.reading.tir_expressions import (
    TirExpressions,
    dtype_called,
)
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import TirCalls, elements, keywords, text
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.symbolic import Expr, const, product
from relax_dialect.te.kernels.kernel_builder import KernelBuffer
from relax_dialect.te.raising.scalars import as_index
from relax_dialect.te.scalar import Scalar
from relax_dialect.te.tensor import Tensor, shape_text

Indices: TypeAlias = tuple[Scalar, ...]


@dataclass(eq=False)
class BufferView:
    """A buffer that is a part of `source`; `place` maps its indices to those of `source`."""

    source: Held
    shape: tuple[Expr, ...]
    place: Callable[[Indices], Indices]


Held: TypeAlias = Tensor | KernelBuffer | BufferView
"""The values of buffer names."""


def source_of(names: TirCalls, call: ast.Call) -> ast.Name | None:
    """Return the buffer that a declaration is a view of, or None for a separate buffer.

    `T.match_buffer(x[i, 0:4], ...)`, `T.decl_buffer(..., data=x.data)` and `x.view(...)`.
    """
    called = names.called(call)
    match call:
        case ast.Call(args=[ast.Subscript(value=ast.Name() as source), *_]) if (
            called == "match_buffer"
        ):
            return source
        case ast.Call(func=ast.Attribute(value=ast.Name() as source, attr="view")):
            return source
        case _ if called in ("decl_buffer", "Buffer", "buffer", "buffer_decl"):
            match keywords(call).get("data"):
                case ast.Attribute(value=ast.Name() as source, attr="data"):
                    return source
    return None


def view(
    names: TirCalls, call: ast.Call, known: Mapping[str, Held], expressions: TirExpressions
) -> BufferView | None:
    """Return the view of a known buffer that a call declares; None if it declares none."""
    name = source_of(names, call)
    if name is None:
        return None
    if name.id not in known:
        raise Unreadable(name, f"expected a buffer, found {text(name)}")
    source, given = known[name.id], keywords(call)
    if names.called(call) == "match_buffer":
        return _region(call, source, expressions)
    if names.called(call) is None:
        parts, dtype = [e for each in call.args for e in elements(each)], given.get("dtype")
    else:
        positional = dict(zip(("shape", "dtype"), call.args))
        shape = given.get("shape", positional.get("shape"))
        if shape is None:
            raise Unreadable(call, f"expected a shape, found {text(call)}")
        parts, dtype = elements(shape), given.get("dtype", positional.get("dtype"))
        dtype = ast.Constant("float32") if dtype is None else dtype
    word, own = getattr(dtype, "value", None), root(source).dtype
    if dtype is not None and (not isinstance(word, str) or dtype_called(word) != own):
        raise Unreadable(call, f"a view of elements of type {own} as another type: {text(call)}")
    steps = tuple(expressions.indices(given["strides"])) if "strides" in given else ()
    first = expressions.indices(given["elem_offset"]) if "elem_offset" in given else None
    sizes = tuple(map(expressions.size, parts))
    if steps and len(steps) != len(sizes):
        raise Unreadable(
            call, f"expected a stride for each of {len(sizes)} sizes, found {text(call)}"
        )
    return _reshaped(call, source, sizes, first, steps)


def root(held: Held) -> Tensor | KernelBuffer:
    """Return the buffer that has the elements."""
    while isinstance(held, BufferView):
        held = held.source
    return held


def _region(call: ast.Call, source: Held, expressions: TirExpressions) -> BufferView:
    """Read `T.match_buffer(x[i, j:j + 4], (4,))`: the view has the last dimensions of the region."""
    region, *rest = call.args
    assert isinstance(region, ast.Subscript)
    shape = keywords(call).get("shape", rest[0] if rest else None)
    parts = elements(region.slice)
    if shape is None or len(parts) != len(source.shape):
        raise Unreadable(
            call, f"expected a part of a buffer and its shape, found {text(call)}; name both"
        )
    sizes = tuple(map(expressions.size, elements(shape)))
    before = len(parts) - len(sizes)
    if before < 0:
        raise Unreadable(call, f"a view of more dimensions than its source: {text(call)}")
    begins: list[Scalar] = []
    for d, part in enumerate(parts):
        if isinstance(part, ast.Slice):
            if part.step is not None or part.lower is None or part.upper is None:
                raise Unreadable(part, f"expected a range begin:end, found {text(part)}")
            ends = map(expressions.read, (part.upper, part.lower))
            extent = size_of(expressions.apply("sub", *ends))
            if d >= before and extent is not None and extent is not sizes[d - before]:
                raise Unreadable(
                    part, f"expected a range of {sizes[d - before]} elements, found {text(part)}"
                )
            part = part.lower
        begins += expressions.indices(part)

    def place(at: Indices) -> Indices:
        moved = (a + b for a, b in zip(begins[before:], at))
        return (*begins[:before], *moved)

    return BufferView(source, sizes, place)


def _reshaped(
    call: ast.Call,
    source: Held,
    shape: tuple[Expr, ...],
    first: Sequence[Scalar] | None,
    steps: Sequence[Scalar] = (),
) -> BufferView:
    """Return the elements in order, in another shape; from element `first` on, or `steps` apart."""
    own = source.shape
    if first is None and not steps and product(own) != product(shape):
        raise Unreadable(
            call,
            f"expected a view of all elements of [{shape_text(own)}], found {text(call)}; "
            "write elem_offset for a part",
        )

    last, count = _last(shape, first, steps), product(own).value
    if last is not None and count is not None and last >= count:
        raise Unreadable(
            call,
            f"expected a view within [{shape_text(own)}], found one up to element {last}: {text(call)}; "
            "correct its shape",
        )

    def place(at: Indices) -> Indices:
        number = as_index(const(0))
        for d, (index, size) in enumerate(zip(at, shape)):
            number = number + index * steps[d] if steps else number * as_index(size) + index
        if first is not None:
            number = number + first[0]
        return tuple(_unpacked(number, own))

    return BufferView(source, shape, place)


def _last(
    shape: Sequence[Expr], first: Sequence[Scalar] | None, steps: Sequence[Scalar]
) -> int | None:
    """Return the flat index of the last element of a view, or None if unknown."""
    strides: list[Expr | None] = [size_of(step) for step in steps]
    if not steps:
        strides = [product(shape[d + 1 :]) for d in range(len(shape))]
    last = const(0) if first is None else size_of(first[0])
    for size, stride in zip(shape, strides):
        if last is None or stride is None:
            return None
        last = last + (size - 1) * stride
    return None if last is None else last.value


def _unpacked(number: Scalar, shape: Sequence[Expr]) -> list[Scalar]:
    """Return the indices of an element by its flat index."""
    found: list[Scalar] = []
    for size in reversed(shape[1:]):
        found.append(number % as_index(size))
        number = number // as_index(size)
    return [*([number] if shape else []), *reversed(found)]
