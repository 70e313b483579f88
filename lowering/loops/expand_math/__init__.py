"""relax-expand-math: math functions become arithmetic that compilers vectorise and that is the
same everywhere.

    %y = math.tanh %x : f32
->
    %0 = arith.maximumf %x, %cst : f32
    %1 = arith.minimumf %0, %cst_1 : f32
    %2 = arith.mulf %1, %1 : f32
    ...
    %y = arith.minimumf %20, %cst_9 : f32

The code has neither branches nor tables, on scalars as on vectors of f32. Constants are hoisted to the top
of the function. The errors of the results, with or without contraction of `a * b + c`, in units in the last
place of the exact value rounded to f32, for arguments of any size:

| op         | error at most | op         | error at most | op         | error at most |
|------------|---------------|------------|---------------|------------|---------------|
| math.exp   | 1.1 ulp       | math.log   | 1.2 ulp       | math.asinh | 4 ulp         |
| math.exp2  | 1.2 ulp       | math.log2  | 2.5 ulp       | math.acosh | 4 ulp         |
| math.expm1 | 2 ulp         | math.log10 | 3 ulp         | math.atanh | 4 ulp         |
| math.sinh  | 3 ulp         | math.log1p | 2 ulp         | math.asin  | 5 ulp         |
| math.cosh  | 2 ulp         | math.tanh  | 7 ulp         | math.acos  | 3 ulp         |
| math.rsqrt | 1.5 ulp       | math.erf   | 7 ulp         | math.atan  | 4 ulp         |
| math.sin   | 1.5 ulp       | math.cos   | 1.5 ulp       | math.tan   | 3.5 ulp       |
| math.powf  | 2 ulp         | math.cbrt  | 0.55 ulp      | math.atan2 | 4 ulp         |
| math.erfc  | 8 ulp         |            |               |            |               |

On f64 all but `erf` and `erfc` are expanded too, with errors of no more units; `sin`, `cos` and `tan` only
in loops, and where every argument is less than 2**30. `guarded` has two loops for them, for powers and for
`log`, `log2` and `log10`. `log1p(exp(-|x|))` takes less arithmetic than another `log1p`, and `exp` marked
`relax.at_most_zero`, for arguments known not to be above 0, than another `exp`. `erfc` of a product of x
and the root of 1/2, with `fastmath<contract>`, is that of the exact product; the gelu that such an `erfc`
is a part of is computed as a whole (`normal`), by `math.fma` if the CPU has it. An f32 with `fastmath<afn>`
is converted from and to f16: the result is within one unit of that. Special values are those of C's
library, denormals are rounded like others, odd functions keep the sign of zero. Other ops stay: C's library
computes them (to about one ulp), except `math.rsqrt`, which is expanded for every float type.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    ModuleOp,
    VectorType,
    f32,
    f64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from lowering.ir.arith_emitter import ArithEmitter, Float
from lowering.ir.constants import ConstantPool, known_float
from lowering.loops.expand_math import (
    angles,
    circular,
    exponentials,
    guarded,
    logarithms,
    normal,
    powers,
)
from lowering.support.target import NATIVE
from lowering.support.target import find as find_cpu
from relax_dialect.ir.mlir.mlir_ops import ErfcOp
from relax_dialect.ir.walk import walk_ops
from relax_dialect.te.operations import AT_MOST_ZERO

_F32_EXPANSIONS: dict[type[Operation], Callable[..., Float]] = {
    math.ExpOp: exponentials.exp,
    math.Exp2Op: exponentials.exp2,
    math.ExpM1Op: exponentials.expm1,
    math.SinhOp: exponentials.sinh,
    math.CoshOp: exponentials.cosh,
    math.TanhOp: exponentials.tanh,
    math.ErfOp: exponentials.erf,
    ErfcOp: exponentials.erfc,
    math.LogOp: logarithms.log,
    math.Log2Op: logarithms.log2,
    math.Log10Op: logarithms.log10,
    math.Log1pOp: logarithms.log1p,
    math.AsinhOp: logarithms.asinh,
    math.AcoshOp: logarithms.acosh,
    math.AtanhOp: logarithms.atanh,
    math.AsinOp: angles.asin,
    math.AcosOp: angles.acos,
    math.AtanOp: angles.atan,
    math.PowFOp: powers.power,
    math.SinOp: circular.sin,
    math.CosOp: circular.cos,
    math.TanOp: circular.tan,
    math.CbrtOp: powers.cbrt,
    math.Atan2Op: angles.atan2,
}


_ONLY_F32 = (math.ErfOp, ErfcOp, math.SinOp, math.CosOp, math.TanOp)

_F64_EXPANSIONS: dict[type[Operation], Callable[..., Float]] = {
    **{op: function for op, function in _F32_EXPANSIONS.items() if op not in _ONLY_F32},
    math.TanhOp: exponentials.tanh_by_expm1,
}

_EXPANSIONS: dict[object, dict[type[Operation], Callable[..., Float]]] = {
    f32: _F32_EXPANSIONS,
    f64: _F64_EXPANSIONS,
}


_OF_USUAL: dict[type[Operation], Callable[..., Float]] = {
    op: partial(_F32_EXPANSIONS[op], usual=True) for op in guarded.IS_UNUSUAL
}
"""The expansions in loops whose arguments are usual."""


def expand_math(function: FuncOp, *, has_fma: bool = False) -> None:
    """Rewrite the math ops of a function to arithmetic, in place."""
    if not any(op.name.startswith("math.") for op in walk_ops(function)):
        return
    _expand_gelu(function, has_fma)
    usual = set(guarded.guard_loops(function))
    expansions = {
        op: _OF_USUAL[type(op)] if op in usual else _expansion(op) for op in walk_ops(function)
    }
    ops = [op for op, expansion in expansions.items() if expansion or _is_rsqrt(op)]
    if not ops:
        return
    constants = ConstantPool(function)
    for op in ops:
        operand, result = op.operands[0], op.results[0]
        expansion = expansions[op]
        new = _expand(op, expansion, constants) if expansion else _expand_rsqrt(op, constants)
        new.name_hint = new.name_hint or result.name_hint or operand.name_hint
        result.replace_all_uses_with(new)
        op.detach()
        op.erase()


def _expand_gelu(function: FuncOp, has_fma: bool) -> None:
    """Compute `x * (0.5 * erfc(x * -sqrt(1/2)))` of f32 as a whole."""
    functions = [op for op in walk_ops(function) if isinstance(op, ErfcOp)]
    found = [op for op in functions if _element(op.operands[0]) == f32]
    found = [op for op in found if normal.product_with_normal(op) is not None]
    if not found:
        return
    constants = ConstantPool(function)
    for op in found:
        found_again = normal.product_with_normal(op)  # as x may be a gelu that was replaced by now
        assert found_again is not None
        product, x = found_again
        emitter = _emitter(product, x, constants)
        gelu = normal.gelu(Float(emitter, x), has_fma=has_fma).ssa
        gelu.name_hint = product.result.name_hint
        product.result.replace_all_uses_with(gelu)
        _erase_unused(product)


def _erase_unused(op: Operation) -> None:
    """Erase an op without uses, and the products and functions of its operands that have no other."""
    operands = list(op.operands)
    op.detach()
    op.erase()
    for operand in operands:
        owner = operand.owner
        if isinstance(owner, arith.MulfOp | ErfcOp) and operand.first_use is None:
            _erase_unused(owner)


def _expansion(op: Operation) -> Callable[..., Float] | None:
    """Return the expansion of an op for its type, None if it stays."""
    if not op.name.startswith("math.") or not op.operands:
        return None
    expansion = _EXPANSIONS.get(_element(op.operands[0]), {}).get(type(op))
    if expansion is logarithms.log1p and _is_up_to_one(op.operands[0]):
        return logarithms.log1p_up_to_one
    is_not_positive = AT_MOST_ZERO in op.attributes or _is_not_positive(op.operands[0])
    if expansion is exponentials.exp and is_not_positive:
        return exponentials.exp_up_to_one
    if expansion is exponentials.erfc:
        return _of_normal(op) or expansion
    return expansion


def _is_up_to_one(value: SSAValue) -> bool:
    """Return whether a value is exp(-|x|): from 0 to 1."""
    for kind in (math.ExpOp, arith.NegfOp, math.AbsFOp):
        if not isinstance(value.owner, kind):
            return False
        value = value.owner.operands[0]
    return True


def _is_not_positive(value: SSAValue) -> bool:
    """Return whether a value is -|x|, or the minimum of x and 0."""
    match value.owner:
        case arith.NegfOp(operand=SSAValue(owner=math.AbsFOp())):
            return True
        case arith.MinimumfOp(rhs=bound):
            number = known_float(bound)
            return number is not None and number <= 0
        case _:
            return False


def _of_normal(op: Operation) -> Callable[[Float], Float] | None:
    """The expansion of `erfc(x * -sqrt(1/2))` by x, if the product may be contracted with the function."""
    if normal.contracted_argument(op) is None:
        return None

    def expanded(z: Float) -> Float:
        x = normal.contracted_argument(op)  # looked up again, as x may be expanded by now
        assert x is not None
        return exponentials.erfc(-Float(z.emitter, x), 0.5)

    return expanded


def _expand(op: Operation, expansion: Callable[..., Float], constants: ConstantPool) -> SSAValue:
    emitter = _emitter(op, op.operands[0], constants)
    return expansion(*(Float(emitter, value) for value in op.operands)).ssa


def _emitter(op: Operation, operand: SSAValue, constants: ConstantPool) -> ArithEmitter:
    """Return an emitter of arithmetic before an op, on values of the type of an operand."""
    shape = operand.type if isinstance(operand.type, VectorType) else None
    real: Any = _element(operand)
    return ArithEmitter(op, constants, shape, real, guarded.is_coarse(op))


def _expand_rsqrt(op: Operation, constants: ConstantPool) -> SSAValue:
    """1 / sqrt(x), of any float type."""
    operand = op.operands[0]
    if isinstance(operand.type, VectorType):
        one = DenseIntOrFPElementsAttr.from_list(operand.type, [1.0])
    else:
        assert isinstance(operand.type, AnyFloat)
        one = FloatAttr(1.0, operand.type)
    root = math.SqrtOp(operand)
    quotient = arith.DivfOp(constants.get(one), root.result)
    block = op.parent
    assert block is not None
    block.insert_ops_before([root, quotient], op)
    return quotient.result


def _is_rsqrt(op: Operation) -> bool:
    return isinstance(op, math.RsqrtOp)


def _element(value: SSAValue) -> object:
    """Return the element type of a vector, the type itself of a scalar."""
    return value.type.element_type if isinstance(value.type, VectorType) else value.type


@dataclass(frozen=True)
class ExpandMathPass(ModulePass):
    """math to arith: see this file's docstring."""

    name = "relax-expand-math"

    cpu: str = NATIVE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        has_fma = find_cpu(self.cpu).has_fma
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.body.first_block is not None:
                expand_math(function, has_fma=has_fma)
