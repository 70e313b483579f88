"""The common part of tests against other libraries: one operator on arrays, interpreted and compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import dtype_name

from .compiled import Case, compile_some, tensor


def agree(
    operator: Callable[..., Operation],
    arrays: Sequence[np.ndarray],
    expected: Sequence[np.ndarray] | np.ndarray,
    *,
    compiled: bool = False,
    tolerance: float = 1e-4,
) -> None:
    """The interpreter, and the C where asked, give what another library gave."""
    types = [tensor(*array.shape, dtype=dtype_name(array.dtype)) for array in arrays]
    case = Case(operator, types, lambda *_: None, tolerance=tolerance)
    wanted = [expected] if isinstance(expected, np.ndarray) else list(expected)
    results: list[tuple[Any, str]] = [
        (run(ModuleOp([case.function("main")]), "main", *arrays), "the interpreter")
    ]
    if compiled:
        results.append((compile_some({"main": case}).main(*arrays), "the C"))
    for result, who in results:
        case.compare(result, wanted, who)
