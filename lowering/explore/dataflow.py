"""The dataflow graph of a function: its ops, parameters and results, and which value goes where.

Blocks of bindings are looked through. What regions of other ops yield goes to those ops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator

from lowering.explore.places import Places
from relax_dialect.ir.locations import nearest_location
from relax_dialect.ir.traits import has_trait
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import TirCallOp
from relax_dialect.ops.core import FuncOp

FEW = 3
"""A parameter or constant with more users than this is drawn once next to each of them."""


@dataclass(frozen=True)
class Node:
    """Something that is drawn: what it is called, its type, and the places that it comes from."""

    label: str
    type: str
    kind: str
    """`op`, `call`, `input` or `result`."""
    places: tuple[int, ...]


@dataclass
class Graph:
    """Nodes, and edges between them by number."""

    name: str
    nodes: list[Node] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)


def graph_of(function: FuncOp, places: Places) -> Graph:
    """The graph of a function."""
    return _Drawing(function, places).graph


class _Drawing:
    def __init__(self, function: FuncOp, places: Places):
        self.places = places
        self.graph = Graph(function.sym_name.data)
        self.made_by: dict[SSAValue, int] = {}
        self.same_as: dict[SSAValue, SSAValue] = {}
        """The values that results of blocks stand for."""
        self.uses: dict[tuple[int, int], None] = {}
        self.users: list[tuple[Operation, int]] = []
        for block in function.body.blocks:
            self._add_block(block, None)
        for op, user in self.users:
            for operand in op.operands:
                self._connect(operand, user)
        self._copy_inputs()
        self.graph.edges = list(self.uses)

    def _add_block(self, block: Block, parent: int | None) -> None:
        for argument in block.args:
            name = argument.name_hint or f"arg{argument.index}"
            self._add(Node(f"%{name}", _type(argument), "input", self._origin(argument)), argument)
        for op in block.ops:
            if has_trait(op, IsTerminator):
                self._end(op, parent)
            elif isinstance(op, BlockOp):
                self._add_block(op.body.block, parent)
                self.same_as.update(zip(op.results, op.output.operands))
            else:
                number = self._add(self._node(op), *op.results)
                self.users.append((op, number))
                for region in op.regions:
                    for inner in region.blocks:
                        self._add_block(inner, number)

    def _end(self, op: Operation, parent: int | None) -> None:
        """Results of a region go to its op; those of a function are drawn."""
        if isinstance(op.parent_op(), BlockOp):
            return
        if parent is None:
            types = ", ".join(_type(operand) for operand in op.operands)
            parent = self._add(Node("return", types, "result", self.places.of(op.location)))
        self.users.append((op, parent))

    def _add(self, node: Node, *values: SSAValue) -> int:
        number = len(self.graph.nodes)
        self.graph.nodes.append(node)
        self.made_by.update(dict.fromkeys(values, number))
        return number

    def _node(self, op: Operation) -> Node:
        types = ", ".join(map(_type, op.results))
        if isinstance(op, TirCallOp):
            return Node(f"@{op.callee.string_value()}", types, "call", self._origin(op))
        is_input = not op.operands and not op.regions
        kind = "input" if is_input else "op"
        return Node(op.name.removeprefix("relax."), types, kind, self._origin(op))

    def _origin(self, op: Operation | BlockArgument) -> tuple[int, ...]:
        return self.places.of(nearest_location(op))

    def _connect(self, value: SSAValue, user: int) -> None:
        while value in self.same_as:
            value = self.same_as[value]
        if (maker := self.made_by.get(value)) is not None:
            self.uses[maker, user] = None

    def _copy_inputs(self) -> None:
        users: dict[int, list[int]] = {}
        for maker, user in self.uses:
            users.setdefault(maker, []).append(user)
        for maker, found in users.items():
            node = self.graph.nodes[maker]
            if node.kind == "input" and len(found) > FEW:
                for user in found[1:]:
                    del self.uses[maker, user]
                    self.uses[self._add(node), user] = None


def _type(value: SSAValue) -> str:
    return str(value.type).replace("!relax.", "")


def functions(module: Operation) -> Iterator[FuncOp]:
    """The Relax functions of a module."""
    return (op for op in module.walk() if isinstance(op, FuncOp))
