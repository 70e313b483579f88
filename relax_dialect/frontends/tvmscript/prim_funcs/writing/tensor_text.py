"""Buffers of a function with loops, and ops of whole tensors in it: each is written as separate blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import linalg, scf, tensor
from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from relax_dialect.frontends.tvmscript.prim_funcs.writing.scalar_text import ScalarText
from relax_dialect.frontends.tvmscript.prim_funcs.writing.size_text import dtype_name
from relax_dialect.frontends.tvmscript.prim_funcs.writing.stage_text import StageWriter
from relax_dialect.frontends.tvmscript.prim_funcs.writing.tir_names import TirNames
from relax_dialect.ir.order import describe
from relax_dialect.symbolic import Expr
from relax_dialect.te.compute import compute
from relax_dialect.te.raising.prim_func import Raiser
from relax_dialect.te.raising.scalars import RaisingError, Scalars
from relax_dialect.te.scalar import Element, Scalar
from relax_dialect.te.stage_graph import stages_of
from relax_dialect.te.tensor import Tensor


class TensorWriter:
    """Writes ops of whole tensors, with helpers for loops.

    `buffers` are the inputs' buffers, `names` all that are taken.
    """

    def __init__(
        self,
        text: ScalarText,
        names: TirNames,
        buffers: dict[SSAValue, Tensor],
        sizes: dict[SSAValue, Scalar],
        raiser: Raiser,
    ):
        self.text, self.names = text, names
        self.buffers = buffers
        self.tensors: dict[Tensor, str] = dict(text.tensors)
        self.known: dict[Scalar, str] = {}
        text.tensors, text.names = self.tensors, self.known
        self.inputs = {b for value, b in buffers.items() if isinstance(value, BlockArgument)}
        self.allocated: list[str] = []
        self.lines: list[str] = []
        self.indent = ""
        self.scalars = Scalars(self._fail, self._load)
        self.scalars.values.update(sizes)
        self.raiser = raiser
        raiser.scalars.values = self.scalars.values
        self.stages = StageWriter(
            self.tensors, text.sizes, names, text.narrow, text.precise, text.forms
        )
        self.stages.around = self.known

    @staticmethod
    def _fail(op: Operation) -> RaisingError:
        return RaisingError(f"no words of TIR for {describe(op)}")

    # Lines

    def _line(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def _inside(self, head: str, fill: Callable[[], object]) -> None:
        self._line(head)
        outer, self.indent = self.indent, self.indent + "    "
        before = len(self.lines)
        fill()
        if len(self.lines) == before:
            self._line("T.evaluate(0)")
        self.indent = outer

    def _let(self, value: str, dtype: str, name: str) -> Element:
        """Return a value that is bound at the statement."""
        found = Element(dtype, name)  # pyright: ignore[reportArgumentType]
        self.known[found] = self.names.fresh(name)
        self._line(f"{self.known[found]}: T.let[T.{dtype}] = {value}")
        return found

    def _write(self, value: SSAValue) -> str:
        return self.text.write(self.scalars.values[value])

    def _allocate(self, shape: Sequence[Expr], dtype: object, name: str) -> Tensor:
        found = Tensor(tuple(shape), dtype, self.names.fresh(name))  # pyright: ignore
        self.tensors[found] = found.name
        kept = f'({self.text.shape(found.shape)}, "{dtype_name(found.dtype, self.text.narrow)}")'
        self.allocated.append(f"{found.name} = T.sblock_alloc_buffer{kept}")
        return found

    def _load(self, value: SSAValue, indices: tuple[Scalar, ...]) -> Scalar:
        buffer = self.buffers[value]
        if buffer in self.inputs:
            return buffer[indices]
        place = f"{self.tensors[buffer]}[{', '.join(map(self.text.index, indices)) or '()'}]"
        found = self._let(place, dtype_name(buffer.dtype), "element")
        found.dtype = buffer.dtype
        return found

    def _staged(self, op: Operation) -> None:
        """Write an op of tensors: separate blocks, which write new buffers."""
        if isinstance(op, scf.ForOp | scf.WhileOp | scf.IfOp):
            raise self._fail(op)
        tensors = self.raiser.tensors
        for each in (value for inner in op.walk() for value in inner.operands):
            if each in self.buffers:
                tensors.set(each, self.buffers[each])
        self.raiser.read_op(op)
        for result in op.results:
            if is_begun(op):
                continue  # a part of a tensor whose other parts follow
            made = tensors.whole(result)
            self.buffers[result] = self._blocks(made, self.buffers.get(result))
            tensors.set(result, self.buffers[result])

    def copy(self, value: SSAValue, target: Tensor) -> None:
        """Copy a value into another buffer."""
        self._blocks(self.buffers[value], target)

    def _blocks(self, made: Tensor, target: Tensor | None) -> Tensor:
        """Write the blocks that compute a tensor; returns the buffer that holds it."""
        if made.stage is None:  # a view of all of it
            made = compute(made.shape, lambda *i, x=made: x[i], name=made.name)
        for stage in stages_of([made]):
            for each in stage.outputs:
                if each is made and target is not None:
                    self.tensors[each] = self.tensors[target]
                elif each not in self.tensors:
                    held = self._allocate(each.shape, each.dtype, each.name)
                    self.tensors[each] = held.name
            for line in self.stages.stage(stage):
                self._line(line)
        self.allocated += self.stages.allocated
        self.stages.allocated = []
        if target is None:
            target = Tensor(made.shape, made.dtype, self.tensors[made])
            self.tensors[target] = target.name
        return target

    def _owned(self, value: SSAValue, op: Operation) -> Tensor:
        buffer = self.buffers[value]
        if buffer in self.inputs:
            raise self._fail(op)
        return buffer

    def _all(self, op: FillOp | linalg.ops.CopyOp, value: Callable[[str], str]) -> None:
        """Write every element of a buffer."""
        buffer = self._owned(op.outputs[0], op)
        self.buffers[op.results[0]] = buffer
        loops = [self.names.fresh("i") for _ in buffer.shape]
        outer = self.indent
        for name, size in zip(loops, buffer.shape):
            self._line(f"for {name} in range({self.text.size(size)}):")
            self.indent += "    "
        at = ", ".join(loops) or "()"
        self._line(f"{self.tensors[buffer]}[{at}] = {value(at)}")
        self.indent = outer


def _is_whole(op: Operation) -> bool:
    """Returns whether an op computes all elements of tensors from other tensors."""
    in_place = isinstance(op, FillOp | linalg.ops.CopyOp)
    return isinstance(op, linalg.ops.GenericOp | NamedOperation) and not in_place


def is_begun(op: Operation) -> bool:
    """Returns whether an empty, filled or assembled tensor is only the initial value of other ops."""
    if not isinstance(op, tensor.EmptyOp | FillOp | tensor.InsertSliceOp):
        return False
    users = [use for result in op.results for use in result.uses]
    return bool(users) and all(
        (_is_whole(use.operation) and use.index >= len(use.operation.inputs))  # pyright: ignore
        or (isinstance(use.operation, tensor.InsertSliceOp) and use.index == 1)
        or (isinstance(use.operation, FillOp) and is_begun(use.operation))
        for use in users
    )
