"""Unsupported operators of a program, refused all at once, with counts and lines of the model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from relax_dialect.frontends.torch import buffer_updates, registry
from relax_dialect.frontends.torch.errors import TorchError
from relax_dialect.frontends.torch.fx_graphs import source_line

RANDOM = "draws random numbers, which no other generator draws again; export the model in eval mode"
COMPLEX = "works on complex numbers, which tensors of programs do not hold"

LEFT_OUT = {
    "_pdist_forward": "has pairs of rows as elements, whose number is no product of sizes; call cdist",
    "rand": RANDOM,
    "randn": RANDOM,
    "randperm": RANDOM,
    "_fft_r2c": COMPLEX,
    "_fft_c2r": COMPLEX,
    "_fft_c2c": COMPLEX,
    "resize_": "changes the sizes of a tensor in place, which values do not have",
    "sym_is_contiguous": "depends on memory, which tensors of programs do not have",
    "sym_storage_offset": "depends on memory, which tensors of programs do not have",
}
"""Operators out of scope, with the reason."""

SYMBOLIC = ("SymInt", "SymFloat", "SymBool")

SHOWN = 12
"""The most operators that an error lists one by one."""


def is_converted(node: Any) -> bool:
    """Returns whether a node needs no converter, or has one: sizes and fields of results need none."""
    name = registry.name_of(node.target) if node.op == "call_function" else registry.FIELD
    if buffer_updates.is_update(node) and buffer_updates.functional_name(node) is not None:
        return True
    return (
        name == registry.FIELD or is_number(node.meta.get("val")) or registry.find(name) is not None
    )


def is_number(example: object) -> bool:
    """Returns whether an example value is a number, or a SymInt, SymFloat or SymBool."""
    return isinstance(example, int | float) or type(example).__name__ in SYMBOLIC


def refuse_missing(name: str, nodes: Iterable[Any]) -> None:
    """Refuse a program with operators that have no converter; the error lists all of them."""
    lines: dict[str, list[str]] = defaultdict(list)
    for node in nodes:
        if not is_converted(node):
            lines[registry.name_of(node.target)].append(source_line(node))
    if not lines:
        return
    ordered = sorted(lines.items(), key=lambda item: (-len(item[1]), item[0]))
    texts = [_described(operator, found) for operator, found in ordered[:SHOWN]]
    more = f" and {len(ordered) - SHOWN} more" if len(ordered) > SHOWN else ""
    raise TorchError(
        f"{name}: expected operators that docs/torch-operators.md lists, found "
        f"{'; '.join(texts)}{more}; replace them in the model"
    )


def _described(operator: str, lines: list[str]) -> str:
    """Describe the nodes of an operator: name, count, first line, reason."""
    first = next(filter(None, lines), "")
    reason = LEFT_OUT.get(operator.partition(".")[0], "")
    place = f" at {first}" if first else ""
    return f"{operator} ({len(lines)} times{place}){': ' if reason else ''}{reason}"
