"""A wrong option of a pass is answered with the options that there are."""

from __future__ import annotations

import pytest

from lowering.pipeline import lower, pipeline
from relax_dialect import parse
from relax_dialect.errors import RelaxError

MESSAGES = {
    "relax-normalize{a=1}": "'relax-normalize': expected no options, found a=1",
    "relax-topological-sort{order=x}": "'relax-topological-sort': expected the options "
    "order=depth-first|breadth-first, direction=from-inputs|from-outputs, found order=x",
    "relax-quantize": "'relax-quantize': expected the options calibration=str (required), entry=str, "
    "activations=str, percentile=int|float, found no options",
    "relax-bind-symbolic-vars{vars=n sizes=a}": "'relax-bind-symbolic-vars': expected the options "
    "vars=str,... (required), sizes=int,... (required), func=str, found vars=n, sizes=a",
    "relax-simplify-algebra{fast-math=3}": "'relax-simplify-algebra': expected the options "
    "fast-math=bool, found fast-math=3",
    "relax-recognize-operators{nothing}": "'relax-recognize-operators': expected the options "
    "only=str,..., found nothing",
}


@pytest.mark.parametrize("text", MESSAGES)
def test_a_wrong_option(text: str):
    with pytest.raises(RelaxError) as error:
        pipeline([text])
    assert str(error.value) == f"pass {MESSAGES[text]}; correct the options"


def test_right_options():
    (made,) = pipeline(["relax-recognize-operators{only=norms,attention}"]).passes
    assert getattr(made, "only") == ("norms", "attention")  # noqa: B009


OF_XDSL = "apply-individual-rewrite{matched-operation-index=0 operation-name=addi pattern-name=X}"


def test_passes_of_xdsl():
    passes = pipeline(["canonicalize", "relax-dce", OF_XDSL]).passes
    origins = [type(each).__module__.partition(".")[0] for each in passes]
    assert origins == ["xdsl", "relax_dialect", "xdsl"]
    assert getattr(passes[2], "pattern_name") == "X"  # noqa: B009


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("canonicalise", "or a pass of xDSL; is canonicalize meant"),
        ("canonicalize{a=1}", "pass 'canonicalize': expected no options, found a=1"),
        (
            "apply-individual-rewrite",
            r"expected the options matched-operation-index=int \(required\)",
        ),
    ],
)
def test_passes_of_xdsl_that_are_refused(text: str, message: str):
    with pytest.raises(RelaxError, match=message):
        pipeline([text])


def test_lower_runs_passes_of_xdsl():
    module = parse("""
func.func @f(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %y = arith.addi %x, %zero : i32
  return %y : i32
}""")
    lower(module, ["canonicalize"], verify_each=True)
    assert "arith" not in str(module)
