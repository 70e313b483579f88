"""One `arith.constant` per value and function, at the top of its entry block."""

import struct
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from relax_dialect.ir.walk import walk_ops

Constant: TypeAlias = IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr


def known_integer(value: SSAValue) -> int | None:
    """Return the value of an integer or index, if it is a constant."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def known_float(value: SSAValue) -> float | None:
    """Return the number that a float is, or all lanes of a vector are; None if it is no constant."""
    match value.owner:
        case arith.ConstantOp(value=FloatAttr() as number):
            return number.value.data
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as numbers) if numbers.is_splat():
            number = numbers.get_values()[0]
            return number if isinstance(number, float) else None
        case vector.BroadcastOp(source=source):
            return known_float(source)
        case _:
            return None


class ConstantPool:
    """The constants of a function, each made once and hoisted to the entry block."""

    def __init__(self, function: FuncOp):
        self.entry: Block = function.body.blocks[0]
        self.last: Operation | None = None
        self.values: dict[object, SSAValue] = {}
        self._splats: dict[object, SSAValue] = {}
        for op in list(walk_ops(function)):
            if isinstance(op, arith.ConstantOp) and isinstance(op.value, Constant):
                self._adopt(op, op.value)

    def get(self, attribute: Constant) -> SSAValue:
        """Return the value of a constant, made if the function has none like it."""
        key = _key(attribute)
        if key not in self.values:
            self._insert(op := arith.ConstantOp(attribute))
            self.values[key] = op.result
        return self.values[key]

    def splat(self, type: VectorType, number: float) -> SSAValue:
        """Return the constant with a number in all lanes; attributes take long to make."""
        key = type, number if isinstance(number, int) else struct.pack("<d", number)
        if key not in self._splats:
            attribute = DenseIntOrFPElementsAttr.from_list(type, [number])  # pyright: ignore
            self._splats[key] = self.get(attribute)
        return self._splats[key]

    def index(self, value: int) -> SSAValue:
        """Return the `index` constant `value`, named `%c<value>`."""
        constant = self.get(_index(value))
        constant.name_hint = constant.name_hint or f"c{value}"
        return constant

    def prune(self) -> None:
        """Erase the constants without a use."""
        for value in self.values.values():
            if value.first_use is None and isinstance(op := value.owner, Operation):
                op.detach()
                op.erase()
        self.values = {key: value for key, value in self.values.items() if value.first_use}
        self._splats.clear()

    def _adopt(self, op: arith.ConstantOp, attribute: Constant) -> None:
        """Hoist a constant of the program, or replace it by its double that came before."""
        op.detach()
        if (known := self.values.get(_key(attribute))) is not None:
            op.result.replace_all_uses_with(known)
            op.erase()
            return
        self._insert(op)
        self.values[_key(attribute)] = op.result

    def _insert(self, op: Operation) -> None:
        if self.last is not None:
            self.entry.insert_op_after(op, self.last)
        elif (first := self.entry.first_op) is not None:
            self.entry.insert_op_before(op, first)
        else:
            self.entry.add_op(op)
        self.last = op


@lru_cache(4096)
def _index(value: int) -> IntegerAttr:
    """Return an index attribute, cached: attributes are verified when they are made, and most have one of a
    few values."""
    return IntegerAttr.from_index_int_value(value)


def _key(attribute: Constant) -> object:
    """Type and bits of a constant: 0.0 and -0.0 are two, a NaN equals itself."""
    if isinstance(attribute, FloatAttr):
        return attribute.type, struct.pack("<d", attribute.value.data)
    return attribute
