"""The signatures of the builder's functions: in Python, and in the stubs that editors read."""

from __future__ import annotations

import ast
from inspect import signature

import pytest
from op_stubs import STUBS, text

from relax_dialect.builder import op


def test_stubs_are_up_to_date():
    """`python test/unit/support/op_stubs.py` writes them."""
    assert STUBS.read_text(encoding="utf-8") == text()


def test_stubs_declare_every_name():
    declared = {
        node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else node.target.id  # pyright: ignore
        for node in ast.parse(text()).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AnnAssign)
    }
    assert set(dir(op)) <= declared
    own = (n for n, f in vars(op).items() if getattr(f, "__module__", "") == op.__name__)
    assert {n for n in own if not n.startswith("_")} <= declared


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("softmax", ["x", "axis"]),
        ("concat", ["tensors", "axis"]),
        ("call_tir", ["callee", "args", "symbols", "result_types", "attributes"]),
    ],
)
def test_signatures(name: str, expected: list[str]):
    """What `op.softmax?` shows."""
    assert list(signature(getattr(op, name)).parameters) == expected


def test_defaults():
    found = signature(op.softmax)
    assert str(found).startswith("(x: Any, axis: Any = -1)") and found.bind(1, axis=2)
    with pytest.raises(TypeError, match="axes"):
        found.bind(1, axes=2)
