"""Ownership of the buffers and objects of a function, their uses, and where they are freed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, TupleType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.ir.deallocation import free_after_last_use
from lowering.ir.row_major import reshaped
from lowering.memory.functions.emission import Emission
from lowering.memory.functions.lowered_signature import (
    Leaf,
    Lowered,
    LoweredTensor,
    ObjectReference,
    ShapeSizes,
    UnrankedTensor,
    is_handle,
    is_unranked,
    leaves,
    memref_type,
    unranked_parts,
)
from lowering.support.target import ALIGNMENT
from relax_dialect.ir.type_variables import map_dims
from relax_dialect.ir.types import OBJECT, Dim, ShapeType, TensorType
from relax_dialect.ir.walk import defining_block
from relax_dialect.ops.objects import ReleaseOp, RetainOp


class Ownership(Emission):
    """A block whose buffers and objects have one owner each.

    A tensor or object lives in an allocation of this function, which frees it after its last use or hands
    it over, or it has another owner: a parameter, a constant, a view of either.
    """

    def __init__(self, where: str):
        super().__init__(where)
        self.owners: dict[SSAValue, SSAValue] = {}
        """Every memref that lies in an allocation of this function, with the allocation, and every object
        that this function holds."""

    def allocate(
        self, type: TensorType, sizes: Sequence[SSAValue], hint: str | None = None
    ) -> LoweredTensor:
        lowered = memref_type(type)
        dynamic = [s for s, n in zip(sizes, lowered.get_shape()) if n == DYNAMIC_INDEX]
        result = self.add(
            memref.AllocOp.get(lowered.element_type, ALIGNMENT, lowered.get_shape(), dynamic)
        )
        result.name_hint = hint
        self.owners[result] = result
        return LoweredTensor(result, type, result)

    def cast(self, value: LoweredTensor, type: MemRefType) -> LoweredTensor:
        if value.memref.type == type:
            return value
        result = self.add(memref.CastOp.get(value.memref, type))
        result.name_hint = value.memref.name_hint
        if value.owner is not None:
            self.owners[result] = value.owner
        return LoweredTensor(result, value.type, value.owner)

    def copy(self, value: LoweredTensor) -> LoweredTensor:
        """Return the tensor in an allocation of its own."""
        type = value.type
        fresh = self.allocate(
            type, [self.actual_size(value, i) for i in range(len(type.shape or ()))]
        )
        source = self.cast(value, fresh.memref.type)  # pyright: ignore[reportArgumentType]
        self.block.add_op(memref.CopyOp(source.memref, fresh.memref))
        return fresh

    def hold(self, value: SSAValue, type: Attribute, hint: str | None = None) -> ObjectReference:
        """Take over an object that this function received a reference to."""
        value.name_hint = hint
        self.owners[value] = value
        return ObjectReference(value, type, value)

    def retain(self, value: ObjectReference) -> ObjectReference:
        return self.hold(self.add(RetainOp(value.value)), value.type, value.value.name_hint)

    def copies(self, value: Lowered, types: Sequence[Attribute]) -> list[SSAValue]:
        """Return the operands of a loop in the block for a value: copies and references, which the loop
        frees."""
        given = self.hand_over(value, types, is_copied=True)
        for copy in given:
            self.owners.pop(self.owners.pop(copy, copy), None)
        return given

    def hand_over(
        self, value: Lowered, types: Sequence[Attribute], is_copied: bool = False
    ) -> list[SSAValue]:
        """Return a block's results for a value: memrefs of its own allocations and references to objects of
        its own, each once (or copies of all), sizes and scalars as they are."""
        given: set[SSAValue] = set()
        results: list[SSAValue] = []
        for leaf, type in self._parts(value, types):
            if isinstance(leaf, ShapeSizes):
                results += leaf.sizes
                continue
            if isinstance(leaf, SSAValue):
                results.append(leaf)
                continue
            mine = leaf.owner is not None and defining_block(leaf.owner) is self.block
            if is_copied or not mine or leaf.owner in given:
                leaf = self.copy(leaf) if isinstance(leaf, LoweredTensor) else self.retain(leaf)
            assert leaf.owner is not None
            given.add(leaf.owner)
            if isinstance(leaf, LoweredTensor):
                assert isinstance(type, TensorType)
                results.append(self.cast(leaf, memref_type(type)).memref)
            else:
                results.append(leaf.value)
        return results

    def _parts(
        self, value: Lowered, types: Sequence[Attribute]
    ) -> Iterator[tuple[LoweredTensor | ShapeSizes | ObjectReference | SSAValue, Attribute]]:
        """Yield the parts of a value with their types; a tensor of unknown rank has two."""
        for leaf, type in zip(leaves(value), types, strict=True):
            if is_unranked(type):
                assert isinstance(leaf, LoweredTensor | UnrankedTensor)
                unranked = self.without_rank(leaf)
                yield unranked.elements, unranked.elements.type
                yield unranked.sizes, unranked.sizes.type
            else:
                assert not isinstance(leaf, UnrankedTensor)
                yield leaf, type

    def without_rank(self, value: LoweredTensor | UnrankedTensor) -> UnrankedTensor:
        """Return a tensor whose type states no rank: a view of all its elements, and its sizes in
        memory."""
        if isinstance(value, UnrankedTensor):
            return value
        elements, vector = unranked_parts(value.type)
        sizes = [self.actual_size(value, i) for i in range(len(value.type.shape or ()))]
        view = self.view(value, [self._count(sizes)], elements)
        row = self.stored_sizes(sizes)
        any_rank = TensorType.get(None, value.type.dtype)
        return UnrankedTensor(view, LoweredTensor(row.memref, vector, row.owner), any_rank)

    def _count(self, sizes: Sequence[SSAValue]) -> SSAValue:
        """Return the number of elements of a tensor in memory."""
        factors = list(sizes) or [self.sizes.constant(1)]
        if len(sizes) > 2:
            # An empty tensor may have large sizes: 0 first, so that no product overflows.
            one = self.sizes.constant(1)
            factors.insert(0, reduce(lambda a, b: self.add(arith.MinSIOp(a, b)), sizes, one))
        return reduce(lambda a, b: self.add(arith.MuliOp(a, b)), factors)

    def view(
        self, value: LoweredTensor, sizes: Sequence[SSAValue], type: TensorType
    ) -> LoweredTensor:
        """View all elements of a tensor as a tensor of another type."""
        lowered = memref_type(type)
        static = lowered.get_shape()
        known = [s if n == DYNAMIC_INDEX else n for s, n in zip(sizes, static, strict=True)]
        result = reshaped(self.add, self.sizes.constant, value.memref, known, lowered)
        if value.owner is not None:
            self.owners[result] = value.owner
        return LoweredTensor(result, type, value.owner)

    def stored_sizes(self, sizes: Sequence[SSAValue], hint: str | None = None) -> LoweredTensor:
        """Return a fresh vector of sizes."""
        row = self.allocate(TensorType((len(sizes),), i64), [], hint)
        for index, size in enumerate(sizes):
            element = self.add(arith.IndexCastOp(size, i64))
            place = [self.sizes.constant(index)]
            self.block.add_op(memref.StoreOp.get(element, row.memref, place))
        return row

    def received(self, type: Attribute, results: Iterator[SSAValue], hint: str | None) -> Leaf:
        """Return a result leaf of an if or a call: a tensor is an allocation that this block now owns."""
        if isinstance(type, ShapeType):
            return ShapeSizes([next(results) for _ in type.shape or ()])
        if is_unranked(type):
            assert isinstance(type, TensorType)
            parts = [self.received(part, results, hint) for part in unranked_parts(type)]
            elements, sizes = (part for part in parts if isinstance(part, LoweredTensor))
            return UnrankedTensor(elements, sizes, type)
        result = next(results)
        if is_handle(type):
            return self.hold(result, type, hint)
        result.name_hint = hint
        if not isinstance(type, TensorType):
            return result
        self.owners[result] = result
        in_scope = map_dims(type, self._in_scope)
        assert isinstance(in_scope, TensorType)
        return LoweredTensor(result, in_scope, result)

    def _in_scope(self, dim: Dim) -> Dim:
        known = dim is not None and all(v in self.symbols for v in dim.free_variables)
        return dim if known else None

    def free(self, results: Sequence[SSAValue]) -> None:
        """Free every allocation and object of the block after its last use, except for the results handed
        over."""
        kept = {self.owners.get(r, r) for r in results}
        made = (result for op in self.block.ops for result in op.results)
        owned = [v for v in (*self.block.args, *made) if self.owners.get(v) is v and v not in kept]
        free_after_last_use(self.block, owned, _freeing)


def _freeing(owner: SSAValue) -> Operation:
    """Return the op that frees an allocation or releases an object."""
    return ReleaseOp(owner) if owner.type == OBJECT else memref.DeallocOp.get(owner)


def nest(type: Attribute, parts: Iterator[Leaf]) -> Lowered:
    """Parts in order as the nested tuple they belong to."""
    if isinstance(type, TupleType):
        return tuple(nest(t, parts) for t in type.types)
    return next(parts)
