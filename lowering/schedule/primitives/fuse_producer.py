"""fuse_producer: the producer of an operand, tile by tile (Halide's and TVM's compute_at)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from lowering.ir.memref_views import viewed_memref
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Border, Leaf, TiledOperand, stage_of
from lowering.schedule.match.contraction import has_index, is_harmless, walked
from lowering.schedule.match.padding import Padding, padding_of
from lowering.schedule.memrefs.deferred_frees import free_later
from lowering.schedule.pack.packing import with_access
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class FuseProducer(Primitive):
    """Fuse the producer of an operand into the main op, tile by tile.

        linalg.generic {(d0, d1)} ins(%x) outs(%a)
        linalg.generic {(d0, d1, d2)} ins(%a, %b) outs(%c)      // tiled later: on %a[%i, 0]
    ->  with fuse_producer(in0)
        both on the tile %a[%i, 0], the first of them before the second

    A tile of a loop that the operand does not depend on computes it again.

    If the operand is padding, its padded copy is not made: `cache_read` copies the part that a tile reads
    of it, with its border, and has to follow after `tile`.

    Refused: no op right before that writes all of the operand, a producer that reduces, or reads memory
    that the kernel writes or fills; an operand that is read twice, by different loops, or elsewhere, if a
    loop that does not walk it may have no iteration; tiles have been made.
    """

    NAME: ClassVar = "fuse_producer"

    operand_name: str

    def apply(self, kernel: Kernel) -> None:
        number = self.operand(kernel, self.operand_name)
        main = kernel.whole()
        if main is None:
            raise self.refused(
                kernel, "expected the kernel as a whole, found tiles; fuse before tile"
            )
        (leaf,) = kernel.leaves
        access = leaf.stage.accesses[number]
        if (padding := padding_of(main, access.value)) is not None:
            self._fuse_padding(kernel, leaf, number, padding)
            return
        loops = None if access.map is None else walked(access.map)
        producer = _writer(main, access.value)
        if producer in leaf.ops or number >= leaf.stage.inputs:
            producer = None
        if producer is None or loops is None or None in loops:
            raise self.refused(
                kernel,
                f"expected an op right before that writes each element of {self.operand_name} once, found "
                "none; leave it out",
            )
        self._check_memory(kernel, leaf, access, producer)
        own = [loop for loop in loops if loop is not None]
        empty = [d for d in range(kernel.count) if d not in own and not _has_iterations(kernel, d)]
        if empty and _is_read_elsewhere(access.value, {main, producer}):
            raise self.refused(
                kernel,
                f"expected {self.operand_name} to be read here alone, or d{empty[0]} to have an iteration "
                "for sure, found neither; leave it out",
            )
        free_later(producer, kernel.end)
        leaf.stages = (stage_of(producer, own, kernel.count), *leaf.stages)
        leaf.main += 1
        leaf.ops.insert(0, producer)

    def _check_memory(
        self, kernel: Kernel, leaf: Leaf, access: TiledOperand, producer: linalg.GenericOp
    ) -> None:
        """Raises `RelaxError` if tiles would compute other elements, or compute them too late."""
        made = viewed_memref(access.value)
        written = {viewed_memref(output.value) for stage in leaf.stages for output in stage.outputs}
        filled = _filled(producer, kernel.op)
        read = {viewed_memref(value) for value in producer.inputs}
        if made in filled or not read.isdisjoint(written | filled | {made}):
            raise self.refused(
                kernel,
                "expected an op that reads nothing that is written in between, found one that does; leave "
                "it out",
            )
        others = [a for s in leaf.stages for a in s.accesses if viewed_memref(a.value) is made]
        if any(a.value is not access.value or a.map != access.map for a in others):
            raise self.refused(
                kernel,
                f"expected each tile to read its own elements of {self.operand_name}, found some that read "
                "others too; leave it out",
            )

    def _fuse_padding(self, kernel: Kernel, leaf: Leaf, number: int, padding: Padding) -> None:
        """Read the padding's source instead of its padded copy, with the padding around it."""
        access = leaf.stage.accesses[number]
        written = {viewed_memref(output.value) for stage in leaf.stages for output in stage.outputs}
        if viewed_memref(padding.source) in written:
            raise self.refused(
                kernel,
                "expected padding of what the kernel does not write, found it written; leave it out",
            )
        assert isinstance(access.value.type, MemRefType)
        dims = range(access.value.type.get_num_dims())
        extents = [kernel.size(access.value, d, leaf.start) for d in dims]
        kernel.lift(leaf)
        border = Border(padding.before, extents, padding.fill.inputs[0])
        padding.erase()
        inside = replace(access, value=padding.source, border=border)
        kernel.replace(leaf, [with_access(leaf, number, inside)])


def _has_iterations(kernel: Kernel, loop: int) -> bool:
    """Return whether a loop is known to have at least one iteration."""
    extent = kernel.extents[loop]
    return isinstance(extent, int) and extent > 0


def _is_read_elsewhere(value: SSAValue, kernel: Collection[Operation]) -> bool:
    """Return whether a memref is used by other ops than these, or is no buffer of the function's own."""
    users = {use.operation for use in value.uses}.difference(kernel)
    harmless = memref.DeallocOp | memref.DimOp
    own = isinstance(value.owner, memref.AllocOp)
    return not own or not all(isinstance(user, harmless) for user in users)


def _writer(main: linalg.GenericOp, value: SSAValue) -> linalg.GenericOp | None:
    """Return the op before that computes each element of a memref alone, with nothing between but the main
    op's own beginnings."""
    op = main.prev_op
    while op is not None:
        if isinstance(op, linalg.GenericOp):
            return op if list(op.outputs) == [value] and _is_element_wise(op) else None
        if (not is_harmless(op) and not isinstance(op, memref.DeallocOp)) or value in op.operands:
            return None
        op = op.prev_op
    return None


def _filled(producer: Operation, main: Operation) -> set[SSAValue]:
    """The memory that is filled between two ops."""
    found, op = set[SSAValue](), producer.next_op
    while op is not None and op is not main:
        if isinstance(op, linalg.FillOp):
            found.update(map(viewed_memref, op.outputs))
        op = op.next_op
    return found


def _is_element_wise(op: linalg.GenericOp) -> bool:
    """Return whether an op writes every element once, from elements alone."""
    kinds = [kind.data.value for kind in op.get_iterator_types()]
    *_, output = [walked(attribute.data) for attribute in op.get_indexing_maps()]
    block = op.body.block
    arguments: Sequence[SSAValue] = block.args[len(op.inputs) :]
    return (
        set(kinds) == {"parallel"}
        and output == tuple(range(len(kinds)))
        and not any(has_index(block))
        and all(argument.first_use is None for argument in arguments)
    )
