"""Loops in a function of their own, which all kernels share that have equal ones.

    call @contract_up_to_8x48_f32(%height, %depth, %a, %b, %c)
    func.func private @contract_up_to_8x48_f32(%d0: index, %d2: index, ...) {
      scf.index_switch %d0 ... default { call @contract_8x48_f32(%d2, ...) }
    }
    func.func private @contract_8x48_f32(%d2: index, %in0: memref<8x?xf32, strided<[?, 1], offset: ?>>, ...)
      attributes {relax.noinline}

A function of its own has all registers to itself: inlined next to others, a compiler spills its sums. Sizes
and strides are arguments, so that one function serves every contraction, static or symbolic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import TypeAlias

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    MemRefType,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from lowering.ir.constants import ConstantPool
from lowering.ir.index_writer import IndexWriter, Term
from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import strides
from lowering.schedule.emit.nest_emitter import emit
from lowering.schedule.kernels.nest import Nest, View
from lowering.schedule.memrefs.subscripts import linear
from lowering.schedule.memrefs.tile_functions import TileFunctions
from lowering.schedule.memrefs.tile_views import cast, strided
from relax_dialect import symbolic
from relax_dialect.prim.signature import DIMS, SYMBOL

SHORTEST = 4
"""The lanes of the shortest vectors that rows of few elements are computed by."""


def outline(
    nest: Nest,
    insert: Inserter,
    constants: ConstantPool,
    functions: TileFunctions,
    choices: Mapping[int, Sequence[int]],
) -> None:
    """Put the loops of a nest into a function, and call it; if a loop is specialized, into one for each
    trip count, and one more that chooses."""
    choices = {nest.loops.index(d): own for d, own in choices.items() if d in nest.loops}
    nest = nest.renumbered()
    chosen = _chosen(nest)
    symbols = [d for d in nest.loops if d not in nest.directives.inside or d == chosen]
    apart = list(_apart(nest))
    write = IndexWriter(constants, insert.place)
    arguments = [write.value(nest.sizes[d]) for d in symbols]
    arguments += [write.value(step) for *_, step in apart]
    hints = [f"d{d}" for d in symbols] + [f"d{nest.loops[place]}_apart" for _, _, place, _ in apart]
    types: list[Attribute] = [IndexType()] * len(arguments)
    attributes = [DictionaryAttr({SYMBOL: StringAttr(hint)}) for hint in hints]
    first = len(arguments)
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
        block = Block(arg_types=types)
        for argument, hint in zip(block.args, hints):
            argument.name_hint = hint
        function = func.FuncOp(
            name, (types, ()), Region(block), visibility="private", arg_attrs=ArrayAttr(attributes)
        )
        function.attributes["relax.noinline"] = UnitAttr()
        block.add_op(end := func.ReturnOp())
        sizes = {**nest.sizes, **dict(zip(symbols, block.args))}
        values = zip(block.args[first:], nest.views)
        views = [replace(view, value=value) for value, view in values]
        for (number, dimension, place, _), value in zip(apart, block.args[len(symbols) :]):
            own = {**views[number].apart, (dimension, place): value}
            views[number] = replace(views[number], apart=own)
        inside = replace(nest, sizes=sizes, views=views)
        inner, pool = Inserter(before=end), ConstantPool(function)
        if chosen is None:
            emit(inside, inner, pool, functions)
        else:
            choose(inside, chosen, inner, pool, functions, choices)
        return function

    shape = "x".join(
        f"up_to_{max(choices[d])}" if d == chosen else str(nest.sizes[d]) for d in nest.at_once
    )
    memrefs = [t for view in nest.views if isinstance(t := view.value.type, MemRefType)]
    elements = dict.fromkeys(str(t.element_type) for t in memrefs[: max(nest.inputs, 1)])
    name = "_".join(filter(None, (nest.directives.outlined, shape, *elements)))
    insert.place(func.CallOp(functions.shared(name, _key(nest, types), make), arguments, []))


def _chosen(nest: Nest) -> int | None:
    """Return a specialized loop of a number of iterations that is not known."""
    symbolic = (d for d in nest.directives.specialized if isinstance(nest.sizes[d], SSAValue))
    return next(symbolic, None)


def choose(
    nest: Nest,
    d: int,
    insert: Inserter,
    constants: ConstantPool,
    functions: TileFunctions,
    choices: Mapping[int, Sequence[int]],
) -> None:
    """Emit the loops of a nest once per specialized number of iterations of a loop."""
    regions = list[Region]()
    for choice in choices[d]:
        block = Block()
        own = replace(nest, sizes={**nest.sizes, d: choice})
        write_out(own, Inserter(end=block), constants, functions, choices)
        block.add_op(scf.YieldOp())
        regions.append(Region(block))
    *cases, default = regions
    numbers = DenseArrayBase.from_list(i64, choices[d][:-1])
    size = nest.sizes[d]
    assert isinstance(size, SSAValue)
    insert.place(scf.IndexSwitchOp(size, numbers, default, cases, []))


def write_out(
    nest: Nest,
    insert: Inserter,
    constants: ConstantPool,
    functions: TileFunctions,
    choices: Mapping[int, Sequence[int]],
) -> None:
    """Emit the loops of a nest by its directives, here or in functions."""
    versions = partial(_versions, nest, insert, constants, functions, choices)
    if nest.directives.likely:
        versions(*_likely(nest))
    elif nest.directives.outlined is not None:
        if _uses_outside(nest.body):  # a function would have to be passed these values
            here = replace(nest, directives=replace(nest.directives, outlined=None))
            write_out(here, insert, constants, functions, choices)
        else:
            outline(nest, insert, constants, functions, choices)
    elif (d := _chosen(nest)) is not None:
        choose(nest, d, insert, constants, functions, choices)
    elif (d := _shorter(nest)) is not None:
        versions(*_by_length(nest, d))
    else:
        emit(nest, insert, constants, functions)


def _uses_outside(body: Block) -> bool:
    """Return whether the body of an op uses outside values other than constants."""
    inside = {body, *body.ops}
    used = (value.owner for op in body.ops for value in op.operands)
    return any(o not in inside and not isinstance(o, arith.ConstantOp) for o in used)


Sizes: TypeAlias = Mapping[int, tuple[str, int]]
"""Conditions on the iterations of loops: a comparison and a number for each."""


def _versions(
    nest: Nest,
    insert: Inserter,
    constants: ConstantPool,
    functions: TileFunctions,
    choices: Mapping[int, Sequence[int]],
    asked: Sizes,
    then: Nest,
    otherwise: Nest,
) -> None:
    """Emit one version of a nest's loops for sizes that meet the conditions, and another one for all
    others."""
    write, found = IndexWriter(constants, insert.place), list[SSAValue]()
    for d, (predicate, number) in asked.items():
        size = nest.sizes[d]
        if isinstance(size, SSAValue):
            found.append(write.compared(size, predicate, number))
        elif size != number if predicate == "eq" else size < number:
            write_out(otherwise, insert, constants, functions, choices)
            return
    if not found:
        write_out(then, insert, constants, functions, choices)
        return
    regions = list[Region]()
    for version in (then, otherwise):
        write_out(version, Inserter(end=(block := Block())), constants, functions, choices)
        block.add_op(scf.YieldOp())
        regions.append(Region(block))
    condition = reduce(lambda a, b: insert(arith.AndIOp(a, b)), found)
    insert.place(scf.IfOp(condition, [], regions[0], regions[1]))


def _likely(nest: Nest) -> tuple[Sizes, Nest, Nest]:
    """Return a nest whose loops have the iterations that they are specialized for, and one of other
    numbers."""
    own, told = nest.directives, nest.directives.likely
    known = replace(nest, sizes={**nest.sizes, **told}, directives=replace(own, likely={}))
    others = replace(own, likely={}, jammed=own.jammed - {*told})
    return {d: ("eq", n) for d, n in told.items()}, known, replace(nest, directives=others)


def _shorter(nest: Nest) -> int | None:
    """Return a loop whose last vector is shifted, which may be too short for one."""
    own = nest.directives
    return next(
        (d for d in own.shifted & {*nest.loops} if nest.least.get(d, 0) < own.vectors[d]), None
    )


def _by_length(nest: Nest, d: int) -> tuple[Sizes, Nest, Nest]:
    """Return a nest whose loop has the iterations of a vector, and one with vectors of a quarter, or
    none."""
    own, lanes = nest.directives, nest.directives.vectors[d]
    vectors = {e: n for e, n in own.vectors.items() if e != d}
    if lanes > SHORTEST:
        vectors[d] = max(lanes // 4, SHORTEST)
    shifted = own.shifted.intersection(vectors)
    otherwise = replace(nest, directives=replace(own, vectors=vectors, shifted=shifted))
    return {d: ("sge", lanes)}, replace(nest, least={**nest.least, d: lanes}), otherwise


def _key(nest: Nest, types: Sequence[Attribute]) -> object:
    """Return a key that is equal for nests with equal functions."""
    sizes = tuple(
        size if isinstance(size := nest.sizes[d], int) and d in nest.directives.jammed else None
        for d in nest.loops
    )
    maps = tuple(view.map and tuple(_steps(nest, view)) for view in nest.views)
    whole = tuple(sorted(nest.whole_vectors)), tuple(view.aligned for view in nest.views)
    own = repr(nest.directives), str(nest.start), _body(nest.body)
    return sizes, maps, tuple(types), whole, *own


def _body(block: Block) -> object:
    """Return a key for the ops of a body: operands by index, outside constants by value."""
    numbers: dict[SSAValue, object] = {argument: n for n, argument in enumerate(block.args)}
    found: list[object] = []
    for op in block.ops:
        operands = tuple(
            numbers[value] if value in numbers else str(value.owner) for value in op.operands
        )
        found.append((op.name, operands, str(op.properties), str(op.attributes), *op.result_types))
        numbers.update((result, (len(found), n)) for n, result in enumerate(op.results))
    return tuple(found)


def _apart(nest: Nest) -> Iterator[tuple[int, int, int, Term]]:
    """Yield the distances of iterations of program loops in subscripts of several loops: view, dimension,
    loop, and the number of elements."""
    for number, view in enumerate(nest.views):
        for dimension, expr in enumerate(view.map.results if view.map is not None else ()):
            loops, _ = linear(expr)
            for place, factor in loops.items() if dimension in view.sums else ():
                if nest.loops[place] not in nest.directives.inside:
                    yield number, dimension, place, view.apart.get((dimension, place), factor)


def _steps(nest: Nest, view: View) -> Iterator[object]:
    """Yield the subscripts of a view, without the strides of program loops."""
    assert view.map is not None
    for dimension, expr in enumerate(view.map.results):
        loops, constant = linear(expr)
        is_sum = dimension in view.sums
        yield (
            constant,
            *(
                (
                    place,
                    None if is_sum and nest.loops[place] not in nest.directives.inside else factor,
                )
                for place, factor in loops.items()
            ),
        )


def _known(nest: Nest, view: View) -> Iterator[int]:
    """Yield the static sizes of a view: those of jammed loops."""
    assert isinstance(view.value.type, MemRefType) and view.map is not None
    for size, expr in zip(view.value.type.get_shape(), view.map.results):
        if isinstance(expr, AffineDimExpr):
            d = nest.loops[expr.position]
            own = nest.sizes[d] if d in nest.directives.inside else DYNAMIC_INDEX
            yield own if isinstance(own, int) else DYNAMIC_INDEX
        else:
            loops = (nest.loops[place] for place in expr.used_dims())
            yield size if all(d in nest.directives.inside for d in loops) else DYNAMIC_INDEX


def _open(t: MemRefType, shape: Iterable[int]) -> MemRefType:
    """Return the type of a view with unknown offset and row stride."""
    found = strides(t)
    assert found is not None
    known = [1 if step == 1 and d == len(found) - 1 else None for d, step in enumerate(found)]
    return strided(t.element_type, list(shape), known)


def _dims(nest: Nest, view: View) -> Iterator[str]:
    """Yield the sizes of a view, in the function's symbols."""
    assert view.map is not None
    for dimension, (size, expr) in enumerate(zip(_known(nest, view), view.map.results)):
        is_row = dimension == len(view.map.results) - 1
        aligned = view.aligned if is_row else 1
        yield str(size) if size >= 0 else _reach(nest, expr, aligned, is_sum=dimension in view.sums)


def _reach(nest: Nest, expr: AffineExpr, aligned: int, *, is_sum: bool) -> str:
    """Return the number of elements that a subscript may span, in the function's symbols, up to whole
    rows."""
    loops, total = linear(expr)[0], symbolic.const(1)
    for place, factor in loops.items():
        d, step = nest.loops[place], symbolic.const(factor)
        is_jammed = d in nest.directives.inside
        own = nest.sizes[d]
        iterations = (
            symbolic.const(own) if is_jammed and isinstance(own, int) else symbolic.var(f"d{d}")
        )
        if is_sum and not is_jammed:
            step = symbolic.var(f"d{d}_apart")
        total += (iterations - 1) * step
    return str(symbolic.floordiv(total + (aligned - 1), aligned) * aligned)
