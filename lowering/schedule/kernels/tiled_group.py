"""The parts of a kernel while it is scheduled: leaves, their stages, and the operands that these read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lowering.ir.index_writer import Term
from lowering.ir.memref_views import viewed_memref
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.memrefs.tiling import Tiling


@dataclass(frozen=True)
class Border:
    """The padding of an operand whose padded copy has not been made."""

    before: Sequence[int]
    """The number of filler elements before the value, along each dimension."""
    extents: Sequence[Term]
    """The sizes including the padding."""
    filler: SSAValue


@dataclass(frozen=True)
class TiledOperand:
    """An operand of a stage, and where the loops of the kernel read or write it."""

    value: SSAValue
    map: AffineMap | None
    """Over the kernel's loops; None for a scalar."""
    origin: Mapping[int, Term] = field(default_factory=dict[int, Term])
    """The begin of the value along a loop; 0 if the loop is missing."""
    lead: Sequence[Term] = ()
    """The index in the dimensions before those of the map: the number of a panel."""
    filled: Mapping[int, Term] = field(default_factory=dict[int, Term])
    """The loops along which the value is filled up to whole tiles, and how many iterations it has then."""
    aligned: int = 1
    """A divisor of the length of its rows."""
    border: Border | None = None
    """The border around the value, if it is read with padding."""

    def walks(self, loop: int) -> bool:
        """Return whether the elements depend on a loop."""
        return self.map is not None and loop in self.map.used_dims()


@dataclass(frozen=True)
class TiledStage:
    """One linalg op of a kernel."""

    body: Region | None
    """The body of a generic; None for a fill."""
    loops: Sequence[int]
    """The kernel's loop for each loop of the op."""
    kinds: Sequence[IteratorTypeAttr]
    accesses: Sequence[TiledOperand]
    inputs: int
    """The number of operands that are only read; the others are written."""
    filled: frozenset[int] = frozenset()
    """Loops along which it computes whole tiles even if the current tile is partial."""

    @property
    def start(self) -> FloatAttr | IntegerAttr | None:
        """The number that a fill writes, if it is known."""
        owner = self.accesses[0].value.owner
        if self.body is not None or not isinstance(owner, arith.ConstantOp):
            return None
        return owner.value if isinstance(owner.value, FloatAttr | IntegerAttr) else None

    @property
    def outputs(self) -> Sequence[TiledOperand]:
        return self.accesses[self.inputs :]

    def overwrites(self, value: SSAValue) -> bool:
        """Return whether all of a value is written without reading it."""
        if self.body is None:
            return any(access.value is value for access in self.outputs)
        arguments = self.body.block.args
        return any(
            access.value is value and arguments[self.inputs + number].first_use is None
            for number, access in enumerate(self.outputs)
        )

    def reads(self, value: SSAValue) -> bool:
        """Whether an input lies in the memory of a value."""
        memory = viewed_memref(value)
        return any(viewed_memref(a.value) is memory for a in self.accesses[: self.inputs])


@dataclass(frozen=True)
class Packed:
    """An operand that has been copied to a panel in front of a leaf."""

    access: TiledOperand
    """The access before packing."""
    loop: int
    leaf: Leaf
    """The leaf as it was then."""
    ops: Sequence[Operation]
    """The ops that allocate, fill and free the panel."""
    tiling: Tiling | None
    """The tiling of the loop then; None for tiles of tiles, and for no tiles at all."""
    inside: int | None = None
    """The loop whose elements lie side by side."""


@dataclass(frozen=True)
class Derived:
    """A copy of an operand with other elements, which is not made if nothing but packing reads it."""

    source: SSAValue
    ops: Sequence[Operation]
    """The ops that allocate, fill and free it."""
    body: Region | None = None
    """The function that is applied to each element, if there is one."""
    short: tuple[int, Term] | None = None
    """The loop along which it is longer than its source, and how long that is; there are zeros after it."""


@dataclass(eq=False)
class Leaf:
    """An insertion point where a part of the kernel is computed."""

    before: Operation
    """The op before which its ops are inserted."""
    stages: Sequence[TiledStage]
    main: int
    """The index of the main stage."""
    offsets: Mapping[int, Term]
    """The begin of the tile, by loop."""
    sizes: Mapping[int, Term]
    rooms: Mapping[int, Term] = field(default_factory=dict[int, Term])
    """The sizes that tiles are filled up to, of loops that have been tiled."""
    numbers: Mapping[int, Term] = field(default_factory=dict[int, Term])
    """The index of the tile in its loop."""
    choices: Mapping[int, Sequence[int]] = field(default_factory=dict[int, Sequence[int]])
    """The possible values of sizes known at run time only."""
    single: frozenset[int] = frozenset()
    """Loops that have been tiled one by one, so that they are none of the ops' any more."""
    least: Mapping[int, int] = field(default_factory=dict[int, int])
    """The least known trip count of loops of symbolic sizes."""
    scopes: Sequence[tuple[Operation, int | None]] = ()
    """The loops around, outermost first, each with the kernel's loop; none for a branch."""
    packed: Mapping[int, Packed] = field(default_factory=dict[int, Packed])
    """The operands in panels that are filled just before."""
    strips: Sequence[tuple[int, int]] = ()
    """Pairs of loops whose tile is one piece of the collapsed loop: whole iterations of the outer one, or a
    part of one."""
    directives: Directives = field(default_factory=Directives)
    ops: list[Operation] = field(default_factory=list[Operation])
    """Its ops in the program, before the first step and after the last one."""

    @property
    def stage(self) -> TiledStage:
        return self.stages[self.main]

    def room(self, loop: int) -> Term:
        """Return the size of a tile that is filled up."""
        return self.rooms.get(loop, self.sizes[loop])

    @property
    def start(self) -> Operation:
        """The outermost loop around that is inside of all branches, or the insertion point itself."""
        return next((op for op, loop in self.scopes if loop is not None), self.before)

    def is_rest(self, loop: int) -> bool:
        """Return whether a tile is smaller than the size it is filled up to."""
        return self.room(loop) != self.sizes[loop]

    def may_repeat(self) -> bool:
        """Return whether elements may be computed twice: there is one op, which only writes its results."""
        written = [access.value for access in self.stage.outputs]
        return (
            len(self.stages) == 1
            and not self.reductions()
            and all(map(self.stage.overwrites, written))
            and not any(map(self.stage.reads, written))
        )

    def is_parallel(self, loop: int) -> bool:
        """Return whether all stages compute different elements in the iterations of a loop."""
        kinds = (pair for stage in self.stages for pair in zip(stage.loops, stage.kinds))
        return all(kind.data.value == "parallel" for own, kind in kinds if own == loop)

    def reductions(self) -> frozenset[int]:
        """Return the loops of the main op that reduce."""
        kinds = zip(self.stage.loops, self.stage.kinds)
        return frozenset(loop for loop, kind in kinds if kind.data.value != "parallel")


def stage_of(op: linalg.GenericOp, loops: Sequence[int], count: int | None = None) -> TiledStage:
    """Build the stage of a generic, from the kernel's loop for each of its loops and the kernel's loop
    count."""
    total = len(loops) if count is None else count
    dims = tuple(AffineDimExpr(d) for d in loops)
    accesses = [
        TiledOperand(
            value,
            attribute.data.compose(AffineMap(total, 0, dims))
            if isinstance(value.type, MemRefType)
            else None,
        )
        for value, attribute in zip([*op.inputs, *op.outputs], op.get_indexing_maps())
    ]
    kinds = [*op.get_iterator_types()]
    return TiledStage(op.body.clone(), tuple(loops), kinds, tuple(accesses), len(op.inputs))
