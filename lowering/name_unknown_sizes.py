"""relax-name-unknown-sizes: sizes that no type tells are named, so that operators on them can be lowered.

```mlir
%z = relax.if %c : (B) -> !relax.tensor<[?], f32> { ... }
%w = relax.exp %z : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
    ->
%z = relax.if %c : (B) -> !relax.tensor<[?], f32> { ... }
%z_1 = relax.match_cast %z : !relax.tensor<[?], f32> -> !relax.tensor<[z0], f32>
%w = relax.exp %z_1 : (!relax.tensor<[z0], f32>) -> !relax.tensor<[z0], f32>
```

Before that, a result takes the type that its operands imply, where a wider one was declared. The program
is in A-normal form. A tensor of unknown rank or element type stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from lowering.legalize.relax_legalize import RULES, STEPS
from lowering.legalize.steps import FreshNames
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import TirCallOp
from relax_dialect.ops.core import FuncOp, MatchCastOp, ToBuiltinOp
from relax_dialect.rewrites.regions import Body, functions, is_relax, replace_uses, set_type
from relax_dialect.symbolic import var
from relax_dialect.traits import region_is_graph
from relax_dialect.types import TensorType, is_subtype


def name_sizes(function: FuncOp) -> None:
    """Name the unknown sizes of the values of one function that ops on tensors use."""
    names = FreshNames(function)
    for place in _in_order(function):
        if isinstance(place, Block):
            for argument in place.args:
                if (cast := _cast(argument, names)) is not None:
                    place.insert_op_before(cast, place.first_op)  # pyright: ignore
        elif place is not function and place.parent is not None:
            _refine(place)
            for result in reversed(place.results):
                if (cast := _cast(result, names)) is not None:
                    place.parent.insert_op_after(cast, place)


def _in_order(function: FuncOp) -> Iterator[Block | Operation]:
    """The blocks of a function where they begin, and the ops after those that they hold."""
    waiting: list[Block | Operation | tuple[Operation]] = [function]
    in_graph: dict[Operation, bool] = {function: False}
    while waiting:
        place = waiting.pop()
        if isinstance(place, tuple):
            yield place[0]
        elif isinstance(place, Operation):
            waiting.append((place,))
            if is_relax(place):
                waiting += reversed([b for region in place.regions for b in region.blocks])
        else:
            yield place
            owner = place.parent_op()
            assert owner is not None
            is_graph = region_is_graph(owner, in_graph[owner])
            ops = Body(place, is_graph, owner).ops()
            in_graph.update(dict.fromkeys(ops, is_graph))
            waiting += reversed(ops)


def _refine(op: Operation) -> None:
    """Give the results of an op the types that its operands, or its outputs, imply."""
    if isinstance(op, BlockOp):
        types: Sequence[Attribute] = op.output.operand_types
    elif isinstance(op, OperatorOp):
        types = op.infer()
    else:
        return
    for result, type in zip(op.results, types):
        if type != result.type and is_subtype(type, result.type):
            set_type(result, type)


def _cast(value: SSAValue, names: FreshNames) -> MatchCastOp | None:
    """A cast of a value to a type that names all its sizes, which its users use; None where there is
    nothing to name."""
    type = value.type
    if not isinstance(type, TensorType) or type.shape is None or type.dtype is None:
        return None
    if None not in type.shape or not any(_needs_sizes(use.operation) for use in value.uses):
        return None
    base = value.name_hint if value.name_hint and value.name_hint.isidentifier() else "s"
    dims = tuple(
        var(names.fresh(f"{base}{axis}")) if dim is None else dim
        for axis, dim in enumerate(type.shape)
    )
    cast = MatchCastOp(value, TensorType.get(dims, type.dtype))
    cast.result.name_hint = value.name_hint
    replace_uses({value: cast.result}, lambda user: user is not cast)
    return cast


def _needs_sizes(user: Operation) -> bool:
    """Whether an op is lowered by the sizes of its operands."""
    return type(user) in RULES or type(user) in STEPS or isinstance(user, TirCallOp | ToBuiltinOp)


class RelaxNameUnknownSizesPass(ModulePass):
    """Unknown sizes of tensors -> symbolic variables: see this file's docstring."""

    name = "relax-name-unknown-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            name_sizes(function)
