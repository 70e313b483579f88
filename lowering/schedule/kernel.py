"""A kernel while it is scheduled: the linalg ops computed together, and the places where they stand.

    linalg.fill, linalg.generic (d0, d1, d2), linalg.generic (d0, d1)   // a leaf: what starts, main, after
->  scf.for %t1 ... { scf.for %t0 ... { the same on views of tiles }}   // after `tile`: a leaf inside

Several stages that work on the same rows are a kernel too, until loops hold them: `stages`.

Every place is a `Leaf`: which part of each loop is computed there, and by which ops. Primitives take leaves
and put others in their place. Loops are named after the main op's, `d0`, `d1`, ... as its maps print them,
its operands `in0`, `in1`, ..., `out0`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    MemRefType,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lowering.ir.index_writer import Term, Writer, before, term
from lowering.ir.insertion import Inserter
from lowering.ir.memref_sizes import MemrefSizes
from lowering.ir.memref_views import behind_views
from lowering.schedule.contraction import fill_before, has_index
from lowering.schedule.nest import Directives
from lowering.schedule.pack_constants import ConstantPacker
from lowering.schedule.padding import erase_unread, write_out_padding
from lowering.schedule.places import placed
from lowering.schedule.placing import Placing
from lowering.schedule.subscripts import is_linear
from lowering.schedule.tile_functions import TileFunctions
from lowering.schedule.views import collapse_shape
from relax_dialect.errors import RelaxError

if TYPE_CHECKING:
    from lowering.schedule.tiling import Tiling


@dataclass(frozen=True)
class Border:
    """The padding of an operand whose padded copy has not been made."""

    before: Sequence[int]
    """How many elements of the filler stand before the value, along each dimension."""
    extents: Sequence[Term]
    """The sizes with what is around."""
    filler: SSAValue


@dataclass(frozen=True)
class Access:
    """An operand of a stage, and where the loops of the kernel read or write it."""

    value: SSAValue
    map: AffineMap | None
    """Over the kernel's loops; None for a scalar."""
    origin: Mapping[int, Term] = field(default_factory=dict[int, Term])
    """Where the value begins along a loop; 0 if the loop is not in here."""
    lead: Sequence[Term] = ()
    """The place in the dimensions before those of the map: the number of a panel."""
    filled: Mapping[int, Term] = field(default_factory=dict[int, Term])
    """The loops along which the value is filled up to whole tiles, and how many turns it has then."""
    aligned: int = 1
    """A divisor of the length of its rows."""
    border: Border | None = None
    """The border around the value where it is read."""

    def walks(self, loop: int) -> bool:
        """Whether the elements depend on a loop."""
        return self.map is not None and loop in self.map.used_dims()


@dataclass(frozen=True)
class Stage:
    """One linalg op of a kernel."""

    body: Region | None
    """That of a generic; None for a fill."""
    loops: Sequence[int]
    """The kernel's loop for each loop of the op."""
    kinds: Sequence[IteratorTypeAttr]
    accesses: Sequence[Access]
    inputs: int
    """How many of the operands are read only; the others are written."""
    filled: frozenset[int] = frozenset()
    """Loops along which it computes whole tiles where the tile at hand is not."""

    @property
    def start(self) -> FloatAttr | IntegerAttr | None:
        """The number that a fill writes, if it is known."""
        owner = self.accesses[0].value.owner
        if self.body is not None or not isinstance(owner, arith.ConstantOp):
            return None
        return owner.value if isinstance(owner.value, FloatAttr | IntegerAttr) else None

    @property
    def outputs(self) -> Sequence[Access]:
        return self.accesses[self.inputs :]

    def overwrites(self, value: SSAValue) -> bool:
        """Whether all of a value is written, without a look at what it was."""
        if self.body is None:
            return any(access.value is value for access in self.outputs)
        arguments = self.body.block.args
        return any(
            access.value is value and arguments[self.inputs + number].first_use is None
            for number, access in enumerate(self.outputs)
        )


@dataclass(frozen=True)
class Packed:
    """An operand that has been copied to a panel in front of a leaf."""

    access: Access
    """Where it was read before."""
    loop: int
    leaf: Leaf
    """The leaf as it was then."""
    ops: Sequence[Operation]
    """The ops that allocate, fill and free the panel."""
    tiling: Tiling | None
    """How the loop was tiled then; None for tiles of tiles, and for no tiles at all."""
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
    """A place where a part of the kernel is computed."""

    before: Operation
    """The op that its ops stand in front of."""
    stages: Sequence[Stage]
    main: int
    """Which of the stages is the main one."""
    offsets: Mapping[int, Term]
    """Where the tile begins, by loop."""
    sizes: Mapping[int, Term]
    rooms: Mapping[int, Term] = field(default_factory=dict[int, Term])
    """The sizes that tiles are filled up to, of loops that have been tiled."""
    numbers: Mapping[int, Term] = field(default_factory=dict[int, Term])
    """The number of the tile among those of its loop."""
    choices: Mapping[int, Sequence[int]] = field(default_factory=dict[int, Sequence[int]])
    """The possible values of sizes known at run time only."""
    single: frozenset[int] = frozenset()
    """Loops that have been tiled one by one, so that they are none of the ops' any more."""
    least: Mapping[int, int] = field(default_factory=dict[int, int])
    """How many turns loops of symbolic sizes are known to have."""
    scopes: Sequence[tuple[Operation, int | None]] = ()
    """The loops around, outermost first, each with the kernel's loop; none for a branch."""
    packed: Mapping[int, Packed] = field(default_factory=dict[int, Packed])
    """The operands in panels that are filled just before."""
    strips: Sequence[tuple[int, int]] = ()
    """Two loops each whose tile is one piece of what both walk together: whole turns of the outer one, or
    a part of one."""
    directives: Directives = field(default_factory=Directives)
    ops: list[Operation] = field(default_factory=list[Operation])
    """Its ops in the program, before the first step and after the last one."""

    @property
    def stage(self) -> Stage:
        return self.stages[self.main]

    def room(self, loop: int) -> Term:
        """The size of a tile that is filled up."""
        return self.rooms.get(loop, self.sizes[loop])

    @property
    def start(self) -> Operation:
        """The outermost loop around that is inside of all branches, or what stands here."""
        return next((op for op, loop in self.scopes if loop is not None), self.before)

    def is_rest(self, loop: int) -> bool:
        """Whether a tile is smaller than what it is filled up to."""
        return self.room(loop) != self.sizes[loop]

    def may_repeat(self) -> bool:
        """Whether elements may be computed twice: there is one op, which only writes its results."""
        written = [access.value for access in self.stage.outputs]
        read = {behind_views(access.value) for access in self.stage.accesses[: self.stage.inputs]}
        return (
            len(self.stages) == 1
            and not self.reductions()
            and all(map(self.stage.overwrites, written))
            and read.isdisjoint(map(behind_views, written))
        )

    def reductions(self) -> frozenset[int]:
        """The loops of the main op that reduce."""
        kinds = zip(self.stage.loops, self.stage.kinds)
        return frozenset(loop for loop, kind in kinds if kind.data.value != "parallel")


class Kernel:
    """One main op with what is computed along with it, in a prim func on memrefs."""

    def __init__(
        self,
        function: FuncOp,
        main: linalg.GenericOp,
        sizes: MemrefSizes,
        functions: TileFunctions,
        packer: ConstantPacker,
        stages: Mapping[int, linalg.GenericOp] = {},
    ):
        self.function, self.functions, self.packer = function, functions, packer
        self.name = function.sym_name.data
        self.constants, self.memref_sizes = sizes.constants, sizes
        self.markers: list[Operation] = []
        self._joined: dict[tuple[SSAValue, int, Block | None], SSAValue] = {}
        self.derived: dict[SSAValue, Derived] = {}
        """The copies of operands that steps have made, by their memory."""
        self.stages: Mapping[int, linalg.GenericOp] = stages
        """The ops that are scheduled together, by their numbers, if they are several; the last one is the
        main one."""
        self.nests: list[scf.ForOp] = []
        """The outermost loops that steps have made around stages."""
        self.leaves: list[Leaf] = []
        if self.stages:
            self.name_loops(main)
        else:
            self.start(main)

    def name_loops(self, op: linalg.GenericOp) -> None:
        """Take one of the stages as that whose loops are named."""
        self.op, self.count = op, len(op.get_iterator_types())
        self.operands = list[SSAValue]()

    def start(self, main: linalg.GenericOp) -> None:
        """Take an op, with what fills its output, as the main one."""
        self.op = main
        self._check(main)
        loops = tuple(range(len(main.get_iterator_types())))
        stage = stage_of(main, loops)
        self.count = len(loops)
        self.operands = [access.value for access in stage.accesses]
        self.multiples: dict[int, int] = {}
        """Divisors of the turns of loops that have been made longer."""
        self.divisors: dict[Term, int] = {}
        """Divisors of sizes that are not known."""
        self.tilings: dict[int, Tiling | None] = {}
        """How a loop has been tiled; None for one in tiles of tiles."""
        self.extents: Mapping[int, Term] = {d: self._extent(stage, d) for d in loops}
        assert main.next_op is not None
        self.end = self.mark(main.next_op)
        """The op after the kernel."""
        stages, ops = [stage], list[Operation]([main])
        self.fill = fill_before(main)
        if self.fill is not None:
            access = stage.outputs[0]
            own = sorted(access.map.used_dims()) if access.map is not None else ()
            scalar = Access(self.fill.inputs[0], None)
            stages.insert(0, Stage(None, own, (), (scalar, access), 1))
            ops.insert(0, self.fill)
        at = dict.fromkeys(loops, 0)
        leaf = Leaf(self.end, tuple(stages), len(ops) - 1, at, dict(self.extents), ops=ops)
        self.leaves = [leaf]

    def _check(self, main: linalg.GenericOp) -> None:
        """Raises `RelaxError` for an op that no primitive takes."""
        found = None
        if any(has_index(main.body.block)) and placed(main.body.block) is None:
            found = "one that reads where its loops stand, or has regions"
        maps = [a.data for a in main.get_indexing_maps()]
        if not all(is_linear(expr) for map_ in maps for expr in map_.results):
            found = "one whose subscripts are more than sums of loops"
        if not all(isinstance(o.type, MemRefType) for o in main.outputs):
            found = "one on tensors; run relax-bufferize first"
        if found is not None:
            raise self._refused(found)

    def _refused(self, found: str) -> RelaxError:
        error = RelaxError(
            f"schedule of @{self.name}: expected a linalg.generic on memrefs whose body computes with "
            f"elements alone, found {found}; take the schedule out"
        )
        error.op = self.op
        return error

    def is_constant(self, value: SSAValue) -> bool:
        """Whether an operand is the same in every call, and read here only."""
        is_alone = len(list(value.uses)) == 1
        return is_alone and self.packer.is_constant(self.function, value)

    def whole(self) -> linalg.GenericOp | None:
        """The main op, if nothing has been done to it yet."""
        (leaf,) = self.leaves[:1]
        return self.op if self.op in leaf.ops and not leaf.directives else None

    def operand_name(self, number: int) -> str:
        """The name of an operand of the main op."""
        inputs = self.leaves[0].stage.inputs
        return f"in{number}" if number < inputs else f"out{number - inputs}"

    @staticmethod
    def zero(element: Attribute) -> FloatAttr | IntegerAttr:
        """The zero of a type."""
        if isinstance(element, AnyFloat):
            return FloatAttr(0.0, element)
        return IntegerAttr(0, element)  # pyright: ignore

    def _extent(self, stage: Stage, loop: int) -> Term:
        places = [
            (access.value, dimension)
            for access in stage.accesses
            if access.map is not None
            for dimension, expr in enumerate(access.map.results)
            if expr == AffineDimExpr(loop)
        ]
        if not places:
            raise self._refused(f"one whose operands do not tell how many turns d{loop} has")
        return term(self.memref_sizes.bound(places, self.op))

    def size(self, value: SSAValue, dimension: int, before: Operation) -> Term:
        """The size of a memref, to be used from an op on."""
        return term(self.memref_sizes.bound([(value, dimension)], before))

    def divides(self, part: Term, whole: Term) -> bool:
        """Whether tiles of a size fill what has another one."""
        if part is whole or not isinstance(part, int):
            return part is whole
        return (whole if isinstance(whole, int) else self.divisors.get(whole, 1)) % max(
            part, 1
        ) == 0

    def joined(self, leaf: Leaf, value: SSAValue, first: int) -> SSAValue:
        """A memref with two of its dimensions as one."""
        key = value, first, leaf.start.parent
        if key not in self._joined:
            assert isinstance(value.type, MemRefType)
            count = value.type.get_num_dims()
            sizes = [1] * first + [2] + [1] * (count - first - 2)
            insert = Inserter(before=leaf.start)
            self._joined[key] = collapse_shape(insert, value, *sizes)
        return self._joined[key]

    # What is written into the program

    def writer(self, insert: Operation) -> Writer:
        """Arithmetic in front of an op."""
        return Writer(self.constants, before(insert))

    def lift(self, leaf: Leaf) -> None:
        """Take the ops of a leaf out of the program."""
        for op in reversed(leaf.ops):
            op.detach()
            op.erase(safe_erase=False)
        leaf.ops = []

    def replace(self, leaf: Leaf, new: Sequence[Leaf]) -> None:
        """Others in the place of a leaf that has been lifted; `finish` places their ops."""
        place = self.leaves.index(leaf)
        self.leaves[place : place + 1] = new

    def place(self, leaf: Leaf) -> None:
        """Put the ops of a leaf into the program."""
        placing = Placing(self, leaf)
        for number, stage in enumerate(leaf.stages):
            is_start = number == leaf.main - 1 and stage.start is not None
            if is_start and leaf.directives and leaf.reductions():
                continue  # the nest of the main op sees to it
            placing.stage(stage, is_main=number == leaf.main)

    def mark(self, before: Operation) -> Operation:
        """An op that stands for a place until the schedule is done."""
        marker = arith.ConstantOp(IntegerAttr.from_index_int_value(0))
        Inserter(before=before).place(marker)
        self.markers.append(marker)
        return marker

    def finish(self) -> None:
        """Put the ops of all leaves into the program."""
        for leaf in self.leaves:
            if any(access.border for stage in leaf.stages for access in stage.accesses):
                raise self._refused(
                    "one whose padding is fused, but not copied by cache_read or left out by separate"
                )
            if leaf.directives or not leaf.ops:
                self.lift(leaf)
                self.place(leaf)
        for room, copy in reversed(self.derived.items()):
            if all(use.operation in copy.ops for use in room.uses):
                for op in reversed(copy.ops):
                    op.detach()
                    op.erase(safe_erase=False)
        for value in self.operands:
            write_out_padding(value)
            erase_unread(value)
        for marker in self.markers:
            marker.detach()
            marker.erase()


def stage_of(op: linalg.GenericOp, loops: Sequence[int], count: int | None = None) -> Stage:
    """A generic whose loops are such ones of the kernel, which has so many."""
    total = len(loops) if count is None else count
    dims = tuple(AffineDimExpr(d) for d in loops)
    accesses = [
        Access(
            value,
            attribute.data.compose(AffineMap(total, 0, dims))
            if isinstance(value.type, MemRefType)
            else None,
        )
        for value, attribute in zip([*op.inputs, *op.outputs], op.get_indexing_maps())
    ]
    kinds = [*op.get_iterator_types()]
    return Stage(op.body.clone(), tuple(loops), kinds, tuple(accesses), len(op.inputs))
