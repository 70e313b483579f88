"""The parts of a program that is compared: its ops, its private functions, its symbolic variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from relax_dialect.ir.symbol_scopes import candidate_symbols, entry_symbols
from relax_dialect.ir.traits import SymbolsEscape, kind_has, region_is_graph, stands_in_graph
from relax_dialect.ir.type_variables import defined_variables, sizes_in
from relax_dialect.ir.walk import is_private, symbol_name
from relax_dialect.symbolic import definitions

Root: TypeAlias = Operation | Block | Region


def blocks_of(root: Root) -> list[Block]:
    """Return the outermost blocks of the compared program."""
    if isinstance(root, Block):
        return [root]
    regions = root.regions if isinstance(root, Operation) else [root]
    return [block for region in regions for block in region.blocks]


@dataclass
class Program:
    """One of two things that are compared."""

    root: Root
    ops: set[Operation] = field(default_factory=set)
    functions: dict[str, Operation] = field(default_factory=dict)
    """The functions whose names do not count, by name."""
    graphs: dict[Block, bool] = field(default_factory=dict)
    """Whether a block is a graph region."""
    _definers: dict[Block, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.root, Operation):
            self.ops.add(self.root)
            if (name := symbol_name(self.root)) is not None:
                self.functions[name] = self.root
        if isinstance(self.root, ModuleOp):
            named = ((symbol_name(op), op) for op in self.root.ops if is_private(op))
            self.functions = {name: op for name, op in named if name is not None}
        for block, inherited in _blocks(self.root):
            self.graphs[block] = inherited
            self.ops.update(block.ops)

    def holds(self, value: SSAValue) -> bool:
        """Return whether a value is defined inside."""
        owner = value.owner
        return owner in (self.ops if isinstance(owner, Operation) else self.graphs)

    def definer(self, name: str, block: Block) -> Block | None:
        """Return the block that defines a symbolic variable seen from another, None if it comes from
        outside."""
        found: Block | None = None
        around: Block | None = block
        while around is not None and around in self.graphs:
            if name in self._defined(around):
                found = around  # a definition further out is the first
            holder = around.parent_op()
            around = None if holder is None or holder is self.root else holder.parent
        return found

    def solved(self, block: Block) -> list[str]:
        """Return the variables that the parameters of a function or closure are solved for, in the order of
        their definitions, whatever their names."""
        owner = block.parent_op()
        own = frozenset(entry_symbols(owner)) if owner is not None else frozenset[str]()
        if not own and (owner is None or symbol_name(owner) is None):
            return []
        dims = [dim for type in block.arg_types for dim in sizes_in(type)]
        found = definitions(dims, lambda name: bool(own) and name not in own)
        return [
            name for name, at in found.items() if (d := dims[at]) is not None and not d.is_variable
        ]

    def _defined(self, block: Block) -> set[str]:
        """Return the symbolic variables defined in a block, or in nested blocks they escape from."""
        if (found := self._definers.get(block)) is not None:
            return found
        names = list(defined_variables(block.arg_types))
        if (owner := block.parent_op()) is not None:
            names += entry_symbols(owner)
        stack = [block]
        while stack:
            for op in stack.pop().ops:
                names += candidate_symbols(op)
                if kind_has(type(op), SymbolsEscape):
                    stack.append(op.regions[0].block)
        found = self._definers[block] = set(names)
        return found


def _blocks(root: Root) -> Iterator[tuple[Block, bool]]:
    """Yield all blocks inside, and whether each is a graph region."""
    stack = [(block, stands_in_graph(block)) for block in blocks_of(root)]
    while stack:
        block, is_graph = stack.pop()
        yield block, is_graph
        for op in block.ops:
            for region in op.regions:
                inner = region_is_graph(op, is_graph)
                stack.extend((each, inner) for each in region.blocks)
