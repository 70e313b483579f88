"""Relax functions and ops on xDSL's own interpreter, with arguments as attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.interpreter import Interpreter
from xdsl.interpreters import register_implementations
from xdsl.parser import Parser
from xdsl.traits import CallableOpInterface

from lowering.stock_interpreter import register_relax
from relax_dialect import parse
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import new_context

PROGRAM = """
relax.func @scale(%x: !relax.tensor<[n], f32>, %c: i1, %s: !relax.shape<[n]>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
  %f = relax.ones %s {dtype = f32} : (!relax.shape<[n]>) -> !relax.tensor<[n], f32>
  %r = scf.if %c -> (!relax.tensor<[n], f32>) {
    scf.yield %x : !relax.tensor<[n], f32>
  } else {
    scf.yield %f : !relax.tensor<[n], f32>
  }
  %t = relax.tuple %f, %r : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}
relax.func @taken(%t: tuple<!relax.tensor<[n], f32>, !relax.prim<m>>, %k: f32) -> f32 {
  relax.return %k : f32
}
func.func @regions(%c: i1) -> tensor<2xi64> {
  %a = relax.constant dense<[1, 2]> : tensor<2xi64>
  %b = relax.if %c : (i1) -> !relax.tensor<[2], i64> {
    %d = relax.add %a, %a : (!relax.tensor<[2], i64>, !relax.tensor<[2], i64>) -> !relax.tensor<[2], i64>
    relax.yield %d : !relax.tensor<[2], i64>
  } else {
    relax.yield %a : !relax.tensor<[2], i64>
  }
  %t = relax.to_builtin %b : (!relax.tensor<[2], i64>) -> tensor<2xi64>
  %f = relax.from_builtin %t : (tensor<2xi64>) -> !relax.tensor<[2], i64>
  %g = relax.to_builtin %f : (!relax.tensor<[2], i64>) -> tensor<2xi64>
  func.return %g : tensor<2xi64>
}
"""


def called(symbol: str, arguments: str) -> tuple[Any, ...]:
    """As `xdsl-run --symbol SYMBOL --args ARGUMENTS` does it."""
    context = new_context()
    interpreter = Interpreter(parse(PROGRAM))
    register_implementations(interpreter, context)
    register_relax(interpreter)
    function = interpreter.get_op_for_symbol(symbol)
    trait = function.get_trait(CallableOpInterface)
    assert trait is not None
    parser = Parser(context, arguments)
    given = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_attribute, parser.parse_attribute
    )
    pairs = zip(given or (), trait.get_argument_types(function), strict=True)
    return interpreter.call_op(function, tuple(interpreter.value_for_attribute(*p) for p in pairs))


@pytest.mark.parametrize("condition", ["true", "false"])
def test_arguments_and_results(condition: str):
    ((ones, chosen),) = called(
        "scale", f"dense<[1.0, 2.0]> : tensor<2xf32>, {condition}, array<i64: 2>"
    )
    np.testing.assert_array_equal(ones, np.ones(2, np.float32))
    np.testing.assert_array_equal(chosen, [1, 2] if condition == "true" else [1, 1])


def test_fields_of_tuples_and_numbers():
    (result,) = called("taken", "[dense<1.0> : tensor<3xf32>, 7 : i64], 2.5 : f32")
    assert float(getattr(getattr(result, "value", None), "data", result)) == 2.5


@pytest.mark.parametrize(("condition", "expected"), [("true", [2, 4]), ("false", [1, 2])])
def test_regions_of_relax_in_functions_of_others(condition: str, expected: list[int]):
    (result,) = called("regions", condition)
    assert result.data == expected


@pytest.mark.parametrize(
    ("symbol", "arguments", "message"),
    [
        ("scale", "dense<1> : tensor<2xi32>, true, array<i64: 2>", "expected element type f32, found i32"),
        ("scale", "dense<1.0> : tensor<2xf32>, true, array<i64: 3>", "expected 2, found 3|n = 2"),
        ("scale", "1 : i32, true, array<i64: 2>", "expected dense<...>"),
        ("scale", "dense<1.0> : tensor<2xf32>, true, 2 : i64", "expected array<i64: 2, 3>"),
        ("taken", "[dense<1.0> : tensor<3xf32>], 2.5 : f32", "expected a list of 2 attributes"),
        ("taken", "[dense<1.0> : tensor<3xf32>, 1.0 : f32], 2.5 : f32", "expected an integer"),
    ],
)  # fmt: skip
def test_arguments_that_are_refused(symbol: str, arguments: str, message: str):
    with pytest.raises(RelaxError, match=message):
        called(symbol, arguments)
