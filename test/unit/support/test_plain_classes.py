"""The classes of the IR answer `isinstance` as plain ones do, since none is registered as another."""

from __future__ import annotations

from _abc import _get_dump  # pyright: ignore[reportMissingModuleSource]
from collections.abc import Sequence

from plain_classes import derived
from xdsl.ir import core

from relax_dialect.dialect import Relax


def registered(kind: type) -> bool:
    """Whether a class has virtual subclasses."""
    return bool(_get_dump(kind)[0])


def test_no_class_is_registered_as_another():
    kinds = {
        kind for root in (core._IRNode, core.Attribute, core.SSAValue) for kind in derived(root)
    }
    assert kinds > {*Relax.operations, *Relax.attributes}
    assert [kind for kind in kinds if registered(kind)] == []


def test_a_registered_class_is_found():
    assert registered(Sequence)
