"""relax-schedule: linalg ops on memrefs are cut into tiles, as the strategy of their kind says.

Contractions: see `contract`; convolutions: see `convolution`; transposing copies: see `transpose`. What is
none of these stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from lowering.constants import ConstantPool
from lowering.external.kernel import codegen_of
from lowering.insertion import Inserter
from lowering.memref_sizes import MemrefSizes
from lowering.schedule.contract import ContractionBuilder, TileSizes, is_worth_it
from lowering.schedule.contraction import find as find_contraction
from lowering.schedule.convolution import as_contraction
from lowering.schedule.convolution import find as find_convolution
from lowering.schedule.pack_constants import ConstantPacker
from lowering.schedule.tile_functions import TileFunctions
from lowering.schedule.transpose import TransposeBuilder
from lowering.schedule.transpose import find as find_transpose
from lowering.target import NATIVE, Cpu
from lowering.target import find as find_cpu
from relax_dialect.call_graph import ops_inside

VECTORS = 3
"""How many vectors side by side a tile of a contraction has: with one row of them and one factor in
registers too, the rows that are left are a multiple of four on every CPU."""


def tile_sizes(cpu: Cpu, bits: int) -> TileSizes:
    """The tile of a CPU: as many sums as its registers hold, with a row of vectors and a factor."""
    return TileSizes(
        rows=(cpu.registers - VECTORS - 1) // VECTORS // 4 * 4,
        vectors=VECTORS,
        lanes=cpu.lanes(bits),
        block=16,
        pack_bytes=cpu.l2,
        pack_rows=128,
        least_work=1 << 12,
    )


def schedule(module: ModuleOp, cpu: Cpu) -> None:
    """Schedule every prim func of a module, in place."""
    functions = TileFunctions(module)
    packer: ConstantPacker | None = None
    for function in [op for op in module.ops if isinstance(op, FuncOp)]:
        if not function.body.blocks or codegen_of(function) is not None:
            continue
        sizes: MemrefSizes | None = None
        for op in list(ops_inside(function)):
            gather = None
            if (convolution := find_convolution(op)) is not None:
                insert = Inserter(before=[convolution.op, *convolution.epilogue][-1])
                contraction, gather = as_contraction(convolution, insert, cpu.l2 // 2)
            elif (contraction := find_contraction(op)) is None:
                if (transpose := find_transpose(op)) is not None:
                    sizes = sizes or MemrefSizes(function, ConstantPool(function))
                    TransposeBuilder(function, transpose, sizes, functions).build()
                continue
            bits = contraction.element.bitwidth
            tiles = tile_sizes(cpu, bits)
            if bits < 32 or (convolution is None and not is_worth_it(contraction, tiles)):
                continue
            packer = packer or ConstantPacker(module)
            sizes = sizes or MemrefSizes(function, ConstantPool(function))
            whole = convolution or contraction
            ops = [whole.fill, whole.op, *whole.epilogue]
            ContractionBuilder(
                function, contraction, sizes, tiles, functions, packer, ops, gather
            ).build()


@dataclass(frozen=True)
class RelaxSchedulePass(ModulePass):
    """linalg on memrefs in tiles: see this file's docstring."""

    name = "relax-schedule"

    cpu: str = NATIVE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        schedule(op, find_cpu(self.cpu))
