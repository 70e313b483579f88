"""Values of given types as operands of ops that are built and never run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops.base import IllFormedOpError


def value(type: Attribute) -> SSAValue:
    return TestOp(result_types=[type]).results[0]


def x(*dims: object, dtype: str | None = "f32") -> SSAValue:
    """A tensor of a type."""
    return value(TensorType(dims, dtype))  # pyright: ignore[reportArgumentType]


def ranked(dtype: str | None = "f32") -> SSAValue:
    """A tensor of unknown rank."""
    return value(TensorType(None, dtype))


def shape(*dims: object) -> SSAValue:
    """A shape of given sizes."""
    return value(ShapeType(dims))  # pyright: ignore[reportArgumentType]


def refused(constraint: str, build: Callable[[], Operation]) -> None:
    """Building the op fails by the constraint."""
    with pytest.raises(IllFormedOpError, match=rf"\({constraint}\)"):
        build()


def inferred(
    op: type[Operation], operands: Sequence[SSAValue], **properties: Attribute
) -> Operation:
    """An op as it is read from a text, after inference."""
    made = op.create(
        operands=operands, result_types=[TensorType(None)], properties=dict(properties)
    )
    made.infer()  # pyright: ignore[reportAttributeAccessIssue]
    return made
