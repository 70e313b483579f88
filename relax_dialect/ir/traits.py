"""Traits that describe how a region is read; walks over functions query them rather than op classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from xdsl.ir import Block, Operation
from xdsl.traits import OpTrait


@dataclass(frozen=True)
class RegionKind(OpTrait):
    """The dependence of a region's ops on their order; regions are ordered by default."""

    kind: Literal["ordered", "graph", "inherited"]


@dataclass(frozen=True)
class SymbolsEscape(OpTrait):
    """Symbolic variables defined in the op's region are defined after the op too."""


class ControlFlow(OpTrait):
    """The op decides which ops are evaluated; not allowed in a `relax.dataflow`."""


class Repeats(OpTrait):
    """The op's regions are evaluated any number of times: nothing sinks into them, so that outer values
    they use are evaluated before the op."""


class Straight(OpTrait):
    """The op's region holds no control flow."""


class HoldsScalars(OpTrait):
    """The op's region computes single elements with scalars: passes on bindings take the op as a whole."""


class DefersEffects(OpTrait):
    """The effects of the op's regions happen when its result is called, not when the op runs."""


@lru_cache(maxsize=4096)  # every context makes kinds of its own for ops that are not registered
def kind_has(kind: type[Operation], trait: type[OpTrait]) -> bool:
    """Return whether all ops of a kind have a trait. Walks query this for every op, so it is cached per
    kind.

    An unregistered op has no trait, and may have any effect. (xDSL's own `has_trait` returns True for every
    trait of it.)
    """
    return kind.has_trait(trait, value_if_unregistered=False)


def has_trait(op: Operation, trait: type[OpTrait]) -> bool:
    """Return whether an op has a trait."""
    return kind_has(type(op), trait)


@lru_cache(maxsize=4096)
def region_kind(kind: type[Operation]) -> Literal["ordered", "graph", "inherited"]:
    """Return the region kind of an op class."""
    for trait in kind.get_traits_of_type(RegionKind):
        return trait.kind
    return "ordered"


def calls_have_effects(op: Operation) -> bool:
    """Return whether an op makes a function whose calls may have effects: its body is ordered, wherever the
    function is made."""
    return has_trait(op, DefersEffects) and not getattr(op.results[0].type, "is_pure", True)


def is_transparent(op: Operation) -> bool:
    """Return whether the op's regions inherit the kind of the enclosing region: branches, loops, closures
    without effects."""
    return region_kind(type(op)) == "inherited" and not calls_have_effects(op)


def region_is_graph(op: Operation, inherited: bool) -> bool:
    """Return whether the regions of `op` are graph regions; `inherited` is whether its parent region is
    one."""
    return inherited if is_transparent(op) else region_kind(type(op)) == "graph"


def stands_in_graph(block: Block | None) -> bool:
    """Return whether the order of a block's ops is free."""
    op = None if block is None else block.parent_op()
    while op is not None and is_transparent(op):
        op = op.parent_op()
    return op is not None and region_is_graph(op, False)
