"""The adjoint of every operator against differences of the interpreter's results, in f64."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
from adjoint_cases import CASES, Case, cases_of
from gradient_page import PAGE, page

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.dialect import OPERATOR_FAMILIES
from relax_dialect.gradient import gradient
from relax_dialect.gradient.registry import CONSTANT, EXPANSIONS, REFUSED, RULES, load_rules
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import verify

STEP = 1e-6
load_rules()


def differentiated(case: Case) -> Any:
    """A module with `@loss`, a sum of numbers that tell the elements of the case's value apart."""
    builder = BlockBuilder()
    names: dict[int, str] = {}
    params = {
        f"x{i}": TensorType(
            [names.setdefault(d, f"n{d}") if case.is_symbolic and d > 1 else d for d in shape],
            "f64",
        )
        for i, shape in enumerate(case.shapes)
    }
    with builder.function("loss", params) as values:
        value = builder.emit(case.build(*values))
        builder.emit_func_output(builder.emit(op.sum(op.sin(value * 1.3 + 0.7))))
    module = builder.get()
    gradient(module, "loss")
    verify(module)
    return module


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_differences(name: str):
    case = CASES[name]
    module = differentiated(case)
    random = np.random.default_rng(zlib.crc32(name.encode()))
    arrays = [random.uniform(case.low, case.high, shape) for shape in case.shapes]
    value, found = run(module, "loss_adjoint", *arrays)
    assert [g.shape for g in found] == list(case.shapes)
    ways = [random.standard_normal(shape) for shape in case.shapes]
    ahead, behind = (
        run(module, "loss", *(a + step * way for a, way in zip(arrays, ways)))
        for step in (STEP, -STEP)
    )
    np.testing.assert_allclose(value, (ahead + behind) / 2, rtol=1e-6)
    along = sum(np.sum(g * way) for g, way in zip(found, ways))
    np.testing.assert_allclose(along, (ahead - behind) / (2 * STEP), rtol=1e-5, atol=1e-6)


def test_every_rule_has_a_case():
    told = {*RULES, *EXPANSIONS}
    assert {op.name for op in told} == {op.name for op in cases_of() if op in told}


def test_every_operator_has_a_rule_or_a_reason():
    tables = (RULES, EXPANSIONS, CONSTANT, REFUSED)
    for family in OPERATOR_FAMILIES:
        for each in family.OPS:
            assert sum(each in table for table in tables) == 1, each.name


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run python test/unit/support/gradient_page.py"


def test_a_product_with_zeros_among_its_factors():
    array = np.array([[0.0, 2, 3], [0, 0, 1], [1, 2, 3]])
    builder = BlockBuilder()
    with builder.function("loss", {"x": TensorType(["n", "m"], "f64")}) as (x,):
        builder.emit_func_output(builder.emit(op.sum(op.prod(x, axis=[1]))))
    module = builder.get()
    gradient(module, "loss")
    _, (found,) = run(module, "loss_adjoint", array)
    np.testing.assert_array_equal(found, [[6, 0, 0], [0, 0, 0], [6, 3, 2]])
