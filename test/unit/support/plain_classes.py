"""The classes of xDSL's IR answer `isinstance` as any class does.

They are abstract base classes, which ask a cache of weak references each time: a fourteenth of what the compiler
computes. The answer is the same, as no class is registered as one of them. With RELAX_ABSTRACT_CLASSES=1, as in
`make pytest-xdsl`, and in the tools' own processes all is as users have it.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Iterator

from xdsl.ir import core


class PlainMeta(ABCMeta):
    """The metaclass of the IR's classes; those that are derived later inherit it."""

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__


def use_plain_classes() -> None:
    """Takes least time before the dialects are imported."""
    for root in (core._IRNode, core.Attribute, core.SSAValue):
        for kind in (root, *derived(root)):
            if type(kind) is ABCMeta:
                kind.__class__ = PlainMeta


def derived(kind: type) -> Iterator[type]:
    """The classes that are derived from one, at any distance."""
    for each in type.__subclasses__(kind):
        yield each
        yield from derived(each)
