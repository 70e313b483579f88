"""The distinct kernels of a program, each with its calls as a program of its own.

    %y = relax.call_tir @matmul_relu(%x, %weights) : ...          // twice, with other weights
    %z = relax.call_tir @softmax(%y) : ...
->
    relax.func @call(%x: ...) { %c = relax.constant ..., relax.call_tir @matmul_relu(%x, %c) }
    relax.func @call(%x: ...) { relax.call_tir @softmax(%x) }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from lowering.external.library_kernel import codegen_of
from lowering.pipeline import PASSES, lower_checked, optimizations
from relax_dialect.ir.call_graph import own_references
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.types import PrimType, TensorType
from relax_dialect.ir.walk import symbol_name, walk_ops
from relax_dialect.ops.calls import TirCallOp
from relax_dialect.ops.core import ConstantOp, FuncOp, ReturnOp, TupleOp
from relax_dialect.parsing import deep_recursion

BUFFERIZE = "relax-bufferize"
"""Before this pass the ops of functions are calls of kernels, whose names are final."""

SCHEDULE = "relax-schedule"

MOST_FORMS = 4
"""The most calls of one kernel, of different types, that are measured."""


@dataclass
class KernelProgram:
    """The calls of one kernel as functions of a module, bufferized: `@call0`, `@call1`, ..."""

    name: str
    graph: ModuleOp
    """Before bufferization."""
    module: ModuleOp
    types: Sequence[Sequence[Attribute]]
    """The parameters of each of its functions."""
    calls: int
    """The number of calls in the program."""


def passes_to(name: str) -> Sequence[str]:
    """Return the lowering passes before one."""
    names = tuple(PASSES)
    return names[: names.index(name)]


def passes_from(name: str) -> Sequence[str]:
    """Return a lowering pass and those after it."""
    names = tuple(PASSES)
    return names[names.index(name) :]


def kernels_of(
    module: ModuleOp, opt_level: int, cpu: str, passes: Sequence[str], sizes: Sequence[str]
) -> list[KernelProgram]:
    """Return the kernels of a program that can be called alone: with tensors whose sizes are numbers, or
    those of variables that have `sizes`. The module itself is unchanged."""
    own = module.clone()
    with deep_recursion():
        lower_checked(own, (*passes, *optimizations(opt_level), *passes_to(BUFFERIZE)), cpu)
        return [
            _program(function, calls, own, cpu)
            for function, calls in _calls(own).items()
            if all(_is_callable(call, {*sizes}) for call in calls)
        ]


def _calls(module: ModuleOp) -> Mapping[func.FuncOp, list[TirCallOp]]:
    """Return the kernels of a module, with their calls."""
    known = {symbol_name(op): op for op in module.ops if isinstance(op, func.FuncOp)}
    found: dict[func.FuncOp, list[TirCallOp]] = {}
    for op in (op for op in walk_ops(module) if isinstance(op, TirCallOp)):
        kernel = known.get(op.callee_name)
        if kernel is not None and codegen_of(kernel) is None and kernel.body.blocks:
            found.setdefault(kernel, []).append(op)
    return found


def _is_callable(call: TirCallOp, sizes: set[str]) -> bool:
    """Return whether the arguments and results of a call are tensors of known sizes, and its symbols are
    sizes of its arguments."""
    types = [*call.operand_types, *call.result_types]
    bound, used = (
        {name for type in own for name in free_variables(type)}
        for own in (call.operand_types, types)
    )
    symbols = () if call.symbols is None else call.symbols.data or ()
    used |= {name for size in symbols if size is not None for name in size.free_variables}
    return all(map(_is_known, types)) and used <= bound and used <= sizes


def _is_known(type: Attribute) -> bool:
    if isinstance(type, PrimType):
        return True
    return (
        isinstance(type, TensorType)
        and type.dtype is not None
        and type.shape is not None
        and None not in type.shape
    )


def _program(
    kernel: func.FuncOp, calls: Sequence[TirCallOp], module: ModuleOp, cpu: str
) -> KernelProgram:
    forms = list({_form(call): call for call in reversed(calls)}.values())[::-1][:MOST_FORMS]
    functions = [_function(f"call{number}", call) for number, call in enumerate(forms)]
    callees = [op.clone() for op in _needed(kernel, module)]
    graph = ModuleOp([*functions, *callees], attributes=dict(module.attributes))
    own = lower_checked(graph.clone(), (BUFFERIZE,), cpu)
    types = [function.body.block.arg_types for function in functions]
    return KernelProgram(kernel.sym_name.data, graph, own, types, len(calls))


def _form(call: TirCallOp) -> object:
    """Return the types of a call, and which of its arguments are constants."""
    return tuple((str(v.type), isinstance(v.owner, ConstantOp)) for v in call.operands)


def _needed(kernel: func.FuncOp, module: ModuleOp) -> Iterator[func.FuncOp]:
    """Yield a kernel and the functions that it calls."""
    known = {symbol_name(op): op for op in module.ops if isinstance(op, func.FuncOp)}
    names, work = {kernel.sym_name.data}, [kernel]
    while work:
        yield (function := work.pop())
        found = {name for op in walk_ops(function) for name in own_references(op)}
        for name in sorted(found & known.keys() - names):
            names.add(name)
            work.append(known[name])


def _function(name: str, call: TirCallOp) -> FuncOp:
    """Return a function of the arguments of a call that are no constants, which returns its results."""
    values = dict.fromkeys(call.operands)
    constants = [v for v in values if isinstance(v.owner, ConstantOp)]
    params = [v for v in values if v not in constants]
    block = Block(arg_types=[v.type for v in params])
    instead: dict[SSAValue, SSAValue] = dict(zip(params, block.args))
    for value in constants:
        assert isinstance(value.owner, ConstantOp)
        block.add_op(copy := value.owner.clone())
        instead[value] = copy.results[0]
    block.add_op(own := call.clone(instead))
    result = own.results[0]
    if len(own.results) > 1:
        block.add_op(joined := TupleOp(*own.results))
        result = joined.result
    block.add_op(ReturnOp(result))
    return FuncOp(name, block.arg_types, result.type, Region(block))
