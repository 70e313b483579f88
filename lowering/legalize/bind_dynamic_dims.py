"""relax-bind-dynamic-dims: sizes unknown to types are named, so that operators on them can be lowered.

```mlir
%z = relax.if %c : (B) -> !relax.tensor<[?], f32> { ... }
%w = relax.exp %z : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
    ->
%z = relax.if %c : (B) -> !relax.tensor<[?], f32> { ... }
%z_1 = relax.match_cast %z : !relax.tensor<[?], f32> -> !relax.tensor<[z0], f32>
%w = relax.exp %z_1 : (!relax.tensor<[z0], f32>) -> !relax.tensor<[z0], f32>
```

The elements of a shape that is computed as a tensor get names by a match_shape:

```mlir
%s = relax.tensor_to_shape %v : (!relax.tensor<[2], i64>) -> !relax.shape<[?, ?]>
%y = relax.ones %s : (!relax.shape<[?, ?]>) -> !relax.tensor<[?, ?], f32>
    ->
%s = relax.tensor_to_shape %v : (!relax.tensor<[2], i64>) -> !relax.shape<[?, ?]>
%s_1 = relax.match_shape %s [s0, s1] : (!relax.shape<[?, ?]>) -> !relax.shape<[s0, s1]>
%y = relax.ones %s_1 : (!relax.shape<[s0, s1]>) -> !relax.tensor<[s0, s1], f32>
```

A size that is too long to be written becomes an expression of names: the sizes of the operands that it is
computed from are named first.

Before that, a result takes the type that its operands imply, if another one was declared. An op that
contradicts a narrower type (it fails if it is evaluated) keeps the former one by a match_cast, and so do
the users of a type that is no narrower. The program is in A-normal form. A tensor of unknown rank or
element type stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from lowering.legalize.relax_legalize import RULES, STEPS
from lowering.legalize.steps import FreshNames
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.purity import ModuleSymbols, module_by_module
from relax_dialect.ir.traits import region_is_graph
from relax_dialect.ir.types import Dim, ShapeType, TensorType
from relax_dialect.ir.walk import blocks_of
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.builtin_tensors import ToBuiltinOp
from relax_dialect.ops.calls import TirCallOp
from relax_dialect.ops.core import FuncOp, MatchCastOp, MatchShapeOp
from relax_dialect.rewrites.forms.normalize import accepts
from relax_dialect.symbolic import Expr, var
from relax_dialect.transform.regions import Body, functions, holds_bindings, replace_uses, set_type


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
        """Cast operands back to their former types if an op contradicts the new ones: it may never be
        evaluated."""
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
        """Change the result types of an op to those implied by its operands or outputs."""
        if isinstance(op, BlockOp):
            types: Sequence[Attribute] = op.output.operand_types
        elif isinstance(op, OperatorOp):
            types = self._with_short_operands(op, op.checked_types())
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

    def _with_short_operands(
        self, op: OperatorOp, types: Sequence[Attribute]
    ) -> Sequence[Attribute]:
        """Return the types of the results; if a size is unknown since it would be too long, the sizes of
        the operands are named first. Sizes that depend on data stay unknown by other names too."""
        if type(op) not in RULES or not any(map(_is_unknown, types)):
            return types
        former = list(op.operands)
        casts = [
            MatchCastOp(operand, TensorType.get(self._names(operand, is_long), operand.type.dtype))
            for operand in former
            if isinstance(operand.type, TensorType) and any(map(is_long, operand.type.shape or ()))
        ]
        results = {cast.value: cast.result for cast in casts}
        op.operands = [results.get(operand, operand) for operand in former]
        found = op.checked_types()
        if not casts or any(map(_is_unknown, found)):
            op.operands = former
            return types
        for cast in casts:
            cast.result.name_hint = cast.value.name_hint
            Rewriter.insert_op(cast, InsertPoint.before(op))
        return found

    def _name(self, value: SSAValue, where: InsertPoint) -> None:
        """Match a value with a type that names all its sizes, which its users use, if one is unknown."""
        type = value.type
        if not _is_unknown(type) or not any(_needs_sizes(use.operation) for use in value.uses):
            return
        dims = self._names(value, lambda dim: dim is None)
        if isinstance(type, TensorType):
            named: MatchCastOp | MatchShapeOp = MatchCastOp(value, TensorType.get(dims, type.dtype))
            self.original[named.result] = type
        else:
            named = MatchShapeOp(value, dims)
        named.result.name_hint = value.name_hint
        replace_uses({value: named.result}, lambda user: user is not named)
        Rewriter.insert_op(named, where)

    def _names(self, value: SSAValue, needed: Callable[[Dim], bool]) -> tuple[Expr, ...]:
        """Return the sizes of a value, with fresh names for the `needed` ones."""
        assert isinstance(value.type, TensorType | ShapeType)
        base = value.name_hint if value.name_hint and value.name_hint.isidentifier() else "s"
        return tuple(
            var(self.names.fresh(f"{base}{axis}")) if dim is None or needed(dim) else dim
            for axis, dim in enumerate(value.type.shape or ())
        )


MOST_PARTS = 32
"""The most variables, numbers and operations of a size with which larger ones are made."""


def is_long(dim: Dim) -> bool:
    """Return whether a size is so long that sizes computed from it may be too long to be written."""
    return dim is not None and dim.size > MOST_PARTS


def _is_unknown(type: Attribute) -> bool:
    """Return whether a type has a rank, and a size that is not known."""
    if isinstance(type, TensorType) and type.dtype is None:
        return False
    return isinstance(type, TensorType | ShapeType) and None in (type.shape or ())


def _in_order(function: FuncOp) -> Iterator[Block | Operation]:
    """Yield the blocks of a function at their begin, and each op after its nested ops."""
    waiting: list[Block | Operation | tuple[Operation]] = [function]
    in_graph: dict[Operation, bool] = {function: False}
    while waiting:
        place = waiting.pop()
        if isinstance(place, tuple):
            yield place[0]
        elif isinstance(place, Operation):
            waiting.append((place,))
            if holds_bindings(place):
                waiting += reversed(blocks_of(place))
        else:
            yield place
            owner = place.parent_op()
            assert owner is not None
            is_graph = region_is_graph(owner, in_graph[owner])
            ops = Body(place, is_graph, owner).ops()
            in_graph.update(dict.fromkeys(ops, is_graph))
            waiting += reversed(ops)


def _needs_sizes(user: Operation) -> bool:
    """Return whether an op is lowered by the sizes of its operands."""
    return type(user) in RULES or type(user) in STEPS or isinstance(user, TirCallOp | ToBuiltinOp)


class BindDynamicDimsPass(ModulePass):
    """Unknown sizes of tensors and shapes -> symbolic variables: see this file's docstring."""

    name = "relax-bind-dynamic-dims"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function, lookup in module_by_module(functions(op)):
            SizeNamer(lookup, FreshNames(function)).run(function)
