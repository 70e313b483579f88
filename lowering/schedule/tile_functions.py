"""Functions on one tile, which all kernels of a module share that have equal ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Region

from relax_dialect.prim_func import DIMS


@dataclass(frozen=True)
class Argument:
    """An argument of a tile's function."""

    name: str
    type: Attribute
    attributes: DictionaryAttr


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
