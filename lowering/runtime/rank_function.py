"""Functions that communicate with other ranks: an error of one rank, in Python too, is an error of all."""

from __future__ import annotations

import ctypes
from typing import Any

from lowering.runtime.compiled_function import CompiledFunction
from relax_dialect.errors import RelaxError


class RankFunction(CompiledFunction):
    """A compiled function that all ranks call together."""

    def __init__(self, library: ctypes.CDLL, model: str, *rest: Any, **named: Any):
        super().__init__(library, model, *rest, **named)
        self._small = None
        self._fail = getattr(library, f"{model}_fail")
        self._is_entered = False
        enter = self._function

        def entered(*arguments: Any) -> int:
            self._is_entered = True
            return enter(*arguments)

        self._function: Any = entered

    def __call__(self, /, *arguments: Any, out: Any = None, **named: Any) -> Any:
        """Call as all ranks do; arguments that Python refuses are an error of the other ranks, too."""
        self._is_entered = False
        try:
            return super().__call__(*arguments, out=out, **named)
        except Exception as error:
            if not self._is_entered:
                self._fail(str(error).encode())
            raise


def ask(library: ctypes.CDLL | None, model: str, function: str, default: int) -> int:
    """Return a number that models with several ranks know."""
    if library is None or not hasattr(library, f"{model}_{function}"):
        return default
    if (found := getattr(library, f"{model}_{function}")()) >= 0:
        return found
    last_error = getattr(library, f"{model}_last_error")
    last_error.restype = ctypes.c_char_p
    raise RelaxError(last_error().decode(errors="replace"))
