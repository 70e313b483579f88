"""One prim func on tensors, rewritten op by op for memrefs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import arith, func, linalg, memref, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType, TensorType
from xdsl.ir import Block, Operation, OpResult, SSAValue

from lowering.ir.deallocation import free_after_last_use
from lowering.memory.bufferize.buffer_plan import BufferPlan, PlannedBuffer
from lowering.memory.bufferize.destination_signature import memref_type, rewrite_signature
from lowering.memory.bufferize.reshaped import collapsed, expanded
from lowering.memory.bufferize.tensor_flow import (
    DestinationOps,
    ViewOps,
    is_dynamic,
    is_empty,
    is_slice,
)
from relax_dialect.errors import RelaxError
from relax_dialect.ir.walk import walk_ops

Rewrites: TypeAlias = "Mapping[type[Operation], Callable[[Bufferizer, Any], None]]"
"""The rewrite of each kind of op on tensors."""


class Bufferizer:
    """Moves the ops of one function to a new block, each rewritten for memrefs."""

    def __init__(self, function: func.FuncOp, rewrites: Rewrites):
        self.function = function
        self.rewrites = rewrites
        self.old = function.body.block
        if not isinstance(self.old.last_op, func.ReturnOp):
            raise self.unsupported(self.old.last_op, "the body must end in func.return")
        self.plan = BufferPlan(self.old)
        signature = rewrite_signature(function)
        self.top = self.new = signature.block
        """The function's new entry block, and the block that is being filled."""
        self.results = signature.results
        self.memrefs: dict[SSAValue, SSAValue] = {**signature.memrefs}
        """The memref of every tensor that has been met."""
        self.sizes: dict[SSAValue, Sequence[SSAValue | int | None]] = {**signature.sizes}
        """The known sizes of each tensor; the rest come from `memref.dim`."""
        self.allocated: list[memref.AllocOp] = []
        self.views: list[SSAValue] = []

    def run(self) -> None:
        for op in list(self.old.ops):
            self.rewrite(op)
        while (op := self.old.last_op) is not None:
            op.detach()
            op.erase()
        for view in reversed(self.views):
            if view.first_use is None and isinstance(op := view.owner, Operation):
                op.detach()
                op.erase()
        region = self.function.body
        region.detach_block(self.old)
        region.add_block(self.new)
        made: defaultdict[Block, list[SSAValue]] = defaultdict(list)
        for alloc in self.allocated:
            assert alloc.parent is not None
            made[alloc.parent].append(alloc.memref)
        for block, owned in made.items():
            free_after_last_use(block, owned)

    def rewrite(self, op: Operation) -> None:
        """Move an op to the new block, or emit its equivalent on memrefs."""
        if rewrite := self.rewrites.get(type(op)):
            rewrite(self, op)
        elif any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
            raise self.unsupported(op, "rewrite it as linalg.generic before bufferization")
        else:
            self._rewrite_nested(op)
            op.detach()
            self.new.add_op(op)

    def emit(self, *ops: Operation) -> None:
        self.new.add_ops(ops)

    def unsupported(self, op: Operation | None, hint: str) -> RelaxError:
        what = op.name if op is not None else "an empty body"
        where = f"func.func @{self.function.sym_name.data}"
        return RelaxError(f"{where}: cannot bufferize {what}; {hint}")

    # Memory and sizes

    def memref_of(self, value: SSAValue) -> SSAValue:
        """Return the memref of a tensor, allocated now if need be; a scalar is itself."""
        if not isinstance(value.type, TensorType):
            return value
        if value not in self.memrefs:
            assert is_empty(value)
            self.memrefs[value] = self.storage_for(value, value)
        return self.memrefs[value]

    def storage_for(self, value: SSAValue, like: SSAValue) -> SSAValue:
        """Return the memory of the buffer whose first value this is, with the sizes of `like`."""
        buffer = self.plan.buffer[value]
        type_ = memref_type(value.type)
        assert isinstance(type_, MemRefType)
        storage = self._result(buffer, type_, like)
        if storage is None:
            buffer.result_index = None
            return self.allocate(type_, like, value.name_hint)
        return storage

    def _result(self, buffer: PlannedBuffer, type_: MemRefType, like: SSAValue) -> SSAValue | None:
        """Return the result argument that a buffer is, with the views up to the returned value undone, or
        None."""
        if buffer.result_index is None:
            return None
        storage: SSAValue = self.results[buffer.result_index]
        for op in buffer.seen[:-1]:
            if isinstance(op, tensor.CollapseShapeOp) and is_dynamic(op.src.type):
                return None
        if buffer.seen and not self._is_known_at_top(type_, like):
            return None
        inner, self.new = self.new, self.top
        for op in buffer.seen:
            storage = self._undone(op, storage, like)
        assert storage.type == type_
        self.new = inner
        return storage

    def _undone(self, op: ViewOps, seen: SSAValue, like: SSAValue) -> SSAValue:
        """Undo a view: return its source memory from the viewed memory; collapsed sizes are those of
        `like`."""
        source = memref_type(op.operands[0].type)
        assert isinstance(source, MemRefType)
        if isinstance(op, tensor.CastOp):
            self.emit(cast := memref.CastOp.get(seen, source))
            return cast.dest
        if isinstance(op, tensor.ExpandShapeOp):
            return collapsed(self.emit, seen, op.reassociation, source)
        assert isinstance(op, tensor.CollapseShapeOp)
        shape = source.get_shape()
        sizes = [self.size(like, d) for d, size in enumerate(shape) if size == DYNAMIC_INDEX]
        return expanded(self.emit, seen, op.reassociation, sizes, source)

    def allocate(self, type_: MemRefType, like: SSAValue, hint: str | None) -> SSAValue:
        """Memory with the sizes of the tensor `like`, in the function's block if they are known there."""
        dynamic = [d for d, size in enumerate(type_.get_shape()) if size == DYNAMIC_INDEX]
        inner = self.new
        if self._is_known_at_top(type_, like):
            self.new = self.top
        self.emit(alloc := memref.AllocOp([self.size(like, d) for d in dynamic], [], type_))
        self.new = inner
        alloc.memref.name_hint = hint
        self.allocated.append(alloc)
        return alloc.memref

    def _is_known_at_top(self, type_: MemRefType, like: SSAValue) -> bool:
        """Return whether the function's block knows the sizes of a tensor of a type."""
        dynamic = [d for d, size in enumerate(type_.get_shape()) if size == DYNAMIC_INDEX]
        return all(self._is_known_outside(like, d) for d in dynamic)

    def _is_known_outside(self, value: SSAValue, dim: int) -> bool:
        """Return whether the function's block knows a size of a tensor."""
        if self.new is self.top:
            return True
        known = self.sizes[value][dim]
        if isinstance(known, OpResult):
            return known.op.parent is self.top
        return known is not None and (isinstance(known, int) or known.owner is self.top)

    def size(self, value: SSAValue, dim: int) -> SSAValue:
        """Return the size of one dimension of a tensor."""
        assert isinstance(value.type, TensorType)
        static = value.type.get_shape()[dim]
        if static != DYNAMIC_INDEX:
            return self._index(static)
        if (known := self.sizes[value][dim]) is not None:
            return self._index(known) if isinstance(known, int) else known
        self.emit(op := memref.DimOp(self.memref_of(value), self._index(dim)))
        return op.result

    def _index(self, value: int) -> SSAValue:
        self.emit(op := arith.ConstantOp(IntegerAttr.from_index_int_value(value)))
        return op.result

    # One rewrite per op

    def rewrite_empty(self, op: tensor.EmptyOp) -> None:
        dynamic = iter(op.dynamic_sizes)
        shape = op.tensor.type.get_shape()
        self.sizes[op.tensor] = [next(dynamic) if d == DYNAMIC_INDEX else d for d in shape]

    def rewrite_dim(self, op: tensor.DimOp) -> None:
        new = self._dim(op)
        if isinstance(new, OpResult):
            new.name_hint = new.name_hint or op.result.name_hint
        op.result.replace_all_uses_with(new)

    def _dim(self, op: tensor.DimOp) -> SSAValue:
        index = op.index.owner
        if isinstance(index, arith.ConstantOp) and isinstance(index.value, IntegerAttr):
            dim, type_ = index.value.value.data, op.source.type
            rank = type_.get_num_dims() if isinstance(type_, TensorType) else 0
            if not 0 <= dim < rank:
                raise self.unsupported(op, f"expected a dimension below {rank}, found {dim}")
            return self.size(op.source, dim)
        raise self.unsupported(op, "expected a constant index, so that its size has a name")

    def rewrite_destination(self, op: DestinationOps) -> None:
        self._rewrite_nested(op)
        outputs = [self.destination(result, out) for result, out in zip(op.results, op.outputs)]
        inputs = [self.memref_of(value) for value in op.inputs]
        if isinstance(op, linalg.ops.GenericOp):
            new: Operation = linalg.ops.GenericOp(
                inputs,
                outputs,
                op.detach_region(op.body),
                op.indexing_maps,
                op.iterator_types,
                doc=op.doc,
                library_call=op.library_call,
            )
        else:
            new = type(op)(inputs, outputs, res=())
        new.attributes |= op.attributes
        self.emit(new)

    def destination(self, result: OpResult, out: SSAValue) -> SSAValue:
        """Return the memref that one result is written to, holding a copy of `out` if the op reads that."""
        self.sizes[result] = self.sizes[out]
        if (reused := self.plan.reused.get(result)) is not None:
            destination = self.memref_of(reused)
        else:
            destination = self.storage_for(result, out)
        if result in self.plan.copied:
            self.emit(memref.CopyOp(self.memref_of(out), destination))
        self.memrefs[result] = destination
        return destination

    def rewrite_cast(self, op: tensor.CastOp) -> None:
        type_ = memref_type(op.dest.type)
        if not isinstance(type_, MemRefType):
            raise self.unsupported(op, "state the rank of its result")
        self.emit(cast := memref.CastOp.get(self._whole(op, op.source), type_))
        self._set_view(op.dest, cast.dest)
        assert isinstance(cast.source.type, MemRefType)
        static = cast.source.type.get_shape()
        known = zip(static, self.sizes[op.source])
        self.sizes[op.dest] = [k if s == DYNAMIC_INDEX else s for s, k in known]

    def _whole(self, op: Operation, value: SSAValue) -> SSAValue:
        """Return the memref of a tensor that is no slice."""
        if is_slice(value):
            raise self.unsupported(op, "reshape the whole tensor, and take the slice of that")
        return self.memref_of(value)

    def rewrite_collapse(self, op: tensor.CollapseShapeOp) -> None:
        source, type_ = self._whole(op, op.src), memref_type(op.result.type)
        assert isinstance(type_, MemRefType)
        self._set_view(op.result, collapsed(self.emit, source, op.reassociation, type_))

    def rewrite_expand(self, op: tensor.ExpandShapeOp) -> None:
        source, type_ = self._whole(op, op.src), memref_type(op.result.type)
        assert isinstance(type_, MemRefType)
        sizes = op.dynamic_output_shape
        view = expanded(self.emit, source, op.reassociation, sizes, type_)
        self._set_view(op.result, view)
        dynamic = iter(op.dynamic_output_shape)
        shape = op.result.type.get_shape()
        self.sizes[op.result] = [next(dynamic) if d == DYNAMIC_INDEX else d for d in shape]

    def _set_view(self, value: SSAValue, view: SSAValue) -> None:
        view.name_hint = value.name_hint
        self.views.append(view)
        self.memrefs[value] = view
        assert isinstance(value.type, TensorType)
        self.sizes[value] = (None,) * len(value.type.get_shape())

    def rewrite_extract(self, op: tensor.ExtractOp) -> None:
        self.emit(load := self._load(op))
        op.result.replace_all_uses_with(load.res)

    def _load(self, op: tensor.ExtractOp) -> memref.LoadOp:
        load = memref.LoadOp.get(self.memref_of(op.tensor), op.indices)
        load.res.name_hint = op.result.name_hint
        return load

    def _rewrite_nested(self, op: Operation) -> None:
        """Rewrite the reads of tensors in the regions of an op, which otherwise stays."""
        for inner in list(walk_ops(op))[1:]:
            self._rewrite_inner(inner)

    def _rewrite_inner(self, op: Operation) -> None:
        block = op.parent
        assert block is not None
        if isinstance(op, tensor.ExtractOp):
            block.insert_op_before(load := self._load(op), op)
            new = load.res
        elif isinstance(op, tensor.DimOp):
            new = self._dim(op)
        elif any(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
            raise self.unsupported(op, "in a region only tensor.extract and tensor.dim can be")
        else:
            return
        op.result.replace_all_uses_with(new)
        op.detach()
        op.erase()

    def rewrite_return(self, op: func.ReturnOp) -> None:
        for index, value in enumerate(op.arguments):
            buffer = self.plan.buffer_of(value)
            result = self.results[index]
            if buffer is not None and buffer.result_index == index:
                self.memref_of(value)
                continue
            source = self.memref_of(value)
            self.emit(memref.CopyOp(source, result))
        self.emit(func.ReturnOp())
