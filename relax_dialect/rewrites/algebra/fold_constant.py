"""relax-fold-constant: pure ops on constants are evaluated, by the reference interpreter.

```mlir
%a = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
%b = relax.add %a, %a : (T, T) -> T              ->    %b = relax.constant dense<[2.0, 4.0]> : ...
%s = relax.shape_of %x : (!relax.tensor<[n, 4], f32>) -> !relax.shape<[n, 4]>
                                                 ->    %s = relax.shape [n, 4]
```

A `relax.call_tir` of a prim func is evaluated too. Results of unknown size, results of more than
`{max-elements=n}` elements whose operands together have fewer, external functions, `match_*`, and ops that
would fail are not folded: the latter are to fail at run time, if reached.

Weights stay narrow: floats that `astype` or `dequantize` makes of constants of fewer bits are not folded if
matrix products read them alone, whose kernels decode as they read
(`relax_dialect.rewrites.quantization.narrowing`). `{widen=true}` folds them, too.

A constant is used wherever it is visible, but not through `relax.output`: after its block it is a variable,
and folding its uses would not remove it from the block.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import Pure

from relax_dialect.errors import RelaxError
from relax_dialect.interpret import RelaxInterpreter, evaluate, interpreter
from relax_dialect.interpret.runtime_values import from_dense, numpy_dtype
from relax_dialect.ir.mlir.builtin_types import to_builtin
from relax_dialect.ir.storage import MLIR_NAMES, STORAGE, dense_bytes, is_storage, per_byte
from relax_dialect.ir.traits import has_trait
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.builtin_tensors import FromBuiltinOp, ToBuiltinOp
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import (
    ConstantOp,
    ShapeOfOp,
    ShapeOp,
    TupleGetItemOp,
    TupleOp,
)
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.shape_value import ExpressionOp
from relax_dialect.rewrites.quantization.narrowing.uses import Readers
from relax_dialect.transform.regions import Body, bodies, erase, functions, replace_uses

MAX_ELEMENTS = 1 << 18
"""The maximum number of elements of a folded constant larger than the operands it is computed from."""

_builtin = lru_cache(maxsize=4096)(to_builtin)


def static_shape(type: Attribute) -> tuple[int, ...] | None:
    """Return the sizes of a tensor type whose element type and sizes are all known."""
    if not isinstance(type, TensorType) or type.shape is None or type.dtype is None:
        return None
    sizes = tuple(d.value for d in type.shape if d is not None and d.value is not None)
    return sizes if len(sizes) == len(type.shape) else None


def _elements(value: Any) -> int:
    """Return the number of elements of a known value, where several elements in one byte count as one; a
    shape and a function have none."""
    if isinstance(value, np.ndarray):
        name = MLIR_NAMES.get(value.dtype.name)
        return value.size if name is None else -(-value.size // per_byte(STORAGE[name]))
    return sum(map(_elements, value)) if isinstance(value, tuple) else 0


def constant_of(array: np.ndarray[Any, Any], type: TensorType) -> ConstantOp:
    """Return an array of a static tensor type as a constant."""
    data: Any = dense_bytes(array)
    dense = DenseIntOrFPElementsAttr(_builtin(type), BytesAttr(data))  # pyright: ignore
    return ConstantOp.create(properties={"value": dense}, result_types=[type])


def _of_byte(type: Attribute) -> int:
    """Return the number of elements of a tensor that count as one."""
    dtype = type.dtype if isinstance(type, TensorType) else None
    return per_byte(dtype) if is_storage(dtype) else 1


@dataclass
class _Folder:
    """The known values of a function, and an evaluator of further ones."""

    module: ModuleOp
    max_elements: int
    known: dict[SSAValue, Any] = field(default_factory=dict)
    machine: RelaxInterpreter | None = None
    readers: Readers | None = None
    """Finds the kernels that decode constants; None to fold what they read."""

    def fold(self, body: Body) -> None:
        """Evaluate the ops of one block."""
        replaced: dict[SSAValue, SSAValue] = {}
        for op in body.ops():
            for old, new in self._replacements(op):
                body.block.insert_op_before(new, op)
                new.results[0].name_hint = old.name_hint
                replaced[old] = new.results[0]
        replace_uses(replaced)
        for old in replaced:
            owner = old.owner
            if isinstance(owner, Operation) and owner.parent is not None:  # else erased already
                erase(owner)

    def _replacements(self, op: Operation) -> list[tuple[SSAValue, Operation]]:
        """Constants for the results of an op, if they can be known."""
        if isinstance(op, ConstantOp | ShapeOp | ExpressionOp):
            self._know(op)
        elif isinstance(op, ShapeOfOp):
            sizes = op.result.type
            if isinstance(sizes, ShapeType) and sizes.shape is not None and None not in sizes.shape:
                new = ShapeOp.create(properties={"sizes": sizes.dims}, result_types=[sizes])
                self._know(new)
                return [(op.result, new)]
        elif all(operand in self.known for operand in op.operands):
            return self._evaluated(op)
        return []

    def evaluated(self, call: CallTirOp) -> list[tuple[SSAValue, Operation]]:
        """Constants for the results of a call on constants, if they can be known."""
        for operand in call.operands:
            if isinstance(operand.owner, ConstantOp):
                self._know(operand.owner)
        is_known = all(operand in self.known for operand in call.operands)
        return self._evaluated(call) if is_known else []

    def _know(self, op: ConstantOp | ShapeOp | ExpressionOp) -> None:
        if isinstance(op, ExpressionOp):
            if (value := op.expression.data.value) is not None:
                self.known[op.results[0]] = np.int64(value)
            return
        if isinstance(op, ShapeOp):
            sizes = tuple(d.value for d in op.sizes.data or () if d is not None)
            if None not in sizes:
                self.known[op.result] = sizes
            return
        with suppress(RelaxError):  # numpy does not have every element type
            self.known[op.result] = from_dense(op.value)

    def _evaluated(self, op: Operation) -> list[tuple[SSAValue, Operation]]:
        if not isinstance(op, CallTirOp) and not (
            isinstance(op, OperatorOp) and has_trait(op, Pure)
        ):
            return []
        if isinstance(op, LetOp | FromBuiltinOp | ToBuiltinOp):
            return []
        args = tuple(self.known[operand] for operand in op.operands)
        if isinstance(op, TupleOp):
            self.known[op.result] = args
            return []
        if isinstance(op, TupleGetItemOp) and not static_shape(op.result.type):
            self.known[op.result] = args[0][op.index]
        shapes = [static_shape(type) for type in op.result_types]
        limit = max(self.max_elements, sum(map(_elements, args)))
        if any(
            s is None or math.prod(s) > limit * _of_byte(t) for s, t in zip(shapes, op.result_types)
        ):
            return []
        if self.readers is not None and self.readers.decode(op, math.prod(shapes[0] or ())):
            return []
        values = self._run(op, args)
        found: list[tuple[SSAValue, Operation]] = []
        for result, shape, value in zip(op.results, shapes, values):
            type = result.type
            assert isinstance(type, TensorType) and type.dtype is not None
            if np.shape(value) != shape or value.dtype != numpy_dtype(type.dtype):
                return []
            new = constant_of(value, type)
            self._know(new)
            found.append((result, new))
        for old, new in found:
            self.known[old] = self.known[new.results[0]]
        return found

    def _run(self, op: Operation, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the results of an op; none if it fails, as it is to do so at run time."""
        try:
            if not isinstance(op, CallTirOp):
                return tuple(evaluate(op, *args))
            sizes = () if op.symbols is None else op.symbols.data or ()
            if any(d is None or d.value is None for d in sizes):
                return ()
            if self.machine is None:
                self.machine = interpreter(self.module)
            with np.errstate(all="ignore"):
                return tuple(self.machine.run_op(op, args))
        except (RelaxError, RecursionError):
            return ()


def fold_constants(
    module: ModuleOp, max_elements: int = MAX_ELEMENTS, *, widen: bool = False
) -> None:
    """Evaluate the pure ops on constants, where a result has at most `max_elements` elements or no more
    than the operands; unless `widen`, weights that kernels decode stay narrow."""
    for function in functions(module):
        folder = _Folder(module, max_elements, readers=None if widen else Readers())
        for body in bodies(function):
            folder.fold(body)


def fold_calls(module: ModuleOp, calls: Sequence[CallTirOp]) -> None:
    """Evaluate calls on constants, whatever the size of their results; constants without further uses
    are erased."""
    folder = _Folder(module, sys.maxsize)
    for call in calls:
        for old, new in folder.evaluated(call):
            assert call.parent is not None
            call.parent.insert_op_before(new, call)
            new.results[0].name_hint = old.name_hint
            old.replace_all_uses_with(new.results[0])
        for op in (call, *dict.fromkeys(operand.owner for operand in call.operands)):
            if isinstance(op, Operation) and all(r.first_use is None for r in op.results):
                op.detach()
                op.erase()


@dataclass(frozen=True)
class FoldConstantPass(ModulePass):
    """Evaluate pure ops on constants."""

    name = "relax-fold-constant"

    max_elements: int = MAX_ELEMENTS
    widen: bool = False
    """Whether weights that kernels decode are folded to floats."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fold_constants(op, self.max_elements, widen=self.widen)
