"""relax-convert-scf-to-relax: loops and branches of the scf dialect in a Relax function become Relax's own.

```mlir
%y = scf.for %i = %lb to %ub step %c1 iter_args(%a = %x) -> (T) {
  %b = relax.add %a, %a : (T, T) -> T
  scf.yield %b : T
}
    ->
%i_1, %y = relax.while (%i = %lb, %a = %x) : (index, T) -> (index, T) {
  %more = arith.cmpi slt, %i, %ub : index
  relax.yield %more : i1
} do {
  %b = relax.add %a, %a : (T, T) -> T
  %next = arith.addi %i, %c1 : index
  relax.yield %next, %b : index, T
}
```

An `scf.if` is a `relax.if`, which yields a tuple unless it has one result; an `scf.index_switch` is a chain
of them. An `scf.while` is a `relax.while`; if its condition forwards other values than its arguments, it is
evaluated before the loop and at the end of every iteration. A builtin tensor that a loop or branch yields
is carried as a Relax tensor. The program is in A-normal form before and after.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from relax_dialect.ir.mlir.builtin_types import from_builtin
from relax_dialect.ir.symbol_scopes import named_symbols, visible_symbols
from relax_dialect.ir.traits import stands_in_graph
from relax_dialect.ir.types import tuple_type
from relax_dialect.ir.walk import walk_ops
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.builtin_tensors import FromBuiltinOp, ToBuiltinOp
from relax_dialect.ops.control import IfOp, YieldOp
from relax_dialect.ops.core import FuncOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.effects import AssertOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.transform.cloning import Cloner, fresh_symbols
from relax_dialect.transform.pattern_driver import apply_patterns
from relax_dialect.transform.regions import erase, functions, holds_bindings

INDEX = IndexType()


def _value(out: Builder, op: Operation, hint: str | None = None) -> SSAValue:
    """Emit an op; its result, named."""
    result = out.insert(op).results[0]
    result.name_hint = hint
    return result


def _carried(out: Builder, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Values as a loop carries them: builtin tensors as Relax tensors."""
    return [
        _value(out, FromBuiltinOp(v), v.name_hint) if isinstance(v.type, BuiltinTensorType) else v
        for v in values
    ]


def _used(out: Builder, value: SSAValue, type: Attribute) -> SSAValue:
    """Convert a carried value back to the type of the value that it represents."""
    if value.type == type:
        return value
    return _value(out, ToBuiltinOp(value), value.name_hint)


def _state_type(type: Attribute) -> Attribute:
    return from_builtin(type) if isinstance(type, BuiltinTensorType) else type


def _carry(argument: BlockArgument) -> None:
    """Convert an argument to its carried type; its uses are unchanged."""
    block, type = argument.block, argument.type
    if _state_type(type) == type:
        return
    new = block.insert_arg(_state_type(type), argument.index)
    new.name_hint = argument.name_hint
    out = Builder(InsertPoint.at_start(block))
    argument.replace_all_uses_with(_used(out, new, type))
    block.erase_arg(argument)


def _region_of(region: Region) -> tuple[Block, Sequence[SSAValue]]:
    """Detach the block of a region; returns it without its terminator, and the terminator's operands."""
    block = region.detach_block(region.block) if region.blocks else Block()
    if (last := block.last_op) is None:
        return block, ()
    values = tuple(last.operands)
    erase(last)
    return block, values


def _is_ours(op: Operation) -> bool:
    """Return whether only Relax, loops and branches enclose an op: other regions keep their scf ops."""
    around = op.parent_op()
    while around is not None and isinstance(around, _CONVERTED):
        around = around.parent_op()
    return around is not None and holds_bindings(around)


class IfToRelax(RewritePattern):
    """`scf.if` -> `relax.if`, which yields a tuple unless there is one result."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        if not _is_ours(op):
            return

        def branch(region: Region) -> Region:
            block, values = _region_of(region)
            end = Builder(InsertPoint.at_end(block))
            values = _carried(end, values)
            end.insert(YieldOp(values[0] if len(values) == 1 else _value(end, TupleOp(*values))))
            return Region(block)

        branches = branch(op.true_region), branch(op.false_region)
        types = [_state_type(type) for type in op.result_types]
        chosen = IfOp(op.cond, *branches, types[0] if len(types) == 1 else tuple_type(types))
        result = _value(rewriter, chosen, op.results[0].name_hint if op.results else None)
        found = [result]
        if len(types) != 1:
            found = [_value(rewriter, TupleGetItemOp(result, index)) for index in range(len(types))]
        rewriter.replace(op, (), [_used(rewriter, v, t) for v, t in zip(found, op.result_types)])


class SwitchToIfs(RewritePattern):
    """`scf.index_switch` -> a chain of `scf.if`, one for each case."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IndexSwitchOp, rewriter: PatternRewriter) -> None:
        if not _is_ours(op):
            return
        cases = list(zip(op.cases.get_values(), op.case_regions))
        otherwise, chosen = op.default_region, list[scf.IfOp]()
        for number, (value, region) in reversed(list(enumerate(cases))):
            at = rewriter if number == 0 else Builder(InsertPoint.at_end(block := Block()))
            case = at.insert(arith.ConstantOp(IntegerAttr(value, INDEX)))
            test = _value(at, arith.CmpiOp(op.arg, case.result, "eq"))
            taken, other = (Region(each.detach_block(each.block)) for each in (region, otherwise))
            chosen.append(at.insert(scf.IfOp(test, op.result_types, taken, other)))
            if number > 0:
                at.insert(scf.YieldOp(*chosen[-1].results))
                otherwise = Region(block)  # pyright: ignore[reportPossiblyUnboundVariable]
        if not chosen:
            block, values = _region_of(otherwise)
            for inner in list(block.ops):
                inner.detach()
                rewriter.insert(inner)
            rewriter.replace(op, (), values)
            return
        rewriter.replace(op, (), chosen[-1].results)


class ForToWhile(RewritePattern):
    """`scf.for` -> `relax.while` over its induction variable and its carried values."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        if not _is_ours(op):
            return
        block, values = _region_of(op.body)
        variable, *arguments = block.args
        for argument in arguments:
            _carry(argument)
        bounds: list[SSAValue] = [op.lb, op.ub, op.step]
        if variable.type != INDEX:  # so that the last step does not overflow
            casts = [(b.name_hint, arith.IndexCastOp(b, INDEX)) for b in bounds]
            bounds = [_value(rewriter, cast, hint) for hint, cast in casts]
            variable = _counted_by_index(variable)
        lower, upper, step = bounds
        if not _is_positive(op.step):
            zero = _value(rewriter, arith.ConstantOp.from_int_and_width(0, INDEX), "zero")
            holds = _value(rewriter, arith.CmpiOp(step, zero, "sgt"))
            text = "scf.for: expected a step above 0, found {}"
            rewriter.insert(AssertOp(holds, step, format=text))
        end = Builder(InsertPoint.at_end(block))
        following = _value(end, arith.AddiOp(variable, step), variable.name_hint)
        end.insert(YieldOp(following, *_carried(end, values)))

        condition = Block(arg_types=block.arg_types)
        for new, old in zip(condition.args, block.args):
            new.name_hint = old.name_hint
        test = Builder(InsertPoint.at_end(condition))
        test.insert(YieldOp(_value(test, arith.CmpiOp(condition.args[0], upper, "slt"), "more")))
        inits = [lower, *_carried(rewriter, op.iter_args)]
        loop = rewriter.insert(WhileOp(inits, Region(condition), Region(block)))
        rewriter.replace(
            op, (), [_used(rewriter, v, t) for v, t in zip(loop.results[1:], op.result_types)]
        )


def _counted_by_index(variable: BlockArgument) -> BlockArgument:
    """Make an induction variable of type index, of which the old one is a cast."""
    block = variable.block
    index = block.insert_arg(INDEX, 0)
    index.name_hint = variable.name_hint
    start = Builder(InsertPoint.at_start(block))
    variable.replace_all_uses_with(_value(start, arith.IndexCastOp(index, variable.type)))
    block.erase_arg(variable)
    return index


def _is_positive(step: SSAValue) -> bool:
    made = step.owner
    value = made.value if isinstance(made, arith.ConstantOp) else None
    return isinstance(value, IntegerAttr) and value.value.data > 0


class WhileToRelax(RewritePattern):
    """`scf.while` -> `relax.while`; a condition that passes on other values is evaluated ahead."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter) -> None:
        if not _is_ours(op):
            return
        condition = op.before_region.block
        last = condition.last_op
        assert isinstance(last, scf.ConditionOp)
        test, passed = last.condition, list(last.args)
        if passed != list(condition.args):
            results = _evaluate_ahead(op, rewriter, [test, *passed])
        else:
            condition, _ = _region_of(op.before_region)
            body, values = _region_of(op.after_region)
            for argument in (*condition.args, *body.args):
                _carry(argument)
            Builder(InsertPoint.at_end(condition)).insert(YieldOp(test))
            end = Builder(InsertPoint.at_end(body))
            end.insert(YieldOp(*_carried(end, values)))
            inits = _carried(rewriter, op.arguments)
            results = rewriter.insert(WhileOp(inits, Region(condition), Region(body))).results
        rewriter.replace(op, (), [_used(rewriter, v, t) for v, t in zip(results, op.result_types)])


def _evaluate_ahead(
    op: scf.WhileOp, out: Builder, tested: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """Emit a loop that carries the value of its condition and the values that the condition forwards."""
    bound = visible_symbols(op, stands_in_graph(op.parent))
    own = named_symbols(op)
    function = _function_around(op)

    def evaluated(block: Block, args: Sequence[SSAValue]) -> tuple[Block, list[SSAValue]]:
        values: dict[SSAValue, SSAValue] = dict(zip(op.before_region.block.args, args))
        symbols = fresh_symbols(own - bound, named_symbols(function))
        Cloner(values, symbols).copy_body(op, block, flatten=True)
        at = Builder(InsertPoint.at_end(block))
        return block, _carried(at, [values.get(value, value) for value in tested])

    ahead, inits = evaluated(Block(), op.arguments)
    for each in list(ahead.ops):
        each.detach()
        out.insert(each)
    body, values = _region_of(op.after_region)
    for argument in body.args:
        _carry(argument)
    body.insert_arg(tested[0].type, 0).name_hint = "more"
    _, values = evaluated(body, values)
    body.add_op(YieldOp(*values))
    condition = Block(arg_types=body.arg_types)
    for new, old in zip(condition.args, body.args):
        new.name_hint = old.name_hint
    condition.add_op(YieldOp(condition.args[0]))
    return out.insert(WhileOp(inits, Region(condition), Region(body))).results[1:]


def _function_around(op: Operation) -> FuncOp:
    while not isinstance(op, FuncOp):
        around = op.parent_op()
        assert around is not None
        op = around
    return op


_CONVERTED = scf.IfOp | scf.IndexSwitchOp | scf.ForOp | scf.WhileOp


def convert_scf_to_relax(function: FuncOp) -> None:
    """Write the loops and branches of the scf dialect in one function as Relax's own."""
    found = [op for op in walk_ops(function) if isinstance(op, _CONVERTED) and _is_ours(op)]
    if any(isinstance(op, scf.IndexSwitchOp) for op in found):
        apply_patterns(function, [SwitchToIfs()])
    if found:
        apply_patterns(function, [IfToRelax(), ForToWhile(), WhileToRelax()], inner_first=True)
        to_a_normal_form(function)


class ConvertScfToRelaxPass(ModulePass):
    """`convert_scf_to_relax` on every function."""

    name = "relax-convert-scf-to-relax"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            convert_scf_to_relax(function)
