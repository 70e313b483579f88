"""The type stub of the operators and their signatures."""

from inspect import signature

from operator_stubs import STUB, stub

from relax_dialect.builder import op


def test_the_stub_is_up_to_date():
    assert STUB.read_text() == stub(), "run `make pages`"


def test_functions_of_operators_show_their_arguments():
    assert str(signature(op.softmax)) == "(x, axis=-1)"
    assert "strides=1, padding=0" in str(signature(op.conv2d))
    assert "causal_mask=None" in str(signature(op.attention))


def test_every_operator_is_in_the_stub():
    text = STUB.read_text()
    own = [name for name in op.operators() if not name.startswith(("index_", "element", "compute"))]
    assert [name for name in own if f"def {name.rpartition('.')[2]}(" not in text] == []
