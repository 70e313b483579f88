"""Functions of great length or depth, and graphs that a careless walk takes exponential time for."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from relax_dialect.ir.types import TensorType
from relax_dialect.ops import binary, unary
from relax_dialect.ops.blocks import OutputOp
from relax_dialect.ops.control import IfOp, YieldOp
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.ops.graph import GraphOp, LetOp

F32 = TensorType((), "f32")
BOOL = TensorType((), "i1")


def function(ops: list[Operation], result: SSAValue, args: Block) -> ModuleOp:
    """A function of one graph."""
    graph = GraphOp(_block([*ops, OutputOp(result)]))
    args.add_ops([graph, ReturnOp(graph.results[0])])
    return ModuleOp([FuncOp("main", [F32, BOOL], F32, Region(args))])


def _block(ops: list[Operation]) -> Block:
    block = Block()
    block.add_ops(ops)
    return block


def _args() -> tuple[Block, SSAValue, SSAValue]:
    args = Block(arg_types=[F32, BOOL])
    return args, *args.args  # pyright: ignore[reportReturnType]


def chain(length: int) -> ModuleOp:
    """Each node used by the next."""
    args, value, _ = _args()
    ops: list[Operation] = []
    for _ in range(length):
        ops.append(unary.NegativeOp(value))
        value = ops[-1].results[0]
    return function(ops, value, args)


def diamonds(length: int) -> ModuleOp:
    """Each node used twice by the next: as many paths as two to the power of the length."""
    args, value, _ = _args()
    ops: list[Operation] = []
    for _ in range(length):
        ops.append(binary.AddOp(value, value))
        value = ops[-1].results[0]
    return function(ops, value, args)


def lets(length: int) -> ModuleOp:
    """A node under a let under a let."""
    args, value, _ = _args()
    ops: list[Operation] = [unary.NegativeOp(value)]
    for _ in range(length):
        ops.append(LetOp(ops[-1].results[0]))
    return function(ops, ops[-1].results[0], args)


def ifs(length: int) -> ModuleOp:
    """Each `if` used in the next one's branch alone: sinking all would nest them."""
    args, value, condition = _args()
    ops: list[Operation] = []
    for _ in range(length):
        node = unary.NegativeOp(value)
        then = Region(_block([YieldOp(node)]))
        ops += [node, IfOp(condition, then, Region(_block([YieldOp(args.args[0])])))]
        value = ops[-1].results[0]
    return function(ops, value, args)


def nest(depth: int) -> ModuleOp:
    """An `if` in an `if`, each of whose levels has a let, used in all levels further in."""
    args, value, condition = _args()
    levels: list[tuple[list[Operation], SSAValue]] = []
    for _ in range(depth):
        node = unary.NegativeOp(value)
        let = LetOp(node)
        levels.append(([node, let], let.result))
        value = binary_sum(let.result, value, levels[-1][0])
    ops: list[Operation] = [YieldOp(value)]
    for level, (own, let) in reversed(list(enumerate(levels))):
        inner = IfOp(condition, Region(_block(ops)), Region(_block([YieldOp(let)])))
        ops = [*own, inner] if level == 0 else [*own, inner, YieldOp(inner)]
    return function(ops, ops[-1].results[0], args)


def binary_sum(a: SSAValue, b: SSAValue, ops: list[Operation]) -> SSAValue:
    ops.append(binary.AddOp(a, b))
    return ops[-1].results[0]


SHAPES: dict[str, tuple[Callable[[int], ModuleOp], int]] = {
    "chain": (chain, 20_000),
    "diamonds": (diamonds, 10_000),
    "ifs": (ifs, 4_000),
    "lets": (lets, 2_000),
    "nest": (nest, 200),
}
"""The shapes and the sizes that must work."""
