"""The semantics of Relax for xDSL's own interpreter, and so for `xdsl-run`.

```python
interpreter = Interpreter(module)                    # xDSL's
register_implementations(interpreter, context)       # xDSL's dialects
register_relax(interpreter)                          # and ours
```

A `relax.func` runs on our interpreter as a whole, with all that it calls. In functions of other dialects
each Relax op does, on values that are converted: builtin tensors are xDSL's `ShapedArray`, scalars its
attributes or Python's numbers; Relax tensors are arrays of numpy.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TupleType,
)
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    impl_attr,
    impl_callable,
    register_impls,
)
from xdsl.interpreters import builtin
from xdsl.interpreters.shaped_array import ShapedArray
from xdsl.interpreters.utils.ptr import TypedPtr
from xdsl.ir import Attribute, Operation
from xdsl.traits import IsTerminator

from relax_dialect import extensions, interpret
from relax_dialect.dialect import Relax
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import RelaxInterpreter
from relax_dialect.interpret.core import call_function
from relax_dialect.interpret.machine import deep_recursion
from relax_dialect.interpret.runtime_values import as_scalar, from_dense, numpy_dtype
from relax_dialect.ir.traits import kind_has
from relax_dialect.ir.types import PrimType, ShapeType, TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import FuncOp
from relax_dialect.transform.capturing import captured_values

SCALARS = IndexType | IntegerType | AnyFloat


def _to_ours(value: Any, type: Attribute) -> Any:
    """Convert a value of xDSL's interpreter to one of ours."""
    match value:
        case ShapedArray():
            assert isinstance(type, BuiltinTensorType)
            dtype = numpy_dtype(type.element_type)
            return np.asarray(value.data, dtype).reshape(value.shape)
        case IntegerAttr() | FloatAttr():
            return _to_ours(value.value.data, type)
        case tuple() if isinstance(type, TupleType):
            return tuple(map(_to_ours, value, type.types.data))
        case int() if type == IntegerType(1):
            return as_scalar(type, bool(value))
        case _:
            return as_scalar(type, value)


def _to_theirs(interpreter: Interpreter, value: Any, type: Attribute) -> Any:
    """Convert a value of our interpreter to xDSL's representation of a type."""
    if isinstance(type, BuiltinTensorType):
        xtype = builtin.xtype_for_el_type(type.element_type, interpreter.index_bitwidth)
        array = np.asarray(value)
        return ShapedArray(
            TypedPtr[Any].new(array.ravel().tolist(), xtype=xtype), list(array.shape)
        )
    if isinstance(type, SCALARS):
        number = value.item() if isinstance(value, np.ndarray | np.generic) else value
        wrap = getattr(builtin, "scalar_attr", None)  # before xDSL 0.75 scalars are numbers
        return number if wrap is None else wrap(number, type, interpreter.index_bitwidth)
    return value


def _machine(interpreter: Interpreter) -> RelaxInterpreter:
    """Return our interpreter of the same module."""
    return interpreter.get_data(
        RelaxFunctions, "machine", lambda: interpret.interpreter(interpreter.module)
    )


def _run(
    self: InterpreterFunctions, interpreter: Interpreter, op: Operation, args: PythonValues
) -> PythonValues:
    """Run one Relax op of a function of another dialect."""
    machine = _machine(interpreter)
    if op.regions:
        outside = captured_values({*walk_ops(op)}, op)
        values = map(_to_ours, interpreter.get_values(outside), [v.type for v in outside])
        machine.set_values(zip(outside, values))
    ours = tuple(map(_to_ours, args, op.operand_types))
    with deep_recursion(machine.max_depth), np.errstate(all="ignore"):
        results = machine.run_op(op, ours)
    return tuple(_to_theirs(interpreter, v, t) for v, t in zip(results, op.result_types))


@register_impls
class RelaxFunctions(InterpreterFunctions):
    """Relax functions as callables, and their arguments as attributes spell them."""

    @impl_callable(FuncOp)
    def call(self, interpreter: Interpreter, op: FuncOp, args: PythonValues) -> PythonValues:
        machine = _machine(interpreter)
        ours = tuple(map(_to_ours, args, op.function_type.inputs))
        with deep_recursion(machine.max_depth):
            result = call_function(machine, op, ours)
        return (_to_theirs(interpreter, result, op.function_type.output),)

    @impl_attr(TensorType)
    def tensor(self, interpreter: Interpreter, attr: Attribute, type: TensorType) -> Any:
        if not isinstance(attr, DenseIntOrFPElementsAttr):
            raise _refused(attr, type, "dense<...> : tensor<...>")
        return from_dense(attr)

    @impl_attr(ShapeType)
    def shape(self, interpreter: Interpreter, attr: Attribute, type: ShapeType) -> Any:
        if not isinstance(attr, DenseArrayBase):
            raise _refused(attr, type, "array<i64: 2, 3>")
        return tuple(attr.get_values())

    @impl_attr(PrimType)
    def size(self, interpreter: Interpreter, attr: Attribute, type: PrimType) -> Any:
        if not isinstance(attr, IntegerAttr):
            raise _refused(attr, type, "an integer")
        return attr.value.data

    @impl_attr(TupleType)
    def tuple_(self, interpreter: Interpreter, attr: Attribute, type: TupleType) -> Any:
        types = type.types.data
        if not isinstance(attr, ArrayAttr) or len(attr) != len(types):
            raise _refused(attr, type, f"a list of {len(types)} attributes")
        return tuple(map(interpreter.value_for_attribute, attr, types))


def _refused(attribute: Attribute, type: Attribute, expected: str) -> RelaxError:
    return RelaxError(
        f"an argument of type {type}: expected {expected}, found {attribute}; pass one in --args"
    )


def _functions(kinds: Iterable[type[Operation]]) -> InterpreterFunctions:
    """Return the semantics of ops that are no terminators: those run only in our regions."""
    methods = {
        kind.name: impl(kind)(_run)
        for kind in kinds
        if kind is not FuncOp and not kind_has(kind, IsTerminator)
    }
    return register_impls(type("RelaxOps", (InterpreterFunctions,), methods))()


def register_relax(interpreter: Interpreter) -> None:
    """Register the semantics of the dialect, and of extensions, with an interpreter of xDSL's."""
    loaded = extensions.dialects(("relax",)).values()
    kinds = [
        kind for dialect in (Relax, *(load() for load in loaded)) for kind in dialect.operations
    ]
    interpreter.register_implementations(RelaxFunctions())
    interpreter.register_implementations(_functions(kinds))
