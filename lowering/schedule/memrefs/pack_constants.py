"""Constants laid out at compile time as a kernel reads them (TVM's layout rewrite).

    relax.call_tir @f(%x, %w) : (!relax.tensor<[n, 512], f32>, !relax.tensor<[512, 500], f32>) -> ...
->
    relax.call_tir @f(%x, %packed) : (!relax.tensor<[n, 512], f32>, !relax.tensor<[11, 512, 48], f32>) -> ..

where %w and %packed are `relax.constant`, for every call of @f.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.dialects.builtin import (
    TensorType as BuiltinTensorType,
)
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from relax_dialect.ir.locations import inherit
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.mapped_data import drop, stored
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import ConstantOp
from relax_dialect.prim.signature import DIMS, SYMBOL, attribute_dicts

Layout = Callable[[np.ndarray], np.ndarray]
"""The change of the layout of the elements."""


@dataclass
class ConstantPacker:
    """The calls of a module's prim funcs, and the constants that have been laid out anew."""

    module: ModuleOp
    calls: dict[str, list[Operation]] = field(default_factory=dict)
    made: dict[tuple[SSAValue, object], SSAValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for function in self.module.ops:
            for op in walk_ops(function):
                for symbol in _symbols(op):
                    self.calls.setdefault(symbol, []).append(op)

    def pack(
        self,
        function: func.FuncOp,
        value: SSAValue,
        key: object,
        layout: Layout,
        element: IntegerType | None = None,
    ) -> SSAValue | None:
        """Lay out the constants that the calls pass for an argument, if all are constant; return the
        argument.

        Layouts see the bits of elements; their results have the type `element` if there is one.
        """
        passed = self._passed(function, value)
        if not passed:
            return None
        argument, views = _unviewed(value)
        assert isinstance(argument, BlockArgument) and isinstance(value.type, MemRefType)
        shape: Sequence[int] = ()
        seen = value.type.get_shape()
        for call, position, constant in passed:
            packed = self._constant(
                constant, (key, seen), lambda a: layout(a.reshape(seen)), element
            )
            call.operands[position] = packed
            assert isinstance(packed.owner, ConstantOp)
            shape = packed.owner.value.get_shape()
        for constant in {constant for _, _, constant in passed}:
            if constant.result.first_use is None:
                constant.detach()
                constant.erase()
        if views:
            value.replace_all_uses_with(argument)
        for view in views:
            view.detach()
            view.erase()
        return _retype(function, argument, shape, element)

    def arrays(self, function: func.FuncOp, value: SSAValue) -> list[np.ndarray]:
        """Return the bits of the constants that the calls pass for an argument; empty if some are
        computed."""
        assert isinstance(value.type, MemRefType)
        seen = value.type.get_shape()
        return [_bits(constant).reshape(seen) for _, _, constant in self._passed(function, value)]

    def is_constant(self, function: func.FuncOp, value: SSAValue) -> bool:
        """Return whether all calls of a prim func pass constants for an argument."""
        return bool(self._passed(function, value))

    def _passed(
        self, function: func.FuncOp, value: SSAValue
    ) -> list[tuple[CallTirOp, int, ConstantOp]]:
        """Return the calls with the position of an argument, or of the argument that a reshape has, and its
        constant; empty if any operand is not constant."""
        value, _ = _unviewed(value)
        if not isinstance(value, BlockArgument) or value.block is not function.body.block:
            return []
        attributes = attribute_dicts(function.arg_attrs, len(function.args))
        position = value.index - sum(SYMBOL in entry for entry in attributes[: value.index])
        passed: list[tuple[CallTirOp, int, ConstantOp]] = []
        for call in self.calls.get(function.sym_name.data, []):
            if not isinstance(call, CallTirOp) or position >= len(call.args):
                return []
            if not all(isinstance(type, TensorType) for type in call.args.types):
                return []  # tuples represent several arguments
            owner = call.args[position].owner
            if not isinstance(owner, ConstantOp):
                return []
            passed.append((call, position, owner))
        return passed

    def _constant(
        self, constant: ConstantOp, key: object, layout: Layout, type: IntegerType | None
    ) -> SSAValue:
        """Return the constant with the new layout, made once and inserted next to the old one."""
        if (known := self.made.get((constant.result, key))) is not None:
            return known
        element = constant.value.get_element_type()
        packed = layout(_bits(constant))
        drop(constant.value.data.data)
        data: Any = stored(packed)
        attribute = DenseIntOrFPElementsAttr(
            BuiltinTensorType(type or element, packed.shape), BytesAttr(data)
        )
        op = ConstantOp(attribute)
        op.result.name_hint = constant.result.name_hint
        assert constant.parent is not None
        constant.parent.insert_op_after(op, constant)
        inherit([op], constant.location)
        self.made[constant.result, key] = op.result
        return op.result


def _unviewed(value: SSAValue) -> tuple[SSAValue, Sequence[Operation]]:
    """Return the memref that a chain of reshapes without other uses starts from, and the chain, users
    first."""
    views = list[Operation]()
    while isinstance(value.owner, memref.CollapseShapeOp | memref.ExpandShapeOp):
        view, source = value.owner, value.owner.operands[0]
        if not source.has_one_use():
            break
        value = source
        views.append(view)
    return value, views


def _bits(constant: ConstantOp) -> np.ndarray:
    """Return the elements of a constant as unsigned numbers."""
    value = constant.value
    size = value.get_element_type().compile_time_size
    return np.frombuffer(value.data.data, f"u{size}").reshape(value.get_shape())


def _symbols(op: Operation) -> list[str]:
    """Return the functions that an op names."""
    attributes = [*op.properties.values(), *op.attributes.values()]
    return [a.root_reference.data for a in attributes if isinstance(a, SymbolRefAttr)]


def _retype(
    function: func.FuncOp, value: BlockArgument, shape: Sequence[int], element: IntegerType | None
) -> SSAValue:
    """Change the static shape of an argument of a prim func, and its element type if there is a new one."""
    type = value.type
    assert isinstance(type, MemRefType)
    index, packed = value.index, MemRefType(element or type.element_type, shape)
    argument = Rewriter.replace_value_with_new_type(value, packed)
    signature = function.function_type
    inputs = [*signature.inputs]
    inputs[index] = packed
    function.function_type = FunctionType.from_lists(inputs, [*signature.outputs])
    entries = [dict(e) for e in attribute_dicts(function.arg_attrs, len(inputs))]
    entries[index][DIMS] = ArrayAttr(StringAttr(str(d)) for d in shape)
    function.arg_attrs = ArrayAttr(DictionaryAttr(entry) for entry in entries)
    return argument
