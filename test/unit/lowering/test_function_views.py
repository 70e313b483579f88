"""Reshapes are views of one memory: values are as without them, and no result, loop or branch shares its own."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from lowering.runtime.loading import CompiledModule
from relax_dialect import interpret, parse


def t(dims: str) -> str:
    return f"!relax.tensor<[{dims}], f32>"


def reshape(result: str, value: str, old: str, new: str) -> str:
    return f"""
  %s{result} = relax.shape [{new}]
  %{result} = relax.reshape %{value}, %s{result} : ({t(old)}, !relax.shape<[{new}]>) -> {t(new)}"""


def unary(result: str, op: str, value: str, dims: str) -> str:
    return f"\n  %{result} = relax.{op} %{value} : ({t(dims)}) -> {t(dims)}"


def function(name: str, params: str, result: str, body: str, value: str) -> str:
    return f"relax.func @{name}({params}) -> {result} {{{body}\n  relax.return %{value} : {result}\n}}\n"


def pair(result: str, a: str, b: str, types: str) -> str:
    return f"\n  %{result} = relax.tuple %{a}, %{b} : ({types}) -> tuple<{types}>"


X, FLAT, CUBE = "n, 12", "12 * n", "n, 3, 4"
BOTH = f"{t(X)}, {t(FLAT)}"
LOOP = f"""
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %two = relax.constant dense<2> : tensor<i64>{unary("e", "exp", "x", X)}{reshape("i", "e", X, CUBE)}
  %k, %y = relax.while (%a = %zero, %b = %i) : (!relax.tensor<[], i64>, {t(CUBE)}) -> (!relax.tensor<[], i64>, {t(CUBE)}) {{
    %more = relax.less %a, %two : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i1>
    relax.yield %more : !relax.tensor<[], i1>
  }} do {{
    %next = relax.add %a, %one : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i64>
    {reshape("f", "b", CUBE, FLAT)}{unary("g", "negative", "f", FLAT)}{reshape("c", "g", FLAT, CUBE)}
    relax.yield %next, %c : !relax.tensor<[], i64>, {t(CUBE)}
  }}{pair("r", "i", "y", f"{t(CUBE)}, {t(CUBE)}")}"""
BRANCH = f"""
  {unary("e", "exp", "x", X)}{reshape("v", "e", X, FLAT)}
  %y = relax.if %c : (!relax.tensor<[], i1>) -> {t(FLAT)} {{
    relax.yield %v : {t(FLAT)}
  }} else {{
    {unary("m", "negative", "e", X)}{reshape("w", "m", X, FLAT)}
    relax.yield %w : {t(FLAT)}
  }}{pair("r", "e", "y", BOTH)}"""

PROGRAM = "".join(
    [
        function("parameter", f"%x: {t(X)}", t(CUBE), reshape("y", "x", X, CUBE), "y"),
        # the first value is last used through the second
        function(
            "between",
            f"%x: {t(X)}",
            t(X),
            unary("a", "exp", "x", X)
            + reshape("b", "a", X, FLAT)
            + reshape("c", "b", FLAT, CUBE)
            + unary("d", "negative", "c", CUBE)
            + reshape("e", "d", CUBE, X),
            "e",
        ),
        function(
            "same_twice",
            f"%x: {t(X)}",
            f"tuple<{BOTH}>",
            unary("a", "exp", "x", X) + reshape("b", "a", X, FLAT) + pair("r", "a", "b", BOTH),
            "r",
        ),
        function(
            "ones",
            f"%x: {t('1, 1')}",
            t("1"),
            unary("a", "exp", "x", "1, 1")
            + reshape("b", "a", "1, 1", "")
            + unary("c", "negative", "b", "")
            + reshape("d", "c", "", "1"),
            "d",
        ),
        function(
            "empty",
            f"%x: {t('n, 0')}",
            t("0, n, 5"),
            unary("a", "exp", "x", "n, 0")
            + reshape("b", "a", "n, 0", "0")
            + unary("c", "exp", "b", "0")
            + reshape("d", "c", "0", "0, n, 5"),
            "d",
        ),
        function(
            "constants",
            f"%x: {t('n, 2, 2')}",
            t("n, 2, 2"),
            """
  %a = relax.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %b = relax.constant dense<2.0> : tensor<4xf32>"""
            + reshape("v", "a", "4", "2, 2")
            + reshape("w", "b", "4", "2, 2")
            + f"\n  %y = relax.add %x, %v : ({t('n, 2, 2')}, {t('2, 2')}) -> {t('n, 2, 2')}"
            + f"\n  %z = relax.multiply %y, %w : ({t('n, 2, 2')}, {t('2, 2')}) -> {t('n, 2, 2')}",
            "z",
        ),
        function("loop", f"%x: {t(X)}", f"tuple<{t(CUBE)}, {t(CUBE)}>", LOOP, "r"),
        function("branch", f"%x: {t(X)}, %c: !relax.tensor<[], i1>", f"tuple<{BOTH}>", BRANCH, "r"),
        function(
            "in_place",
            f"%x: {t(X)}",
            t(FLAT),
            unary("a", "exp", "x", X)
            + reshape("b", "a", X, FLAT)
            + f"\n  %c = relax.call_tir_inplace @double(%b) {{inplace_indices = array<i64: 0>}} : ({t(FLAT)}) -> {t(FLAT)}",
            "c",
        ),
        function(
            "not_in_place",
            f"%x: {t(X)}",
            f"tuple<{BOTH}>",
            unary("a", "exp", "x", X)
            + reshape("b", "a", X, FLAT)
            + f"\n  %c = relax.call_tir_inplace @double(%b) {{inplace_indices = array<i64: 0>}} : ({t(FLAT)}) -> {t(FLAT)}"
            + pair("r", "a", "c", BOTH),
            "r",
        ),
    ]
)
DOUBLE = """
func.func private @double(%x: tensor<?xf32> {relax.dims = ["k"]}) -> (tensor<?xf32> {relax.dims = ["k"]}) {
  %c0 = arith.constant 0 : index
  %k = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%k) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}
"""


@pytest.fixture(scope="module")
def text() -> str:
    return lowering.to_c(parse(PROGRAM + DOUBLE), "views").c


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return lowering.compile(parse(PROGRAM + DOUBLE), extra_flags=UNOPTIMISED)


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def results(value: Any) -> list[np.ndarray]:
    return list(value) if isinstance(value, tuple) else [value]


CALLS: dict[str, list[tuple[np.ndarray, ...]]] = {
    **{
        name: [(random(n, 12),) for n in (0, 1, 7)]
        for name in ("parameter", "between", "same_twice", "loop", "in_place", "not_in_place")
    },
    "branch": [(random(3, 12), np.array(taken)) for taken in (True, False)],
    "ones": [(random(1, 1),)],
    "empty": [(random(n, 0),) for n in (0, 3)],
    "constants": [(random(n, 2, 2),) for n in (0, 5)],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_compiled_and_interpreted_agree(model: CompiledModule, name: str):
    module = parse(PROGRAM + DOUBLE)
    for arguments in CALLS[name]:
        before = [a.copy() for a in arguments]
        found = results(model[name](*arguments))
        wanted = results(interpret.run(module, name, *arguments))
        assert len(found) == len(wanted)
        for result, expected in zip(found, wanted):
            assert result.shape == expected.shape
            np.testing.assert_allclose(result, expected, rtol=1e-6)
        for argument, copy in zip(arguments, before):
            np.testing.assert_array_equal(argument, copy)


@pytest.mark.slow
def test_results_share_no_memory(model: CompiledModule):
    x = random(4, 12)
    for name, arguments in (("same_twice", (x,)), ("loop", (x,)), ("branch", (x, np.array(True)))):
        first, second = model[name](*arguments)
        assert not np.may_share_memory(first, second), name
    assert not np.may_share_memory(model.parameter(x), x)


@pytest.mark.slow
def test_a_reshape_between_kernels_costs_nothing(text: str):
    (body,) = re.findall(r"^static int between\(.*?^}", text, re.M | re.S)
    assert body.count("allocate(&live") == 1  # what exp gives, over which negative writes
    assert "memcpy" not in body and "for (" not in body and "reshape" not in body


@pytest.mark.slow
def test_what_is_written_in_place_is_no_copy(text: str):
    bodies = {
        name: re.findall(rf"^static int {name}\(.*?^}}", text, re.M | re.S)[0]
        for name in ("in_place", "not_in_place")
    }
    assert bodies["in_place"].count("allocate(&live") == 1
    assert bodies["not_in_place"].count("allocate(&live") == 2
