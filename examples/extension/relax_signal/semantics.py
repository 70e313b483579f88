"""The meaning of the operators, in numpy."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect import symbolic
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array, in_double
from relax_dialect.ops.demands import require
from relax_signal.ops import FirOp


def fir(op: FirOp, x: Array, taps: Array) -> Array:
    """Multiply the windows of a signal by the taps."""
    require(op.demands(symbolic.const(x.shape[-1]), symbolic.const(taps.size)))
    return windows_times(x, taps)


@in_double
def windows_times(x: Array, taps: Array) -> Array:
    return np.lib.stride_tricks.sliding_window_view(x, taps.size, axis=-1) @ taps


@register_impls
class SignalFunctions(InterpreterFunctions):
    """The semantics of the dialect `signal`."""

    fir = operator_with_attributes(FirOp, fir)
