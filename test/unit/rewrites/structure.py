"""Comparison of functions up to names, without recursion; graph regions may refer forward."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from relax_dialect.ops.core import FuncOp


def ops_of(root: Operation) -> list[Operation]:
    """An op and all ops in it, in the order of the text."""
    found: list[Operation] = []
    stack = [root]
    while stack:
        op = stack.pop()
        found.append(op)
        inner = [o for r in op.regions for b in r.blocks for o in b.ops]
        stack.extend(reversed(inner))
    return found


def structure(root: Operation) -> list[tuple[object, ...]]:
    """All of a function but its names: per op the region it stands in, operands, types, attributes."""
    ops = ops_of(root)
    numbers: dict[SSAValue, int] = {}
    places: dict[object, tuple[int, int]] = {}
    for index, op in enumerate(ops):
        for number, region in enumerate(op.regions):
            for block in region.blocks:
                places[block] = (index, number)
                for argument in block.args:
                    numbers[argument] = len(numbers)
        for result in op.results:
            numbers[result] = len(numbers)
    return [
        (
            places.get(op.parent),
            op.name,
            tuple(numbers[operand] for operand in op.operands),
            op.result_types,
            tuple(sorted(op.properties.items(), key=lambda item: item[0])),
            tuple(block.arg_types for region in op.regions for block in region.blocks),
        )
        for op in ops
    ]


def main_of(module: ModuleOp) -> FuncOp:
    """The first function of a module."""
    function = next(iter(module.ops))
    assert isinstance(function, FuncOp)
    return function


def depth_of(root: Operation) -> int:
    """How many regions lie in each other."""
    deepest = 0
    stack = [(root, 0)]
    while stack:
        op, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((o, depth + 1) for r in op.regions for b in r.blocks for o in b.ops)
    return deepest
