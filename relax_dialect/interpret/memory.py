"""Tensors as the memory that holds them."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.elementwise import operator
from relax_dialect.ops.memory import SizeOp


@register_impls
class MemoryFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.memory`."""

    size = operator(SizeOp, lambda x: np.asarray(x.size, np.int64))
