"""A wrong option of a pass is answered with the options that there are."""

from __future__ import annotations

import pytest

from lowering.pipeline import pipeline
from relax_dialect.errors import RelaxError

MESSAGES = {
    "relax-dce{a=1}": "'relax-dce': expected no options, found a=1",
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
