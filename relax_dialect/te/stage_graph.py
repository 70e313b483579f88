"""Which stages tensors need, in the order in which they can be computed."""

from __future__ import annotations

from collections.abc import Iterable

from relax_dialect.te.tensor import Stage, Tensor


def stages_of(outputs: Iterable[Tensor], given: Iterable[Tensor] = ()) -> list[Stage]:
    """Return the stages that tensors need, except those of `given` tensors, in topological order."""
    known = set(given)
    order: dict[Stage, None] = {}
    work = [(tensor, False) for tensor in reversed(list(outputs))]
    while work:
        tensor, ready = work.pop()
        stage = tensor.stage
        if stage is None or stage in order or tensor in known:
            continue
        if ready:
            order[stage] = None
        else:
            work.append((tensor, True))
            work.extend((t, False) for t in reversed(list(stage.reads)))
    return list(order)
