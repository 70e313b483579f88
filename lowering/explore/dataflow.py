"""The dataflow graph of a function: its ops, parameters and results, and their def-use edges.

Binding blocks are transparent. The values that regions of other ops yield are operands of those ops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator

from lowering.explore.source_locations import SourceLocations
from relax_dialect.ir.locations import nearest_location
from relax_dialect.ir.traits import has_trait
from relax_dialect.ir.types import Dim
from relax_dialect.ir.walk import blocks_of
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import TirCallOp
from relax_dialect.ops.core import FuncOp, TupleGetItemOp

FEW = 3
"""A parameter or constant with more users than this is drawn once next to each of them."""


@dataclass(frozen=True)
class DrawnNode:
    """A node of the drawing: its label, its type, and its source locations."""

    label: str
    type: str
    kind: str
    """`op`, `call`, `input` or `result`."""
    places: tuple[int, ...]


@dataclass(frozen=True)
class Kept:
    """A value that the backward pass of a gradient reads from the forward pass."""

    name: str
    bytes: Dim
    """None if they are known only at run time."""
    maker: int
    """The node that makes it."""


@dataclass
class Graph:
    """Nodes, and edges between them by number."""

    name: str
    nodes: list[DrawnNode] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    back: set[int] = field(default_factory=set)
    """In the graph of a gradient, the nodes of the backward pass; empty otherwise."""
    kept: list[Kept] = field(default_factory=list)


class Drawing:
    """The graph of a function under construction, with the values of its nodes."""

    def __init__(self, function: FuncOp, places: SourceLocations):
        self.places = places
        self.graph = Graph(function.sym_name.data)
        self.made_by: dict[SSAValue, int] = {}
        self.same_as: dict[SSAValue, SSAValue] = {}
        """Results of blocks, with the values that they alias."""
        self.uses: dict[tuple[int, int], None] = {}
        self.users: list[tuple[Operation, int]] = []
        self.outermost: dict[int, int] = {}
        """The node of the enclosing op at the top of the function, for each node that is nested in
        another."""
        for block in function.body.blocks:
            self._add_block(block, None)
        for op, user in self.users:
            for operand in op.operands:
                self._connect(operand, user)

    def finished(self) -> Graph:
        """Return the graph; inputs with many users are drawn next to each."""
        self._copy_inputs()
        self.graph.edges = list(self.uses)
        return self.graph

    def _add_block(self, block: Block, parent: int | None) -> None:
        for argument in block.args:
            if argument.uses and all(map(_is_field, (use.operation for use in argument.uses))):
                continue
            name = argument.name_hint or f"arg{argument.index}"
            node = DrawnNode(f"%{name}", _type(argument), "input", self._origin(argument))
            self._add(node, argument, inside=parent)
        for op in block.ops:
            if has_trait(op, IsTerminator):
                self._end(op, parent)
            elif _is_field(op):
                self._add_field(op, parent)
            elif isinstance(op, BlockOp):
                self._add_block(op.body.block, parent)
                self.same_as.update(zip(op.results, op.output.operands))
            else:
                number = self._add(self._node(op), *op.results, inside=parent)
                self.users.append((op, number))
                for inner in blocks_of(op):
                    self._add_block(inner, number)

    def _add_field(self, op: Operation, parent: int | None) -> None:
        """Draw a field of a parameter as a parameter."""
        (value,) = op.results
        if not all(map(_is_field, (use.operation for use in value.uses))) or not value.uses:
            name = value.name_hint or "field"
            self._add(
                DrawnNode(f"%{name}", _type(value), "input", self._origin(op)), value, inside=parent
            )

    def _end(self, op: Operation, parent: int | None) -> None:
        """Draw the results of a function; results of a region belong to its op."""
        if isinstance(op.parent_op(), BlockOp):
            return
        if parent is None:
            types = ", ".join(_type(operand) for operand in op.operands)
            parent = self._add(DrawnNode("return", types, "result", self.places.of(op.location)))
        self.users.append((op, parent))

    def _add(self, node: DrawnNode, *values: SSAValue, inside: int | None = None) -> int:
        number = len(self.graph.nodes)
        self.graph.nodes.append(node)
        if inside is not None:
            self.outermost[number] = self.outermost.get(inside, inside)
        self.made_by.update(dict.fromkeys(values, number))
        return number

    def _node(self, op: Operation) -> DrawnNode:
        types = ", ".join(map(_type, op.results))
        if isinstance(op, TirCallOp):
            return DrawnNode(f"@{op.callee.string_value()}", types, "call", self._origin(op))
        is_input = not op.operands and not op.regions
        kind = "input" if is_input else "op"
        return DrawnNode(op.name.removeprefix("relax."), types, kind, self._origin(op))

    def _origin(self, op: Operation | BlockArgument) -> tuple[int, ...]:
        return self.places.of(nearest_location(op))

    def seen(self, value: SSAValue) -> SSAValue:
        """Return the value that a block's result aliases, or the value itself."""
        while value in self.same_as:
            value = self.same_as[value]
        return value

    def _connect(self, value: SSAValue, user: int) -> None:
        if (maker := self.made_by.get(self.seen(value))) is not None:
            self.uses[maker, user] = None

    def copy(self, node: int, user: int) -> None:
        """Draw a node once more, next to one of its users."""
        del self.uses[node, user]
        number = self._add(self.graph.nodes[node])
        self.uses[number, user] = None
        if user in self.graph.back:
            self.graph.back.add(number)

    def _copy_inputs(self) -> None:
        users: dict[int, list[int]] = {}
        for maker, user in self.uses:
            users.setdefault(maker, []).append(user)
        for maker, found in users.items():
            if self.graph.nodes[maker].kind == "input" and len(found) > FEW:
                for user in found[1:]:
                    self.copy(maker, user)


def _type(value: SSAValue) -> str:
    return str(value.type).replace("!relax.", "")


def _is_field(op: Operation) -> bool:
    """Returns whether an op takes a field of a parameter, or of such a field."""
    while isinstance(op, TupleGetItemOp):
        (taken,) = op.operands
        if isinstance(taken, BlockArgument):
            return isinstance(taken.owner.parent_op(), FuncOp)
        op = taken.owner  # pyright: ignore
    return False


def functions(module: Operation) -> Iterator[FuncOp]:
    """Yield the Relax functions of a module."""
    return (op for op in module.walk() if isinstance(op, FuncOp))
