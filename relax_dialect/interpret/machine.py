"""The interpreter that our semantics run on: xDSL's, with frames of functions and our errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    OpImplResult,
    PythonValues,
    ReturnedValues,
    Successor,
    TerminatorValue,
    _InterpreterFunctionImpls,  # pyright: ignore[reportPrivateUsage]
)
from xdsl.ir import Operation, Region, SSAValue
from xdsl.utils.scoped_dict import ScopedDict

from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret.values import Array
from relax_dialect.order import describe

Sizes: TypeAlias = dict[str, int]

MAX_DEPTH = 1500
"""How deep regions and calls may nest; each level takes a handful of Python's own."""


@dataclass
class Points:
    """The points that a `linalg` body is computed for at once: their indices per loop."""

    shape: tuple[int, ...]
    indices: Sequence[int | Array]


@dataclass
class Frame:
    """An activation of a function: its name, and the sizes its symbolic variables stand for."""

    function: str = ""
    sizes: Sizes = field(default_factory=dict)
    points: list[Points] = field(default_factory=list)
    """The points of the `linalg` bodies being computed, the innermost last."""

    def located(self, what: str) -> str:
        """`@main: what`, for errors."""
        return f"@{self.function}: {what}" if self.function else what


class Implementations(_InterpreterFunctionImpls):
    """The registered semantics; what goes wrong in an op is reported once, with its place."""

    def run(self, interpreter: Interpreter, op: Operation, args: tuple[Any, ...]) -> OpImplResult:
        found = self._impl_dict.get(type(op))
        try:
            if found is None:
                raise RelaxError(
                    "expected an op with semantics, found none for it; lower it to ops of relax, "
                    "linalg, tensor, memref, scf, arith and math first, or register its semantics"
                )
            functions, implementation = found
            return implementation(functions, interpreter, op, args)
        except (ExecutionError, RecursionError):
            raise
        except Exception as error:
            what = f"{describe(op)}: {error}"
            raise ExecutionError(frame_of(interpreter).located(what)) from error

    def copy(self) -> Implementations:
        return Implementations(
            dict(self._impl_dict),
            dict(self._cast_impl_dict),
            dict(self._attr_impl_dict),
            dict(self._external_funcs_dict),
            dict(self._callable_impl_dict),
        )


class RelaxInterpreter(Interpreter):
    """xDSL's interpreter with a frame per function activation and symbols found in one step.

    It reads the module's symbols once: make a new one after changing the module.
    """

    def __init__(self, module: ModuleOp, implementations: Implementations):
        super().__init__(module, _impls=implementations)
        self.frame = Frame()
        self.depth = 0
        self.globals: dict[str, Array] = {}
        """The memory of `memref.global`s that are no constants."""
        self._symbols: dict[str, Operation] | None = None

    @property
    def symbols(self) -> dict[str, Operation]:
        """The functions and globals of the module, by name."""
        if self._symbols is None:
            named = ((op.get_attr_or_prop("sym_name"), op) for op in self.module.ops)
            self._symbols = {name.data: op for name, op in named if isinstance(name, StringAttr)}
        return self._symbols

    def get_op_for_symbol(self, symbol: str | SymbolRefAttr) -> Operation:
        name = symbol if isinstance(symbol, str) else symbol.root_reference.data
        if (found := self.symbols.get(name)) is None:
            known = ", ".join(f"@{s}" for s in self.symbols) or "none"
            raise RelaxError(f"expected the name of a function, found @{name}; there are: {known}")
        return found

    def run_body(
        self, function: str, region: Region, args: PythonValues, sizes: Sizes
    ) -> PythonValues:
        """Run the body of a function in a frame of its own; gives what it returns."""
        saved = self._ctx, self.frame, self.depth
        self._ctx = ScopedDict(name=function)
        self.frame = Frame(function, sizes)
        try:
            with np.errstate(all="ignore"):
                return self.run_ssacfg_region(region, args, function)
        finally:
            self._ctx, self.frame, self.depth = saved

    def run_ssacfg_region(
        self, region: Region, args: PythonValues, name: str = "unknown"
    ) -> PythonValues:
        """Run a region whose ops are evaluated in their order, in a scope of its own."""
        outer = self._enter(name)
        block = region.first_block
        values: PythonValues = ()
        while block is not None:
            self.set_values(zip(block.args, args))
            match self._run_ops(block.ops):
                case Successor(next_block, next_args):
                    block, args = next_block, next_args
                case ReturnedValues(values):
                    block = None
                case None:
                    block = None
        self._leave(outer)
        return values

    def run_ordered(self, ops: Iterable[Operation], name: str) -> PythonValues:
        """Run ops in the order given, in a scope of their own; gives what the last passes out."""
        outer = self._enter(name)
        end = self._run_ops(ops)
        assert isinstance(end, ReturnedValues), f"{name} ends in a terminator"
        self._leave(outer)
        return end.values

    def _run_ops(self, ops: Iterable[Operation]) -> TerminatorValue | None:
        known = self._ctx._local_scope  # pyright: ignore[reportPrivateUsage]
        lookup = self._ctx.__getitem__
        for op in ops:
            result = self._run_op(op, tuple([lookup(operand) for operand in op.operands]))
            if op.results:
                known.update(zip(op.results, result.values))
            if result.terminator_value is not None:
                return result.terminator_value
        return None

    def _enter(self, name: str) -> ScopedDict[SSAValue, Any]:
        """Open a scope; gives the one around it. What raises is tidied up by `run_body`."""
        if self.depth >= MAX_DEPTH:
            raise ExecutionError(
                self.frame.located(
                    f"expected regions and calls nested at most {MAX_DEPTH} deep, found deeper "
                    "nesting; is there a recursion without end?"
                )
            )
        self.depth += 1
        outer = self._ctx
        self._ctx = ScopedDict(outer, name=name)
        return outer

    def _leave(self, outer: ScopedDict[SSAValue, Any]) -> None:
        self.depth -= 1
        self._ctx = outer


def machine(interpreter: Interpreter) -> RelaxInterpreter:
    """The interpreter as ours, which alone has frames."""
    assert isinstance(interpreter, RelaxInterpreter), "use relax_dialect.interpret.interpreter"
    return interpreter


def frame_of(interpreter: Interpreter) -> Frame:
    """The activation that is being run."""
    return machine(interpreter).frame


def make_implementations(functions: Iterable[InterpreterFunctions]) -> Implementations:
    """All semantics in one table."""
    result = Implementations()
    for each in functions:
        result.register_from(each, override=False)
    return result
