"""Numbers at and beyond the extremes of every type, in every part of a script: read, or refused with a place."""

from __future__ import annotations

import re

import pytest

from relax_dialect.frontends.tvmscript import ScriptError, loads

TYPES = ("float16", "int8", "bool", "bfloat16", "uint64", "int4", "float8_e5m2", "float64")
VALUES = (
    *("0", "1", "-1", "0.5", "300", "1e5", "2**63", "2**64", "-2**63", "2**200", "10**400", "1e39"),
    *("1e400", "-1e400", "5e-324", "'nan'", "'inf'", "'-inf'", "'x'", "True", "None", "x", "b'1'"),
)
PLACES = {
    "a constant": "R.const(VALUE, 'TYPE')",
    "a number": "R.prim_value(VALUE)",
    "an attribute": "R.leakyrelu(x, VALUE)",
    "an operand": "R.add(x, VALUE)",
    "an axis": "R.sum(x, axis=VALUE)",
    "a size": "R.zeros((VALUE,), 'float32')",
    "an argument": "R.call_pure_packed('f', VALUE, sinfo_args=R.Tensor((2,), 'TYPE'))",
    "a scale": "R.vision.roi_align(im, r, (2, 2), VALUE, 2, True)",
}
HEAD = (
    "@R.function\ndef f%d(x: R.Tensor((2, 4), 'float32'), r: R.Tensor((3, 5), 'float32'),"
    " im: R.Tensor((1, 2, 8, 8), 'float32')):\n"
)


def script(place: str, dtype: str) -> str:
    """A function for each value, alone and with its type."""
    expressions = [e for v in VALUES for e in (v, f"T.{dtype}({v})")]
    bodies = [
        f"return {PLACES[place]}".replace("VALUE", e).replace("TYPE", dtype) for e in expressions
    ]
    if place == "a number":
        bodies += [f"R.func_attr({{'a': {e}}})\n    return x" for e in expressions]
    return "".join(f"{HEAD % i}    {body}\n" for i, body in enumerate(bodies))


@pytest.mark.parametrize("place", PLACES)
def test_each_is_read_or_refused(place: str):
    for dtype in TYPES if place == "a number" else TYPES[:6:2]:
        text = script(place, dtype)
        with pytest.raises(ScriptError) as caught:
            loads(text, "f.py")
        for message in re.findall(r"^f\.py:.*", str(caught.value), re.MULTILINE):
            assert re.match(r"f\.py:\d+:\d+: error: \S", message) and len(message) < 400, message


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("R.vision.roi_align(im, r, (2, 2), 0.0, 2, True)", "expected a number other than 0 as spatial_scale"),
        ("R.vision.roi_align(im, r, (2, 2), 1e-320, 2, True)", "expected a number other than 0 as spat"),
        ("R.prim_value(T.int8(300))", "expected a number that i8 holds in T.int8, found 300; write another"),
        ("R.prim_value(T.bool('nan'))", "expected a number that i1 holds in T.bool, found nan"),
        ("R.call_pure_packed('f', 2**64, sinfo_args=R.Tensor((2,), 'int8'))", "expected numbers of 64 bits"),
    ],
)  # fmt: skip
def test_the_message(expression: str, message: str):
    with pytest.raises(ScriptError, match=re.escape(message)):
        loads(f"{HEAD % 0}    return {expression}\n")


def test_floats_beyond_their_type_are_infinite():
    text = f"{HEAD % 0}    R.func_attr({{'a': T.float16(2**63), 'b': T.float32(-1e300)}})\n    return x\n"
    assert "a = 0x7c00 : f16, b = 0xff800000 : f32" in str(loads(text))
