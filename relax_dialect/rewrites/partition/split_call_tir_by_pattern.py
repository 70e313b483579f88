"""relax-split-call-tir-by-pattern{file="patterns.mlir"}: other kernels for the first stages of prim funcs.

```mlir
func.func private @matmul_relu(%x: A, %w: B) -> C { two stages: a product, and its elements not below 0 }
%y = relax.call_tir @matmul_relu(%x, %w) : (A, B) -> C
->
func.func private @unfused_epilogue(%product: C) -> C { the second stage }
%0 = relax.call_dps_packed "matmul"(%x, %w) : (A, B) -> C
%y = relax.call_tir @unfused_epilogue(%0) : (C) -> C
```

A pattern is a prim func on tensors, here `@matmul` of the file; the functions of one are tried in their
order. It matches stages that are the same up to names and sizes: loops, indexing maps and arithmetic, where
a symbolic size of the pattern matches any size. Stages are matched from the first on, by one pattern after
the other; from Python a function gets the matches, and returns their kernel: a packed function, or a prim
func whose arguments are the values matched by the patterns' parameters. A call whose first part has several
results used by the rest is kept, and so are calls with tuples or unknown sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from relax_dialect import te
from relax_dialect.builder.te_calls import te_tensor
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.effects import CallDpsPackedOp
from relax_dialect.parsing import load
from relax_dialect.prim.signature import signature
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import known_shape
from relax_dialect.rewrites.partition.splitting.prim_func_stages import MatchResult, match, stages
from relax_dialect.te.raising import RaisingError, raised
from relax_dialect.te.tensor import Stage
from relax_dialect.transform.dead_code import remove_unused_functions
from relax_dialect.visitor import ExprMutator

Codegen: TypeAlias = Callable[
    [Sequence[MatchResult]], tuple[str | func.FuncOp, int] | str | func.FuncOp | None
]
"""Of the matches at the start of a prim func the name of a packed function, or a prim func, that computes
them, or the first so many of them; None leaves the call as it is."""


def split_call_tir_by_pattern(
    module: ModuleOp, patterns: Sequence[func.FuncOp], codegen: Codegen
) -> int:
    """Replace the first stages of prim funcs that match patterns by other kernels; returns the number of
    calls split."""
    mutator = _Splitting(patterns, codegen)
    mutator.visit_expr(module)
    if mutator.count:
        remove_unused_functions(module)
    return mutator.count


@dataclass
class _Part:
    """The stages that a kernel computes."""

    kernel: str | func.FuncOp
    arguments: list[SSAValue]
    result: SSAValue
    is_all: bool
    """Whether nothing follows."""


class _Splitting(ExprMutator):
    def __init__(self, patterns: Sequence[func.FuncOp], codegen: Codegen):
        super().__init__()
        self.patterns, self.codegen, self.count = patterns, codegen, 0

    def visit_call_tir(self, op: CallTirOp) -> object | None:
        callee = self._scopes.top.lookup(op.callee_name)
        types = [*op.operand_types, *op.result_types]
        plain = all(isinstance(t, TensorType) and t.dtype is not None for t in types)
        if not isinstance(callee, func.FuncOp) or not plain or None in map(known_shape, op.args):
            return None
        bindings = op.infer_with(callee)[0].bindings
        sizes = {s: size for s in signature(callee).symbols if (size := bindings[s]) is not None}
        inputs = [te_tensor(value) for value in op.args]
        origins: dict[Stage, tuple[Operation, list[te.Tensor]]] = {}
        try:
            raised(callee, inputs, sizes, origins)
        except RaisingError:
            return None
        values: dict[SSAValue, te.Tensor] = dict(zip(callee.body.block.args, inputs))
        for made, tensors in origins.values():
            values.update(zip(made.results, tensors))
        part = self._part(callee, values)
        if part is None:
            return None
        self.count += 1
        known: dict[SSAValue, SSAValue] = dict(zip(callee.body.block.args, op.args))
        given = [known[value] for value in part.arguments]
        made = values[part.result]
        if isinstance(part.kernel, str):
            kernel = CallDpsPackedOp(part.kernel, given, TensorType(made.shape, made.dtype))
        else:
            if part.kernel.parent is None:
                self.builder.add_func(part.kernel)
            kernel = CallTirOp(part.kernel, given)
        if part.is_all:
            return kernel
        between = te_tensor(self.builder.emit(kernel))

        def unfused_epilogue() -> Sequence[te.Tensor]:
            return raised(callee, inputs, sizes, {}, {part.result: between})

        call = self.builder.call_te(unfused_epilogue)
        return call if len(op.results) == 1 else [*call.results]

    def _part(self, callee: func.FuncOp, values: dict[SSAValue, te.Tensor]) -> _Part | None:
        """Return the stages that match and have a kernel, if their result is one value."""
        left, found = stages(callee), list[MatchResult]()
        shapes = {value: tensor.shape for value, tensor in values.items()}
        while next_one := next((m for p in self.patterns if (m := match(p, left, shapes))), None):
            found.append(next_one)
            left = left[len(next_one.stages) :]
        answer = self.codegen(found) if found else None
        if answer is None:
            return None
        kernel, count = answer if isinstance(answer, tuple) else (answer, len(found))
        if not 0 < count <= len(found):
            raise RelaxError(
                f"relax-split-call-tir-by-pattern: @{callee.sym_name.data}: expected the number of matches "
                f"that a kernel computes, 1 to {len(found)}, found {count}; correct what codegen returns"
            )
        taken = found[:count]
        inside = {op for m in taken for op in m.stages}
        outputs = [
            result
            for op in inside
            for result in op.results
            if any(use.operation not in inside for use in result.uses)
        ]
        params = dict.fromkeys(a for m in taken for a in m.arguments)
        arguments = [a for a in params if a in callee.body.block.args]
        if len(outputs) != 1 or any(a not in arguments and a.owner not in inside for a in params):
            return None
        assert callee.body.block.last_op is not None
        returned = list(callee.body.block.last_op.operands)
        if outputs[0] in returned and len(returned) > 1:
            return None
        return _Part(kernel, arguments, outputs[0], returned == outputs)


def _named(matches: Sequence[MatchResult]) -> str:
    """Return the packed function that is called as the patterns are."""
    return "_".join(each.pattern.sym_name.data for each in matches)


@dataclass(frozen=True)
class SplitCallTirByPatternPass(ModulePass):
    """Compute the first stages of prim funcs by packed functions that are called as patterns of a file."""

    name = "relax-split-call-tir-by-pattern"

    file: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns = [f for f in load(self.file).ops if isinstance(f, func.FuncOp) and stages(f)]
        if not patterns:
            raise RelaxError(
                f"relax-split-call-tir-by-pattern: expected prim funcs on tensors in {self.file}, each "
                "with a linalg.generic, found none; write one for each pattern"
            )
        split_call_tir_by_pattern(op, patterns, _named)
