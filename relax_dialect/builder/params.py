"""Parameters of functions and closures: how they are declared, and their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from xdsl.ir import Attribute, Block

from relax_dialect.builder.open_regions import BuildError
from relax_dialect.builder.values import Value, Var
from relax_dialect.te.emit.scalar_emitter import name_hint

Params: TypeAlias = Sequence[tuple[str, Attribute] | Var] | Mapping[str, Attribute]
"""Pairs of name and type, variables made with `var`, or a mapping of names to types."""


def declared_params(params: Params) -> list[tuple[str, Attribute]]:
    """Return names and types of parameters. Raises `BuildError` for other entries and duplicate names."""
    entries: Iterable[Any] = params.items() if isinstance(params, Mapping) else params
    found: dict[str, Attribute] = {}
    for entry in entries:
        match (entry.name, entry.type) if isinstance(entry, Var) else entry:
            case (str() as name, Attribute() as type):
                if name in found:
                    raise BuildError(
                        f"params: expected each name once, found '{name}' twice; rename one of them"
                    )
                found[name] = type
            case _:
                raise BuildError(
                    f"params: expected pairs of name and type, or var(...), found {entry!r}; write "
                    '("x", TensorType([4], "f32"))'
                )
    return list(found.items())


def bind(
    block: Block, params: Params, declared: Sequence[tuple[str, Attribute]]
) -> tuple[Value, ...]:
    """Return the values of the parameters; a `var` becomes the value of its parameter."""
    values: list[Value] = []
    entries = [None] * len(declared) if isinstance(params, Mapping) else params
    for argument, (name, _), entry in zip(block.args, declared, entries):
        argument.name_hint = name_hint(name)
        if isinstance(entry, Var):
            entry._value = argument
            values.append(entry)
        else:
            values.append(Value(argument))
    return tuple(values)
