"""A cast that no value at its place can pass fails where it is reached, not when it is compiled."""

from __future__ import annotations

import numpy as np
import pytest

import lowering
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.parsing import parse

pytestmark = pytest.mark.usefixtures("unoptimised")

SUMMED = "!relax.tensor<[], f32>"

CASES = {
    "size": (
        "!relax.tensor<[a, 5], f32>",
        "expected size 5 in dimension 1, found 4",
    ),
    "rank": (
        "!relax.tensor<[a, b, 2 * a], f32>",
        "expected 3 dimensions, [a, b, 2 * a], found 2, [3, 4]",
    ),
    "element_type": (
        "!relax.tensor<[a, 4], f64>",
        "expected element type f64, found f32; convert the array with astype",
    ),
}


def program(target: str) -> str:
    """Casts the 3 x 4 tensor, whose type is hidden by that of a function, where %c holds."""
    dtype = target[-4:-1]
    return f"""
relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n, 4], f32>) -> {SUMMED} {{
  %o = relax.call @hide(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object
  %y = relax.if %c : (!relax.tensor<[], i1>) -> {SUMMED} {{
    %z = relax.match_cast %o : !relax.object -> {target}
    %t = relax.add %z, %z : ({target}, {target}) -> {target}
    %u = relax.sum %t : ({target}) -> !relax.tensor<[], {dtype}>
    %s = relax.astype %u {{dtype = f32}} : (!relax.tensor<[], {dtype}>) -> {SUMMED}
    relax.yield %s : {SUMMED}
  }} else {{
    %s = relax.sum %x : (!relax.tensor<[n, 4], f32>) -> {SUMMED}
    relax.yield %s : {SUMMED}
  }}
  relax.return %y : {SUMMED}
}}
relax.func private @hide(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {{
  relax.return %x : !relax.tensor<[n, 4], f32>
}}
"""


@pytest.mark.parametrize("name", CASES)
def test_a_cast_that_cannot_pass_fails_where_it_is_reached(name: str):
    target, message = CASES[name]
    module = parse(program(target))
    compiled = lowering.compile(module.clone(), extra_flags=("-Wall", "-Wextra", "-Werror"))
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    never, always = np.array(False), np.array(True)
    assert run(module, "f", never, x) == compiled.f(never, x) == x.sum()
    expected = f"@f: relax.match_cast (%z): {message}"
    for call in (lambda: run(module, "f", always, x), lambda: compiled.f(always, x)):
        with pytest.raises(RelaxError) as caught:
            call()
        assert str(caught.value) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_loops_are_well_formed(name: str):
    """The code after the failing check has the types that it is used with."""
    module = parse(program(CASES[name][0]))
    lowering.lower(module, verify_each=True)
