"""relax-apply-pdl{file="rules.mlir"}: rewrites by the rules in a file, patterns of the `pdl` dialect.

```mlir
pdl.pattern @double_negative : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %inner = pdl.operation "relax.negative" (%x : !pdl.value) -> (%t : !pdl.type)
  %y = pdl.result 0 of %inner
  %u = pdl.type
  %root = pdl.operation "relax.negative" (%y : !pdl.value) -> (%u : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}
```

```mlir
%a = relax.negative %x : (T) -> T
%b = relax.negative %a : (T) -> T     ->
%c = relax.exp %b : (T) -> T               %c = relax.exp %x : (T) -> T
```

Without a file the patterns of the module itself are applied; without patterns the module is unchanged.
Greater benefits are tried first, then earlier patterns. xDSL's interpreter of PDL matches and rewrites, as
in its `apply-pdl`; here ops that it does not interpret, unknown ops and replacements of another type are
errors, a narrower one is widened by a `relax.let`, and rules that undo one another terminate. Matched ops
that become unused are removed.

PDL sees the program literally: it does not look through lets and blocks, as the pattern language does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import pdl
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.interpreter import Interpreter, impl, register_impls
from xdsl.interpreters.pdl import PDLMatcher, PDLRewriteFunctions
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import InterpretationError, VerifyException

from relax_dialect.dpl.errors import PatternError, RewriteError
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.order import describe
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.graph import LetOp
from relax_dialect.parsing import load, new_context, verify
from relax_dialect.text.diagnostics import first_cause
from relax_dialect.text.wording import nearest

PASS = "relax-apply-pdl"
INTERPRETED = (
    pdl.AttributeOp,
    pdl.EraseOp,
    pdl.OperandOp,
    pdl.OperationOp,
    pdl.ReplaceOp,
    pdl.ResultOp,
    pdl.RewriteOp,
    pdl.TypeOp,
)
"""The ops of PDL that xDSL interprets."""
_FAILURES = (
    VerifyException,
    InterpretationError,
    AssertionError,
    IndexError,
    TypeError,
    ValueError,
)
"""The exceptions that xDSL ends in where a rewrite is wrong."""


def _label(pattern: pdl.PatternOp) -> str:
    name = "a pattern without a name" if pattern.sym_name is None else f"@{pattern.sym_name.data}"
    return f"{PASS}: {name}"


@register_impls
class _Rewrites(PDLRewriteFunctions):
    """Runs rewrites; new ops are verified, and have the types of the replaced values."""

    label: str = PASS
    root: Operation

    @impl(pdl.OperationOp)
    def run_operation(
        self, interpreter: Interpreter, op: pdl.OperationOp, args: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        ((made,), _) = super().run_operation(interpreter, op, args)  # pyright: ignore
        if isinstance(made.location, UnknownLoc):
            made.location = self.root.location
        try:
            made.verify()
        except VerifyException as error:
            raise RewriteError(f"{self.label}: {first_cause(error)}") from None
        return (made,)

    @impl(pdl.ReplaceOp)
    def run_replace(
        self, interpreter: Interpreter, op: pdl.ReplaceOp, args: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        (old,) = interpreter.get_values((op.op_value,))
        if op.repl_operation is not None:
            (new,) = interpreter.get_values((op.repl_operation,))
            values = list(new.results)
        else:
            values = list(interpreter.get_values(op.repl_values))
        if len(values) != len(old.results):
            raise RewriteError(
                f"{self.label}: expected {len(old.results)} values for {describe(old)}, found "
                f"{len(values)}; pass one for each result"
            )
        for place, (result, value) in enumerate(zip(old.results, values)):
            if value.type == result.type:
                continue
            if not is_subtype(value.type, result.type):
                raise RewriteError(
                    f"{self.label}: expected a value of type {result.type} for {describe(old)}, found "
                    f"{value.type}; ask for that type in the pattern, or pass one of the root's type"
                )
            let = LetOp.create(operands=[value], result_types=[result.type])
            self.rewriter.insert(let)
            values[place] = let.result
        self.rewriter.replace(old, new_ops=[], new_results=values)
        return ()


class _Rule:
    """One pattern, ready to be applied."""

    def __init__(self, pattern: pdl.PatternOp, module: ModuleOp, context: Context):
        self.label = _label(pattern)
        self.pattern = pattern
        self.rewrite = _checked(self.label, pattern, context)
        self.benefit = pattern.benefit.value.data
        assert self.rewrite.root is not None
        self.root_value = self.rewrite.root
        root = self.root_value.owner
        assert isinstance(root, pdl.OperationOp)
        self.root = root
        self.functions = _Rewrites(context)
        self.functions.label = self.label
        self.interpreter = Interpreter(module)
        self.interpreter.register_implementations(self.functions)

    def apply(self, op: Operation, rewriter: PatternRewriter) -> bool:
        """Rewrite an op if the pattern matches there."""
        matcher = PDLMatcher()
        try:
            if not matcher.match_operation(self.root_value, self.root, op):
                return False
            matched = [m for m in matcher.matching_context.values() if isinstance(m, Operation)]
            self.functions.rewriter = rewriter
            self.functions.root = op
            self.interpreter.push_scope("rewrite")
            self.interpreter.set_values(matcher.matching_context.items())
            self.interpreter.set_values(self._derived(matcher))
            assert self.rewrite.body is not None
            self.interpreter.run_ssacfg_region(self.rewrite.body, ())
            self.interpreter.pop_scope()
        except _FAILURES as error:
            raise RewriteError(
                f"{self.label}: expected a rewrite that xDSL can run, found one that stops it at "
                f"{describe(op)} ({type(error).__name__}: {first_cause(error)}); correct the pattern"
            ) from None
        for inner in reversed(matched):  # an op follows those of its operands
            if inner.parent is not None and _is_unused(inner):
                rewriter.erase(inner)
        return True

    def _derived(self, matcher: PDLMatcher) -> list[tuple[SSAValue, Any]]:
        """Values of a pattern that only its rewrite uses: results of matched ops, types and attributes."""
        known = matcher.matching_context
        found: list[tuple[SSAValue, Any]] = []
        for op in self.pattern.body.block.ops:
            if not op.results or op.results[0] in known:
                continue
            if isinstance(op, pdl.ResultOp):
                matched = known[op.parent_]
                assert isinstance(matched, Operation)
                found.append((op.val, matched.results[op.index.value.data]))
            elif isinstance(op, pdl.TypeOp) and op.constantType is not None:
                found.append((op.result, op.constantType))
            elif isinstance(op, pdl.AttributeOp) and op.value is not None:
                found.append((op.output, op.value))
        return found


def _is_unused(op: Operation) -> bool:
    # uses first: an op with regions has the effects of all that is in them
    return all(r.first_use is None for r in op.results) and is_side_effect_free(op)


def _checked(label: str, pattern: pdl.PatternOp, context: Context) -> pdl.RewriteOp:
    """Return the rewrite of a pattern that xDSL can interpret; raises `PatternError` for any other."""
    rewrite = pattern.body.block.last_op
    assert isinstance(rewrite, pdl.RewriteOp)
    if rewrite.name_ is not None or rewrite.body is None or rewrite.root is None:
        raise PatternError(
            f"{label}: expected a rewrite with a root and a body, found "
            + ("the name of a function" if rewrite.name_ is not None else "one without")
            + "; write pdl.rewrite %root { ... }"
        )
    for op in pattern.walk():
        if op is pattern:
            continue
        if not isinstance(op, INTERPRETED) or (isinstance(op, pdl.AttributeOp) and op.value_type):
            what = f"{op.name} of a type" if isinstance(op, pdl.AttributeOp) else op.name
            raise PatternError(
                f"{label}: expected ops of PDL that xDSL interprets "
                f"({', '.join(o.name for o in INTERPRETED)}), found {what}; name every operand, result and "
                "attribute"
            )
        if isinstance(op, pdl.OperationOp) and op.opName is not None:
            _require_op(label, op.opName.data, context)
    _require_one_root(label, pattern, rewrite)
    return rewrite


def _require_one_root(label: str, pattern: pdl.PatternOp, rewrite: pdl.RewriteOp) -> None:
    """Refuse ops and values of a pattern that the root is not computed from."""
    reached: set[Operation] = set()
    work = [rewrite.root]
    while work:
        value = work.pop()
        if value is not None and isinstance(value.owner, Operation) and value.owner not in reached:
            reached.add(value.owner)
            work.extend(value.owner.operands)
    for op in pattern.body.block.ops:
        if isinstance(op, pdl.OperationOp | pdl.OperandOp) and op not in reached:
            raise PatternError(
                f"{label}: expected a pattern of what its root is computed from, found a {op.name} apart "
                "from it; xDSL matches patterns with one root"
            )


def _require_op(label: str, name: str, context: Context) -> None:
    """Refuse the name of an op that no dialect has."""
    if context.get_optional_op(name) is not None:
        return
    prefix = name.split(".")[0]
    known = [op.name for op in context.loaded_ops]
    near = nearest(name, [k for k in known if k.startswith(f"{prefix}.")] or known)
    mend = f"the nearest is {near!r}" if near else "look it up in docs/operators.md"
    raise PatternError(
        f"{label}: expected the name of an op, found an unknown one, {name!r}; {mend}"
    )


def _full_context(context: Context) -> Context:
    """Return the context, with the Relax dialect and all of xDSL's."""
    full, known = context.clone(), new_context()
    for name in known.registered_dialect_names:
        if full.get_optional_dialect(name) is None:
            full.register_dialect(name, lambda name=name: known.get_dialect(name))
    full.allow_unregistered = False
    full.get_optional_dialect("relax")
    return full


def apply_pdl(module: ModuleOp, patterns: ModuleOp, context: Context | None = None) -> int:
    """Apply the `pdl.pattern`s of a module to another one until none matches; returns the number of
    rewrites.

    Raises `PatternError` for a pattern that cannot be interpreted and `RewriteError` for a rewrite that
    produces a value of another type, or if the rules do not terminate.
    """
    full = _full_context(context or new_context())
    ops = [op for op in walk_ops(patterns) if isinstance(op, pdl.PatternOp)]
    rules = sorted((_Rule(op, patterns, full) for op in ops), key=lambda rule: -rule.benefit)
    return _PdlDriver(module, rules).run() if rules else 0


class _PdlDriver:
    """Visits the ops of a module until no rule matches."""

    def __init__(self, module: ModuleOp, rules: Sequence[_Rule]):
        self.module = module
        self.rules = rules
        self.count = 0
        self.work: dict[Operation, None] = {}

    def run(self) -> int:
        """Sweep over the module until a sweep changes nothing."""
        ops = list(walk_ops(self.module))
        limit = 1000 + 8 * len(ops)
        while True:
            before = self.count
            self.work = dict.fromkeys(ops)
            while self.work:
                op, _ = self.work.popitem()
                if op.parent is not None:
                    self._visit(op, limit)
            if self.count == before:
                return self.count
            ops = list(walk_ops(self.module))

    def _visit(self, op: Operation, limit: int) -> None:
        if isinstance(op.parent_op(), pdl.PatternOp | pdl.RewriteOp) or _is_unused(op):
            return
        rewriter = PatternRewriter(op)
        rewriter.operation_insertion_handler.append(self._push)
        rewriter.operation_replacement_handler.append(self._push_users)
        for rule in self.rules:
            name = rule.root.opName
            if (name is None or name.data == op.name) and rule.apply(op, rewriter):
                self.count += 1
                if self.count >= limit:
                    raise RewriteError(
                        f"{rule.label}: expected the rules to come to an end within {limit} rewrites, "
                        "found it still matching; one undoes what another does, or its own result matches "
                        "again"
                    )
                return

    def _push(self, op: Operation) -> None:
        self.work[op] = None

    def _push_users(self, op: Operation, new_results: object) -> None:
        for result in op.results:
            for use in result.uses:
                self.work[use.operation] = None


@dataclass(frozen=True)
class ApplyPdlPass(ModulePass):
    """Rewrite by the `pdl.pattern`s of a file, or of the module itself."""

    name = PASS

    file: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns = op
        if self.file is not None:
            patterns = load(self.file, _full_context(ctx))
            if not any(isinstance(inner, pdl.PatternOp) for inner in walk_ops(patterns)):
                raise PatternError(
                    f"{PASS}: {self.file}: expected a module with pdl.pattern ops, found none; to_pdl "
                    "writes a rule as one"
                )
        if apply_pdl(op, patterns, ctx):
            verify(op, PASS)
