"""The buffer of every tensor of a prim func, decided before anything is rewritten."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func, scf, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, OpResult, SSAValue

from lowering.memory.bufferize.tensor_flow import (
    DestinationOps,
    InsertOps,
    LoopOps,
    ViewOps,
    carried_arguments,
    is_empty,
    is_permutation,
    is_slice,
    loop_inits,
    origin_of,
    reads_output,
    tensors_read,
    views,
    written_over,
)


@dataclass(eq=False)
class PlannedBuffer:
    """One piece of memory, which several tensors hold one after the other."""

    result_index: int | None = None
    """The result argument it is, or None if it is allocated and freed by the function."""
    seen: Sequence[ViewOps] = ()
    """The views between the first tensor of the buffer and its last or returned one, the last view
    first."""
    is_reshaped: bool = False
    """Whether tensors of several shapes are held in branches or loops, or parts of others."""


@dataclass(eq=False)
class _Lives:
    """The ops of one block in order, and how long it needs its tensors."""

    block: Block
    owned: frozenset[SSAValue]
    """Tensors from outside the block with no use after it: the block may write over them."""
    number: dict[Operation, int] = field(default_factory=dict)
    last_use: dict[SSAValue, int] = field(default_factory=dict)

    def is_local(self, value: SSAValue) -> bool:
        """Return whether a tensor may be written over in this block, once it has died."""
        home = value.op.parent if isinstance(value, OpResult) else value.owner
        return home is self.block or value in self.owned


@dataclass(eq=False)
class BufferPlan:
    """The buffer of every tensor value of one function, found in one walk over its ops.

    An op that writes to a tensor (a destination op, an insert, a loop that carries it) writes its result
    1. over that tensor, if the op reads it and it has no later use;
    2. over an input that dies here, if the op reads and writes the same element at each step;
    3. over the loop-carried tensor that the result is to replace, once that has died;
    4. else to a fresh buffer, after a copy of the tensor if the op reads its old contents.
    A result of a loop or branch lives in the buffer of its initial value; a branch may write over a tensor
    from outside if that dies with the branch, a loop may not. The buffer of a returned value is the result
    argument itself.
    """

    block: Block
    root: dict[SSAValue, SSAValue] = field(default_factory=dict)
    buffer: dict[SSAValue, PlannedBuffer] = field(default_factory=dict)
    """The buffer of a root; an argument of the function has none."""
    holder: dict[PlannedBuffer, SSAValue] = field(default_factory=dict)
    """The value that was put into a buffer last."""
    reused: dict[SSAValue, SSAValue] = field(default_factory=dict)
    """The tensor whose memory a result is written over."""
    copied: set[SSAValue] = field(default_factory=set)
    """Results whose buffer must first get a copy of the tensor they change."""
    begun: set[SSAValue] = field(default_factory=set)
    """Empty tensors that a branch writes to, so that they have contents inside of it."""

    def __post_init__(self):
        self._plan(self.block, frozenset())
        self._place_returned()

    def root_of(self, value: SSAValue) -> SSAValue:
        """Return the source value of a chain of views."""
        return self.root.get(value, value)

    def buffer_of(self, value: SSAValue) -> PlannedBuffer | None:
        """Return the buffer that a tensor lives in, None for memory of the caller."""
        return self.buffer.get(self.root_of(value))

    def is_blank(self, value: SSAValue) -> bool:
        """Return whether a value is a tensor without contents."""
        return is_empty(value) and value not in self.begun

    def _plan(self, block: Block, owned: frozenset[SSAValue]) -> None:
        lives = _Lives(block, owned)
        self._find_last_uses(lives)
        for op in block.ops:
            if isinstance(op, DestinationOps):
                self._place_results(op, lives)
            elif isinstance(op, InsertOps):
                self._place(op.result, op.dest, self._uses(op), lives)
            elif isinstance(op, scf.IfOp):
                self._place_branch(op, lives)
            elif isinstance(op, LoopOps):
                self._place_loop(op, lives)
            self._place_empty_inputs(op)

    def _find_last_uses(self, lives: _Lives) -> None:
        for number, op in enumerate(lives.block.ops):
            lives.number[op] = number
            if isinstance(op, ViewOps):
                self.root[op.results[0]] = self.root_of(op.operands[0])
            for operand in tensors_read(op):
                lives.last_use[self.root_of(operand)] = number

    def _dies_at(self, value: SSAValue, op: Operation, lives: _Lives) -> bool:
        root = self.root_of(value)
        known = self.buffer_of(value) is not None and lives.is_local(root) and not is_slice(value)
        return known and lives.last_use.get(root) == lives.number[op]

    def _uses(self, op: Operation) -> Counter[SSAValue]:
        return Counter(self.root_of(operand) for operand in tensors_read(op))

    # Destination ops and inserts

    def _place_results(self, op: DestinationOps, lives: _Lives) -> None:
        uses = self._uses(op)
        for index, (result, out) in enumerate(zip(op.results, op.outputs)):
            reads = reads_output(op, index)
            other = (
                None if reads and not self.is_blank(out) else self._overwritten(op, index, lives)
            )
            self._place(result, out, uses, lives, reads=reads, other=other)

    def _place(
        self,
        result: OpResult,
        out: SSAValue,
        uses: Counter[SSAValue],
        lives: _Lives,
        reads: bool = True,
        other: SSAValue | None = None,
    ) -> None:
        """Choose the buffer of a result which changes `out`, or replaces it unless it `reads` it."""
        blank = self.is_blank(out)
        if self._is_free(out, result.op, uses, lives) and not blank:
            reused = out
        elif other is not None and self._is_free(other, result.op, uses, lives):
            reused = other
        else:
            reused = self._carried_slot(result, lives)
            if reads and not blank:
                self.copied.add(result)
        if reused is None:
            self._put(result, PlannedBuffer())
            return
        uses[self.root_of(reused)] += 1
        self._reuse(result, reused)

    def _reuse(self, result: OpResult, reused: SSAValue) -> None:
        """Assign a result the buffer of another tensor."""
        buffer = self.buffer[self.root_of(reused)]
        seen = [*views(reused)]
        if result.op.parent is self.block and not is_slice(reused):
            buffer.seen = [*seen, *buffer.seen]
        else:
            buffer.is_reshaped |= any(not isinstance(op, tensor.CastOp) for op in seen)
        self._put(result, buffer)
        self.reused[result] = reused

    def _put(self, value: SSAValue, buffer: PlannedBuffer) -> None:
        self.buffer[value] = buffer
        self.holder[buffer] = value

    def _is_free(
        self, value: SSAValue, op: Operation, uses: Counter[SSAValue], lives: _Lives
    ) -> bool:
        return self._dies_at(value, op, lives) and uses[self.root_of(value)] == 1

    def _overwritten(self, op: DestinationOps, index: int, lives: _Lives) -> SSAValue | None:
        """Return an input whose elements are each read at the index where result `index` is written."""
        maps = [attribute.data for attribute in op.get_indexing_maps()]
        output_map = maps[len(op.inputs) + index]
        if not is_permutation(output_map):
            return None
        uses = self._uses(op)
        for value, map_ in zip(op.inputs, maps):
            if (
                map_ == output_map
                and value.type == op.results[index].type
                and not self.is_blank(value)
                and self._is_free(value, op, uses, lives)
            ):
                return value
        return None

    def _carried_slot(self, result: OpResult, lives: _Lives) -> SSAValue | None:
        """Return the tensor that the block's loop carries for a result, if it has no later use."""
        loop, terminator = lives.block.parent_op(), lives.block.last_op
        if not isinstance(loop, scf.ForOp) or terminator is None:
            return None
        arguments = loop.body.block.args[1:]
        for carried, yielded in zip(arguments, terminator.operands):
            if yielded is result and self.holder.get(self.buffer[carried]) is carried:
                dead = lives.last_use.get(carried, -1) < lives.number[result.op]
                return carried if dead else None
        return None

    # Loops and branches

    def _place_loop(self, op: LoopOps, lives: _Lives) -> None:
        uses = self._uses(op)
        for result, init in zip(op.results, loop_inits(op)):
            if isinstance(result.type, TensorType):
                self._place(result, init, uses, lives)
                for argument in carried_arguments(op, result.index):
                    self._put(argument, self.buffer[result])
        for region in op.regions:
            self._plan(region.block, frozenset())

    def _place_branch(self, op: scf.IfOp, lives: _Lives) -> None:
        owned: set[SSAValue] = set()
        for result in op.results:
            if not isinstance(result.type, TensorType):
                continue
            origin = origin_of(result, op)
            if origin is not None and self._begins(origin, op, lives):
                self._put(origin, PlannedBuffer())
                self.begun.add(origin)
            if origin is None or origin in owned or not self._dies_at(origin, op, lives):
                self._put(result, PlannedBuffer())
                continue
            owned.add(origin)
            self._reuse(result, origin)
        for region in op.regions:
            if region.first_block is not None:
                self._plan(region.block, frozenset(owned))

    def _begins(self, origin: SSAValue, op: scf.IfOp, lives: _Lives) -> bool:
        """Return whether a branch is the one to write to an empty tensor."""
        unused = is_empty(origin) and origin not in self.buffer and lives.is_local(origin)
        return unused and lives.last_use.get(origin) == lives.number[op]

    # Tensors that are not written

    def _place_empty_inputs(self, op: Operation) -> None:
        """Plan a buffer for an empty tensor that is read, even if only for its shape."""
        for value in Counter(tensors_read(op)) - Counter(written_over(op)):
            if is_empty(value) and value not in self.buffer:
                self.buffer[value] = PlannedBuffer()

    def _place_returned(self) -> None:
        terminator = self.block.last_op
        assert isinstance(terminator, func.ReturnOp)
        for index, value in enumerate(terminator.arguments):
            buffer = None if is_slice(value) else self.buffer_of(value)
            if buffer is not None and buffer.result_index is None and not buffer.is_reshaped:
                buffer.result_index, buffer.seen = index, [*views(value), *buffer.seen]
