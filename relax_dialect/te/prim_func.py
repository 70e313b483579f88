"""`te.create_prim_func`: a graph of tensor expressions as a function of linalg operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from xdsl.dialects import arith, cf, func
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DictionaryAttr, StringAttr
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.te.access import access_map, certain_loads, walk
from relax_dialect.te.dtypes import INDEX
from relax_dialect.te.emitter import (
    AccessKey,
    BodyEmitter,
    FunctionEmitter,
    Given,
    name_hint,
    tensor_type,
)
from relax_dialect.te.scalar import IterVar, Reduce, Size
from relax_dialect.te.tensor import Load, Requirement, Stage, Tensor, shape_text

PARALLEL = IteratorTypeAttr.parallel()
REDUCTION = IteratorTypeAttr.reduction()


def create_prim_func(tensors: Sequence[Tensor], name: str = "main") -> func.FuncOp:
    """The private function from the placeholders among the tensors to the computed ones.

    Stages between them are found from the computed tensors. A symbol that is no argument's bare
    dimension becomes an `index` argument after the tensors.
    """
    _check_tensors(tensors)
    inputs = [t for t in tensors if t.stage is None]
    outputs = [t for t in tensors if t.stage is not None]
    stages = _stages(outputs)
    _check_inputs(stages, inputs)

    emitter = FunctionEmitter()
    bare = {
        dim.name: (tensor, d)
        for tensor in reversed(inputs)
        for d, dim in reversed(list(enumerate(tensor.shape)))
        if dim.name is not None
    }
    unbound = [s for s in _symbols(inputs, stages) if s not in bare]
    types = [tensor_type(t.shape, t.dtype) for t in inputs] + [INDEX] * len(unbound)
    block = Block(arg_types=types)
    for argument, hint in zip(block.args, [*(t.name for t in inputs), *unbound]):
        argument.name_hint = name_hint(hint)
    emitter.tensors.update(zip(inputs, block.args))
    emitter.symbols.update({s: (emitter.tensors[t], d) for s, (t, d) in bare.items()})
    emitter.symbols.update(zip(unbound, block.args[len(inputs) :]))

    for requirement in dict.fromkeys(r for t in stages if t.stage for r in t.stage.requires):
        _emit_requirement(emitter, requirement)
    for tensor in stages:
        assert tensor.stage is not None
        emitter.tensors[tensor] = _emit_stage(emitter, tensor, tensor.stage)
    results = [emitter.tensors[t] for t in outputs]
    block.add_ops([*emitter.scope.ops, func.ReturnOp(*results)])
    return func.FuncOp(
        name,
        (types, [result.type for result in results]),
        Region(block),
        visibility="private",
        arg_attrs=ArrayAttr([*map(_dims_attribute, inputs), *map(_symbol_attribute, unbound)]),
        res_attrs=ArrayAttr(map(_dims_attribute, outputs)),
    )


def _emit_requirement(emitter: FunctionEmitter, requirement: Requirement) -> None:
    """Stop with the requirement's message unless its size is one of those allowed."""
    add, size = emitter.scope.add, emitter.sizes.size(requirement.size)
    conditions = [
        add(arith.CmpiOp(size, emitter.sizes.size(allowed), "eq"))
        for allowed in requirement.allowed
    ]
    holds = reduce(lambda a, b: add(arith.OrIOp(a, b)), conditions)
    emitter.scope.ops.append(cf.AssertOp(holds, requirement.message))


def _dims_attribute(tensor: Tensor) -> DictionaryAttr:
    return DictionaryAttr({"relax.dims": ArrayAttr(StringAttr(str(dim)) for dim in tensor.shape)})


def _symbol_attribute(symbol: str) -> DictionaryAttr:
    return DictionaryAttr({"relax.symbol": StringAttr(symbol)})


# The graph of stages ----------------------------------------------------------------------------


def _reads(tensor: Tensor) -> list[Tensor]:
    """The tensors that a stage reads, in order of appearance."""
    if tensor.stage is None:
        return []
    loads = (node.tensor for node in walk(tensor.stage.body) if isinstance(node, Load))
    return list(dict.fromkeys(loads))


def _stages(outputs: Sequence[Tensor]) -> list[Tensor]:
    """All computed tensors that the outputs need, each after those it reads."""
    order: dict[Tensor, None] = {}
    work = [(tensor, False) for tensor in reversed(outputs)]
    while work:
        tensor, ready = work.pop()
        if tensor in order or tensor.stage is None:
            continue
        if ready:
            order[tensor] = None
        else:
            work.append((tensor, True))
            work.extend((t, False) for t in reversed(_reads(tensor)))
    return list(order)


def _symbols(inputs: Iterable[Tensor], stages: Iterable[Tensor]) -> list[str]:
    """The symbols of all shapes and bodies, in order of first appearance."""
    found: dict[str, None] = {}

    def meet(exprs: Iterable[symbolic.Expr]) -> None:
        found.update((name, None) for expr in exprs for name in expr.free_variables)

    for tensor in inputs:
        meet(tensor.shape)
    for tensor in stages:
        assert tensor.stage is not None
        meet(tensor.shape)
        for requirement in tensor.stage.requires:
            meet((requirement.size, *requirement.allowed))
        meet(axis.extent for axis in tensor.stage.reduce_axes)
        meet(node.expr for node in walk(tensor.stage.body) if isinstance(node, Size))
    return list(found)


def _check_tensors(tensors: Sequence[Tensor]) -> None:
    where = "te.create_prim_func"
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise RelaxError(
                f"{where}: expected a list of te.Tensor, found {tensor!r} of type "
                f"{type(tensor).__name__}; list the placeholders and the computed tensors"
            )
    for position, tensor in enumerate(tensors):
        if any(tensor is other for other in tensors[:position]):
            raise RelaxError(f"{where}: the tensor '{tensor.name}' is listed twice; list it once")
    if all(tensor.stage is None for tensor in tensors):
        raise RelaxError(
            f"{where}: the list has no computed tensor; add the result of a te.compute"
        )


def _check_inputs(stages: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
    listed = set(inputs)
    for stage in stages:
        for tensor in _reads(stage):
            if tensor.stage is None and tensor not in listed:
                raise RelaxError(
                    f"te.create_prim_func: the stage '{stage.name}' reads the placeholder "
                    f"'{tensor.name}' of shape [{shape_text(tensor.shape)}], which is not listed; "
                    "add it to the list of tensors"
                )


# One stage as linalg ----------------------------------------------------------------------------


def _emit_stage(emitter: FunctionEmitter, result: Tensor, stage: Stage) -> SSAValue:
    """One stage: `tensor.empty`, for a reduction `linalg.fill`, and the `linalg.generic`."""
    axes = (*stage.axes, *stage.reduce_axes)
    positions = {axis: d for d, axis in enumerate(axes)}
    accesses = _operand_accesses(stage, positions)
    window = _undetermined(stage, positions, accesses)

    operands = [emitter.tensors[tensor] for tensor, _ in accesses]
    maps = [results for _, results in accesses]
    if window:
        extents = tuple(axes[d].extent for d in window)
        operands.append(emitter.empty(extents, result.dtype, "window"))
        maps.append(tuple(AffineExpr.dimension(d) for d in window))
    out = _initial(emitter, result, stage)
    maps.append(tuple(AffineExpr.dimension(d) for d in range(len(stage.axes))))

    body = Block(arg_types=[value.type.get_element_type() for value in (*operands, out)])  # pyright: ignore
    for argument, (tensor, _) in zip(body.args, accesses):
        argument.name_hint = name_hint(f"{tensor.name}_in")
    body.args[-1].name_hint = "acc" if stage.reduce_axes else "out"
    elements = dict(zip(accesses, body.args))
    body.add_ops(_body_ops(stage, BodyEmitter(emitter, positions, elements), body))

    generic = GenericOp(
        operands,
        [out],
        Region(body),
        [AffineMapAttr(AffineMap(len(axes), 0, results)) for results in maps],
        [PARALLEL] * len(stage.axes) + [REDUCTION] * len(stage.reduce_axes),
        [out.type],
    )
    return emitter.scope.add(generic, result.name)


def _initial(emitter: FunctionEmitter, result: Tensor, stage: Stage) -> SSAValue:
    """What the generic writes over: an empty tensor, filled with the identity if it accumulates."""
    empty = emitter.empty(result.shape, result.dtype, "empty")
    if not isinstance(stage.body, Reduce):
        return empty
    identity = stage.body.reducer.identity(result.dtype)
    start = emitter.constant(identity, result.dtype)
    return emitter.scope.add(FillOp([start], [empty], [empty.type]), "init")


def _body_ops(stage: Stage, body: BodyEmitter, block: Block) -> list[Operation]:
    """The operations that compute one element, and the yield of it."""
    if isinstance(stage.body, Reduce):
        element = Given(body.emit(stage.body.operands[0]))
        value = body.emit(stage.body.reducer.combine(Given(block.args[-1]), element))
    else:
        value = body.emit(stage.body)
    return [*body.ops, YieldOp(value)]


def _operand_accesses(stage: Stage, positions: Mapping[IterVar, int]) -> list[AccessKey]:
    """The affine accesses that the body makes in any case: the operands of the generic."""
    found: dict[AccessKey, None] = {}
    for load in certain_loads(stage.body):
        results = access_map(load, positions)
        if results is not None:
            found[load.tensor, results] = None
    return list(found)


def _undetermined(
    stage: Stage, positions: Mapping[IterVar, int], accesses: Sequence[AccessKey]
) -> list[int]:
    """The reduction dimensions whose extent no operand gives: a shape-only operand has to."""
    given = {
        expr.position
        for _, results in accesses
        for expr in results
        if isinstance(expr, AffineDimExpr)
    }
    return [positions[axis] for axis in stage.reduce_axes if positions[axis] not in given]
