"""The error that a user reads, where the program has more than one."""

from __future__ import annotations

import pytest

from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript import loads
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


def test_a_message_about_a_long_type_keeps_its_mend():
    """A tuple of thousands of parts is no operand of an operator; the message does not spell them all."""
    text = "@R.function\ndef main(x: R.Tensor((4,), 'float32')):\n    a0 = R.tuple(x, x)\n"
    text += "".join(f"    a{i} = R.tuple(a{i - 1}, a{i - 1})\n" for i in range(1, 11))
    with pytest.raises(RelaxError) as refused:
        loads(text + "    b = R.add(a10, a10)\n    return b\n")
    message = str(refused.value)
    assert len(message) < 3000 and "correct the type, or convert the value" in message
