"""relax-adjust-matmul-order: two successive products in the order with fewer multiplications.

```mlir
%w = relax.matmul %a, %b : ([n, 2], [2, 64]) -> [n, 64]    %u = relax.matmul %b, %x : ([2, 64], [64]) -> [2]
%y = relax.matmul %w, %x : ([n, 64], [64]) -> [n]      ->  %y = relax.matmul %a, %u : ([n, 2], [2]) -> [n]

%w = relax.matmul %a, %b : ([32, r], [r, 16]) -> [32, 16]
%t = relax.permute_dims %w : ([32, 16]) -> [16, 32]        %u = relax.linear %x, %b : ([16], [r, 16]) -> [r]
%y = relax.matmul %x, %t : ([16], [16, 32]) -> [32]    ->  %y = relax.linear %u, %a : ([r], [32, r]) -> [32]
```

A layer adapted by two matrices of low rank (LoRA, `x @ (w + a @ b)` after relax-expand-matmul-of-sum) is so
computed without their product. The order is changed if it provably never takes more multiplications, for
all positive values of symbolic sizes; a first product with other uses is computed anyway. Factors known at
compile time, from constants and weights only, remain or become adjacent (a function's attribute `num_input`
is the number of leading parameters that are no weights).

All tensors have one element type. The order of summation changes, so floats are rounded differently.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.analysis.compile_time import computable_at_compile_time, weights
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, PatternRule, apply_rules, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner, source, users
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.linear_algebra import LinearOp, MatmulOp
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import (
    discard_unplaced,
    fitting,
    known_shape,
)
from relax_dialect.symbolic import Expr, SymbolicError, const, var
from relax_dialect.symbolic.relations import provably_at_least
from relax_dialect.transform.regions import functions

a, b, x = wildcard(), wildcard(), wildcard()
inner = is_op("matmul")(a, b)
turned = is_op("permute_dims")(inner)


@dataclass
class Order:
    """The rules, and the values known at compile time."""

    known: set[SSAValue]

    def rules(self) -> list[PatternRule]:
        """Each form of two products, with the same in the other order."""
        forms = (
            (is_op("matmul")(inner, x), self._left, "(a b) x"),
            (is_op("matmul")(x, inner), self._right, "x (a b)"),
            (is_op("matmul")(x, turned), self._transposed, "x transpose(a b)"),
            (is_op("linear")(x, inner), self._transposed, "linear(x, a b)"),
        )
        return [FunctionRule(form, to, name, outside_uses=True) for form, to, name in forms]

    def _left(self, root: Value, m: Match) -> object | None:
        a_, b_, x_ = _factors(m)
        return self._other(root, m, b_, lambda: MatmulOp(b_, x_), lambda u: MatmulOp(a_, u))

    def _right(self, root: Value, m: Match) -> object | None:
        a_, b_, x_ = _factors(m)
        return self._other(root, m, a_, lambda: MatmulOp(x_, a_), lambda u: MatmulOp(u, b_))

    def _transposed(self, root: Value, m: Match) -> object | None:
        a_, b_, x_ = _factors(m)
        if _rank(a_) != 2 or _rank(b_) != 2:
            return None
        if turned in m and owner(m[turned].value).permutation(2) != (1, 0):  # pyright: ignore
            return None
        return self._other(root, m, b_, lambda: LinearOp(x_, b_), lambda u: LinearOp(u, a_))

    def _other(
        self,
        root: Value,
        m: Match,
        middle: SSAValue,
        make_first: Callable[[], Operation],
        make_outer: Callable[[SSAValue], Operation],
    ) -> object | None:
        """Return the product in the other order, if that is the better one."""
        first, outer = owner(m[inner].value), owner(root.value)
        factors = _factors(m)
        if first is None or outer is None or self._is_known(first):
            return None
        if not _is_associative([*factors, m[inner].value, root.value], middle):
            return None
        new_first = make_first()
        new_outer = make_outer(new_first.results[0])
        goes = len(list(islice(users(first.results[0]), 2))) < 2
        now = [outer, first] if goes else [outer]
        if self._is_known(new_first) or _takes_less([new_outer, new_first], now):
            return fitting(root, lambda: new_outer)
        discard_unplaced(new_outer)
        return None

    def _is_known(self, product: Operation) -> bool:
        """Return whether both factors are known at compile time."""
        work = list(product.operands)
        while work:
            value = source(work.pop())
            op = owner(value)
            if value in self.known:
                continue
            if not isinstance(op, MatmulOp | LinearOp | PermuteDimsOp):
                return False
            work.extend(op.operands)
        return True


def _factors(m: Match) -> tuple[SSAValue, SSAValue, SSAValue]:
    return m[a].value, m[b].value, m[x].value


def _rank(value: SSAValue) -> int | None:
    return value.type.rank if isinstance(value.type, TensorType) else None


def _is_associative(values: list[SSAValue], middle: SSAValue) -> bool:
    """Return whether the order of products is free: all of one element type, and batches of matrices, or
    vectors and matrices with a matrix in the middle. A vector with batches would pair with another axis."""
    types: list[Any] = [value.type for value in values]
    if not all(isinstance(type, TensorType) and type.rank is not None for type in types):
        return False
    if len({type.dtype for type in types}) > 1 or types[0].dtype is None:
        return False
    ranks = [type.rank for type in types[:3]]
    return min(ranks) >= 2 or (_rank(middle) == 2 and max(ranks) == 2)


def _takes_less(products: list[Operation], others: list[Operation]) -> bool:
    """Return whether some products provably take fewer multiplications than others."""
    with suppress(SymbolicError):
        less, more = (sum(map(_multiplications, each), const(0)) for each in (products, others))
        return less != more and provably_at_least(_of_some(more), _of_some(less))
    return False


def _of_some(count: Expr) -> Expr:
    """Return a count where no size is 0: the variables are one more than some size."""
    return count.substitute({name: var(name) + 1 for name in count.free_variables})


def _multiplications(product: Operation) -> Expr:
    """One for each element of the result and of the axis that is summed over."""
    result, left = known_shape(product.results[0]), known_shape(product.operands[0])
    if result is None or left is None:
        raise SymbolicError("a size is unknown")
    return math.prod([*result, left[-1]])  # pyright: ignore


def known_before_the_run(module: ModuleOp) -> set[SSAValue]:
    """Return the weights of all functions, and the values computed from them and constants only."""
    return {
        source(value)
        for func in functions(module)
        for value in (*weights(func), *computable_at_compile_time(func))
    }


def adjust_matmul_order(module: ModuleOp) -> int:
    """Change the order of products; returns the number of changes."""
    return apply_rules(Order(known_before_the_run(module)).rules(), module)


class AdjustMatmulOrderPass(ModulePass):
    """Compute the product of a chain of matrices that takes fewer multiplications."""

    name = "relax-adjust-matmul-order"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        adjust_matmul_order(op)
