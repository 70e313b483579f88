"""The error that a user reads, where the program has more than one."""

from __future__ import annotations

import pytest

from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse

TWO_MISTAKES = """
relax.func @f(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[4], f32> {
  relax.return %x : !relax.tensor<[k], f32>
}
relax.func @g(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
  %y = "relax.call_tir"(%x) : (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
  relax.return %y : !relax.tensor<[k], f32>
}
"""
"""The second function's op lacks a property that its own check asks for."""


def test_the_first_of_two_mistakes_is_told():
    with pytest.raises(RelaxError, match=r"@f: relax\.return: expected a value of the declared"):
        parse(TWO_MISTAKES)
