"""Targets of functions, which are differentiated by, and the parameters of the functions that are added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import Attribute, Block, SSAValue

from relax_dialect.gradient.cotangents import is_differentiable
from relax_dialect.gradient.errors import GradientError
from relax_dialect.te.emit.scalar_emitter import name_hint

Target = str | int
"""A parameter, by its name or index, or an intermediate value by its name."""


def intermediates(block: Block) -> Iterator[SSAValue]:
    """The results of the ops of a function in A-normal form, which has no blocks."""
    return (result for operation in block.ops for result in operation.results)


def target_values(block: Block, targets: Iterable[int]) -> list[SSAValue]:
    """The values of targets, which are counted through parameters, then through intermediate values."""
    count = len(block.args)
    inner = [*intermediates(block)] if any(i >= count for i in targets) else []
    return [block.args[i] if i < count else inner[i - count] for i in targets]


def targets_of(
    name: str,
    parameters: Sequence[SSAValue],
    wrt: Sequence[Target] | None,
    inner: Sequence[SSAValue] = (),
) -> tuple[int, ...]:
    """The targets of `@name`, all parameters of floats by default; `inner` are intermediate values."""
    if wrt is None:
        return tuple(i for i, p in enumerate(parameters) if is_differentiable(p.type))
    if (alone := told_alone(wrt)) is not None:
        raise GradientError(f"@{name}: wrt: expected a list of parameters, found {alone}")
    found: dict[int, None] = {}
    for target in wrt:
        place = place_of(target, parameters)
        if place is None and (at := place_of_name(target, inner)) is not None:
            place = len(parameters) + at
        if place is None:
            names = ", ".join(f"'{n}'" for n in by_name(parameters)) or "it has none"
            raise GradientError(
                f"@{name}: expected parameters to differentiate by ({names}), found {target!r}; "
                f"{mend_of(target, parameters, inner)}"
            )
        type = [*parameters, *inner][place].type
        if not is_differentiable(type):
            what = "parameter" if place < len(parameters) else "value"
            raise GradientError(
                f"@{name}: expected a {what} of floats to differentiate by, found '{target}' of "
                f"type {type}; leave it out"
            )
        if place in found:
            raise GradientError(
                f"@{name}: expected each parameter to differentiate by once, found {target!r} twice; "
                "leave it out"
            )
        found[place] = None
    return tuple(found)


def declared(block: Block) -> list[tuple[str, Attribute]]:
    """Return the parameters of a function, by name and type."""
    return [(p.name_hint or f"x{i}", p.type) for i, p in enumerate(block.args)]


def by_name(parameters: Sequence[SSAValue]) -> dict[str, int]:
    """Return the indices of parameters by name, except for ambiguous names."""
    names = [p.name_hint for p in parameters]
    return {n: i for i, n in enumerate(names) if n is not None and names.count(n) == 1}


def place_of(target: Target, parameters: Sequence[SSAValue]) -> int | None:
    """Return the index of a parameter, counted from 0, by its name or index; None if there is no such."""
    if isinstance(target, int) and not isinstance(target, bool):
        return target if 0 <= target < len(parameters) else None
    return place_of_name(target, parameters)


def place_of_name(target: Target, values: Sequence[SSAValue]) -> int | None:
    """The index of the one value of a name; None if there is none, or several."""
    return by_name(values).get(target) if isinstance(target, str) else None


def told_alone(targets: object) -> str | None:
    """Describe an argument that is no list of parameters, with the remedy; None if it is a list."""
    if isinstance(targets, str | int):
        return f"one {'text' if isinstance(targets, str) else 'number'}; write [{targets!r}]"
    return None if isinstance(targets, Iterable) else f"{targets!r}; put them into one"


def mend_of(target: Target, parameters: Sequence[SSAValue], inner: Sequence[SSAValue] = ()) -> str:
    """The mend for a parameter that was not found. A suffix as in `w_1` is no part of a name, so several
    parameters may have the same one."""
    if not isinstance(target, str):
        return f"write a name, or an index from 0 to {len(parameters) - 1}"
    name = name_hint(target)
    places = [str(i) for i, p in enumerate(parameters) if p.name_hint in (target, name)]
    if len(places) > 1:
        return f"{len(places)} are called '{name}': write its index, {' or '.join(places)}"
    if count := sum(value.name_hint == name for value in inner):
        return f"{count} values of its body are called '{name}': rename the one that is meant"
    return f"it is called '{name}'" if places else "correct the name"


def distinct(parameters: Sequence[tuple[str, Attribute]]) -> dict[str, Attribute]:
    """Parameters each under a name of its own."""
    found: dict[str, Attribute] = {}
    for name, type in parameters:
        own, number = name, 1
        while own in found:
            own, number = f"{name}_{number}", number + 1
        found[own] = type
    return found
