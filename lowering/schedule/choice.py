"""The call of a tile's function, chosen by the tile's height when the program runs.

    func.func private @contract_up_to_8x48_f32(%height: index, %depth: index,
        %a: memref<?x?xf32, strided<[?, 1], offset: ?>>, ...) {
      scf.index_switch %height
      case 1 { func.call @contract_1x48_f32(%depth, %a as memref<1x?xf32, ...>, ...) }
      ...
      default { func.call @contract_8x48_f32(...) }
    }

All kernels share such a function. Written out in each of them, the choice would take longer to compile than
the tiles; and one call more takes a hundredth of the time of a small tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    MemRefType,
    StringAttr,
    i64,
)
from xdsl.ir import Block, Region, SSAValue

from lowering.ir.insertion import Inserter
from lowering.schedule.tile_functions import (
    Argument,
    Tile,
    TileFunctions,
    block_of,
    private_function,
)
from lowering.schedule.views import cast
from relax_dialect.prim_func import SYMBOL

Size = Literal["height"]
"""The field of a tile that says which of several it is."""


def choose(
    insert: Inserter,
    functions: TileFunctions,
    tiles: Sequence[Tile],
    size: Size,
    value: SSAValue,
    arguments: Sequence[SSAValue],
) -> None:
    """Call the function of one of some tiles: that of the size that a value has."""
    if len(tiles) == 1:
        _call(insert, functions, tiles[0], arguments)
    elif len(tiles) == 2:
        insert.place(_switch(functions, tiles, size, value, arguments))
    else:
        *_, most = tiles
        number = getattr(most, size)
        name = most.name.replace(f"_{number}x", f"_up_to_{number}x", 1)
        whole = _any(most, size)
        symbol = functions.named(name, lambda name: _choice(name, functions, tiles, size))
        insert.place(func.CallOp(symbol, [value, *_as(insert, whole, arguments)], []))


def _choice(name: str, functions: TileFunctions, tiles: Sequence[Tile], size: Size) -> func.FuncOp:
    """The function that calls one of those of some tiles: see the module docstring."""
    first = Argument(size, IndexType(), DictionaryAttr({SYMBOL: StringAttr(size)}))
    arguments = [first, *_any(tiles[-1], size)]
    block = block_of(arguments)
    value, *others = block.args
    block.add_ops([_switch(functions, tiles, size, value, others), func.ReturnOp()])
    return private_function(name, arguments, block)


def _any(tile: Tile, size: Size) -> Sequence[Argument]:
    """What the function of a tile would take if its size were not known."""
    return replace(tile, **{size: DYNAMIC_INDEX}).arguments


def _switch(
    functions: TileFunctions,
    tiles: Sequence[Tile],
    size: Size,
    value: SSAValue,
    arguments: Sequence[SSAValue],
) -> scf.IndexSwitchOp:
    """A call for each size, the last one for all others."""
    regions: list[Region] = []
    for tile in tiles:
        block = Block()
        _call(Inserter(end=block), functions, tile, arguments)
        block.add_op(scf.YieldOp())
        regions.append(Region(block))
    *cases, default = regions
    numbers = DenseArrayBase.from_list(i64, [getattr(tile, size) for tile in tiles[:-1]])
    return scf.IndexSwitchOp(value, numbers, default, cases, [])


def _call(
    insert: Inserter, functions: TileFunctions, tile: Tile, arguments: Sequence[SSAValue]
) -> None:
    symbol = functions.named(tile.name, tile.function)
    insert.place(func.CallOp(symbol, _as(insert, tile.arguments, arguments), []))


def _as(insert: Inserter, wanted: Sequence[Argument], values: Sequence[SSAValue]) -> list[SSAValue]:
    """The values as a function takes them."""
    return [
        cast(insert, value, argument.type) if isinstance(argument.type, MemRefType) else value
        for value, argument in zip(values, wanted, strict=True)
    ]
