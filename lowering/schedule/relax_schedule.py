"""relax-schedule: linalg ops on memrefs are cut into tiles, as the strategy of their kind says.

Contractions, those of bytes too, reductions, elementwise ops and transposing copies: see `strategies`;
convolutions: see `convolution`; reductions over windows: see `windows`; several stages on the same rows:
see `rows`. What is none of these stays as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from lowering.external.kernel import codegen_of
from lowering.ir.constants import ConstantPool
from lowering.ir.memref_sizes import MemrefSizes
from lowering.schedule.byte_products import find as find_integers
from lowering.schedule.collapse import pair_of
from lowering.schedule.contraction import Contraction
from lowering.schedule.contraction import find as find_contraction
from lowering.schedule.convolution import Convolution
from lowering.schedule.convolution import find as find_convolution
from lowering.schedule.depthwise import DepthwiseBuilder, DepthwiseSizes
from lowering.schedule.depthwise import find as find_depthwise
from lowering.schedule.invariant import invariant_loop
from lowering.schedule.kernel import Kernel
from lowering.schedule.pack_constants import ConstantPacker
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.collapse import Collapse
from lowering.schedule.primitives.img2col import Img2col
from lowering.schedule.rows import fuse_rows, row_tiles
from lowering.schedule.schedule import Schedule, apply, parse, parse_steps, text
from lowering.schedule.staging import padding_before
from lowering.schedule.strategies import elementwise, reduction, transpose
from lowering.schedule.strategies.contraction import ContractionSchedule, TileSizes, is_worth_it
from lowering.schedule.strategies.convolution import (
    ConvolutionSchedule,
    PixelSizes,
    is_worth_packing,
)
from lowering.schedule.strategies.integer_contraction import IntegerContractionSchedule
from lowering.schedule.tile_functions import TileFunctions
from lowering.schedule.windows import PoolBuilder
from lowering.schedule.windows import find as find_pool
from lowering.target import NATIVE, Cpu
from lowering.target import find as find_cpu
from relax_dialect.call_graph import ops_inside
from relax_dialect.errors import RelaxError
from relax_dialect.prim_func import SCHEDULE, SCHEDULES
from relax_dialect.wording import nearest

VECTORS = 3
"""How many vectors side by side a tile of a contraction has, where the columns do not say otherwise."""

BLOCK = 16
"""How many tiles of rows go through all panels before the next ones do."""

PACK_ROWS = 128
"""How many rows share the cost of panels that are laid out on each call."""

LEAST_WORK = 1 << 12
"""Static contractions of fewer multiplications stay loops."""


def tile_sizes(cpu: Cpu, bits: int, columns: int = -1) -> TileSizes:
    """The tile of a CPU for so many columns, negative if not known.

    Three quarters of the registers hold sums, the others a row of vectors and a factor.
    """
    lanes, sums, vectors = cpu.lanes(bits), cpu.registers * 3 // 4, VECTORS
    if 0 < columns <= 4 * lanes and cpu.registers >= 32:
        vectors = max(2, -(-columns // lanes))
    return TileSizes(
        rows=sums // vectors,
        vectors=vectors,
        lanes=lanes,
        block=BLOCK,
        pack_bytes=cpu.l2,
        pack_rows=PACK_ROWS,
        least_work=LEAST_WORK,
    )


def pixel_sizes(cpu: Cpu, bits: int) -> PixelSizes:
    """The tile of a convolution: all registers but four hold sums, the strip is in the first cache and no
    smaller than a tile."""
    lanes, vectors = cpu.lanes(bits), 2
    pixels = (cpu.registers - 4) // vectors
    strip = cpu.l1 * 8 // bits // (vectors * lanes)
    return PixelSizes(pixels, vectors, lanes, max(strip, pixels))


def depthwise_sizes(cpu: Cpu, bits: int) -> DepthwiseSizes:
    """The tile of a depthwise convolution: most of the first cache holds a strip, before and after."""
    return DepthwiseSizes(rows=4, lanes=cpu.lanes(bits), strip=cpu.l1 * 6 // bits)


def schedule(
    module: ModuleOp, cpu: Cpu, schedules: Mapping[str, Schedule] | None = None
) -> Mapping[str, Schedule]:
    """Schedule every prim func of a module, in place.

    `schedules`: how kernels are computed, by prim func, `name`, or `name#1` for the second of its generics;
    they come before those that prim funcs carry (`relax.schedule`), and these before the strategies. Gives
    the schedules that were taken. Raises `RelaxError` for names that the module has not.
    """
    functions, packer = TileFunctions(module), ConstantPacker(module)
    prim_funcs = [
        op
        for op in module.ops
        if isinstance(op, FuncOp) and op.body.blocks and codegen_of(op) is None
    ]
    given = schedules or {}
    _check_names(given, {op.sym_name.data for op in prim_funcs})
    taken: dict[str, Schedule] = {}
    for function in prim_funcs:
        Scheduler(function, cpu, functions, packer, given, taken).run()
    return taken


def _check_names(given: Mapping[str, Schedule], known: set[str]) -> None:
    for name in given:
        if (function := name.partition("#")[0]) not in known:
            meant = nearest(function, known)
            raise RelaxError(
                f"schedule of @{name}: expected one of the prim funcs {', '.join(sorted(known))}, found "
                f"none of this name; " + (f"is @{meant} meant?" if meant else "correct the name")
            )


@dataclass
class Scheduler:
    """Schedules one prim func."""

    function: FuncOp
    cpu: Cpu
    functions: TileFunctions
    packer: ConstantPacker
    given: Mapping[str, Schedule]
    taken: dict[str, Schedule]
    """The schedules that have been done, by kernel."""
    done: set[Operation] = field(default_factory=set[Operation])
    """What schedules have made of elementwise kernels."""
    has_rows: bool = False
    """Whether stages were fused over rows, by no schedule, so that none is told of what is left either."""

    @cached_property
    def generics(self) -> Sequence[linalg.GenericOp]:
        """The ops that kernels are named after, before anything is changed."""
        return [op for op in ops_inside(self.function) if isinstance(op, linalg.GenericOp)]

    @cached_property
    def sizes(self) -> MemrefSizes:
        return MemrefSizes(self.function, ConstantPool(self.function))

    def run(self) -> None:
        """Stages on rows first, contractions inside them after; last the copies, those into panels too."""
        told = self._as_told(self.generics)
        ops: list[Operation] = [op for op in self.generics if op not in told]
        if not told:
            blocks = [op.parent for op in self.generics]
            fuse_rows(self.function, self.sizes, row_tiles(self.cpu))
            ops = list(ops_inside(self.function))
            self.has_rows = [op.parent for op in self.generics] != blocks
        for op in ops:
            if op.parent is not None:  # what follows a contraction goes with it
                self._contract(op)
        for op in list(ops_inside(self.function)):
            if (pool := find_pool(op)) is not None:
                PoolBuilder(pool, self.sizes).build()
        for op in list(self.function.body.block.ops):
            if reduction.is_reduction(op) and op not in self.done and op not in told:
                assert isinstance(op, linalg.GenericOp)
                self._reduce(op)
        for op in list(ops_inside(self.function)):
            if elementwise.is_elementwise(op) and op not in self.done:
                assert isinstance(op, linalg.GenericOp)
                self._elementwise(op)

    def _as_told(self, ops: Sequence[linalg.GenericOp]) -> set[Operation]:
        """What the schedules that are given say; gives the ops that they are for."""
        told: set[Operation] = set()
        name = self.function.sym_name.data
        own = {key: steps for key, steps in self.given.items() if key.partition("#")[0] == name}
        attribute = self.function.attributes.pop(SCHEDULE, None)
        if isinstance(attribute, StringAttr) and not own:
            own = {name: parse_steps(attribute.data, f"{SCHEDULE} of @{name}")}
        for key, steps in own.items():
            told.add(main := _main_op(key, ops))
            kernel = self._kernel(main)
            self._apply(steps, kernel)
            self.taken[key] = steps
        return told

    def _apply(self, steps: Schedule, kernel: Kernel) -> None:
        """Do the steps of a schedule, or the last of them, and remember what they make."""
        is_elementwise = elementwise.is_elementwise(kernel.op)
        apply(steps, kernel)
        if is_elementwise:
            self.done.update(op for leaf in kernel.leaves for op in leaf.ops)

    def _kernel(self, op: linalg.GenericOp) -> Kernel:
        return Kernel(self.function, op, self.sizes, self.functions, self.packer)

    def _elementwise(self, op: linalg.GenericOp) -> None:
        """Join the loops of an elementwise op, and transpose in tiles what runs along other loops."""
        name, taken, kernel = self._name(op), list[Primitive](), None
        is_whole = op.parent is self.function.body.block  # inside of loops are tiles
        while is_whole and (step := elementwise.next_step(op)) is not None:
            kernel = kernel or self._kernel(op)
            step.apply(kernel)
            taken.append(step)
            op = kernel.op
        found = transpose.find(op)
        steps = [] if found is None else list(transpose.steps(found, self.cpu))
        if not taken and not steps:
            return
        self._apply(steps, kernel or self._kernel(op))
        if name is not None:
            self.taken[name] = [*taken, *steps]

    def _reduce(self, op: linalg.GenericOp) -> None:
        """Join the loops of a reduction, and fill vectors along the last of them."""
        name, kernel, taken = self._name(op), self._kernel(op), list[Primitive]()
        while (step := reduction.next_step(kernel.op)) is not None:
            step.apply(kernel)
            taken.append(step)
        steps = list(reduction.steps(kernel, self.cpu))
        apply(steps, kernel)
        if name is not None and (taken or steps):
            self.taken[name] = [*taken, *steps]

    def _contract(self, op: Operation) -> None:
        """Cut an op into tiles, if it is a contraction or a convolution that is worth it."""
        if (channels := find_depthwise(op)) is not None and channels.element.bitwidth >= 32:
            tiles = depthwise_sizes(self.cpu, channels.element.bitwidth)
            DepthwiseBuilder(channels, self.sizes, tiles, self.functions).build()
            return
        if (convolution := find_convolution(op)) is not None:
            if convolution.element.bitwidth >= 32 and not self._convolve(convolution):
                self._as_product(convolution)
        elif (found := find_contraction(op)) is not None:
            if found.element.bitwidth >= 32:
                self._by_steps(found, find_contraction, ContractionSchedule)
        elif (found := find_integers(op)) is not None:
            self._by_steps(found, find_integers, IntegerContractionSchedule)

    def _as_product(self, found: Convolution) -> None:
        """Compute a convolution as a product of filters and windows, which are gathered."""
        name, kernel = self._name(found.op), self._kernel(found.op)
        (step := Img2col(self.cpu.l2 // 2)).apply(kernel)
        product = find_contraction(kernel.op)
        assert product is not None
        self._do(name, kernel, [step], product, ContractionSchedule)

    def _by_steps(
        self,
        found: Contraction,
        find: Callable[[Operation], Contraction | None],
        strategy: type[ContractionSchedule],
    ) -> None:
        """Do the schedule of a contraction, if it is worth it."""
        name = self._name(found.op)
        kernel = self._kernel(found.op)
        taken: list[Primitive] = []
        while (pair := pair_of(found)) is not None:
            taken.append(step := Collapse(f"d{pair[0]}", f"d{pair[1]}"))
            step.apply(kernel)
            again = find(kernel.op)
            assert again is not None
            found = again
        tiles = tile_sizes(self.cpu, found.element.bitwidth, found.extent(found.column))
        self._do(name, kernel, taken, found, strategy if is_worth_it(found, tiles) else None)

    def _do(
        self,
        name: str | None,
        kernel: Kernel,
        taken: Sequence[Primitive],
        found: Contraction,
        strategy: type[ContractionSchedule] | None,
    ) -> None:
        """Do the steps after those that have been taken, and remember all of them."""
        tiles = tile_sizes(self.cpu, found.element.bitwidth, found.extent(found.column))
        right, chosen = found.right.value, list[Primitive]()
        if strategy is not None:
            steps = strategy(
                found,
                tiles,
                is_constant=self._is_constant(right) and found.extent(found.column) > 0,
                is_invariant=invariant_loop(found.op, right) is not None,
            ).steps()
            chosen = list(steps)
        if name is not None and (taken or chosen):
            self.taken[name] = [*taken, *chosen]
        apply(chosen, kernel)

    def _is_constant(self, value: SSAValue) -> bool:
        """Whether a value is constant in every call, and read once."""
        is_alone = len(list(value.uses)) == 1
        return is_alone and self.packer.is_constant(self.function, value)

    def _name(self, main: linalg.GenericOp) -> str | None:
        """What a file of schedules calls a kernel; None for one inside a tile of rows."""
        name = self.function.sym_name.data
        if main not in self.generics or self.has_rows:
            return None
        is_first = _main_op(name, self.generics) is main
        return name if is_first else f"{name}#{self.generics.index(main)}"

    def _convolve(self, found: Convolution) -> bool:
        """Cut a convolution into tiles of pixels, unless it is better computed as a product."""
        tiles = pixel_sizes(self.cpu, found.element.bitwidth)
        is_constant, loops = self._is_constant(found.filters), (found.filter, *found.positions)
        if 0 in map(found.extent, loops):
            return True
        if found.is_plain and not is_worth_packing(found, tiles, is_constant=is_constant):
            return False
        padding, name = padding_before(found), self._name(found.op)
        is_padded = padding is not None and all(
            self.sizes.are_equal((padding.source, d), (found.image, d))
            for d, expr in enumerate(found.map.results)
            if expr.used_dims() <= {*found.batch}
        )
        kernel = self._kernel(found.op)
        steps = list(
            ConvolutionSchedule(found, tiles, is_padded=is_padded, is_constant=is_constant).steps()
        )
        if name is not None:
            self.taken[name] = steps
        apply(steps, kernel)
        return True


@dataclass(frozen=True)
class RelaxSchedulePass(ModulePass):
    """linalg on memrefs in tiles: see this file's docstring."""

    name = "relax-schedule"

    cpu: str = NATIVE
    file: str | None = None
    """A file of schedules, as `lowering.schedule.schedule` describes it."""
    print: bool = False
    """Whether the schedules that are done are printed, to the standard error, as such a file."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        given: dict[str, Schedule] = {}
        attribute = op.attributes.pop(SCHEDULES, None)
        if isinstance(attribute, StringAttr):
            given |= parse(attribute.data, SCHEDULES)
        if self.file is not None:
            given |= _read(self.file)
        taken = schedule(op, find_cpu(self.cpu), given)
        if self.print:
            for name, steps in taken.items():
                sys.stderr.write(f"@{name}:\n{text(steps)}")


def _read(file: str) -> Mapping[str, Schedule]:
    try:
        source = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RelaxError(
            f"relax-schedule: expected a file of schedules as {file}, found none that can be read: "
            f"{error}; correct the name"
        ) from None
    return parse(source, file)


def _main_op(key: str, ops: Sequence[linalg.GenericOp]) -> linalg.GenericOp:
    """The generic that a schedule is for: by its number, or the first that reduces, or the first."""
    name, _, number = key.partition("#")
    if not ops:
        raise RelaxError(
            f"schedule of @{key}: expected a prim func with linalg.generic, found none in @{name}; "
            "take the schedule out"
        )
    if number:
        if int(number) >= len(ops):
            raise RelaxError(
                f"schedule of @{key}: expected a number below {len(ops)}, that of the generics of "
                f"@{name}, found {number}; take one of them"
            )
        return ops[int(number)]
    kinds = ((op, {k.data.value for k in op.get_iterator_types()}) for op in ops)
    return next((op for op, own in kinds if "reduction" in own), ops[0])
