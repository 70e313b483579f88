"""The matrix products that a gemm of CBLAS computes, with the ops around them in the graph.

    %t = relax.permute_dims %w {axes = array<i64: 1, 0>}      transpose_rhs
    %0 = relax.matmul %x, %t                                  the product
    %1 = relax.add %0, %b                                     bias = "row" for [m] and [1, m], else "full"
    %2 = relax.relu %1                                        activation = "relu"

Another activation is left to the compiler, which has vectorised loops for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Operation, SSAValue

from lowering.external.generator import Offload, UnsupportedError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.activation import ReluOp
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.binary import AddOp
from relax_dialect.ops.linear_algebra import LinearOp, MatmulOp
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.symbolic import Expr

Shape: TypeAlias = "tuple[Expr, ...]"

LARGEST = 2**31 - 1
"""The sizes of CBLAS are of type int."""


def product_offload(op: MatmulOp | LinearOp) -> Offload:
    """Return the kernel around a product; `UnsupportedError` with the reason if there is none."""
    ops: list[OperatorOp] = [op]
    options: dict[str, str | int | bool] = {}
    if isinstance(op, LinearOp):
        lhs, rhs = op.x, op.weight
        options["transpose_rhs"] = True
    else:
        lhs, rhs = op.lhs, op.rhs
        for side, value in (("lhs", lhs), ("rhs", rhs)):
            if (permute := _transposition(value)) is not None:
                options[f"transpose_{side}"] = True
                ops.insert(0, permute)
                lhs, rhs = (permute.x, rhs) if side == "lhs" else (lhs, permute.x)
    (result,) = op.checked_types()
    shapes = [_shape(op, value.type) for value in (lhs, rhs)]
    _check(op, shapes, [*_dtypes((lhs, rhs)), _dtype(result)], options)
    inputs = [lhs, rhs]
    last: OperatorOp = op
    if isinstance(op, LinearOp) and op.bias is not None:
        inputs.append(op.bias)
        options["bias"] = "row"
    elif isinstance(add := _only_user(op), AddOp):
        bias = add.rhs if add.lhs is op.result else add.lhs
        if (kind := _bias(bias.type, result, add)) is not None:
            ops.append(last := add)
            inputs.append(bias)
            options["bias"] = kind
    if isinstance(relu := _only_user(last), ReluOp):
        ops.append(relu)
        options["activation"] = "relu"
    return Offload(ops, inputs, options)


def _only_user(op: OperatorOp) -> Operation | None:
    """Return the op that alone uses a result, once and in the same block; its type must not be widened."""
    (result,) = op.results
    use = result.get_unique_use()
    if use is None or use.operation.parent is not op.parent or result.type != op.checked_types()[0]:
        return None
    return use.operation


def _transposition(value: SSAValue) -> PermuteDimsOp | None:
    """Return the op that swapped the last two axes of a value."""
    op = value.owner
    if not isinstance(op, PermuteDimsOp) or not isinstance(op.x.type, TensorType):
        return None
    rank = op.x.type.rank
    if rank is None or rank < 2 or op.result.type != op.checked_types()[0]:
        return None
    swapped = (*range(rank - 2), rank - 1, rank - 2)
    return op if op.permutation(rank) == swapped else None


def _shape(op: Operation, type: object) -> Shape:
    shape = type.shape if isinstance(type, TensorType) else None
    if shape is None or None in shape:
        raise UnsupportedError(f"{op.name}: expected operands of known sizes, found {type}")
    return shape  # pyright: ignore[reportReturnType]


def _dtype(type: object) -> object:
    return type.dtype if isinstance(type, TensorType) else None


def _dtypes(values: Sequence[SSAValue]) -> list[object]:
    return [_dtype(value.type) for value in values]


def _check(op: Operation, shapes: Sequence[Shape], dtypes: Sequence[object], options: dict) -> None:
    """Refuse products that neither a gemm nor a loop of gemms over equal batches computes."""
    if dtypes[0] not in (Float32Type(), Float64Type()) or len(set(dtypes)) > 1:
        found = ", ".join(map(str, dict.fromkeys(dtypes)))
        raise UnsupportedError(f"{op.name}: expected elements of f32 or of f64, found {found}")
    lhs, rhs = shapes
    if isinstance(op, LinearOp) and len(rhs) != 2:
        raise UnsupportedError(f"{op.name}: expected a weight of rank 2, found rank {len(rhs)}")
    left = lhs[-2:][0] if "transpose_lhs" in options else lhs[-1]
    right = rhs[-1] if "transpose_rhs" in options else rhs[-2:][0]
    if left is not right:
        raise UnsupportedError(
            f"{op.name}: expected sizes to sum over that are proved equal, found {left} and {right}"
        )
    batches = [s[:-2] for s in shapes if any(d.value != 1 for d in s[:-2])]
    if len(set(batches)) > 1:
        found = " and ".join(f"[{', '.join(map(str, batch))}]" for batch in batches)
        raise UnsupportedError(
            f"{op.name}: expected equal batches, or one operand without, found {found}"
        )
    if large := [d for shape in shapes for d in shape if (d.value or 0) > LARGEST]:
        raise UnsupportedError(f"{op.name}: expected sizes up to {LARGEST}, found {large[0]}")


def _bias(bias: object, result: object, add: AddOp) -> str | None:
    """Return the kind of a bias that is added to a product: `row`, `full`, or None if the kernel does not
    add it."""
    assert isinstance(result, TensorType) and result.shape is not None
    if not isinstance(bias, TensorType) or not bias.shape or add.checked_types()[0] != result:
        return None
    if bias.shape == result.shape:
        return "full"
    is_row = bias.shape[-1] is result.shape[-1] and len(bias.shape) <= len(result.shape)
    ones = all(d is not None and d.value == 1 for d in bias.shape[:-1])
    return "row" if is_row and ones else None
