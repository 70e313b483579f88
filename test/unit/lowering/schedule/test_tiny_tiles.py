"""With tiny tiles, nothing that a strategy says of sizes keeps it from being used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module

import pytest
from test_layers import FILES
from tiny_tiles import THRESHOLDS, UNCHANGED, use_tiny_tiles
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.emit_c import emit
from lowering.support.target import NATIVE
from relax_dialect import parse

IMPORT = re.compile(r"^ *from ([\w.]+) import (\([^)]*\)|[^(\n]+)", re.MULTILINE)


@cache
def tree(module: str) -> ast.Module:
    """The code of a file."""
    return ast.parse(FILES[module].read_text("utf-8"))


@cache
def imported() -> set[tuple[str, str]]:
    """The names that files import, each with the module that it comes from."""
    return {
        (found[1], name)
        for path in FILES.values()
        for found in IMPORT.finditer(path.read_text("utf-8"))
        for name in re.findall(r"\w+", found[2])
    }


def whole_numbers(tree: ast.Module) -> Iterator[str]:
    """The constants of a file that are whole numbers."""
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id)], value=value) if is_number(value):
                yield id
            case ast.AnnAssign(target=ast.Name(id), value=value) if value and is_number(value):
                yield id
            case _:
                pass


def is_number(value: ast.expr) -> bool:
    match value:
        case ast.Constant():
            return isinstance(value.value, int)
        case ast.BinOp():
            return is_number(value.left) and is_number(value.right)
        case _:
            return False


@pytest.mark.parametrize("module", [m for m in FILES if m.startswith("lowering.schedule")])
def test_every_threshold_of_a_strategy_is_listed(module: str):
    assert set(whole_numbers(tree(module))) <= set(THRESHOLDS.get(module, ()))


@pytest.mark.parametrize("module", THRESHOLDS)
def test_what_is_listed_exists_and_is_read_in_its_own_file(module: str):
    assert set(THRESHOLDS[module]) <= set(whole_numbers(tree(module)))
    assert imported().isdisjoint((module, name) for name in THRESHOLDS[module])


def test_a_small_matmul_is_made_of_tiles(monkeypatch: pytest.MonkeyPatch):
    text = """
    relax.func @main(%x: !relax.tensor<[3, 2], f32>, %w: !relax.tensor<[2, 5], f32>) -> !relax.tensor<[3, 5], f32> {
      %y = relax.matmul %x, %w : (!relax.tensor<[3, 2], f32>, !relax.tensor<[2, 5], f32>) -> !relax.tensor<[3, 5], f32>
      relax.return %y : !relax.tensor<[3, 5], f32>
    }"""
    assert "contract_" not in lowering.to_c(parse(text), cpu=NATIVE).c
    use_tiny_tiles(monkeypatch)
    assert "contract_3x8_f32" in lowering.to_c(parse(text), cpu=NATIVE).c


def emitted(family: str) -> str:
    """The C of some cases of a family, with what is tiled now."""
    cases = import_module(f"ops.test_{family}").CASES
    module = ModuleOp([cases[name].function(name) for name in [*cases][::7]])
    return emit(lowering.lower(module), "model").c


@pytest.mark.parametrize("family", UNCHANGED)
def test_families_without_tiles_have_none(family: str, monkeypatch: pytest.MonkeyPatch):
    before = emitted(family)
    use_tiny_tiles(monkeypatch)
    assert emitted(family) == before
