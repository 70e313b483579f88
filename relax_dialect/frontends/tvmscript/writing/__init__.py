"""Modules written as TVMScript: `dump`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.ir import Operation

from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript import prim_funcs
from relax_dialect.frontends.tvmscript.prim_funcs.kept import ATTRIBUTES
from relax_dialect.frontends.tvmscript.writing.attribute_writer import python_text
from relax_dialect.frontends.tvmscript.writing.closure_writer import give_as_closures, gives_some
from relax_dialect.frontends.tvmscript.writing.forms import (
    Symbols,
    edit_of,
    give_forms,
    given_shapes,
    symbols_of,
    unused_weights,
)
from relax_dialect.frontends.tvmscript.writing.function_writer import FunctionWriter
from relax_dialect.frontends.tvmscript.writing.script_names import ScriptNames
from relax_dialect.frontends.tvmscript.writing.statement_writer import INDENT
from relax_dialect.frontends.tvmscript.writing.surroundings import WriterContext
from relax_dialect.frontends.tvmscript.writing.type_writer import Unwritable
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.order import describe
from relax_dialect.ir.walk import symbol_name, walk_ops
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.calls import CallPackedOp
from relax_dialect.ops.compute import ComputeOp
from relax_dialect.ops.control import CallClosureOp, ClosureOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.effects import AssertOp, PrintOp
from relax_dialect.ops.graph import GraphOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.rewrites.calls.while_to_recursion import while_to_recursion
from relax_dialect.rewrites.conversion.expand_compute import expand_compute

NO_ALIAS = '{"tirx.noalias": True}'
"""The attributes that every prim func is written with."""
MOST_LISTED = 50
"""The number of problems listed in one error."""

IMPORTS = """# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T
"""
"""As TVM prints them: its reader of text knows the names, and takes no statements but definitions."""


class UnwritableModule(RelaxError):
    """A module with parts that TVMScript cannot express; all are listed."""


def dump(module: ModuleOp) -> str:
    """Return the module as a script that `tvm.script.from_source` takes; raises `UnwritableModule`."""
    module = sayable(module)
    symbols = symbols_of(module)
    names = ScriptNames()
    functions = {name: names.new(name) for name in symbols}
    around = WriterContext(functions, _impure(symbols), symbols)
    lines: list[str] = []
    if module.attributes:
        given = {key.removeprefix("tvm."): value for key, value in module.attributes.items()}
        lines += [f"I.module_attrs({python_text(given)})"]
    for op in module.ops:
        try:
            lines += ["", *_member(op, around)]
        except (Unwritable, prim_funcs.UnwritablePrimFunc) as problem:
            around.problems.append(f"{symbol_name(op) or describe(op)}: {problem}")
    if around.problems:
        raise UnwritableModule(_listed(around.problems))
    text = "\n".join(INDENT + line if line else line for line in lines or ["pass"])
    return f"{IMPORTS}\n{around.constants.metadata}\n@I.ir_module\nclass Module:\n{text}\n"


def sayable(module: ModuleOp) -> ModuleOp:
    """Return the module in the forms that Relax has: graphs as bindings in the order of evaluation, loops
    as recursion, functions with their first arguments bound as closures, ops in TVM's forms."""
    symbols = symbols_of(module)
    rewritten = [op for op in module.ops if any(_is_rewritten(o, symbols) for o in walk_ops(op))]
    if not rewritten:
        return module
    copied: dict[Operation, Operation] = {op: op.clone() for op in module.ops}
    copy = ModuleOp(list(copied.values()), dict(module.attributes))
    for op in rewritten:
        if isinstance(op, FuncOp) and any(isinstance(o, GraphOp) for o in walk_ops(op)):
            to_a_normal_form(copied[op])
    expand_compute(copy)
    while_to_recursion(copy)
    give_as_closures(copy)
    give_forms(copy)
    return copy


def _is_rewritten(op: Operation, symbols: Symbols) -> bool:
    is_other = isinstance(op, ComputeOp | GraphOp | WhileOp) or gives_some(op)
    return (
        is_other or edit_of(op, symbols) is not None or bool(given_shapes(op) or unused_weights(op))
    )


def _member(op: Operation, around: WriterContext) -> list[str]:
    """Return the lines of a member of the module."""
    for each in walk_ops(op):
        if any(len(region.blocks) != 1 for region in each.regions):
            raise Unwritable(
                f"expected bodies of one block, found {describe(each)} with another number of them; write "
                "branches and loops as if and calls"
            )
    if isinstance(op, FuncOp):
        return FunctionWriter(around).relax_function(op)
    if isinstance(op, func.FuncOp):
        lines = prim_funcs.write(op)
        given = op.attributes.get(ATTRIBUTES)
        if isinstance(given, DictionaryAttr):
            own = f"{python_text(given)[:-1]}, {NO_ALIAS[1:]}"
            lines = [line.replace(NO_ALIAS, own) for line in lines]
        return lines
    raise Unwritable(f"expected functions in the module, found {describe(op)}; remove it")


def _impure(symbols: Mapping[str, Operation]) -> frozenset[str]:
    """Return the functions that TVM considers impure."""
    own = {name for name, op in symbols.items() if any(map(_has_effect, _evaluated(op)))}
    return CallGraph.below(symbols, symbols).reaching(own)


def _evaluated(root: Operation) -> Iterator[Operation]:
    """Yield the ops of a function, without those of its closures."""
    inside = {
        o for op in walk_ops(root) if isinstance(op, ClosureOp) for o in walk_ops(op) if o is not op
    }
    return (op for op in walk_ops(root) if op not in inside)


def _has_effect(op: Operation) -> bool:
    is_closure = isinstance(op, CallClosureOp) and not op.type.is_pure
    return is_closure or isinstance(op, CallPackedOp | PrintOp | AssertOp)


def _listed(problems: list[str]) -> str:
    shown = problems[:MOST_LISTED]
    if len(problems) > MOST_LISTED:
        shown.append(f"... and {len(problems) - MOST_LISTED} more")
    return "\n".join(shown)
