"""Which stages tensors need, in the order in which they can be computed."""

from __future__ import annotations

from collections.abc import Iterable

from relax_dialect.te.tensor import Stage, Tensor


def stages_of(outputs: Iterable[Tensor]) -> list[Stage]:
    """The stages that tensors need, each after those it reads."""
    order: dict[Stage, None] = {}
    work = [(tensor, False) for tensor in reversed(list(outputs))]
    while work:
        tensor, ready = work.pop()
        stage = tensor.stage
        if stage is None or stage in order:
            continue
        if ready:
            order[stage] = None
        else:
            work.append((tensor, True))
            work.extend((t, False) for t in reversed(list(stage.reads)))
    return list(order)
