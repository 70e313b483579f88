"""Elementwise ops on a view of a convolution's result are done on the result itself.

    linalg.generic {convolution in groups} outs(%c : memref<?x4x8x?x?xf32>)
    %v = memref.collapse_shape %c [[0], [1, 2], [3], [4]]
    linalg.generic {(d0, d1, d2, d3)} ins(%v, %b : .., memref<32x1x1xf32>) outs(%v)
->
    %b_1 = memref.expand_shape %b [[0, 1], [2], [3]] into memref<4x8x1x1xf32>
    linalg.generic {(d0, d1, d2, d3, d4)} ins(%c, %b_1) outs(%c)

So `fuse_epilogue` finds it (MLIR's fusion of reshapes by expansion). The op reads the view by the identity
map: loop and dimension are one number then. Ops that read it transposed or broadcast stay: no epilogue
can take them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from lowering.ir.constants import ConstantPool
from lowering.ir.insertion import Inserter
from lowering.ir.memref_sizes import MemrefSizes
from lowering.schedule.match.contraction import has_index, loops_of
from lowering.schedule.match.convolution import find
from lowering.schedule.memrefs.tile_views import PARALLEL


def expand_followers(function: FuncOp) -> None:
    """Compute elementwise ops on views of convolution results on the loops of these, in place."""
    for op in list(function.body.block.ops):
        if isinstance(op, linalg.GenericOp) and _is_elementwise(op):
            views = (_view(value) for value in op.inputs)
            view = next((own for own in views if own and _is_read_in_order(own, op)), None)
            if view is not None:
                _ViewedElementwise(function, view, op).run()


def _is_read_in_order(view: memref.CollapseShapeOp, op: linalg.GenericOp) -> bool:
    """Return whether each loop of an op walks the dimension of its number, in all operands that are the
    view."""
    identity = tuple(range(len(op.get_iterator_types())))
    return all(own == identity for value, own in loops_of(op) if value is view.result)


def _view(value: SSAValue) -> memref.CollapseShapeOp | None:
    """Return the view that a value is of the result of a convolution."""
    if not isinstance(view := value.owner, memref.CollapseShapeOp):
        return None
    writers = (use.operation for use in view.src.uses)
    is_result = any(isinstance(op, linalg.GenericOp) and find(op) for op in writers)
    return view if is_result else None


def _is_elementwise(op: linalg.GenericOp) -> bool:
    """Return whether an op computes its results in their order, from memrefs whose dimensions loops
    walk."""
    loops, rank = loops_of(op), len(op.get_iterator_types())
    return (
        {kind.data.value for kind in op.get_iterator_types()} == {"parallel"}
        and len(loops) == len(op.operands)
        and all(own == tuple(range(rank)) for _, own in loops[len(op.inputs) :])
        and all(isinstance(v.type, MemRefType) for v in op.operands)
        and not any(has_index(op.body.block))
    )


class _ViewedElementwise:
    """One op on the loops of another."""

    def __init__(self, function: FuncOp, view: memref.CollapseShapeOp, op: linalg.GenericOp):
        self.view, self.op = view, op
        self.groups = [[d.value.data for d in group] for group in view.reassociation]
        """The dimensions of the result by dimension of the view, which are the loops of the op."""
        assert isinstance(view.src.type, MemRefType)
        self.shape = view.src.type.get_shape()
        self.sizes = MemrefSizes(function, ConstantPool(function))

    def run(self) -> None:
        """Replace the op by one on more loops."""
        loops = loops_of(self.op)
        if not all(self._fits(value, own) for value, own in loops):
            return
        values = [self._expanded(value, own) for value, own in loops]
        maps = [
            AffineMapAttr(AffineMap(len(self.shape), 0, tuple(self._map(own)))) for _, own in loops
        ]
        count = len(self.op.inputs)
        kinds = [PARALLEL] * len(self.shape)
        new = linalg.GenericOp(values[:count], values[count:], self.op.body.clone(), maps, kinds)
        Inserter(before=self.op).place(new)
        for dead in (self.op, *([] if self._is_read() else [self.view])):
            dead.detach()
            dead.erase()

    def _is_read(self) -> bool:
        return any(use.operation is not self.op for use in self.view.result.uses)

    def _fits(self, value: SSAValue, loops: Sequence[int | None]) -> bool:
        """Return whether an operand may have a dimension for each of the loops: it is contiguous, and its
        type has the same static sizes."""
        assert isinstance(value.type, MemRefType)
        known = [
            size != DYNAMIC_INDEX
            for size, loop in zip(value.type.get_shape(), loops)
            if loop is not None and len(self.groups[loop]) > 1
        ]
        wanted = [
            DYNAMIC_INDEX not in [self.shape[d] for d in self.groups[loop]]
            for loop in loops
            if loop is not None and len(self.groups[loop]) > 1
        ]
        is_dense = isinstance(value.type.layout, NoneAttr)
        return value is self.view.result or (is_dense and known == wanted)

    def _map(self, loops: Sequence[int | None]) -> Iterator[AffineExpr]:
        for loop in loops:
            if loop is None:
                yield AffineConstantExpr(0)
            else:
                yield from map(AffineDimExpr, self.groups[loop])

    def _expanded(self, value: SSAValue, loops: Sequence[int | None]) -> SSAValue:
        """Return an operand with a dimension for each of the loops."""
        if value is self.view.result:
            return self.view.src
        assert isinstance(value.type, MemRefType)
        if all(loop is None or len(self.groups[loop]) == 1 for loop in loops):
            return value
        shape, groups, sizes = list[int](), list[ArrayAttr[IntegerAttr]](), list[SSAValue]()
        for dimension, loop in enumerate(loops):
            first = len(shape)
            if loop is None or len(self.groups[loop]) == 1:
                shape.append(size := value.type.get_shape()[dimension])
                if size == DYNAMIC_INDEX:
                    sizes.append(self.sizes.bound([(value, dimension)], self.op))
            else:
                shape += (self.shape[d] for d in self.groups[loop])
                own = (d for d in self.groups[loop] if self.shape[d] == DYNAMIC_INDEX)
                sizes += (self.sizes.bound([(self.view.src, d)], self.op) for d in own)
            groups.append(ArrayAttr(IntegerAttr(d, i64) for d in range(first, len(shape))))
        expanded = memref.ExpandShapeOp(
            operands=[value, sizes],
            result_types=[MemRefType(value.type.element_type, shape)],
            properties={
                "reassociation": ArrayAttr(groups),
                "static_output_shape": DenseArrayBase.from_list(i64, shape),
            },
        )
        return Inserter(before=self.op)(expanded, value.name_hint)
