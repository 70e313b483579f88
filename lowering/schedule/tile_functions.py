"""The innermost part of a contraction as functions on one tile, which all contractions of a module share.

    func.func private @contract_2x32_f32(%depth: index, %a: memref<2x?xf32, strided<[?, 1], offset: ?>>,
        %b: memref<?x32xf32, strided<[?, 1], offset: ?>>,
        %c: memref<2x32xf32, strided<[?, 1], offset: ?>>) {
      %sums:4 = scf.for %k = %c0 to %depth step %c1 iter_args(%s0 = %zeros, ...) -> (vector<16xf32>, ...) {
        %b0 = vector.load %b[%k, %c0] : ..., vector<16xf32>
        %b1 = vector.load %b[%k, %c16] : ..., vector<16xf32>
        %a0 = memref.load %a[%c0, %k]
        %t0 = vector.fma %a0 broadcast, %b0, %s0 : vector<16xf32>
        ...
      }
      vector.store %sums#0, %c[%c0, %c0] : ...
      ...
    }

The sums of a tile stay in registers from the first step to the last, added up in the order of the depth. A
function of its own for each height keeps the compiler from spilling them; sizes and strides are arguments,
so one function serves every contraction, static or symbolic. This is the micro-kernel of Goto's and van de
Geijn's "Anatomy of High-Performance Matrix Multiplication" (2008).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    VectorType,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from lowering.schedule.views import strided, zero_of
from relax_dialect.prim_func import DIMS, SYMBOL


@dataclass(frozen=True)
class Argument:
    """An argument of a tile's function."""

    name: str
    type: Attribute
    attributes: DictionaryAttr


@dataclass(frozen=True)
class Tile:
    """A tile of the output: its height in rows, its width in vectors of so many lanes."""

    height: int
    vectors: int
    lanes: int
    element: AnyFloat | IntegerType
    turned: bool = False
    """Whether the depth is the first dimension of `a`, not the last."""

    @property
    def width(self) -> int:
        return self.vectors * self.lanes

    @property
    def name(self) -> str:
        turned = "_turned" if self.turned else ""
        return f"contract_{self.height}x{self.width}_{self.element}{turned}"

    @property
    def left(self) -> MemRefType:
        shape = [DYNAMIC_INDEX, self.height] if self.turned else [self.height, DYNAMIC_INDEX]
        return strided(self.element, shape, [None, 1])

    @property
    def right(self) -> MemRefType:
        return strided(self.element, [DYNAMIC_INDEX, self.width], [None, 1])

    @property
    def out(self) -> MemRefType:
        return strided(self.element, [self.height, self.width], [None, 1])

    @property
    def row(self) -> VectorType[AnyFloat | IntegerType]:
        """The sums side by side that one register holds."""
        return VectorType(self.element, [self.lanes])

    @property
    def zeros(self) -> DenseIntOrFPElementsAttr:
        """What the sums start from."""
        zero = zero_of(self.element).value.data
        return DenseIntOrFPElementsAttr.from_list(self.row, [zero])  # pyright: ignore

    @property
    def constants(self) -> Sequence[int]:
        """The indices that the function of a tile needs."""
        return (0, 1, *range(self.height), *range(0, self.width, self.lanes))

    @property
    def left_dims(self) -> tuple[int | str, ...]:
        """The shape of the part of the left operand."""
        return ("depth", self.height) if self.turned else (self.height, "depth")

    @property
    def arguments(self) -> Sequence[Argument]:
        """What the function of a tile takes; of any height, if that is not known."""
        height = "height" if self.height == DYNAMIC_INDEX else self.height
        left = ("height" if d == DYNAMIC_INDEX else d for d in self.left_dims)
        return [
            Argument("depth", IndexType(), DictionaryAttr({SYMBOL: StringAttr("depth")})),
            Argument("a", self.left, dims(*left)),
            Argument("b", self.right, dims("depth", self.width)),
            Argument("c", self.out, dims(height, self.width)),
        ]

    def function(self, name: str) -> func.FuncOp:
        """The function of a tile: see the module docstring."""
        block = block_of(self.arguments)
        with ImplicitBuilder(block):
            _fill(self, *block.args)
        return private_function(name, self.arguments, block)

    def factor(self, i: int, numbers: Mapping[int, SSAValue], k: SSAValue, a: SSAValue) -> SSAValue:
        """The factor of a row at one step along the depth."""
        return memref.LoadOp.get(a, [k, numbers[i]] if self.turned else [numbers[i], k]).res

    def added(self, factor: SSAValue, right: SSAValue, total: SSAValue) -> SSAValue:
        """A sum and the product of a factor, in all lanes, and a row of the right operand."""
        return vector.FMAOp(factor, right, total).res


@dataclass
class TileFunctions:
    """The tile functions of a module, made when they are first asked for."""

    module: ModuleOp
    made: dict[object, str] = field(default_factory=dict)

    def shared(self, wanted: str, key: object, make: Callable[[str], func.FuncOp]) -> str:
        """The name of a function, the same for those of one name and key."""
        own = wanted, key
        if own not in self.made:
            name, number = wanted, 1
            while name in self._taken():
                number += 1
                name = f"{wanted}_{number}"
            self.module.body.block.add_op(make(name))
            self.made[own] = name
        return self.made[own]

    def _taken(self) -> set[str]:
        return {op.sym_name.data for op in self.module.ops if isinstance(op, func.FuncOp)}

    def named(self, wanted: str, make: Callable[[str], func.FuncOp]) -> str:
        """The name of a function that is made when it is first asked for by the name wanted."""
        if wanted not in self.made:
            name, taken = wanted, self._taken()
            while name in taken:
                name += "_"
            self.module.body.block.add_op(make(name))
            self.made[wanted] = name
        return self.made[wanted]


def block_of(arguments: Sequence[Argument]) -> Block:
    """The empty body of a function of these arguments."""
    block = Block(arg_types=[argument.type for argument in arguments])
    for value, argument in zip(block.args, arguments):
        value.name_hint = argument.name
    return block


def private_function(name: str, arguments: Sequence[Argument], block: Block) -> func.FuncOp:
    """A function of this module, which no caller's registers are mixed up with."""
    function = func.FuncOp(
        name,
        ([argument.type for argument in arguments], ()),
        Region(block),
        visibility="private",
        arg_attrs=ArrayAttr(argument.attributes for argument in arguments),
    )
    function.attributes["relax.noinline"] = UnitAttr()
    return function


def dims(*sizes: int | str) -> DictionaryAttr:
    """The sizes of an argument, as `relax.dims` spells them."""
    return DictionaryAttr({DIMS: ArrayAttr(StringAttr(str(d)) for d in sizes)})


def _fill(tile: Tile, depth: SSAValue, a: SSAValue, b: SSAValue, c: SSAValue) -> None:
    """The body of a tile's function."""
    numbers = {
        n: arith.ConstantOp(IntegerAttr.from_index_int_value(n)).result
        for n in sorted(set(tile.constants))
    }
    for n, value in numbers.items():
        value.name_hint = f"c{n}"
    row = tile.row
    zeros = arith.ConstantOp(tile.zeros).result
    columns = range(0, tile.width, tile.lanes)
    count = tile.height * tile.vectors
    body = Block(arg_types=[IndexType(), *[row] * count])
    k, *sums = body.args
    k.name_hint = "k"
    for n, total in enumerate(sums):
        total.name_hint = f"s{n}"
    loop = scf.ForOp(numbers[0], depth, numbers[1], [zeros] * count, body)
    with ImplicitBuilder(body):
        scf.YieldOp(*_step(tile, numbers, [*sums], k, a, b))
    for n, total in enumerate(loop.results):
        at = [numbers[n // tile.vectors], numbers[columns[n % tile.vectors]]]
        vector.StoreOp(total, c, at)
    func.ReturnOp()


def _step(
    tile: Tile,
    numbers: Mapping[int, SSAValue],
    sums: Sequence[SSAValue],
    k: SSAValue,
    a: SSAValue,
    b: SSAValue,
) -> list[SSAValue]:
    """One step along the depth: a row of `b` times each element of a column of `a`."""
    rights: list[SSAValue] = []
    for n in range(tile.vectors):
        load = vector.LoadOp(b, [k, numbers[n * tile.lanes]], tile.row)
        load.result.name_hint = f"b{n}"
        rights.append(load.result)
    found: list[SSAValue] = []
    for i in range(tile.height):
        factor = tile.factor(i, numbers, k, a)
        factor.name_hint = f"a{i}"
        left = vector.BroadcastOp(factor, tile.row).vector
        for n, right in enumerate(rights):
            found.append(tile.added(left, right, sums[i * tile.vectors + n]))
    return found
