"""`te.create_prim_func`: a graph of tensor expressions as a function of linalg operations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Block, Region

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.prim.run_time_checks import check
from relax_dialect.te.dtypes import INDEX
from relax_dialect.te.emit.bounds import Bounds
from relax_dialect.te.emit.scalar_emitter import FunctionEmitter, name_hint, tensor_type
from relax_dialect.te.stage_graph import stages_of
from relax_dialect.te.tensor import Requirement, Stage, Tensor, shape_text


def create_prim_func(
    tensors: Sequence[Tensor], name: str = "main", *, checked: bool = True
) -> func.FuncOp:
    """Return the private function from the placeholders among the tensors to the computed ones.

    Stages between them are found from the computed tensors. A symbol that is no argument's bare dimension
    becomes an `index` argument after the tensors. Unless `checked` is false, indices that are not proved in
    bounds are checked: at the start of the function if the sizes decide it, otherwise at their use.
    """
    _check_tensors(tensors)
    inputs = [t for t in tensors if t.stage is None]
    outputs = [t for t in tensors if t.stage is not None]
    stages = stages_of(outputs)
    _check_inputs(stages, inputs)

    emitter = FunctionEmitter(name, (dim for tensor in tensors for dim in tensor.shape))
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

    bounds = Bounds() if checked else None
    required = [r for stage in stages for r in stage.requires]
    if bounds is not None:
        required += [r for s in stages if s.checked for r in s.bounds_to_check(bounds, ())]
    for requirement in dict.fromkeys(required):
        _emit_requirement(emitter, requirement)
    for stage in stages:
        emitter.bounds = bounds if stage.checked else None
        emitter.tensors.update(zip(stage.outputs, stage.emit(emitter)))
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
    """Emit a check that stops with the requirement's message unless its size is an allowed one."""
    add, size = emitter.scope.add, emitter.sizes.size(requirement.size)
    conditions = [
        add(arith.CmpiOp(size, emitter.sizes.size(allowed), "eq"))
        for allowed in requirement.allowed
    ]
    holds = reduce(lambda a, b: add(arith.OrIOp(a, b)), conditions)
    emitter.scope.ops.append(check(holds, requirement.message, requirement.shows))


def _dims_attribute(tensor: Tensor) -> DictionaryAttr:
    return DictionaryAttr({"relax.dims": ArrayAttr(StringAttr(str(dim)) for dim in tensor.shape)})


def _symbol_attribute(symbol: str) -> DictionaryAttr:
    return DictionaryAttr({"relax.symbol": StringAttr(symbol)})


# The graph of stages ----------------------------------------------------------------------------


def _symbols(inputs: Iterable[Tensor], stages: Iterable[Stage]) -> list[str]:
    """Return the symbols of all shapes and bodies, in order of first appearance."""
    found: dict[str, None] = {}

    def meet(exprs: Iterable[symbolic.Expr]) -> None:
        found.update((name, None) for expr in exprs for name in expr.free_variables)

    for tensor in inputs:
        meet(tensor.shape)
    for stage in stages:
        for output in stage.outputs:
            meet(output.shape)
        for requirement in stage.requires:
            meet((requirement.size, *requirement.allowed))
        meet(stage.sizes)
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


def _check_inputs(stages: Sequence[Stage], inputs: Sequence[Tensor]) -> None:
    listed = set(inputs)
    for stage in stages:
        for tensor in stage.reads:
            if tensor.stage is None and tensor not in listed:
                raise RelaxError(
                    f"te.create_prim_func: the stage '{stage.outputs[0].name}' reads the placeholder "
                    f"'{tensor.name}' of shape [{shape_text(tensor.shape)}], which is not listed; "
                    "add it to the list of tensors"
                )
