"""Blocks of TIR with spatial and reduction axes as tensor expressions: one stage for each."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from relax_dialect import symbolic
from relax_dialect.frontends.tvmscript.prim_funcs.reading.arithmetic import Value
from relax_dialect.frontends.tvmscript.prim_funcs.reading.buffers import (
    ALLOCATIONS,
    Buffer,
    BufferDeclarations,
)
from relax_dialect.frontends.tvmscript.prim_funcs.reading.nests import (
    BlockNest,
    NotABlock,
)
from relax_dialect.frontends.tvmscript.prim_funcs.reading.plain import SCALARS
from relax_dialect.frontends.tvmscript.prim_funcs.reading.tir_expressions import TirExpressions
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.te.emit.access import walk
from relax_dialect.te.emit.generic import ComputeStage
from relax_dialect.te.raising.raised_reductions import joined_reduction
from relax_dialect.te.scalar import Element, IterVar, Reduce, Scalar, ScalarConstant
from relax_dialect.te.tensor import Stage


class BlockReader:
    """Reads the blocks of a function, each into the buffers that it writes."""

    def __init__(self, declared: BufferDeclarations):
        self.declared = declared
        self.names, self.outer = declared.names, declared.expressions
        self.nests: dict[Stage, BlockNest] = {}
        """The nest that each stage comes from."""

    def read(self, nest: BlockNest) -> None:
        """Read one block; raises `NotABlock` if it is no tensor expression."""
        _Block(self, nest).read()

    def tensor(self, node: ast.expr) -> Buffer:
        if isinstance(node, ast.Name) and node.id in self.declared.buffers:
            return self.declared.buffers[node.id]
        raise Unreadable(node, f"expected a buffer, found {ast.unparse(node)}")


@dataclass
class _Store:
    buffer: Buffer
    indices: tuple[Scalar, ...]
    value: Scalar


class _Block:
    def __init__(self, blocks: BlockReader, nest: BlockNest):
        self.blocks, self.nest = blocks, nest
        self.axes = self._axes()
        values: dict[str, Value] = dict(blocks.outer.values)
        values.update(self.axes)
        narrow = blocks.outer.narrow
        self.expressions = TirExpressions(blocks.names, self._load, values, narrow)
        self.written = {
            each.value.id
            for statement in nest.body
            for each in ast.walk(statement)
            if isinstance(each, ast.Subscript)
            and isinstance(each.ctx, ast.Store)
            and isinstance(each.value, ast.Name)
        }
        self.before: dict[str, tuple[Element, tuple[Scalar, ...]]] = {}

    def _axes(self) -> dict[str, IterVar]:
        """Return the axes, each bound to its own loop over all of it."""
        extents = {name: self.blocks.outer.size(node) for name, node in self.nest.loops}
        free = dict(extents)
        found: dict[str, IterVar] = {}
        for axis in self.nest.axes:
            extent = self.blocks.outer.size(axis.extent)
            name = axis.name.removeprefix("v_")
            match axis.binding:
                case ast.Name(id=loop) if free.pop(loop, None) is extent:
                    found[axis.name] = IterVar(name, extent, axis.kind == "R")
                case _ if extent.value == 1 and axis.kind == "S" and self._is_zero(axis.binding):
                    found[axis.name] = IterVar(name, extent)
                case _:
                    raise NotABlock
            if axis.kind == "O":
                raise NotABlock
            variable = found[axis.name]
            if self.blocks.outer.is_narrow(self.blocks.outer.read(axis.extent)):
                self.blocks.outer.narrow.add(variable)
        if any(extent.value != 1 for extent in free.values()):
            raise NotABlock
        return found

    @staticmethod
    def _is_zero(binding: ast.expr) -> bool:
        match binding:
            case ast.Constant(value=0) | ast.Call(args=[ast.Constant(value=0)]):
                return True
            case _:
                return False

    def _load(self, node: ast.Subscript) -> Scalar:
        buffer = self.blocks.tensor(node.value)
        indices = self.expressions.indices(node.slice)
        if buffer.name in self.written:
            if buffer.name not in self.before:
                element = Element(buffer.dtype, "an accumulator")
                self.before[buffer.name] = element, indices
            element, first = self.before[buffer.name]
            if not all(map(_same, first, indices)):
                raise NotABlock
            return element
        if buffer.tensor is None:
            raise NotABlock  # it is read before it is written, or not written by blocks alone
        if len(indices) != len(buffer.shape):
            raise Unreadable(node, f"expected {len(buffer.shape)} indices, found {len(indices)}")
        tensor = buffer.tensor
        return self.expressions.once(tensor, lambda *i: tensor[i], *indices)  # pyright: ignore

    def read(self) -> None:
        starts = self._stores(self.nest.init)
        stores = self._stores(self.nest.body)
        axes = self._places(stores)
        reduced = [a for a in self.axes.values() if a.reduction]
        unused = set(self.axes.values()) - {*axes, *reduced}
        bodies: list[Scalar] = [s.value for s in stores]
        used = set(walk(*bodies)) if unused else set()
        if any(a.extent.value != 1 or a in used for a in unused):  # pyright: ignore
            raise NotABlock
        if reduced:
            bodies = self._reduced(stores, starts, axes, reduced)
        elif self.before or starts:
            raise NotABlock
        stage = ComputeStage(tuple(axes), tuple(bodies))
        shape = tuple(axis.extent for axis in axes)
        self.blocks.nests[stage] = self.nest
        for store in stores:
            store.buffer.tensor = stage.produce(shape, store.buffer.dtype, store.buffer.name)

    def _stores(self, body: Sequence[ast.stmt]) -> list[_Store]:
        found: list[_Store] = []
        for statement in body:
            match statement:
                case ast.Assign(targets=[ast.Subscript() as target], value=value):
                    buffer = self.blocks.tensor(target.value)
                    indices = self.expressions.indices(target.slice)
                    stored = self.expressions.stored_in(value, buffer.dtype)
                    found.append(_Store(buffer, indices, stored))
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    given = self.expressions.read(value)
                    given = self.expressions.annotated(given, statement.annotation)
                    self.expressions.values[name] = given
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if not isinstance(
                    value, ast.Call
                ) or not self._declares(value):
                    self.expressions.values[name] = self.expressions.read(value)
                case _:
                    raise NotABlock
        return found

    def _declares(self, call: ast.Call) -> bool:
        """Returns whether a call declares a buffer or a variable, which is no value."""
        called = self.blocks.names.called(call)
        return called is None or called in (*ALLOCATIONS, *SCALARS, "match_buffer") or not call.args

    def _places(self, stores: Sequence[_Store]) -> list[IterVar]:
        """Return the axes that the block writes along: all of each buffer, the same of all."""
        if not stores or len({s.buffer.name for s in stores}) < len(stores):
            raise NotABlock
        first, axes = stores[0], dict[IterVar, None]()
        for place, size in zip(first.indices, first.buffer.shape):
            if isinstance(place, ScalarConstant) and place.value == 0 and size.value == 1:
                place = IterVar("i", symbolic.const(1))
            if not isinstance(place, IterVar) or place.reduction or place in axes:
                raise NotABlock
            if place.extent is not size:
                raise NotABlock
            axes[place] = None
        for store in stores:
            if store.buffer.tensor is not None or store.buffer.shape != first.buffer.shape:
                raise NotABlock
            if not all(map(_same, store.indices, first.indices)):
                raise NotABlock
            if len(store.indices) != len(store.buffer.shape):
                raise NotABlock
        return list(axes)

    def _reduced(
        self,
        stores: Sequence[_Store],
        starts: Sequence[_Store],
        axes: Sequence[IterVar],
        reduced: Sequence[IterVar],
    ) -> list[Scalar]:
        begins = {start.buffer.name: start.value for start in starts}
        befores: list[Element] = []
        for store in stores:
            element, place = self.before.get(store.buffer.name, (None, ()))
            if element is None or not isinstance(begins.get(store.buffer.name), ScalarConstant):
                raise NotABlock
            if not all(map(_same, place, store.indices)):
                raise NotABlock
            befores.append(element)
        reduction = joined_reduction(
            befores,
            [store.value for store in stores],
            reduced,
            lambda i, _: begins[stores[i].buffer.name],  # pyright: ignore
            NotABlock,
        )
        return [Reduce(reduction, i) for i in range(len(stores))]


def _same(a: Scalar, b: Scalar) -> bool:
    """Returns whether two indices are equal."""
    constants = (
        isinstance(a, ScalarConstant) and isinstance(b, ScalarConstant) and a.value == b.value
    )
    return a is b or constants
