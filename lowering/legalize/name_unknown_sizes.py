"""relax-name-unknown-sizes: sizes that no type tells are named, so that operators on them can be lowered.

```mlir
%z = relax.if %c : (B) -> !relax.tensor<[?], f32> { ... }
%w = relax.exp %z : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
    ->
%z = relax.if %c : (B) -> !relax.tensor<[?], f32> { ... }
%z_1 = relax.match_cast %z : !relax.tensor<[?], f32> -> !relax.tensor<[z0], f32>
%w = relax.exp %z_1 : (!relax.tensor<[z0], f32>) -> !relax.tensor<[z0], f32>
```

Before that, a result takes the type that its operands imply, where another one was declared. What a
narrower type would contradict (it fails if it is evaluated) gets the former one back by a match_cast,
and so do the users of a type that is no narrower. The program is in A-normal form. A tensor of unknown
rank or element type stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from lowering.legalize.relax_legalize import RULES, STEPS
from lowering.legalize.steps import FreshNames
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.traits import region_is_graph
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.builtin_tensors import ToBuiltinOp
from relax_dialect.ops.calls import TirCallOp
from relax_dialect.ops.core import FuncOp, MatchCastOp
from relax_dialect.rewrites.normalize import accepts
from relax_dialect.symbolic import var
from relax_dialect.transform.regions import Body, functions, is_relax, replace_uses, set_type


@dataclass
class SizeNamer:
    """Names the unknown sizes of the values of one function that ops on tensors use."""

    lookup: ModuleSymbols
    names: FreshNames
    original: dict[SSAValue, Attribute] = field(default_factory=dict)
    """The former types of the values that got others."""

    def run(self, function: FuncOp) -> None:
        for place in _in_order(function):
            if isinstance(place, Block):
                for argument in place.args:
                    self._name(argument, InsertPoint.at_start(place))
            elif place is not function and place.parent is not None:
                self._fit(place)
                self._refine(place)
                for result in reversed(place.results):
                    self._name(result, InsertPoint.after(place))

    def _fit(self, op: Operation) -> None:
        """Give the former types back to an op that the new ones contradict: it may never be evaluated."""
        if self.original.keys().isdisjoint(op.operands) or accepts(op, self.lookup):
            return
        for place, operand in enumerate(op.operands):
            if (type := self.original.get(operand)) is not None:
                wide = MatchCastOp(operand, type)
                wide.result.name_hint = operand.name_hint
                Rewriter.insert_op(wide, InsertPoint.before(op))
                op.operands[place] = wide.result
                self._name(wide.result, InsertPoint.after(wide))

    def _refine(self, op: Operation) -> None:
        """Give the results of an op the types that its operands, or its outputs, imply."""
        if isinstance(op, BlockOp):
            types: Sequence[Attribute] = op.output.operand_types
        elif isinstance(op, OperatorOp):
            types = op.checked_types()
        else:
            return
        for result, type in zip(op.results, types):
            declared = result.type
            if type == declared:
                continue
            set_type(result, type)
            if is_subtype(type, declared):
                self.original[result] = declared
            else:  # sizes that another operand knows by another name
                Rewriter.insert_op(kept := MatchCastOp(result, declared), InsertPoint.after(op))
                kept.result.name_hint = result.name_hint
                replace_uses({result: kept.result}, lambda user, kept=kept: user is not kept)

    def _name(self, value: SSAValue, where: InsertPoint) -> None:
        """Cast a value to a type that names all its sizes, which its users use, if there is any to name."""
        type = value.type
        if not isinstance(type, TensorType) or type.shape is None or type.dtype is None:
            return
        if None not in type.shape or not any(_needs_sizes(use.operation) for use in value.uses):
            return
        base = value.name_hint if value.name_hint and value.name_hint.isidentifier() else "s"
        dims = tuple(
            var(self.names.fresh(f"{base}{axis}")) if dim is None else dim
            for axis, dim in enumerate(type.shape)
        )
        cast = MatchCastOp(value, TensorType.get(dims, type.dtype))
        cast.result.name_hint = value.name_hint
        self.original[cast.result] = type
        replace_uses({value: cast.result}, lambda user: user is not cast)
        Rewriter.insert_op(cast, where)


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


def _needs_sizes(user: Operation) -> bool:
    """Whether an op is lowered by the sizes of its operands."""
    return type(user) in RULES or type(user) in STEPS or isinstance(user, TirCallOp | ToBuiltinOp)


class RelaxNameUnknownSizesPass(ModulePass):
    """Unknown sizes of tensors -> symbolic variables: see this file's docstring."""

    name = "relax-name-unknown-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            SizeNamer(ModuleSymbols(function), FreshNames(function)).run(function)
