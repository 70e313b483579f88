"""Every rule of the verifier has a program that breaks it alone, in `test/filecheck/errors`."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from xdsl.ir import Operation

from relax_dialect.dialect import Relax
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "test" / "filecheck" / "errors").glob("*.mlir"))
_CONSTRAINT = re.compile(r"^\s*\((C\d+)\) ", re.MULTILINE)
_BROKEN = re.compile(r"^// CHECK:.*?: relax\.([\w.]+).*\((C\d+)\)", re.MULTILINE)

PLACES = (
    "relax_dialect/ops/*.py",
    "relax_dialect/prim/signature.py",
    "relax_dialect/symbolic/parse.py",
    "relax_dialect/ir/types.py",
    "relax_dialect/ir/unify.py",
    "relax_dialect/ir/visibility.py",
    "relax_dialect/ir/well_formed.py",
)
CHECKED = [path for pattern in PLACES for path in sorted(ROOT.glob(pattern))]
"""Where a program is refused."""
REFUSING = ("fail", "raise_error")
"""The methods that refuse a program, in addition to `raise`."""
FROM_PYTHON = frozenset(
    {
        "relax_dialect/ops/arguments.py attribute_of",
        "relax_dialect/ops/arguments.py refuse",
        "relax_dialect/ops/base.py RelaxOp.check_operands",
        "relax_dialect/ops/base.py to_attribute",
        "relax_dialect/ops/calls.py literal",
        "relax_dialect/ops/calls.py SymbolCallOp.infer_with",
        "relax_dialect/ops/control.py _yielded",
        "relax_dialect/ops/demands.py require",
        "relax_dialect/ops/fields.py Held.__get__",
        "relax_dialect/ops/fields.py Held.__set__",
        "relax_dialect/ops/forms.py _real",
        "relax_dialect/ops/forms.py _text",
        "relax_dialect/ops/forms.py _truth",
        "relax_dialect/ops/forms.py whole_number",
        "relax_dialect/ops/manipulate.py _left_over",
        "relax_dialect/ops/manipulate.py resolved_sizes",
        "relax_dialect/ops/operator.py operator.define",
        "relax_dialect/ops/slicing.py _resolved",
        "relax_dialect/symbolic/parse.py as_expr",
        "relax_dialect/ir/types.py FuncType.verify",
        "relax_dialect/ir/types.py as_dtype",
        "relax_dialect/ir/types.py to_builtin",
    }
)
"""Errors that only those meet who make programs in Python, or run them: no text leads there."""


def definer(op: type[Operation], constraint: str) -> type | None:
    """The class whose docstring says what a constraint of an op is: the op's own or a base of it."""
    documented = (c for c in op.__mro__ if constraint in _CONSTRAINT.findall(c.__doc__ or ""))
    return next(documented, None)


def rules() -> dict[tuple[type, str], set[str]]:
    """Each numbered constraint by the class that documents it, with the ops that it holds for."""
    found: dict[tuple[type, str], set[str]] = {}
    for op in Relax.operations:
        for constraint in {n for c in op.__mro__ for n in _CONSTRAINT.findall(c.__doc__ or "")}:
            owner = definer(op, constraint)
            assert owner is not None
            found.setdefault((owner, constraint), set()).add(op.name)
    return found


@cache
def broken() -> frozenset[tuple[str, str]]:
    """The ops and constraints that the checked messages name."""
    texts = "\n".join(path.read_text("utf-8") for path in FILES)
    return frozenset((f"relax.{name}", constraint) for name, constraint in _BROKEN.findall(texts))


def test_the_rules_are_found():
    assert {"C1", "C2", "C3", "C4"} <= {constraint for _, constraint in rules()}


@pytest.mark.parametrize("module", sorted({owner.__module__ for owner, _ in rules()}))
def test_every_numbered_constraint_has_a_file(module: str):
    missing = [
        f"{owner.__name__} ({constraint}): {', '.join(sorted(names))}"
        for (owner, constraint), names in rules().items()
        if owner.__module__ == module and not any((n, constraint) in broken() for n in names)
    ]
    assert not missing, "\n  ".join(["in test/filecheck/errors is no file for", *sorted(missing)])


def test_every_constraint_in_a_message_is_documented():
    ops = {op.name: op for op in Relax.operations}
    unknown = [(n, c) for n, c in sorted(broken()) if n not in ops or definer(ops[n], c) is None]
    assert not unknown


def refusals(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that refuse a program, with the function they stand in."""
    stack: list[tuple[Any, str]] = [(ast.parse(path.read_text("utf-8")), "")]
    while stack:
        node, place = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            place = f"{place}.{node.name}".lstrip(".")
        raises = isinstance(node, ast.Raise) and node.exc is not None
        if raises or (isinstance(node, ast.Call) and getattr(node.func, "attr", "") in REFUSING):
            yield node.lineno, place
        stack.extend((child, place) for child in ast.iter_child_nodes(node))


@pytest.fixture(scope="module")
def reached() -> set[tuple[str, int]]:
    """The lines that run while the programs are read."""
    watched = set(map(str, CHECKED))
    lines: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename not in watched:
            return None
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    before = sys.gettrace()
    for path in FILES:
        text = path.read_text("utf-8")
        sys.settrace(trace)
        try:
            parse(text)
        except RelaxError:
            pass
        finally:
            sys.settrace(before)
    return lines


@pytest.mark.long
@pytest.mark.parametrize("path", CHECKED, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_refusal_has_a_file(path: Path, reached: set[tuple[str, int]]):
    missing = [
        f"{path.relative_to(ROOT)}:{line} in {place}"
        for line, place in refusals(path)
        if (str(path), line) not in reached
        and f"{path.relative_to(ROOT)} {place}" not in FROM_PYTHON
    ]
    assert not missing, "\n  ".join(["no program in test/filecheck/errors reaches", *missing])
