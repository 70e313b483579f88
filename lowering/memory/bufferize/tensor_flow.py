"""The tensors that operations read, and the tensor that each of their results updates."""

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects import linalg, scf, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

ViewOps = tensor.CastOp | tensor.CollapseShapeOp | tensor.ExpandShapeOp | tensor.ExtractSliceOp
"""Ops whose result is the memory of their first operand, or a slice of it, seen with another type."""

DestinationOps = linalg.ops.GenericOp | linalg.ops.FillOp | linalg.ops.CopyOp
"""Ops that write each result over the matching operand of `outs`."""

InsertOps = tensor.InsertOp | tensor.InsertSliceOp
"""Ops that change a part of their `dest`."""

LoopOps = scf.ForOp | scf.WhileOp
"""Ops that pass tensors from one iteration of their regions to the next."""


def is_empty(value: SSAValue) -> bool:
    """Return whether a value is made by `tensor.empty`."""
    return isinstance(value, OpResult) and isinstance(value.op, tensor.EmptyOp)


def is_dynamic(type: Attribute) -> bool:
    """Return whether a type is that of a tensor with a size that is not constant."""
    return isinstance(type, TensorType) and not type.has_static_shape()


def views(value: SSAValue) -> Iterator[ViewOps]:
    """Yield the views that a value is a chain of, the last first."""
    while isinstance(value, OpResult) and isinstance(value.op, ViewOps):
        yield value.op
        value = value.op.operands[0]


def is_slice(value: SSAValue) -> bool:
    """Return whether a value is the memory of a part of another."""
    return any(isinstance(op, tensor.ExtractSliceOp) for op in views(value))


def tensors_read(op: Operation) -> list[SSAValue]:
    """Return the tensors whose memory an op or an op in its regions needs, with repetition: `tensor.dim`
    needs only their sizes."""
    nested = op.walk() if op.regions else (op,)
    return [
        operand
        for inner in nested
        if not isinstance(inner, tensor.DimOp)
        for operand in inner.operands
        if isinstance(operand.type, TensorType)
    ]


def written_over(op: Operation) -> Sequence[SSAValue]:
    """Return the operands that an op writes its results over."""
    if isinstance(op, DestinationOps):
        return op.outputs
    if isinstance(op, InsertOps):
        return (op.dest,)
    return loop_inits(op) if isinstance(op, LoopOps) else ()


def loop_inits(op: LoopOps) -> Sequence[SSAValue]:
    """Return the initial values of a loop, one for each result."""
    return op.iter_args if isinstance(op, scf.ForOp) else op.arguments


def carried_arguments(op: LoopOps, index: int) -> Iterable[BlockArgument]:
    """Return the arguments of a loop's blocks that hold the value of its result `index`."""
    if isinstance(op, scf.ForOp):
        return (op.body.block.args[index + 1],)
    return (op.before_region.block.args[index], op.after_region.block.args[index])


def origin_of(result: OpResult, branch: scf.IfOp) -> SSAValue | None:
    """Return the tensor from outside that both branches of an if update for a result, or None."""
    found = {before_branch(value, branch) for value in branch_values(branch, result.index)}
    return found.pop() if len(found) == 1 else None


def branch_values(branch: scf.IfOp, index: int) -> Iterator[SSAValue]:
    """Yield the values that the two sides of a branch yield for its result `index`."""
    for region in branch.regions:
        terminator = region.block.last_op
        assert terminator is not None
        yield terminator.operands[index]


def before_branch(value: SSAValue, branch: scf.IfOp) -> SSAValue | None:
    """Return the tensor from before a branch that a value of it is a changed form of; None if it is made
    there."""
    while branch.is_ancestor(_home(value)):
        if not isinstance(value, OpResult):
            return None
        op = value.op
        if isinstance(op, scf.IfOp):
            before = origin_of(value, op)
        else:
            written = written_over(op)
            before = written[value.index] if written else None
        if before is None:
            return None
        value = before
    return value


def _home(value: SSAValue) -> Block:
    home = value.op.parent if isinstance(value, OpResult) else value.owner
    assert isinstance(home, Block)
    return home


def reads_output(op: DestinationOps, index: int) -> bool:
    """Return whether a destination op reads the old contents of its `outs` operand."""
    if not isinstance(op, linalg.ops.GenericOp):
        return False
    argument: BlockArgument = op.body.block.args[len(op.inputs) + index]
    return argument.first_use is not None


def is_permutation(map_: AffineMap) -> bool:
    """Return whether every loop is exactly one subscript, so that each element is visited once."""
    positions = [expr.position for expr in map_.results if isinstance(expr, AffineDimExpr)]
    return len(positions) == len(map_.results) and sorted(positions) == list(range(map_.num_dims))
