"""Parameters of other types: types inferred anew through calls, loops, closures and recursion."""

from __future__ import annotations

import numpy as np
import pytest
from optional import package

from lowering import lower
from relax_dialect import RelaxError, assert_structural_equal, parse
from relax_dialect.frontends.tvmscript import from_tvm, loads
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import verify
from relax_dialect.rewrites.params.update_param_type import update_param_type
from relax_dialect.transform.regions import functions

SCRIPT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor([16], "float32"), weight: R.Tensor([32, 16], "float32")) -> R.Tensor([32], "float32"):
        out: R.Tensor([32], "float32") = R.matmul(weight, x)
        return out
"""
PROGRAM = """
!A = !relax.tensor<[4], f32>
!P = !relax.tensor<[], i1>
relax.func @closure(%x: !A, %p: !P) -> !A {
  %f = relax.closure (%q: !P) -> !A {
    %t = relax.exp %x : (!A) -> !A
    relax.return %t : !A
  }
  %r = relax.call_closure %f, %p : (!relax.func<(!P) -> !A>, !P) -> !A
  relax.return %r : !A
}
relax.func @value(%x: !A, %p: !P) -> !A {
  %f = relax.make_closure @recursion() : () -> !relax.func<(!A, !P) -> !A>
  %r = relax.call_closure %f, %x, %p : (!relax.func<(!A, !P) -> !A>, !A, !P) -> !A
  relax.return %r : !A
}
relax.func @recursion(%x: !A, %p: !P) -> !A {
  %r = relax.if %p : (!P) -> !A {
    %t = relax.exp %x : (!A) -> !A
    %not = relax.logical_not %p : (!P) -> !P
    %u = relax.call @recursion(%t, %not) : (!A, !P) -> !A
    relax.yield %u : !A
  } else {
    relax.yield %x : !A
  }
  relax.return %r : !A
}
relax.func @kept(%x: !A, %p: !P) -> !relax.tensor<[?], f32> {
  %y = relax.match_cast %x : !A -> !relax.tensor<[k], f32>
  %r = relax.exp %y : (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
  relax.return %r : !relax.tensor<[k], f32>
}
"""


def test_tvm_gives_the_same():
    tvm = package("tvm")
    relax = tvm.relax
    module = loads(SCRIPT)
    new = {"weight": TensorType([64, 16], "f32")}
    assert update_param_type(module, lambda p: new.get(p.name_hint or "")) == 1
    theirs = relax.transform.UpdateParamType(
        lambda var: relax.TensorType([64, 16], "float32") if var.name == "weight" else None
    )
    assert_structural_equal(module, from_tvm(theirs(tvm.script.from_source(SCRIPT))))


@pytest.mark.parametrize(
    ("type", "results"),
    [
        (TensorType(["n"], "f32"), ("n", "?", "?", "?")),
        (TensorType([7], "f32"), ("7", "?", "?", "?")),
        (TensorType(None, "f32"), ("*", "*", "*", "?")),
    ],
    ids=str,
)
def test_through_functions(type: TensorType, results: tuple[str, ...]):
    module, x = parse(PROGRAM), np.linspace(0, 1, 7, dtype="f")
    assert update_param_type(module, lambda p: type if p.name_hint == "x" else None) == 4
    verify(module)
    outputs = [str(f.function_type.output) for f in functions(module)]
    assert outputs == [f"!relax.tensor<{r if r == '*' else f'[{r}]'}, f32>" for r in results]
    for name in ("closure", "value", "recursion", "kept"):
        np.testing.assert_allclose(run(module, name, x, np.array(True)), np.exp(x), rtol=1e-6)


def test_what_no_longer_fits():
    module = loads(SCRIPT)
    wrong = {
        'params=weight types="!relax.tensor<[32, 15], f32>"': "@main: relax.matmul .*expected the last size",
        'params=weights types="i64"': r"expected names of parameters \(x, weight\), found 'weights'",
        'params=x,weight types="i64"': "expected one type for each parameter",
        'params=x types="tensor"': "expected a type, found 'tensor'",
        'params=x types="!relax.tensor<[n * m], f32>"': "@main: .*'?m'?",
        'params=x types="i64" func=f': "found @f; correct the option func",
    }
    for options, message in wrong.items():
        with pytest.raises(RelaxError, match=message):
            lower(module.clone(), [f"relax-update-param-type{{{options}}}"])
    boxes = parse("""relax.func @main(%x: !relax.tensor<[b, n, 6], f32>) -> !relax.object {
      %c, %s, %k = relax.get_valid_counts %x : (!relax.tensor<[b, n, 6], f32>)
        -> (!relax.tensor<[b], i32>, !relax.tensor<[b, n, 6], f32>, !relax.tensor<[b, n], i32>)
      relax.return %c : !relax.tensor<[b], i32>
    }""")
    with pytest.raises(RelaxError, match=r"@main: relax.get_valid_counts .*'data' of rank 3"):
        update_param_type(boxes, lambda _: TensorType([4, 4], "f32"))
    called = parse(PROGRAM)
    with pytest.raises(RelaxError, match=r"relax\.call @recursion|call_closure"):
        lower(
            called,
            ['relax-update-param-type{params=x types="!relax.tensor<[5], f32>" func=recursion}'],
        )


def test_functions_that_are_no_longer_alike():
    mixed = (
        PROGRAM
        + """
relax.func @mixed(%z: !A, %p: !P) -> !A {
  %f = relax.if %p : (!P) -> !relax.func<(!A, !P) -> !A> {
    %g = relax.make_closure @recursion() : () -> !relax.func<(!A, !P) -> !A>
    relax.yield %g : !relax.func<(!A, !P) -> !A>
  } else {
    %h = relax.make_closure @value() : () -> !relax.func<(!A, !P) -> !A>
    relax.yield %h : !relax.func<(!A, !P) -> !A>
  }
  %r = relax.call_closure %f, %z, %p : (!relax.func<(!A, !P) -> !A>, !A, !P) -> !A
  relax.return %r : !A
}
"""
    )
    options = 'params=x types="!relax.tensor<[?, 2], f32>" func=recursion'
    with pytest.raises(RelaxError, match="call_closure"):
        lower(parse(mixed), [f"relax-update-param-type{{{options}}}"])
