"""Elementwise operators on one tensor; transcendental ones are computed in f64 and rounded once."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import special
from relax_dialect.interpret.elementwise import operator
from relax_dialect.interpret.values import in_double
from relax_dialect.ops.unary import (
    ErfOp,
    ExpOp,
    NegativeOp,
    RsqrtOp,
    SigmoidOp,
    SqrtOp,
    TanhOp,
)


@register_impls
class UnaryFunctions(InterpreterFunctions):
    """`numpy.sqrt` is exactly rounded in every type; the others go through f64."""

    negative = operator(NegativeOp, np.negative)
    exp = operator(ExpOp, in_double(np.exp))
    sqrt = operator(SqrtOp, np.sqrt)
    rsqrt = operator(RsqrtOp, in_double(special.rsqrt))
    tanh = operator(TanhOp, in_double(np.tanh))
    erf = operator(ErfOp, in_double(special.erf))
    sigmoid = operator(SigmoidOp, in_double(special.sigmoid))
