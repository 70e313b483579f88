"""Matching of stages of prim funcs with those of a pattern, up to names and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from relax_dialect.prim.signature import signature
from relax_dialect.symbolic import Expr

Shapes = Mapping[SSAValue, tuple[Expr, ...]]
"""The sizes of a prim func's tensors."""


@dataclass
class MatchResult:
    """The stages that match a pattern."""

    pattern: func.FuncOp
    arguments: list[SSAValue] = field(default_factory=list)
    """The values of the split prim func that match the pattern's parameters."""
    sizes: dict[str, Expr] = field(default_factory=dict)
    """The pattern's symbolic variables as sizes of the caller."""
    stages: list[Operation] = field(default_factory=list)


def stages(function: func.FuncOp) -> list[GenericOp]:
    """Return the stages of a prim func, in order."""
    return [op for op in function.body.block.ops if isinstance(op, GenericOp)]


def match(pattern: func.FuncOp, found: Sequence[GenericOp], shapes: Shapes) -> MatchResult | None:
    """Match the first of some stages with those of a pattern; None if they differ."""
    wanted = stages(pattern)
    if not wanted or len(found) < len(wanted):
        return None
    matching = _Matching(pattern, shapes)
    if not all(matching.stage(*pair) for pair in zip(wanted, found)):
        return None
    params = pattern.body.block.args[: len(signature(pattern).params)]
    if any(param not in matching.values for param in params):
        return None
    arguments = [matching.values[param] for param in params]
    return MatchResult(pattern, arguments, matching.sizes, list(found[: len(wanted)]))


class _Matching:
    """The values and sizes matched so far for those of a pattern."""

    def __init__(self, pattern: func.FuncOp, shapes: Shapes):
        params = signature(pattern).params
        self.dims: dict[SSAValue, Sequence[Expr | None] | None] = {
            arg: param.shape for arg, param in zip(pattern.body.block.args, params)
        }
        self.shapes = shapes
        self.values: dict[SSAValue, SSAValue] = {}
        self.sizes: dict[str, Expr] = {}

    def stage(self, wanted: GenericOp, found: GenericOp) -> bool:
        """Return whether a stage matches that of the pattern."""
        same = (
            wanted.indexing_maps == found.indexing_maps
            and wanted.iterator_types == found.iterator_types
            and len(wanted.inputs) == len(found.inputs)
            and len(wanted.outputs) == len(found.outputs)
        )
        if not same or not all(map(self._value, wanted.inputs, found.inputs)):
            return False
        if not all(map(self._start, wanted.outputs, found.outputs)):
            return False
        if not self._body(wanted.body.block, found.body.block):
            return False
        self.values.update(zip(wanted.results, found.results))
        return True

    def _value(self, wanted: SSAValue, found: SSAValue) -> bool:
        if wanted in self.values:
            return self.values[wanted] is found
        if wanted not in self.dims or found not in self.shapes:
            return False
        dims, shape = self.dims[wanted], self.shapes[found]
        element = [v.type.element_type for v in (wanted, found)]  # pyright: ignore
        if dims is None or len(dims) != len(shape) or element[0] != element[1]:
            return False
        self.values[wanted] = found
        return all(map(self._size, dims, shape))

    def _size(self, wanted: Expr | None, found: Expr) -> bool:
        if wanted is not None and wanted.name is not None:
            return self.sizes.setdefault(wanted.name, found) == found
        return wanted is not None and wanted.substitute(self.sizes) == found

    def _start(self, wanted: SSAValue, found: SSAValue) -> bool:
        """Return whether two stages begin with the same: nothing, or one number."""
        pair = [v.op if isinstance(v, OpResult) else None for v in (wanted, found)]
        match pair:
            case [tensor.EmptyOp(), tensor.EmptyOp()]:
                return wanted.type.element_type == found.type.element_type  # pyright: ignore
            case [FillOp() as a, FillOp() as b]:
                return self._number(a.inputs[0], b.inputs[0])
            case _:
                return False

    def _number(self, wanted: SSAValue, found: SSAValue) -> bool:
        pair = [v.op if isinstance(v, OpResult) else None for v in (wanted, found)]
        match pair:
            case [arith.ConstantOp() as a, arith.ConstantOp() as b]:
                return a.value == b.value
            case _:
                return False

    def _body(self, wanted: Block, found: Block) -> bool:
        """Return whether two bodies compute the same, in the same order."""
        values: dict[SSAValue, SSAValue] = dict(zip(wanted.args, found.args))
        left, right = list(wanted.ops), list(found.ops)
        if len(left) != len(right) or wanted.arg_types != found.arg_types:
            return False
        for a, b in zip(left, right):
            if type(a) is not type(b) or a.regions or a.result_types != b.result_types:
                return False
            if a.properties != b.properties or len(a.operands) != len(b.operands):
                return False
            for x, y in zip(a.operands, b.operands):
                inside = isinstance(x, BlockArgument) or x in values
                if not (values.get(x) is y if inside else self._number(x, y)):
                    return False
            values.update(zip(a.results, b.results))
        return True
