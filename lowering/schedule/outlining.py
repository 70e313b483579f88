"""Loops in a function of their own, which all kernels share that have equal ones.

    call @tile_8x48_f32(%depth, %a, %b, %c)
    func.func private @tile_8x48_f32(%d2: index, %in0: memref<8x?xf32, strided<[?, 1], offset: ?>>, ...)
      attributes {relax.noinline}

A function of its own has all registers to itself: inlined next to others, a compiler spills its sums. Sizes
and strides are arguments, so that one function serves every contraction, static or symbolic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    MemRefType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr

from lowering.ir.constants import ConstantPool
from lowering.ir.index_writer import Writer
from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import strides
from lowering.schedule.nest import Nest, View
from lowering.schedule.tile_functions import TileFunctions
from lowering.schedule.views import cast, strided
from relax_dialect.prim_func import DIMS, SYMBOL


def outline(
    nest: Nest, insert: Inserter, constants: ConstantPool, functions: TileFunctions
) -> None:
    """Put the loops of a nest into a function, and call it."""
    symbols = [d for d in nest.loops if isinstance(nest.sizes[d], SSAValue)]
    write = Writer(constants, insert.place)
    arguments = [write.value(nest.sizes[d]) for d in symbols]
    types: list[Attribute] = [IndexType()] * len(symbols)
    attributes = [DictionaryAttr({SYMBOL: StringAttr(f"d{d}")}) for d in symbols]
    hints = [f"d{d}" for d in symbols]
    for number, view in enumerate(nest.views):
        value, own = view.value, DictionaryAttr({})
        if isinstance(value.type, MemRefType):
            value = cast(insert, value, _open(value.type, _known(nest, view)))
            dims = [StringAttr(text) for text in _dims(nest, view)]
            own = DictionaryAttr({DIMS: ArrayAttr(dims)})
        arguments.append(value)
        types.append(value.type)
        attributes.append(own)
        is_input = number < nest.inputs
        hints.append(f"in{number}" if is_input else f"out{number - nest.inputs}")

    def make(name: str) -> func.FuncOp:
        return _function(nest, name, types, attributes, hints, symbols)

    shape = "x".join(str(nest.sizes[d]) for d in nest.loops if d in nest.directives.jammed)
    element = next(
        v.value.type.element_type for v in nest.views if isinstance(v.value.type, MemRefType)
    )
    name = "_".join(filter(None, (nest.directives.outlined, shape, str(element))))
    insert.place(func.CallOp(functions.shared(name, make), arguments, []))


def _function(
    nest: Nest,
    name: str,
    types: Sequence[Attribute],
    attributes: Sequence[DictionaryAttr],
    hints: Sequence[str],
    symbols: Sequence[int],
) -> func.FuncOp:
    block = Block(arg_types=types)
    for argument, hint in zip(block.args, hints):
        argument.name_hint = hint
    function = func.FuncOp(
        name, (types, ()), Region(block), visibility="private", arg_attrs=ArrayAttr(attributes)
    )
    function.attributes["relax.noinline"] = UnitAttr()
    block.add_op(end := func.ReturnOp())
    values = block.args[len(symbols) :]
    sizes = {**nest.sizes, **dict(zip(symbols, block.args))}
    views = [View(value, view.map) for value, view in zip(values, nest.views)]
    inside = replace(nest, sizes=sizes, views=views)
    inside.emit(Inserter(before=end), ConstantPool(function))
    return function


def _known(nest: Nest, view: View) -> Iterator[int]:
    """The sizes of a view, as far as they are known."""
    assert isinstance(view.value.type, MemRefType) and view.map is not None
    for size, expr in zip(view.value.type.get_shape(), view.map.results):
        own = nest.sizes[nest.loops[expr.position]] if isinstance(expr, AffineDimExpr) else size
        yield own if isinstance(own, int) else size


def _open(t: MemRefType, shape: Iterable[int]) -> MemRefType:
    """The type that says nothing of where a view begins and how far its rows are apart."""
    found = strides(t)
    assert found is not None
    known = [1 if step == 1 and d == len(found) - 1 else None for d, step in enumerate(found)]
    return strided(t.element_type, list(shape), known)


def _dims(nest: Nest, view: View) -> Iterator[str]:
    """The sizes of a view, in the function's symbols."""
    assert view.map is not None
    for size, expr in zip(_known(nest, view), view.map.results):
        if size >= 0:
            yield str(size)
        else:
            yield f"d{nest.loops[expr.position]}" if isinstance(expr, AffineDimExpr) else "?"
