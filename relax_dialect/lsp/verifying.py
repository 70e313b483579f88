"""All errors of a program's verifiers, not only the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from relax_dialect.errors import RelaxError
from relax_dialect.ir.visibility import check_op_visibility
from relax_dialect.ir.well_formed import IllFormedFunctionError
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import explain
from relax_dialect.text.diagnostics import blame, in_order_of_verification, root_cause

Found = tuple[Any, str]
"""The op or parameter that an error is about, and the message."""


def verifier_errors(
    module: ModuleOp, is_left_out: Callable[[Operation], bool], is_whole: bool
) -> Iterator[Found]:
    """Yield the errors of a module's ops, but for the functions, and other ops of modules, that are left
    out.

    If there was an error before, `is_whole` says whether the text is whole, only errors meant for users are
    reported: others may follow from it.
    """
    pending = [module]
    while pending:
        current = pending.pop()
        yield from _told(module, current, lambda current=current: current.verify(False), is_whole)
        for op in current.ops:
            if isinstance(op, ModuleOp):
                pending.append(op)
            elif not is_left_out(op):
                yield from _errors_of(module, op)


def _errors_of(module: ModuleOp, root: Operation) -> Iterator[Found]:
    """Yield the errors of an op in a module; visibility of values is checked if there are no others."""
    is_right = True
    for op in in_order_of_verification(root):
        for found in _told(module, op, lambda op=op: op.verify(False), is_right):
            is_right = False
            yield found
    if is_right:
        yield from _told(module, root, lambda: check_op_visibility(root), True)


def _told(
    module: ModuleOp, op: Operation, check: Callable[[], None], is_right: bool
) -> Iterator[Found]:
    try:
        check()
    except Exception as error:
        if is_right or isinstance(root_cause(error), RelaxError | VerifyException):
            yield from _found(module, op, error)


def _found(module: ModuleOp, op: Operation, error: Exception) -> Iterator[Found]:
    errors: list[Exception] = []
    if isinstance(op, FuncOp) and isinstance(root_cause(error), IllFormedFunctionError):
        op.verify_body(errors.append)
    for each in errors or [error]:
        try:
            yield blame(module, each, op)
        except Exception:
            yield op, explain(each, "verifier")
