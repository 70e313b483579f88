"""Parameters and results of a lowered function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, TupleType, UnitAttr
from xdsl.ir import Attribute, Region, SSAValue

from lowering.memory.functions.body import FunctionLowering
from lowering.memory.functions.external_declarations import FUNCTION, to_attribute
from lowering.memory.functions.lowered_signature import (
    INDEX,
    Leaf,
    Lowered,
    LoweredParameter,
    LoweredTensor,
    ObjectReference,
    ShapeSizes,
    is_handle,
    is_unranked,
    kinds_of,
    leaves,
    lowered_types,
    unranked_parts,
)
from lowering.memory.functions.module_state import ModuleState
from relax_dialect.analysis.recursion import too_deep
from relax_dialect.ir.in_place import in_place
from relax_dialect.ir.types import Dim, FuncType, PrimType, ShapeType, TensorType
from relax_dialect.ir.upper_bounds import UPPER_BOUNDS, above_bound
from relax_dialect.ops import core
from relax_dialect.prim.run_time_checks import PLACE, place_of
from relax_dialect.prim.signature import DIMS, ENTRY, SYMBOL, UNRANKED, VALUE, result_names


def lower_function(function: core.FuncOp, module: ModuleState) -> func.FuncOp:
    """Return the function on memrefs."""
    body = FunctionLowering(function, module)
    _enter(body)
    body.lower_body()
    results = _return(body, function.return_op)
    body.block.add_op(func.ReturnOp(*results))
    body.free(results)
    return _finish(body, results)


def _enter(body: FunctionLowering) -> None:
    for symbol in body.signature.symbols:
        argument = body.block.insert_arg(INDEX, len(body.block.args))
        argument.name_hint = symbol
        body.symbols[symbol] = argument
    for symbol, most in body.sizes.upper_bounds.items():
        limit = body.sizes.constant(most)
        holds = body.add(arith.CmpiOp(body.symbols[symbol], limit, "sle"))
        body.require_size(holds, above_bound(symbol, most, "{%0}"))
    parts = iter(body.signature.params)
    for argument in body.function.body.block.args:
        body.values[argument] = _parameter(body, argument.type, parts)
    _enter_level(body)


def _enter_level(body: FunctionLowering) -> None:
    """Add the level parameter of a recursive function, and check it against the limit."""
    name = body.function.sym_name.data
    if name not in body.module.recursion.passing:
        return
    body.level = body.block.insert_arg(INDEX, len(body.block.args))
    body.level.name_hint = "level"
    if name in body.module.recursion.functions:
        limit = body.module.limit
        holds = body.add(arith.CmpiOp(body.level, body.sizes.constant(limit), "slt"))
        body.require_size(holds, too_deep(limit))
        body.level = body.add(arith.AddiOp(body.level, body.sizes.constant(1)))


def _parameter(
    body: FunctionLowering, type: Attribute, parts: Iterator[LoweredParameter]
) -> Lowered:
    if isinstance(type, TupleType):
        return tuple(_parameter(body, t, parts) for t in type.types)
    part = next(parts)
    if isinstance(type, ShapeType):
        assert type.shape is not None
        return ShapeSizes([_shape_parameter(body, part, d) for d in type.shape])
    (lowered,) = lowered_types(type)
    argument = body.block.insert_arg(lowered, len(body.block.args))
    argument.name_hint = part.name
    if is_handle(type):
        return ObjectReference(argument, type)
    return LoweredTensor(argument, type) if isinstance(type, TensorType) else argument


def _shape_parameter(body: FunctionLowering, part: LoweredParameter, dim: Dim) -> SSAValue:
    """Return a size of a shape parameter: known from the symbols, or an argument of its own."""
    if dim is not None:
        return body.sizes.size(dim)
    argument = body.block.insert_arg(INDEX, len(body.block.args))
    argument.name_hint = part.name
    return argument


def _return(body: FunctionLowering, op: core.ReturnOp) -> list[SSAValue]:
    value = body.fit("the result", body.values[op.value], body.signature.output)
    if indices := in_place(body.function):
        return _return_in_place(body, value, indices)
    return body.hand_over(value, body.signature.results)


def _return_in_place(
    body: FunctionLowering, value: Lowered, indices: Sequence[int]
) -> list[SSAValue]:
    """Copy results over the parameters that they are written over; return the others.

    All are handed over before the first write, as a result may be the value that another is written over.
    """
    fields = value if isinstance(body.signature.output, TupleType) else (value,)
    assert isinstance(fields, tuple)
    given = tuple(field for field, index in zip(fields, indices) if index < 0)
    results = body.hand_over(given, body.signature.results)
    arguments = body.function.body.block.args
    written = tuple(field for field, index in zip(fields, indices) if index >= 0)
    places = tuple(body.values[arguments[index]] for index in indices if index >= 0)
    pairs = [
        (leaf, place)
        for leaf, place in zip(leaves(written), leaves(places), strict=True)
        if isinstance(leaf, LoweredTensor) and isinstance(place, LoweredTensor)
        if leaf.memref is not place.memref
    ]
    new = body.hand_over(tuple(leaf for leaf, _ in pairs), [place.type for _, place in pairs])
    body.block.add_ops(memref.CopyOp(v, place.memref) for v, (_, place) in zip(new, pairs))
    return results


def _finish(body: FunctionLowering, results: Sequence[SSAValue]) -> func.FuncOp:
    inputs = [a.type for a in body.block.args]
    name = body.function.sym_name.data
    is_private = body.function.is_private or name in body.module.nested
    described = [each for t in body.signature.results for each in _described_result(t)]
    for each, own in zip(described, result_names(body.function, len(described))):
        each["relax.name"] = StringAttr(own)
    lowered = func.FuncOp(
        body.module.nested.get(name, name),
        (inputs, [r.type for r in results]),
        Region(body.block),
        visibility="private" if is_private else None,
        arg_attrs=ArrayAttr(_argument_attributes(body)),
        res_attrs=ArrayAttr(map(DictionaryAttr, described)),
    )
    if not is_private:
        lowered.attributes[ENTRY] = UnitAttr()
    if bounds := body.function.attributes.get(UPPER_BOUNDS):
        lowered.attributes[UPPER_BOUNDS] = bounds
    if place_of(body.function):
        lowered.attributes[PLACE] = StringAttr(place_of(body.function))
    return lowered


def _parameter_leaves(body: FunctionLowering) -> Iterable[Leaf]:
    for argument in body.function.body.block.args:
        yield from leaves(body.values[argument])


def _argument_attributes(body: FunctionLowering) -> Iterable[DictionaryAttr]:
    types: dict[SSAValue, Attribute] = {}
    for leaf, param in zip(_parameter_leaves(body), body.signature.params, strict=True):
        match leaf:
            case LoweredTensor(memref=value) | ObjectReference(value=value) | (SSAValue() as value):
                types[value] = param.type
            case ShapeSizes():
                pass
    symbols = len(body.signature.symbols)
    for argument in body.block.args:
        if argument.index < symbols:
            name = body.signature.symbols[argument.index]
            yield DictionaryAttr({SYMBOL: StringAttr(name)})
        else:
            described = _described(types[argument]) if argument in types else {}
            name = StringAttr(argument.name_hint or f"arg{argument.index}")
            yield DictionaryAttr({**described, "relax.name": name})


def _described_result(type: Attribute) -> list[dict[str, Attribute]]:
    """Return the attributes of the parts of a result."""
    if not is_unranked(type):
        return [_described(type) for _ in lowered_types(type)]
    elements, sizes = map(_described, unranked_parts(type))
    return [{**elements, UNRANKED: UnitAttr()}, sizes]


def _described(type: Attribute) -> dict[str, Attribute]:
    """Return the attributes of a parameter or result, for the properties that its lowered type lacks."""
    if isinstance(type, FuncType):
        return {FUNCTION: to_attribute(kinds_of(type))}
    if isinstance(type, PrimType):
        return {VALUE: StringAttr(str(type.value))}
    if not isinstance(type, TensorType):
        return {}
    dims = ["?" if d is None else str(d) for d in type.shape or ()]
    return {DIMS: ArrayAttr(StringAttr(d) for d in dims)}
