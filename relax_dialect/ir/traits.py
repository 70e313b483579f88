"""Traits that tell how a region is read; the walks over functions ask for them, not for op classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from xdsl.ir import Block, Operation
from xdsl.traits import OpTrait


@dataclass(frozen=True)
class RegionKind(OpTrait):
    """How the ops of a region depend on their order; a region is ordered where nothing is said."""

    kind: Literal["ordered", "graph", "inherited"]


@dataclass(frozen=True)
class SymbolsEscape(OpTrait):
    """Symbolic variables defined in the op's region are defined after the op too."""


class ControlFlow(OpTrait):
    """The op decides which ops are evaluated; it may not stand in a `relax.dataflow`."""


class Repeats(OpTrait):
    """The op's regions are evaluated any number of times: nothing sinks into them, so that what they
    use from outside is evaluated before the op."""


class Straight(OpTrait):
    """The op's region holds no control flow."""


class HoldsScalars(OpTrait):
    """The op's region computes single elements with scalars: passes on bindings take the op as a whole."""


class DefersEffects(OpTrait):
    """The effects in the op's regions happen when its result is called, not where it stands."""


@lru_cache(maxsize=4096)  # every context makes kinds of its own for ops that are not registered
def kind_has(kind: type[Operation], trait: type[OpTrait]) -> bool:
    """Whether all ops of a kind have a trait: what walks ask of every op, looked up once per kind.

    Nothing is known of an op that is not registered: it has none, and may have any effect. (xDSL's own
    `has_trait` says yes to every question about it.)
    """
    return kind.has_trait(trait, value_if_unregistered=False)


def has_trait(op: Operation, trait: type[OpTrait]) -> bool:
    """Whether an op has a trait."""
    return kind_has(type(op), trait)


@lru_cache(maxsize=4096)
def region_kind(kind: type[Operation]) -> Literal["ordered", "graph", "inherited"]:
    """How the regions of all ops of a kind are read."""
    for trait in kind.get_traits_of_type(RegionKind):
        return trait.kind
    return "ordered"


def calls_have_effects(op: Operation) -> bool:
    """Whether an op makes a function whose calls may have effects: what it holds runs in its order,
    wherever the function is made."""
    return has_trait(op, DefersEffects) and not getattr(op.results[0].type, "is_pure", True)


def is_transparent(op: Operation) -> bool:
    """Whether the op's regions are of the kind of the region it stands in: branches, loops, closures
    without effects."""
    return region_kind(type(op)) == "inherited" and not calls_have_effects(op)


def region_is_graph(op: Operation, inherited: bool) -> bool:
    """Whether the regions of `op`, which stands in a graph region or not, are graph regions."""
    return inherited if is_transparent(op) else region_kind(type(op)) == "graph"


def stands_in_graph(block: Block | None) -> bool:
    """Whether the order of a block's ops is free."""
    op = None if block is None else block.parent_op()
    while op is not None and is_transparent(op):
        op = op.parent_op()
    return op is not None and region_is_graph(op, False)
