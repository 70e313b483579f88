"""A kernel while it is scheduled: the linalg ops computed together, and their insertion points.

    linalg.fill, linalg.generic (d0, d1, d2), linalg.generic (d0, d1)   // a leaf: what starts, main, after
->  scf.for %t1 ... { scf.for %t0 ... { the same on views of tiles }}   // after `tile`: a leaf inside

Several stages that work on the same rows are a kernel too, until loops hold them: `stages`.

Every insertion point is a `Leaf`: the part of each loop computed there, and the ops. Primitives replace
leaves by others. Loops are named after the main op's, `d0`, `d1`, ... as its maps print them, its operands
`in0`, `in1`, ..., `out0`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    MemRefType,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from lowering.ir.index_writer import IndexWriter, Term, before, term
from lowering.ir.insertion import Inserter
from lowering.ir.memref_sizes import MemrefSizes
from lowering.schedule.kernels.decisions import Decisions, T
from lowering.schedule.kernels.tiled_group import Derived, Leaf, TiledOperand, TiledStage, stage_of
from lowering.schedule.match.arg_reduction import placed
from lowering.schedule.match.contraction import fill_before, has_index
from lowering.schedule.memrefs.pack_constants import ConstantPacker
from lowering.schedule.memrefs.subscripts import is_linear
from lowering.schedule.memrefs.tile_functions import TileFunctions
from lowering.schedule.memrefs.tile_views import collapse_shape
from lowering.schedule.memrefs.tiling import Tiling
from lowering.support.target import Cpu, native
from relax_dialect.errors import RelaxError


class Kernel:
    """One main op and the ops computed with it, in a prim func on memrefs."""

    def __init__(
        self,
        function: FuncOp,
        main: linalg.GenericOp,
        sizes: MemrefSizes,
        functions: TileFunctions,
        packer: ConstantPacker,
        stages: Mapping[int, linalg.GenericOp] = {},
        *,
        cpu: Cpu | None = None,
        decisions: Decisions | None = None,
        key: str | None = None,
    ):
        """`key` is the name of the kernel in a file of schedules, if it has one."""
        self.function, self.functions, self.packer = function, functions, packer
        self.name = function.sym_name.data
        self.cpu, self.key = cpu or native(), key
        self.decisions = decisions or Decisions()
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

    def choose(self, name: str, default: T, others: Iterable[T]) -> T:
        """Return a decision of a strategy: the default, unless another one is tried or was asked for."""
        return (
            default
            if self.key is None
            else self.decisions.choose(f"{self.key} {name}", default, others)
        )

    def name_loops(self, op: linalg.GenericOp) -> None:
        """Take one of the stages as that whose loops are named."""
        self.op, self.count = op, len(op.get_iterator_types())
        self.operands = list[SSAValue]()

    def start(self, main: linalg.GenericOp) -> None:
        """Set the main op, with the fill of its output."""
        self.op = main
        self._check(main)
        loops = tuple(range(len(main.get_iterator_types())))
        stage = stage_of(main, loops)
        self.count = len(loops)
        self.operands = [access.value for access in stage.accesses]
        self.multiples: dict[int, int] = {}
        """Divisors of the iterations of loops that have been made longer."""
        self.divisors: dict[Term, int] = {}
        """Divisors of sizes that are not known."""
        self.tilings: dict[int, Tiling | None] = {}
        """The tiling of each loop; None for a loop in tiles of tiles."""
        self.extents: Mapping[int, Term] = {d: self._extent(stage, d) for d in loops}
        assert main.next_op is not None
        self.end = self.mark(main.next_op)
        """The op after the kernel."""
        stages, ops = [stage], list[Operation]([main])
        self.fill = fill_before(main)
        if self.fill is not None:
            access = stage.outputs[0]
            own = sorted(access.map.used_dims()) if access.map is not None else ()
            scalar = TiledOperand(self.fill.inputs[0], None)
            stages.insert(0, TiledStage(None, own, (), (scalar, access), 1))
            ops.insert(0, self.fill)
        at = dict.fromkeys(loops, 0)
        leaf = Leaf(self.end, tuple(stages), len(ops) - 1, at, dict(self.extents), ops=ops)
        self.leaves = [leaf]

    def _check(self, main: linalg.GenericOp) -> None:
        """Raises `RelaxError` for an op that no primitive takes."""
        found = None
        if any(has_index(main.body.block)) and placed(main.body.block) is None:
            found = "one that reads the indices of its loops, or has regions"
        maps = [a.data for a in main.get_indexing_maps()]
        if not all(is_linear(expr) for map_ in maps for expr in map_.results):
            found = "one whose subscripts are more than sums of loops"
        if not all(isinstance(o.type, MemRefType) for o in main.outputs):
            found = "one on tensors; run relax-bufferize first"
        if found is not None:
            raise self.refused(found)

    def refused(self, found: str) -> RelaxError:
        error = RelaxError(
            f"schedule of @{self.name}: expected a linalg.generic on memrefs whose body computes with "
            f"elements alone, found {found}; take the schedule out"
        )
        error.op = self.op
        return error

    def is_constant(self, value: SSAValue) -> bool:
        """Return whether an operand is the same in every call, and read here only."""
        is_alone = len(list(value.uses)) == 1
        return is_alone and self.packer.is_constant(self.function, value)

    def whole(self) -> linalg.GenericOp | None:
        """Return the main op, if nothing has been done to it yet."""
        (leaf,) = self.leaves[:1]
        return self.op if self.op in leaf.ops and not leaf.directives else None

    def operand_name(self, number: int) -> str:
        """Return the name of an operand of the main op."""
        inputs = self.leaves[0].stage.inputs
        return f"in{number}" if number < inputs else f"out{number - inputs}"

    @staticmethod
    def zero(element: Attribute) -> FloatAttr | IntegerAttr:
        """Return the zero of a type."""
        if isinstance(element, AnyFloat):
            return FloatAttr(0.0, element)
        return IntegerAttr(0, element)  # pyright: ignore

    def _extent(self, stage: TiledStage, loop: int) -> Term:
        places = [
            (access.value, dimension)
            for access in stage.accesses
            if access.map is not None
            for dimension, expr in enumerate(access.map.results)
            if expr == AffineDimExpr(loop)
        ]
        if not places:
            raise self.refused(f"one whose operands do not determine the trip count of d{loop} has")
        return term(self.memref_sizes.bound(places, self.op))

    def size(self, value: SSAValue, dimension: int, before: Operation) -> Term:
        """Return the size of a memref, to be used from an op on."""
        return term(self.memref_sizes.bound([(value, dimension)], before))

    def divides(self, part: Term, whole: Term) -> bool:
        """Return whether tiles of one size fill another size."""
        if part is whole or not isinstance(part, int):
            return part is whole
        return (whole if isinstance(whole, int) else self.divisors.get(whole, 1)) % max(
            part, 1
        ) == 0

    def joined(self, leaf: Leaf, value: SSAValue, first: int) -> SSAValue:
        """Return a memref with two of its dimensions as one."""
        key = value, first, leaf.start.parent
        if key not in self._joined:
            assert isinstance(value.type, MemRefType)
            count = value.type.get_num_dims()
            sizes = [1] * first + [2] + [1] * (count - first - 2)
            insert = Inserter(before=leaf.start)
            self._joined[key] = collapse_shape(insert, value, *sizes)
        return self._joined[key]

    # Insertion into the program

    def writer(self, insert: Operation) -> IndexWriter:
        """Arithmetic in front of an op."""
        return IndexWriter(self.constants, before(insert))

    def lift(self, leaf: Leaf) -> None:
        """Take the ops of a leaf out of the program."""
        for op in reversed(leaf.ops):
            op.detach()
            op.erase(safe_erase=False)
        leaf.ops = []

    def replace(self, leaf: Leaf, new: Sequence[Leaf]) -> None:
        """Replace a leaf that has been lifted by others; `materialize.finish` inserts their ops."""
        place = self.leaves.index(leaf)
        self.leaves[place : place + 1] = new

    def mark(self, before: Operation) -> Operation:
        """Create an op that marks an insertion point until the schedule is done."""
        marker = arith.ConstantOp(IntegerAttr.from_index_int_value(0))
        Inserter(before=before).place(marker)
        self.markers.append(marker)
        return marker
