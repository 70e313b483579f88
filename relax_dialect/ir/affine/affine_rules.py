"""Rules of `affine` ops that xDSL does not check: bounds, steps, subscripts, regions.

`install` adds them to the verifiers of xDSL's classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xdsl.dialects import affine
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, Region
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.utils.exceptions import VerifyException

from relax_dialect.ir.affine.affine_ops import MaxOp, PrefetchOp
from relax_dialect.ir.affine.affine_parallel import ParallelOp
from relax_dialect.ir.affine.semi_affine import is_symbolic


def _check_map(op: Operation, map: AffineMap, operands: int) -> None:
    _check_operands(op, map, operands)
    if not map.results:
        raise VerifyException(f"expected a map with a result, found {map}; write an expression")


def _check_operands(op: Operation, map: AffineMap, operands: int) -> None:
    wanted = map.num_dims + map.num_symbols
    if operands != wanted:
        raise VerifyException(
            f"expected {wanted} operands of the map {map}, found {operands}; pass one for each "
            "dimension and symbol"
        )
    _check_divisors(op, map.results)


def _check_divisors(op: Operation, exprs: Iterable[AffineExpr]) -> None:
    for expr in (inner for each in exprs for inner in each.dfs()):
        if not isinstance(expr, AffineBinaryOpExpr) or expr.kind is AffineBinaryOpKind.Add:
            continue
        if expr.kind is AffineBinaryOpKind.Mul:
            is_affine = is_symbolic(expr.lhs) or is_symbolic(expr.rhs)
        elif isinstance(expr.rhs, AffineConstantExpr):
            is_affine = expr.rhs.value > 0
        else:
            is_affine = is_symbolic(expr.rhs)
        if not is_affine:
            raise VerifyException(
                f"expected products by constants or symbols, quotients and remainders by constants above "
                f"0 or symbols, found {expr}; compute it by ops of arith"
            )


def _check_access(op: Any) -> None:
    type: Attribute = op.memref.type
    assert isinstance(type, MemRefType)
    rank, map = len(type.get_shape()), op.map.data
    if len(map.results) != rank:
        raise VerifyException(
            f"expected {rank} subscripts of {type}, found {len(map.results)}; write one for "
            "each dimension"
        )
    _check_operands(op, map, len(op.indices))


def _check_loop(op: affine.ForOp) -> None:
    _check_map(op, op.lowerBoundMap.data, len(op.lowerBoundOperands))
    _check_map(op, op.upperBoundMap.data, len(op.upperBoundOperands))
    _check_step(op, op.step.value.data)
    _check_region(op, op.body, op.result_types)


def _check_step(op: Operation, step: int) -> None:
    if step <= 0:
        raise VerifyException(
            f"expected a step above 0, found {step}; count up, and subtract in the subscripts"
        )


def _check_region(op: Operation, region: Region, types: Sequence[Attribute]) -> None:
    block = region.blocks[0] if len(region.blocks) == 1 else None
    last = None if block is None else block.last_op
    if not isinstance(last, affine.YieldOp):
        raise VerifyException(
            f"expected a region of one block that ends in affine.yield, found "
            f"{len(region.blocks)} blocks"
            + (f" and {last.name} at the end" if last else "")
            + "; structure the blocks by scf, or yield"
        )
    found = [value.type for value in last.arguments]
    if found != list(types):
        raise VerifyException(
            f"expected to yield ({', '.join(map(str, types))}), found "
            f"({', '.join(map(str, found))}); yield a value for each result"
        )


def _check_if(op: affine.IfOp) -> None:
    condition = op.condition.data
    wanted = condition.num_dims + condition.num_symbols
    if len(op.args) != wanted:
        raise VerifyException(
            f"expected {wanted} operands of the set {condition}, found {len(op.args)}; pass one "
            "for each dimension and symbol"
        )
    _check_divisors(op, (each.lhs for each in condition.constraints))
    _check_region(op, op.then_region, op.result_types)
    if op.else_region.blocks:
        _check_region(op, op.else_region, op.result_types)
    elif op.res:
        raise VerifyException(
            f"expected an else that yields {len(op.res)} results, found no else; write one"
        )


def _check_parallel(op: ParallelOp) -> None:
    for map in (op.lower_map.data, op.upper_map.data):
        _check_divisors(op, map.results)
    for step in op.step_numbers:
        _check_step(op, step)
    _check_region(op, op.body, op.result_types)


RULES: dict[type[Operation], Callable[[Any], None]] = {
    affine.ForOp: _check_loop,
    affine.IfOp: _check_if,
    ParallelOp: _check_parallel,
    affine.ApplyOp: lambda op: _check_map(op, op.map.data, len(op.mapOperands)),
    affine.MinOp: lambda op: _check_map(op, op.map.data, len(op.arguments)),
    MaxOp: lambda op: _check_map(op, op.map.data, len(op.arguments)),
    **dict.fromkeys(
        (
            affine.LoadOp,
            affine.StoreOp,
            affine.VectorLoadOp,
            affine.VectorStoreOp,
            PrefetchOp,
        ),
        _check_access,
    ),
}


def _with_rule(stock: Callable[[Any], None], rule: Callable[[Any], None]) -> Callable[[Any], None]:
    def verify_(self: Any) -> None:
        stock(self)
        rule(self)

    return verify_


_STOCK = {op: op.verify_ for op in RULES}


def install() -> None:
    """Install these rules in the verifiers of the ops."""
    for op, rule in RULES.items():
        op.verify_ = _with_rule(_STOCK[op], rule)  # pyright: ignore[reportAttributeAccessIssue]
