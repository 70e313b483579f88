"""relax-to-mixed-precision{dtype=f16 params=w1,w2}: f32 programs compute in f16 or bf16 where that is safe.

```mlir
%c = relax.constant dense<0.5> : tensor<16x8xf32>
%h = relax.matmul %x, %c : (A32, B32) -> C32
%r = relax.relu %h : (C32) -> C32
%s = relax.softmax %r {axis = -1 : i64} : (C32) -> C32
->
%c = relax.constant dense<0.5> : tensor<16x8xf16>
%x_1 = relax.astype %x {dtype = f16} : (A32) -> A16
%h = relax.matmul %x_1, %c {out_dtype = f32} : (A16, B16) -> C32
%h_1 = relax.astype %h {dtype = f16} : (C32) -> C16
%r = relax.relu %h_1 : (C16) -> C16
%r_1 = relax.astype %r {dtype = f32} : (C16) -> C32
%s = relax.softmax %r_1 {axis = -1 : i64} : (C32) -> C32
```

Each operator declares its policy (`PRECISION`, in `ops/kinds.py`), as in TVM's `ToMixedPrecision`:

* always: operands are cast, sums are f32, and the result is stored narrow;
* follow: narrow if an operand is stored narrow and the others are narrow or constants; else f32;
* never: operands are cast back to f32. So are those of calls, blocks, branches, loops and returns.

A value has one cast in each block that needs it. Constants are cast at compile time, and stored narrow if
no operator needs them in f32. An operator stays in f32 if the narrow type does not hold a finite number of
a constant operand or an attribute. Parameters that `params` names become narrow, as does the type of the
function; others are cast inside, and `relax-lift-transform-params` moves these casts out of the function.
Operators on other element types, and functions for a code generator, are unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    ModuleOp,
    f32,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from relax_dialect.dpl.rewriter.outlined_matches import CODEGEN, COMPOSITE
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import from_dense, numpy_dtype
from relax_dialect.ir.mlir.builtin_types import to_builtin
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ir.storage import dense_bytes
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.core import ConstantOp, FuncOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.kinds import ALWAYS, FOLLOW
from relax_dialect.ops.products import ContractionOp
from relax_dialect.transform.binding import signature
from relax_dialect.transform.pattern_driver import apply_patterns
from relax_dialect.transform.private_signatures import calls_and_names
from relax_dialect.transform.regions import erase, functions, set_type, sort_regions

NAME = "relax-to-mixed-precision"
NARROW = ("f16", "bf16")


def dtype_of(value: SSAValue) -> Attribute | None:
    """The element type of a tensor; None for other values and unknown types."""
    return value.type.dtype if isinstance(value.type, TensorType) else None


@dataclass
class NarrowValues:
    """The values of one function that are stored narrow, and the casts between both types."""

    narrow: Attribute
    stored_narrow: set[SSAValue] = field(default_factory=set)
    """Values that were f32 in the program."""
    casts: dict[tuple[SSAValue, Block | None, Attribute], SSAValue] = field(default_factory=dict)
    constants: dict[SSAValue, ConstantOp | None] = field(default_factory=dict)
    """The narrow forms of constants; None if the narrow type does not hold their numbers."""

    def narrow_params(self, function: FuncOp, params: Sequence[BlockArgument]) -> None:
        """Have callers pass parameters narrow."""
        for param in params:
            set_type(param, with_dtype(param.type, self.narrow))
            self.stored_narrow.add(param)
        inputs, output = function.body.block.arg_types, function.function_type.output
        function.properties["function_type"] = signature(inputs, output)

    def cast(
        self, value: SSAValue, dtype: Attribute, op: Operation, rewriter: PatternRewriter
    ) -> SSAValue:
        """The value in another element type, for an op."""
        if isinstance(value.owner, ConstantOp):
            return self._narrow_constant(rewriter, value)
        key = value, op.parent, dtype
        if key not in self.casts:
            self.casts[key] = cast_at(InsertPoint.before(op), value, dtype, op, rewriter)
        return self.casts[key]

    def _narrow_constant(self, rewriter: PatternRewriter, value: SSAValue) -> SSAValue:
        new, old = self.constants[value], value.owner
        assert new is not None and isinstance(old, ConstantOp)
        if new.parent is None:
            new.location = old.location
            rewriter.insert(new, InsertPoint.after(old))
            new.result.name_hint = value.name_hint
        return new.result

    def erase_unused(self) -> None:
        """Erase the f32 constants that all users take narrow."""
        for value, new in self.constants.items():
            if new is not None and new.parent is not None and value.first_use is None:
                assert isinstance(value.owner, ConstantOp)
                erase(value.owner)

    def holds(self, value: SSAValue) -> bool:
        """Whether the narrow type holds all finite numbers of a constant, rounded."""
        constant = value.owner
        assert isinstance(constant, ConstantOp)
        if value not in self.constants:
            self.constants[value] = narrowed(constant, self.narrow)
        return self.constants[value] is not None

    def may_be_narrow(self, op: OperatorOp) -> bool:
        """Whether all floats that an operator takes are f32, or stored narrow, all types are known, and the
        narrow type holds all constants and attributes."""
        floats = [v for v in op.operands if isinstance(dtype_of(v), AnyFloat)]
        wide = [v for v in floats if v not in self.stored_narrow]
        numbers = [a.value.data for a in op.properties.values() if isinstance(a, FloatAttr)]
        return (
            bool(floats)
            and all(dtype_of(result) is not None for result in op.results)
            and all(dtype_of(v) == f32 for v in wide)
            and all(self.holds(v) for v in wide if isinstance(v.owner, ConstantOp))
            and rounded(np.array(numbers, np.float32), self.narrow) is not None
        )

    def targets(self, op: OperatorOp) -> list[Attribute | None]:
        """The element type of each operand of the narrow op, None for an operand that is not cast. The
        bias of a product has the type of the sums."""
        factors = op.factors if isinstance(op, ContractionOp) else op.operands
        return [
            (self.narrow if v in factors else f32)
            if v in self.stored_narrow or dtype_of(v) == f32
            else None
            for v in op.operands
        ]

    def cast_operands(
        self, op: Operation, targets: Sequence[Attribute | None], rewriter: PatternRewriter
    ) -> None:
        """Cast the operands of an op that have other element types."""
        op.operands = [
            self.cast(v, target, op, rewriter) if target and dtype_of(v) != target else v
            for v, target in zip(op.operands, targets)
        ]
        rewriter.notify_op_modified(op)

    def store_narrow(self, op: OperatorOp, rewriter: PatternRewriter) -> None:
        """Infer the results of an op with narrow operands, and cast those back that leave the operators."""
        for result, type in zip(op.results, op.checked_types()):
            assert isinstance(type, TensorType)
            if type.dtype == dtype_of(result):
                continue
            set_type(result, with_dtype(result.type, type.dtype))
            if leaves_operators(result):
                replace_by_cast(result, f32, rewriter)
            else:
                self.stored_narrow.add(result)


def with_dtype(type: Attribute, dtype: Attribute | None) -> TensorType:
    """A tensor type with another element type."""
    assert isinstance(type, TensorType)
    return TensorType.get(type.shape, dtype)


def rounded(array: np.ndarray, dtype: Attribute) -> np.ndarray | None:
    """Numbers of f32 in a narrow type; None if a finite one becomes infinite."""
    with np.errstate(over="ignore"):
        narrow = array.astype(numpy_dtype(dtype))
    is_held = np.isfinite(narrow.astype(np.float32)) == np.isfinite(array)
    return narrow if is_held.all() else None


def narrowed(constant: ConstantOp, dtype: Attribute) -> ConstantOp | None:
    """A constant in a narrow type; None if a finite number becomes infinite."""
    array = from_dense(constant.value)
    if len(constant.value.data.data) < array.nbytes:  # all elements are equal, and stored as one
        array = array.reshape(-1)[:1]
    if (narrow := rounded(array, dtype)) is None:
        return None
    type = with_dtype(constant.result.type, dtype)
    value = DenseIntOrFPElementsAttr(to_builtin(type), BytesAttr(dense_bytes(narrow)))  # pyright: ignore
    return ConstantOp.create(properties={"value": value}, result_types=[type])


def leaves_operators(value: SSAValue) -> bool:
    """Whether an op that is no operator uses a value: it returns, calls or yields."""
    return not all(isinstance(use.operation, OperatorOp) for use in value.uses)


def cast_at(
    where: InsertPoint,
    value: SSAValue,
    dtype: Attribute,
    op: Operation,
    rewriter: PatternRewriter,
) -> SSAValue:
    """A cast of a value, which has the location of an op."""
    new = AstypeOp(value, dtype)
    new.location = op.location
    rewriter.insert(new, where)
    new.result.name_hint = value.name_hint
    return new.result


def replace_by_cast(value: OpResult, dtype: Attribute, rewriter: PatternRewriter) -> SSAValue:
    """Have all users take the result of an op in another element type."""
    uses = list(value.uses)
    new = cast_at(InsertPoint.after(value.op), value, dtype, value.op, rewriter)
    for use in uses:
        use.operation.operands[use.index] = new
    return new


@dataclass
class NarrowContraction(RewritePattern):
    """An operator that is always narrow: narrow operands, sums in f32, the result stored narrow."""

    precision: NarrowValues

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, OperatorOp) or op.PRECISION is not ALWAYS:
            return
        precision, targets = self.precision, self.precision.targets(op)
        has_sums = "out_dtype" in op.PLAN.by_name
        if getattr(op, "out_dtype", None) not in (None, f32) or not precision.may_be_narrow(op):
            return
        precision.cast_operands(op, targets, rewriter)
        if has_sums:
            op.properties["out_dtype"] = f32
        precision.store_narrow(op, rewriter)
        if has_sums and not leaves_operators(op.results[0]):
            stored = replace_by_cast(op.results[0], precision.narrow, rewriter)
            precision.stored_narrow.add(stored)


@dataclass
class FollowOperands(RewritePattern):
    """An operator on values that are stored narrow, and constants: it computes in the narrow type."""

    precision: NarrowValues

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, OperatorOp) or op.PRECISION is not FOLLOW:
            return
        precision, wide = self.precision, [v for v in op.operands if dtype_of(v) == f32]
        if (
            any(v in precision.stored_narrow for v in op.operands)
            and all(isinstance(v.owner, ConstantOp) for v in wide)
            and precision.may_be_narrow(op)
        ):
            precision.cast_operands(op, precision.targets(op), rewriter)
            precision.store_narrow(op, rewriter)


@dataclass
class WidenOperands(RewritePattern):
    """Every other op: its operands are f32, as in the program."""

    precision: NarrowValues

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        stored = self.precision.stored_narrow
        if any(v in stored for v in op.operands):
            targets = [f32 if v in stored else None for v in op.operands]
            self.precision.cast_operands(op, targets, rewriter)


def to_mixed_precision(
    module: ModuleOp, dtype: str | Attribute = "f16", params: Sequence[str] = ()
) -> None:
    """Compute in a narrow type by the policies of the operators; the named parameters become narrow."""
    narrow = parse_dtype(dtype) if isinstance(dtype, str) else dtype
    if str(narrow) not in NARROW:
        raise RelaxError(f"{NAME}: expected dtype f16 or bf16, found {dtype}; correct it")
    chosen = NarrowParameters(module, params).found
    kinds = NarrowContraction, FollowOperands, WidenOperands
    for function in functions(module):
        if {COMPOSITE, CODEGEN} & function.attributes.keys():
            continue
        sort_regions(function)
        precision = NarrowValues(narrow)
        if narrow_params := chosen.get(function):
            precision.narrow_params(function, narrow_params)
        apply_patterns(function, [kind(precision) for kind in kinds])
        precision.erase_unused()


@dataclass
class NarrowParameters:
    """The parameters that callers pass narrow, found by name."""

    module: ModuleOp
    names: Sequence[str]

    @cached_property
    def found(self) -> dict[FuncOp, list[BlockArgument]]:
        """The parameters by their functions; an error if a name is unknown, or cannot be narrow."""
        known = {p.name_hint or "": p for f in functions(self.module) for p in f.body.block.args}
        for name in self.names:
            if name not in known:
                names = ", ".join(known) or "there are none"
                raise RelaxError(
                    f"{NAME}: expected names of parameters ({names}), found '{name}'; correct the name"
                )
        found = {f: self._of(f) for f in functions(self.module)} if self.names else {}
        chosen = {f: params for f, params in found.items() if params}
        if chosen:
            self._refuse_called(chosen)
        return chosen

    def _of(self, function: FuncOp) -> list[BlockArgument]:
        params = [p for p in function.body.block.args if p.name_hint in self.names]
        for param in params:
            if dtype_of(param) != f32:
                raise RelaxError(
                    f"{NAME}: @{function.sym_name.data}: expected %{param.name_hint} to be a tensor of "
                    f"f32, found {param.type}; leave it out of params"
                )
        return params

    def _refuse_called(self, chosen: Mapping[FuncOp, Sequence[BlockArgument]]) -> None:
        calls, named = calls_and_names(self.module)
        for function, params in chosen.items():
            if function.sym_name.data in {*calls, *named}:
                raise RelaxError(
                    f"{NAME}: @{function.sym_name.data}: expected a function that the module does not "
                    f"call, found one whose parameter %{params[0].name_hint} is to change; inline it, or "
                    "leave the parameter out of params"
                )


@dataclass(frozen=True)
class ToMixedPrecisionPass(ModulePass):
    """Compute in f16 or bf16 by the policies of the operators."""

    name = NAME

    dtype: str = "f16"
    params: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        to_mixed_precision(op, self.dtype, self.params)
