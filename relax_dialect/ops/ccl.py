"""Communication between ranks: processes that run one program, each on its own data.

```mlir
%p = relax.ccl.world_size : () -> !relax.shape<[?]>
%q = relax.match_shape %p [ranks] : (!relax.shape<[?]>) -> !relax.shape<[ranks]>
%y = relax.ccl.allgather %x, %q : (!relax.tensor<[n, 4], f32>, !relax.shape<[ranks]>)
       -> !relax.tensor<[n * ranks, 4], f32>
%s = relax.ccl.allreduce %y {op_type = "sum"} : ...
```

Every rank of a group reaches the same collectives in the same order, with operands of the same types and
sizes. All these ops therefore write one resource of their own, the communication: they keep their order,
and are never dropped, duplicated or moved into branches. So they are in function bodies and binding blocks,
not in a `relax.dataflow` or `relax.graph`: nodes there have no order, may be dropped where they are unused,
and sink into the branch that uses them, which not every rank takes. This holds for collectives, although
their results are functions of the operands of all ranks, and for `send` and `recv` anyway.

By default all ranks are one group. `grid` arranges them in row-major order along axes, one of which may be
-1 (all that remain); the ranks that differ along `grid_axes` only are a group, and are numbered in it from
0. `in_group = false` joins all groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, TypeAlias

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import result_def, traits_def, var_result_def
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Resource

from relax_dialect import symbolic
from relax_dialect.ir.device_grid import Grouping
from relax_dialect.ir.types import Dim, Dims, ShapeType, TensorType
from relax_dialect.ops.axes import normalize_axis
from relax_dialect.ops.base import DeclaredOp
from relax_dialect.ops.demands import Demand, divisible, guarded, refuse_unmet
from relax_dialect.ops.fields import (
    Axes,
    Dtype,
    Held,
    Operand,
    ShapeOperand,
    element_type,
    flag,
    integer,
    ints,
    one_axis,
    operand,
    shape_value,
    string,
    tensor,
)
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.ops.type_rules import NUMBER, is_float, sizes_of, tensor_type
from relax_dialect.symbolic import Expr

REDUCTIONS = ("sum", "prod", "min", "max", "avg")

Size: TypeAlias = SSAValue | Operation | Sequence[Expr | int | str] | Expr | int | str
SizeOperand: TypeAlias = Held[Size, SSAValue]


class Communication(Resource):
    """The resource that all communication writes, so that it keeps its order."""

    def name(self) -> str:
        return "relax.communication"


class Communicates(MemoryEffect):
    """The op communicates with other ranks, or depends on which rank runs it."""

    EFFECTS: ClassVar = frozenset(
        EffectInstance(kind, resource=Communication())
        for kind in (MemoryEffectKind.READ, MemoryEffectKind.WRITE)
    )

    @classmethod
    def get_effects(cls, op: Operation) -> frozenset[EffectInstance]:
        return cls.EFFECTS


def one_size(cls: type[Any], size: Size) -> SSAValue | Operation:
    """Return a shape value of one size."""
    if isinstance(size, SSAValue | Operation):
        return size
    return ShapeOp(size if isinstance(size, list | tuple) else [size])  # pyright: ignore


def device_grid() -> Any:
    """Declare the arrangement of all ranks; without it they are one group."""
    return ints(default=())


def grid_axes() -> Any:
    """Declare the axes of the grid along which the ranks of a group differ."""
    return ints(default=())


class CommunicationOp(DeclaredOp):
    """An op that only communicates, in groups of the ranks of a grid.

    (G1) The sizes of `grid` are at least 1, one of them may be -1; `grid_axes` are rising axes of it.
    """

    traits = traits_def(Communicates())

    PATTERN_KIND: ClassVar = K_OPAQUE

    @property
    def grouping(self) -> Grouping:
        """The partition of the ranks into groups."""
        is_global = getattr(self, "in_group", True) is False
        return Grouping() if is_global else Grouping(self.grid, self.grid_axes)  # pyright: ignore

    def require_grid(self) -> None:
        """Refuse a grid that no ranks fill."""
        if error := Grouping(self.grid, self.grid_axes).error():  # pyright: ignore
            expected, found, mend = error
            self.fail(f"{expected} (G1)", found, mend)

    def workers_of(self, shape: SSAValue, constraint: str) -> Dim:
        """Return the number of ranks in a group, that an operand is declared to be."""
        sizes = sizes_of(shape)
        if sizes is None or len(sizes) != 1:
            found = str(shape.type)
            self.fail(f"a shape of one size ({constraint})", found, "write !relax.shape<[ranks]>")
        size, own = sizes[0], self.grouping.size
        if (
            size is not None
            and own is not None
            and symbolic.provably_different(size, symbolic.const(own))
        ):
            mend = "correct one of them"
            self.fail(f"the {own} ranks of a group of 'grid' ({constraint})", str(size), mend)
        if size is not None and size.value == 0:
            self.fail(f"at least one rank ({constraint})", "0", "correct the number of ranks")
        return size


class CollectiveOp(CommunicationOp):
    """An op that all ranks of a group run together, with operands of the same type and sizes."""

    x: Operand = tensor()

    def along(self, axis: int, constraint: str, size: Any) -> Sequence[Attribute]:
        """Return the type of x with another size along an axis."""
        type = tensor_type(self.x)
        if type.shape is None:
            return (type,)
        axis = normalize_axis(self, axis, len(type.shape), constraint)
        shape = type.shape
        return (TensorType.get((*shape[:axis], size(shape[axis]), *shape[axis + 1 :]), type.dtype),)


def times(size: Dim, workers: Dim) -> Dim:
    """Return the size of as many parts as there are ranks."""
    return None if size is None or workers is None else guarded(lambda: size * workers)


def share(size: Dim, workers: Dim) -> Dim:
    """Return the size of one of as many parts as there are ranks."""
    if size is None or workers is None:
        return None
    exact = symbolic.exact_quotient(size, workers)
    return guarded(lambda: symbolic.floordiv(size, workers)) if exact is None else exact


class ReducingOp(CollectiveOp):
    """A collective that reduces over the ranks of a group.

    (C1) The elements are numbers, of a floating-point type for "avg".
    (C2) `op_type` is "sum", "prod", "min", "max" or "avg".
    """

    STORES: ClassVar = False

    x: Operand = tensor(NUMBER)

    def require_elements(self, op_type: str) -> None:
        """Refuse an average of integers."""
        dtype = tensor_type(self.x).dtype
        if op_type == "avg" and dtype is not None and not is_float(dtype):
            mend = "convert with relax.astype first, or take the sum"
            self.fail('a floating-point element type for "avg" (C1)', str(dtype), mend)


@operator("relax.ccl.allreduce")
class AllreduceOp(ReducingOp):
    """The elements of all ranks of a group reduced: every rank gets the same result, bit by bit.

    Ranks are reduced in rising order in the interpreter; elsewhere floating-point sums may differ in their
    last bits.
    """

    op_type: str = string(default="sum", among=REDUCTIONS, constraint="C2", quoted=True)
    in_group: bool = flag(default=True)
    grid: Axes = device_grid()
    grid_axes: Axes = grid_axes()

    def infer(self) -> Sequence[Attribute]:
        self.require_grid()
        self.require_elements(self.op_type)
        return (tensor_type(self.x),)


@operator("relax.ccl.allgather")
class AllgatherOp(CollectiveOp):
    """The tensors of all ranks of a group one after the other along an axis, on every rank.

    `num_workers` is the number of ranks in a group, which is checked at run time.

    (C1) `num_workers` is one size, at least 1, and that of a group of the grid.
    (C2) The axis is within -rank..rank-1.
    """

    num_workers: SizeOperand = operand(ShapeType, make=one_size)
    in_group: bool = flag(default=True)
    axis: int = one_axis(default=0)
    grid: Axes = device_grid()
    grid_axes: Axes = grid_axes()

    def infer(self) -> Sequence[Attribute]:
        self.require_grid()
        workers = self.workers_of(self.num_workers, "C1")
        return self.along(self.axis, "C2", lambda size: times(size, workers))


class ScatteringOp(CollectiveOp):
    """A collective after which every rank has one of as many parts of an axis as ranks are in its group."""

    DIVISIBLE: ClassVar = "a size that the number of ranks divides"

    num_workers: SizeOperand = operand(ShapeType, make=one_size)

    def demands(self, axis: int, constraint: str) -> Iterator[Demand]:
        """Yield the demand that an axis has equal parts, as far as sizes are known."""
        type, workers = tensor_type(self.x), sizes_of(self.num_workers)
        if type.shape is not None and workers is not None and len(workers) == 1:
            axis = normalize_axis(self, axis, len(type.shape), constraint)
            text = f"{self.DIVISIBLE}, along axis {axis} ({constraint})"
            yield from divisible(text, type.shape[axis], workers[0], "pad the axis first")

    def shared_axis(self, axis: int, constraint: str) -> Sequence[Attribute]:
        """Return the type of a part of x."""
        self.require_grid()
        workers = self.workers_of(self.num_workers, "C3")
        refuse_unmet(self, self.demands(axis, constraint))
        return self.along(axis, constraint, lambda size: share(size, workers))


@operator("relax.ccl.reduce_scatter")
class ReduceScatterOp(ScatteringOp, ReducingOp):
    """Part r along an axis of the elements of all ranks reduced, on the rank of number r in its group.

    (C3) `num_workers` is one size, at least 1, and that of a group of the grid.
    (C4) The axis is within -rank..rank-1, and the number of ranks divides its size, which is checked at run
    time unless proved.
    """

    op_type: str = string(default="sum", among=REDUCTIONS, constraint="C2", quoted=True)
    axis: int = one_axis(constraint="C4", default=0)
    grid: Axes = device_grid()
    grid_axes: Axes = grid_axes()

    def infer(self) -> Sequence[Attribute]:
        self.require_elements(self.op_type)
        return self.shared_axis(self.axis, "C4")


@operator("relax.ccl.broadcast_from_worker0")
class BroadcastFromWorker0Op(CollectiveOp):
    """The tensor of rank 0 of the group, on every rank of it."""

    grid: Axes = device_grid()
    grid_axes: Axes = grid_axes()

    def infer(self) -> Sequence[Attribute]:
        self.require_grid()
        return (tensor_type(self.x),)


@operator("relax.ccl.scatter_from_worker0")
class ScatterFromWorker0Op(ScatteringOp):
    """Part r along an axis of the tensor of rank 0 of the group, on the rank of number r in it.

    Every rank has an operand of the same sizes; the elements of the others are not read.

    (C3) `num_workers` is one size, at least 1, and that of a group of the grid.
    (C4) The axis is within -rank..rank-1, and the number of ranks divides its size, which is checked at run
    time unless proved.
    """

    axis: int = one_axis(constraint="C4", default=0)
    grid: Axes = device_grid()
    grid_axes: Axes = grid_axes()

    def infer(self) -> Sequence[Attribute]:
        return self.shared_axis(self.axis, "C4")


@operator("relax.ccl.all_to_all")
class AllToAllOp(ScatteringOp):
    """Part r along `split_axis` of the tensors of all ranks of a group, one after the other along
    `concat_axis`, on the rank of number r in it.

    (C3) `num_workers` is one size, at least 1, and that of a group of the grid.
    (C4) Both axes are within -rank..rank-1, and the number of ranks divides the size along `split_axis`,
    which is checked at run time unless proved.
    """

    split_axis: int = one_axis(constraint="C4", default=0)
    concat_axis: int = one_axis(constraint="C4", default=0)
    grid: Axes = device_grid()
    grid_axes: Axes = grid_axes()

    def infer(self) -> Sequence[Attribute]:
        (part,) = self.shared_axis(self.split_axis, "C4")
        assert isinstance(part, TensorType)
        if part.shape is None:
            return (part,)
        axis = normalize_axis(self, self.concat_axis, len(part.shape), "C4")
        shape = list(part.shape)
        if axis == normalize_axis(self, self.split_axis, len(shape), "C4"):
            return (tensor_type(self.x),)
        shape[axis] = times(shape[axis], self.workers_of(self.num_workers, "C3"))
        return (TensorType.get(tuple(shape), part.dtype),)


class PeerOp(CommunicationOp):
    """Communication with one other rank, whose number in the group is a size: `[(p + 1) mod ranks]`.

    (C1) `worker` is one size.
    (C2) `tag` is from 0 to 32,767.
    """

    def require_peer(self) -> None:
        """Refuse a peer that is no single number, and tags that not every MPI has."""
        self.require_grid()
        sizes = sizes_of(self.worker)  # pyright: ignore
        if sizes is not None and len(sizes) != 1:
            found = str(self.worker.type)  # pyright: ignore
            self.fail("the number of one rank (C1)", found, "write !relax.shape<[rank]>")
        if not 0 <= self.tag <= 32767:  # pyright: ignore
            self.fail("a tag from 0 to 32767 (C2)", str(self.tag), "correct 'tag'")  # pyright: ignore


@operator("relax.ccl.send")
class SendOp(PeerOp):
    """Send a tensor to another rank, which receives it by `relax.ccl.recv`.

    The op may wait until it is received: two ranks that send to each other first wait forever.
    """

    RESULTS: ClassVar = "as it sends only"

    x: Operand = tensor()
    worker: SizeOperand = operand(ShapeType, make=one_size)
    tag: int = integer(default=0)
    grid: Axes = device_grid()
    grid_axes: Axes = grid_axes()
    nothing = var_result_def(TensorType)

    @property
    def result_count(self) -> int:
        return 0

    def infer(self) -> Sequence[Attribute]:
        self.require_peer()
        return ()


@operator("relax.ccl.recv")
class RecvOp(PeerOp):
    """The tensor that another rank sends by `relax.ccl.send`: of this shape and element type."""

    worker: SizeOperand = operand(ShapeType, make=one_size)
    shape: ShapeOperand = shape_value()
    dtype: Dtype = element_type(default=f32)
    tag: int = integer(default=0)
    grid: Axes = device_grid()
    grid_axes: Axes = grid_axes()

    def infer(self) -> Sequence[Attribute]:
        self.require_peer()
        sizes: Dims | None = sizes_of(self.shape)
        return (TensorType.get(sizes, self.dtype),)


class RankOp(CommunicationOp):
    """A number known when the program runs: a shape of one size, which `relax.match_shape` names."""

    result = result_def(ShapeType)

    def infer(self) -> Sequence[Attribute]:
        self.require_grid()
        size = self.known_size()
        return (ShapeType((None if size is None else symbolic.const(size),)),)

    def known_size(self) -> int | None:
        """Return the number if the grid says it."""
        return None


@operator("relax.ccl.rank")
class WorkerRankOp(RankOp):
    """The number of this rank in its group, from 0: `relax.ccl.rank : () -> !relax.shape<[?]>`."""

    grid: Axes = device_grid()
    grid_axes: Axes = grid_axes()


@operator("relax.ccl.world_size")
class WorldSizeOp(RankOp):
    """The number of ranks in a group: `relax.ccl.world_size : () -> !relax.shape<[?]>`."""

    grid: Axes = device_grid()
    grid_axes: Axes = grid_axes()

    def known_size(self) -> int | None:
        return self.grouping.size


OPS = operators_in(globals())
