"""relax-inline-private-functions: calls of private functions are replaced by their bodies.

```mlir
relax.func private @square(%a: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
  %b = relax.multiply %a, %a : ...
  relax.return %b : !relax.tensor<[k], f32>
}
relax.func @main(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
  %y = relax.call @square(%x) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  relax.return %y : !relax.tensor<[?], f32>
}
->
relax.func @main(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
  %a = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
  %b = relax.multiply %a, %a : ...
  %y = relax.let %b : (!relax.tensor<[k], f32>) -> !relax.tensor<[?], f32>
  relax.return %y : !relax.tensor<[?], f32>
}
```

The function's symbolic variables become the caller's sizes, or fresh variables; the checks of the call on
entry are done by a `match_cast`; a `relax.let` is inserted if the declared type was wider than that of the
inlined value, so that every op keeps the types it was checked with. A function without further calls is
removed.

Calls are kept if the callee is public, recursive or a checkpoint, if the caller has more than `{max-ops=n}`
ops already, if sizes known now contradict an op that may never be reached, and in graph regions if the
callee has effects or control flow, or a check would have no order. In a block the callee's blocks are
dissolved: blocks do not nest; in a sequence they are spliced in unchanged. Copied ops never leave the block
of the call, since neither effects nor the values of arguments may move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from relax_dialect.errors import RelaxError
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.checkpoints import CHECKPOINT
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.purity import ModuleSymbols, is_pure_function
from relax_dialect.ir.symbol_scopes import named_symbols
from relax_dialect.ir.traits import ControlFlow, has_trait
from relax_dialect.ir.type_variables import bare_variables, free_variables, substitute
from relax_dialect.ir.types import tuple_type
from relax_dialect.ir.upper_bounds import upper_bounds
from relax_dialect.ir.walk import discard, is_private, walk_ops
from relax_dialect.ops.base import MatchOp, RelaxOp
from relax_dialect.ops.blocks import BlockOp, DataflowOp
from relax_dialect.ops.calls import CallOp, SymbolCallOp
from relax_dialect.ops.core import FuncOp, MatchCastOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.effects import CallTirInplaceOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.syntax import type_text
from relax_dialect.symbolic import Expr, var
from relax_dialect.transform.cloning import Cloner
from relax_dialect.transform.dead_code import remove_unused_functions
from relax_dialect.transform.regions import Body, bodies, erase, keep_name, replace_uses
from relax_dialect.transform.solved_parameters import measured_parameters

MAX_OPS = 100_000
"""The default size beyond which no more bodies are inlined into a function."""


class _KeepCall(RelaxError):
    """The call cannot be inlined."""


@dataclass
class _Callee:
    """A function that can be inlined."""

    func: FuncOp
    size: int
    symbols: set[str]
    is_dataflow: bool
    """Whether its body may be in a graph region."""


@dataclass
class _Inliner:
    """Inlines into one function after another, callees first."""

    lookup: ModuleSymbols
    max_ops: int
    callees: dict[str, _Callee] = field(default_factory=dict)
    inlined: set[str] = field(default_factory=set)

    def offer(self, name: str, func: FuncOp) -> None:
        """Make a finished function available for inlining, unless its entry has bounds to check, or
        gradients are to recompute it."""
        if upper_bounds(func) or CHECKPOINT in func.attributes:
            return
        ops = list(walk_ops(func))
        self.callees[name] = _Callee(
            func, len(ops), named_symbols(func), _is_dataflow(func, self.lookup)
        )

    def run(self, caller: FuncOp) -> None:
        """Inline the calls in one function."""
        size = 0
        calls: list[tuple[CallOp, Body]] = []
        for body in bodies(caller):
            for op in body.block.ops:
                size += 1
                if isinstance(op, CallOp) and op.callee_name in self.callees:
                    calls.append((op, body))
        if not calls:
            return
        names = _FreshSymbols(named_symbols(caller))
        for call, body in calls:
            callee = self.callees[call.callee_name]
            if size + callee.size > self.max_ops:
                continue
            staging = Block()
            try:
                value = self._expand(call, body, callee, names, staging)
            except (RelaxError, VerifyException):
                discard(staging)
                continue
            for op in list(staging.ops):
                op.detach()
                body.block.insert_op_before(op, call)
            size += callee.size
            keep_name(value, call.result)
            replace_uses({call.result: value})
            erase(call)
            self.inlined.add(call.callee_name)

    def _expand(
        self, call: CallOp, body: Body, callee: _Callee, names: _FreshSymbols, staging: Block
    ) -> SSAValue:
        """Write the body for a call into `staging`; returns the value of the call."""
        if body.is_graph and not callee.is_dataflow:
            raise _KeepCall
        found, _ = call.infer_with(callee.func)
        symbols: dict[str, Expr] = {}
        fresh: set[str] = set()
        params = callee.func.body.block.args
        bare = {name for param in params for name in bare_variables(param.type)}
        unsolved = {n for n in callee.func.function_type.bound - bare if not found.bindings.get(n)}

        def new(name: str) -> str:
            fresh.add(made := names.fresh(name))
            return made

        for name in sorted(callee.symbols - unsolved):
            symbols[name] = found.bindings.get(name) or var(new(name))
        given = _measured(call, params, symbols, unsolved, new, staging) if unsolved else call.args
        values = _arguments(given, params, symbols, staging)
        cloner = Cloner(dict(zip(params, values)), symbols, self._check)
        cloner.copy_body(callee.func, staging, flatten=not body.is_sequence)
        returned = callee.func.return_op.value
        value = cloner.values.get(returned, returned)
        if value.type != call.result.type:
            if not is_subtype(value.type, call.result.type):
                raise _KeepCall
            value = _widened(value, call.result.type, staging)
            value.name_hint = call.result.name_hint or value.name_hint
        if body.is_graph:
            for op in staging.ops:
                if isinstance(op, MatchOp) and not fresh.issuperset(op.candidates()):
                    raise _KeepCall
        return value

    def _check(self, op: Operation, _: Operation) -> None:
        """Refuse a copy that the sizes of the caller make ill-formed."""
        if isinstance(op, CallTirInplaceOp):
            op.verify_()
        elif isinstance(op, RelaxOp) and not all(
            map(is_subtype, op.checked_types(), op.result_types)
        ):
            raise _KeepCall
        if isinstance(op, SymbolCallOp):
            op.verify_call(self.lookup)


def _is_dataflow(func: FuncOp, lookup: ModuleSymbols) -> bool:
    ops = [op for op in func.body.block.ops if not has_trait(op, IsTerminator)]
    flat = [o for op in ops for o in (op.body.block.ops if isinstance(op, BlockOp) else (op,))]
    blocks = [op for op in ops if isinstance(op, BlockOp)]
    return (
        all(isinstance(block, DataflowOp) for block in blocks)
        and not any(has_trait(op, ControlFlow) or op.regions for op in flat)
        and is_pure_function(func, lookup)
    )


class _FreshSymbols:
    """The symbolic variables of a function, and fresh ones for them."""

    def __init__(self, taken: set[str]):
        self._taken = taken
        self._count: Counter[str] = Counter()

    def fresh(self, name: str) -> str:
        """Return a name like `name` that is not taken, and is then."""
        candidate = name
        while candidate in self._taken:
            self._count[name] += 1
            candidate = f"{name}_{self._count[name]}"
        self._taken.add(candidate)
        return candidate


def _widened(value: SSAValue, type: Attribute, block: Block) -> SSAValue:
    block.add_op(let := LetOp.create(operands=[value], result_types=[type]))
    let.result.name_hint = value.name_hint
    return let.result


def _measured(
    call: CallOp,
    params: Sequence[SSAValue],
    symbols: dict[str, Expr],
    unsolved: set[str],
    fresh: Callable[[str], str],
    block: Block,
) -> list[SSAValue]:
    """Return the arguments with fresh variables for the sizes that variables are solved for."""
    values: list[SSAValue] = list(call.args)
    measured = measured_parameters([p.type for p in params], symbols, unsolved, fresh)
    for index, (param, type) in enumerate(zip(params, measured)):
        if not unsolved.isdisjoint(free_variables(param.type)) and values[index].type != type:
            block.add_op(cast := MatchCastOp(values[index], type))
            cast.result.name_hint = param.name_hint
            values[index] = cast.result
    return values


def _arguments(
    given: Sequence[SSAValue], params: Sequence[SSAValue], symbols: dict[str, Expr], block: Block
) -> list[SSAValue]:
    """Return the arguments cast to the parameters' types, checked together unless proved."""
    values: list[SSAValue] = list(given)
    types = [substitute(p.type, symbols) for p in params]
    checked: list[int] = []
    for index, (value, type) in enumerate(zip(values, types)):
        if type_text(type).count("?") != type_text(params[index].type).count("?"):
            raise _KeepCall  # a size too large to be written
        if value.type == type:
            continue
        if is_subtype(value.type, type):
            values[index] = _widened(value, type, block)
        else:
            checked.append(index)
    if len(checked) == 1:
        block.add_op(cast := MatchCastOp(values[checked[0]], types[checked[0]]))
        cast.result.name_hint = params[checked[0]].name_hint
        values[checked[0]] = cast.result
    elif checked:
        packed = TupleOp(*(values[i] for i in checked))
        cast = MatchCastOp(packed.result, tuple_type(types[i] for i in checked))
        block.add_ops([packed, cast])
        for field_index, index in enumerate(checked):
            block.add_op(item := TupleGetItemOp(cast.result, field_index))
            item.result.name_hint = params[index].name_hint
            values[index] = item.result
    return values


def inline_private_functions(module: ModuleOp, max_ops: int = MAX_OPS) -> None:
    """Inline the private functions that are not recursive; remove functions without remaining calls."""
    graph = CallGraph.of(module)
    recursive = graph.recursive()
    inliner = _Inliner(ModuleSymbols(module), max_ops)
    for component in graph.components:
        for name in component:
            func = graph.symbols[name]
            if isinstance(func, FuncOp):
                inliner.run(func)
                if name not in recursive and is_private(func):
                    inliner.offer(name, func)
    remove_unused_functions(module, inliner.inlined)


def inline_calls(caller: FuncOp, callees: Iterable[FuncOp], symbols: ModuleSymbols) -> None:
    """Inline the calls of some functions into another one, each once, as far as they can be."""
    inliner = _Inliner(symbols, MAX_OPS)
    for callee in callees:
        inliner.offer(callee.sym_name.data, callee)
    inliner.run(caller)


@dataclass(frozen=True)
class InlinePrivateFunctionsPass(ModulePass):
    """Replace calls of private functions by their bodies."""

    name = "relax-inline-private-functions"

    max_ops: int = MAX_OPS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_private_functions(op, self.max_ops)
