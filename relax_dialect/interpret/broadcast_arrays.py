"""Elementwise operators on several tensors: shapes that do not broadcast are an error that names the sizes
as compiled code does, not one of numpy's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from operator import getitem
from typing import Any

import numpy as np

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.base import OperatorOp
from relax_dialect.prim.run_time_checks import filled
from relax_dialect.prim.size_ops import BROADCAST


def broadcasting(op_type: type[OperatorOp], function: Callable[..., Any]) -> Any:
    """Return the semantics of an operator without attributes whose operands broadcast."""

    def run(op: OperatorOp, *operands: Array) -> Any:
        require_broadcast(operands)
        return function(*operands)

    return operator_with_attributes(op_type, run)


def require_broadcast(operands: Sequence[Array], kept: int = 0) -> None:
    """Raise an error for the first axis, except the last `kept`, along which two sizes differ and none of
    them is 1."""
    shapes = [array.shape[: max(array.ndim - kept, 0)] for array in operands]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise RelaxError(next(_messages(shapes))) from None


def _messages(shapes: Sequence[tuple[int, ...]]) -> Iterator[str]:
    """Yield the mistake along each axis that has one, from the first on."""
    aligned = zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1)
    for axis in reversed(list(aligned)):
        differing = sorted(list(dict.fromkeys(size for size in axis if size != 1))[:2])
        if len(differing) > 1:
            sides = {"%min": str(differing[0]), "%max": str(differing[1])}
            yield filled(BROADCAST, partial(getitem, sides))
