"""Who owns the buffers and objects of a function, who looks at them, and where they are freed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, TupleType
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.functions.emission import Emission
from lowering.functions.signature import (
    Handle,
    Leaf,
    Lowered,
    LoweredTensor,
    Sizes,
    is_handle,
    leaves,
    memref_type,
)
from lowering.ir.freeing import free_after_last_use
from lowering.target import ALIGNMENT
from relax_dialect.ir.type_variables import map_dims
from relax_dialect.ir.types import OBJECT, Dim, ShapeType, TensorType
from relax_dialect.ir.walk import defining_block
from relax_dialect.ops.objects import ReleaseOp, RetainOp


class Ownership(Emission):
    """A block whose buffers and objects have one owner each.

    A tensor or object lies in an allocation of this function, which frees it after its last use or hands it
    over, or it is somebody else's: a parameter, a constant, a view of either.
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
        """The tensor in an allocation of its own."""
        type = value.type
        fresh = self.allocate(
            type, [self.actual_size(value, i) for i in range(len(type.shape or ()))]
        )
        source = self.cast(value, fresh.memref.type)  # pyright: ignore[reportArgumentType]
        self.block.add_op(memref.CopyOp(source.memref, fresh.memref))
        return fresh

    def hold(self, value: SSAValue, type: Attribute, hint: str | None = None) -> Handle:
        """An object that this function has been given a reference to."""
        value.name_hint = hint
        self.owners[value] = value
        return Handle(value, type, value)

    def retain(self, value: Handle) -> Handle:
        return self.hold(self.add(RetainOp(value.value)), value.type, value.value.name_hint)

    def copies(self, value: Lowered, types: Sequence[Attribute]) -> list[SSAValue]:
        """The operands of a loop in the block for a value: copies and references, which the loop frees."""
        given = self.hand_over(value, types, is_copied=True)
        for copy in given:
            self.owners.pop(self.owners.pop(copy, copy), None)
        return given

    def hand_over(
        self, value: Lowered, types: Sequence[Attribute], is_copied: bool = False
    ) -> list[SSAValue]:
        """A block's results for a value: memrefs of its own allocations and references to objects of its
        own, each once (or copies of all), sizes and scalars as they are."""
        given: set[SSAValue] = set()
        results: list[SSAValue] = []
        for leaf, type in zip(leaves(value), types, strict=True):
            if isinstance(leaf, Sizes):
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

    def received(self, type: Attribute, results: Iterator[SSAValue], hint: str | None) -> Leaf:
        """A part of what an if or a call gives: a tensor is an allocation that this block now owns."""
        if isinstance(type, ShapeType):
            return Sizes([next(results) for _ in type.shape or ()])
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
        """Free every allocation and every object of the block after its last use, but those that are
        handed over."""
        kept = {self.owners.get(r, r) for r in results}
        made = (result for op in self.block.ops for result in op.results)
        owned = [v for v in (*self.block.args, *made) if self.owners.get(v) is v and v not in kept]
        free_after_last_use(self.block, owned, _freeing)


def _freeing(owner: SSAValue) -> Operation:
    """The op that frees an allocation or releases an object."""
    return ReleaseOp(owner) if owner.type == OBJECT else memref.DeallocOp.get(owner)


def nest(type: Attribute, parts: Iterator[Leaf]) -> Lowered:
    """Parts in order as the nested tuple they belong to."""
    if isinstance(type, TupleType):
        return tuple(nest(t, parts) for t in type.types)
    return next(parts)
