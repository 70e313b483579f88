"""Which memory every tensor of a prim func lives in, decided before anything is rewritten."""

from collections import Counter
from dataclasses import dataclass, field

from xdsl.dialects import func, linalg, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

ViewOps = tensor.CastOp | tensor.CollapseShapeOp | tensor.ExpandShapeOp
"""Ops whose result is the memory of their first operand, seen with another type."""

DestinationOps = linalg.ops.GenericOp | linalg.ops.FillOp | linalg.ops.CopyOp
"""Ops that write each result over the matching operand of `outs`."""


@dataclass(eq=False)
class Buffer:
    """One piece of memory, which several tensors hold one after the other."""

    last_use: int
    """The number of the op after which nobody looks at it."""
    result_index: int | None = None
    """The result argument it is, or None if it is allocated and freed by the function."""


@dataclass(eq=False)
class BufferPlan:
    """The buffer of every tensor value of one block, found in one walk over its ops.

    A destination op writes its result
    1. over its `outs` operand, if it reads that and nobody else reads it from here on;
    2. over an input that dies here, if it reads and writes the same element at each step;
    3. else to a fresh buffer, after a copy of `outs` if it reads what stood there.
    A buffer whose value is returned is the result argument itself.
    """

    block: Block
    number: dict[Operation, int] = field(default_factory=dict)
    root: dict[SSAValue, SSAValue] = field(default_factory=dict)
    last_use: dict[SSAValue, int] = field(default_factory=dict)
    buffer: dict[SSAValue, Buffer] = field(default_factory=dict)
    """The buffer of a root; an argument of the function has none."""
    reused: dict[SSAValue, SSAValue] = field(default_factory=dict)
    """The tensor whose memory a result of a destination op is written over."""
    copied: set[SSAValue] = field(default_factory=set)
    """Results of destination ops whose buffer must first get a copy of `outs`."""

    def __post_init__(self):
        self._find_last_uses()
        for op in self.block.ops:
            if isinstance(op, DestinationOps):
                self._place_results(op)
            self._place_empty_inputs(op)
        self._place_returned()

    def root_of(self, value: SSAValue) -> SSAValue:
        """The value that a chain of views looks at."""
        return self.root.get(value, value)

    def buffer_of(self, value: SSAValue) -> Buffer | None:
        """The buffer that a tensor lives in, None for what the caller owns."""
        return self.buffer.get(self.root_of(value))

    def _find_last_uses(self) -> None:
        for number, op in enumerate(self.block.ops):
            self.number[op] = number
            if isinstance(op, ViewOps):
                self.root[op.results[0]] = self.root_of(op.operands[0])
            for operand in tensors_read(op):
                self.last_use[self.root_of(operand)] = number

    def _dies_at(self, value: SSAValue, op: Operation) -> bool:
        return self.buffer_of(value) is not None and (
            self.last_use[self.root_of(value)] == self.number[op]
        )

    def _place_results(self, op: DestinationOps) -> None:
        uses = Counter(self.root_of(operand) for operand in tensors_read(op))
        for index, (result, out) in enumerate(zip(op.results, op.outputs)):
            reads_out = _reads_output(op, index) and not is_empty(out)
            if self._dies_at(out, op) and uses[self.root_of(out)] == 1 and not is_empty(out):
                reused = out
            else:
                reused = None if reads_out else self._input_to_overwrite(op, index, uses)
                if reads_out:
                    self.copied.add(result)
            if reused is None:
                self.buffer[result] = Buffer(self._end(result))
                continue
            uses[self.root_of(reused)] += 1
            buffer = self.buffer[self.root_of(reused)]
            buffer.last_use = max(buffer.last_use, self._end(result))
            self.buffer[result] = buffer
            self.reused[result] = reused

    def _end(self, value: SSAValue) -> int:
        """When a value's last use is: at its definition if it has none."""
        assert isinstance(value, OpResult)
        return self.last_use.get(value, self.number[value.op])

    def _input_to_overwrite(
        self, op: DestinationOps, index: int, uses: Counter[SSAValue]
    ) -> SSAValue | None:
        """An input that dies at `op` and whose elements are each read just where result `index`
        is written."""
        maps = [attribute.data for attribute in op.get_indexing_maps()]
        output_map = maps[len(op.inputs) + index]
        if not _is_permutation(output_map):
            return None
        for value, map_ in zip(op.inputs, maps):
            if (
                map_ == output_map
                and value.type == op.results[index].type
                and not is_empty(value)
                and self._dies_at(value, op)
                and uses[self.root_of(value)] == 1
            ):
                return value
        return None

    def _place_empty_inputs(self, op: Operation) -> None:
        """An empty tensor that is looked at, be it for its shape only, needs a buffer too."""
        outputs = op.outputs if isinstance(op, DestinationOps) else ()
        for value in Counter(tensors_read(op)) - Counter(outputs):
            if is_empty(value) and value not in self.buffer:
                self.buffer[value] = Buffer(self.last_use[value])

    def _place_returned(self) -> None:
        terminator = self.block.last_op
        assert isinstance(terminator, func.ReturnOp)
        for index, value in enumerate(terminator.arguments):
            while isinstance(value, OpResult) and isinstance(value.op, tensor.CastOp):
                value = value.op.source
            buffer = self.buffer.get(value)
            if buffer is not None and buffer.result_index is None:
                buffer.result_index = index


def is_empty(value: SSAValue) -> bool:
    """Whether a value is a tensor without contents."""
    return isinstance(value, OpResult) and isinstance(value.op, tensor.EmptyOp)


def tensors_read(op: Operation) -> list[SSAValue]:
    """The tensors whose memory an op or an op in its regions needs, with repetition: `tensor.dim`
    needs only their sizes."""
    nested = op.walk() if op.regions else (op,)
    return [
        operand
        for inner in nested
        if not isinstance(inner, tensor.DimOp)
        for operand in inner.operands
        if isinstance(operand.type, TensorType)
    ]


def _reads_output(op: DestinationOps, index: int) -> bool:
    """Whether a destination op looks at what stands in its `outs` operand."""
    if not isinstance(op, linalg.ops.GenericOp):
        return False
    argument: BlockArgument = op.body.block.args[len(op.inputs) + index]
    return argument.first_use is not None


def _is_permutation(map_: AffineMap) -> bool:
    """Whether every loop is exactly one subscript, so that each element is visited once."""
    positions = [expr.position for expr in map_.results if isinstance(expr, AffineDimExpr)]
    return len(positions) == len(map_.results) and sorted(positions) == list(range(map_.num_dims))
