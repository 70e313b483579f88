"""Two functions compared: broadcasting, views, operators of which nothing is known, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from optional import package
from proof_cases import OPS, made
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import op as ops
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import parse
from relax_dialect.prove import Limits, Verdict, VerdictKind, prove

package("z3", "prove")

NM, M = TensorType(["n", "m"], "f32"), TensorType(["m"], "f32")


def program(types, build) -> ModuleOp:
    module = made(types, build)
    assert module is not None
    return module


def verdict(types, before, after) -> Verdict:
    (found,) = prove(program(types, before), program(types, after))
    return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (lambda x, y: x + y, lambda x, y: y + x),
        (lambda x, y: x - ops.negative(y), lambda x, y: ops.broadcast_to(y, ["n", "m"]) + x),
        (lambda x, y: ops.relu(x + y) * 1.0, lambda x, y: ops.maximum(y + x, 0.0)),
        (lambda x, y: ops.exp(x * y), lambda x, y: ops.exp(y * x)),
        (lambda x, y: ops.sum(ops.negative(ops.negative(x)), 0), lambda x, y: ops.sum(x, 0)),
        (
            lambda x, y: ops.reshape(ops.exp(ops.flatten(x)), ["n", "m"]),
            lambda x, y: ops.exp(x),
        ),
        (
            lambda x, y: ops.permute_dims(x + y),
            lambda x, y: ops.permute_dims(x) + ops.reshape(y, ["m", 1]),
        ),
        (lambda x, y: ops.where(x < y, y, x), lambda x, y: ops.where(y > x, y, x)),
        (lambda x, y: ops.clip(x, 0.0, 6.0), lambda x, y: ops.relu6(x)),
    ],
)
def test_equal(before, after):
    assert verdict([NM, M], before, after).kind is VerdictKind.PROVED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            lambda x, y: ops.maximum(x, 0.0),
            lambda x, y: ops.maximum(0.0, x),
        ),  # of equal zeros the first
        (lambda x, y: ops.where(x < y, y, x), lambda x, y: ops.maximum(x, y)),  # a NaN in y
        (lambda x, y: ops.exp(x), lambda x, y: ops.exp2(x)),
        (lambda x, y: x * y, lambda x, y: ops.ewise_fma(x, y, 0.0)),
        (lambda x, y: x, lambda x, y: ops.reshape(ops.permute_dims(x), ["n", "m"])),
    ],
)
def test_different(before, after):
    found = verdict([NM, M], before, after)
    assert found.kind is VerdictKind.REFUTED
    module = parse(found.counterexample)
    with np.errstate(all="ignore"):
        a, b = (run(module, f"main_{which}") for which in ("before", "after"))
    assert a.tobytes() != b.tobytes()


def test_rounding_refutes():
    types = [TensorType(["n"], "f16")] * 2
    found = verdict(types, lambda x, y: (x + y) + 1.0, lambda x, y: x + (y + 1.0))
    assert found.kind is VerdictKind.REFUTED


def test_sizes_that_broadcast_are_not_taken_for_equal():
    """x of [n] and y of [k] broadcast where one is 1: which element of x is read depends on it."""
    n, k = TensorType(["n"], "f32"), TensorType(["k"], "f32")
    found = verdict([n, k], lambda x, y: (x + y) * 1.0, lambda x, y: y + x)
    assert found.kind is VerdictKind.PROVED


@pytest.mark.parametrize("name", ["i8", "ui8", "i1"])
def test_integers(name: str):
    x = TensorType(["n"], name)
    for a, b in (("bitwise_and", "minimum"), ("bitwise_or", "maximum")):
        found = verdict([x, x], OPS[a], OPS[b])
        assert found.kind is (VerdictKind.PROVED if name == "i1" else VerdictKind.REFUTED)


def test_effects_and_branches_are_outside():
    text = """
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.call_packed "f"(%x) : (!relax.tensor<[n], f32>) -> !relax.object
  relax.return %x : !relax.tensor<[n], f32>
}"""
    branch = """
relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    relax.yield %x : !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}"""
    for each, name in ((text, "relax.call_packed"), (branch, "relax.if")):
        (found,) = prove(parse(each), parse(each))
        assert found.kind is VerdictKind.OUTSIDE and name in found.detail


def test_unknown_is_no_proof():
    """Division of f64 by bits takes z3 long."""
    types = [TensorType(["n"], "f64")] * 2
    before = program(types, lambda x, y: ops.abs(x / y))
    after = program(types, lambda x, y: ops.abs(x) / ops.abs(y))
    (found,) = prove(before, after, Limits(milliseconds=40))
    assert found.kind is VerdictKind.UNKNOWN


def test_what_both_have_is_no_reason():
    """A product is the same on both sides: the signs of its zeros are what differs."""
    types = [NM, TensorType(["m", "k"], "f32")]
    found = verdict(
        types,
        lambda x, y: ops.maximum(ops.matmul(x, y), 0.0),
        lambda x, y: ops.maximum(0.0, ops.matmul(x, y)),
    )
    assert found.kind is not VerdictKind.OUTSIDE and found.kind is not VerdictKind.PROVED
    found = verdict(
        types,
        lambda x, y: ops.relu(ops.relu(ops.matmul(x, y))),
        lambda x, y: ops.relu(ops.matmul(ops.negative(ops.negative(x)), y)),
    )
    assert found.kind is VerdictKind.PROVED


MATCH = """
relax.func @f(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {{
  %a = relax.match_cast %{0} : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
  %b = relax.zeros (relax.shape [m])
  relax.return %b : !relax.tensor<[m], f32>
}}"""


def test_a_variable_is_one_size():
    """m is the size of x before, and that of y after."""
    text = MATCH.replace(
        "%b = relax.zeros (relax.shape [m])",
        "%s = relax.shape [m]\n  %b = relax.zeros %s {{dtype = f32}} : "
        "(!relax.shape<[m]>) -> !relax.tensor<[m], f32>",
    )
    kinds = [
        prove(parse(text.format(first)), parse(text.format(second)))[0].kind
        for first, second in (("x", "x"), ("x", "y"))
    ]
    assert kinds == [VerdictKind.PROVED, VerdictKind.OUTSIDE]


MATRICES = [TensorType(["n", "k"], "f32"), TensorType(["m", "k"], "f32")]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (
            lambda x, w: ops.matmul(x, ops.permute_dims(w)),
            lambda x, w: ops.einsum([x, w], "ik,jk->ij"),
            VerdictKind.PROVED,
        ),
        (
            lambda x, w: ops.matmul(x, ops.permute_dims(w)),
            lambda x, w: ops.permute_dims(ops.matmul(w, ops.permute_dims(x))),
            VerdictKind.PROVED,
        ),
        (
            lambda x, w: ops.sum(ops.permute_dims(x), [0]),
            lambda x, w: ops.sum(x, [1]),
            VerdictKind.PROVED,
        ),
        (
            lambda x, w: ops.mean(ops.relu(x), [1], keepdims=True),
            lambda x, w: ops.expand_dims(ops.mean(ops.maximum(x, 0.0), [1]), 1),
            VerdictKind.PROVED,
        ),
        (
            lambda x, w: ops.sum(x * ops.sum(x, [1], keepdims=True), [1]),
            lambda x, w: ops.sum(x * x, [1]),
            VerdictKind.OUTSIDE,
        ),
        (
            lambda x, w: ops.matmul(x, ops.permute_dims(w)),
            lambda x, w: ops.matmul(ops.negative(x), ops.permute_dims(w)),
            VerdictKind.OUTSIDE,  # of sums no difference is taken for one
        ),
        (lambda x, w: ops.sum(x, [1]), lambda x, w: ops.max(x, [1]), VerdictKind.OUTSIDE),
    ],
)
def test_reductions(before, after, kind):
    assert verdict(MATRICES, before, after).kind is kind


def test_functions_have_symbols_of_their_own():
    found = verdict(
        [NM, M],
        lambda x, y: ops.where(ops.tanh(x) < ops.exp(x), ops.exp(y), x),
        lambda x, y: ops.where(ops.tanh(x) < ops.exp(x), ops.tanh(y), x),
    )
    assert found.kind is VerdictKind.REFUTED


DECLARED = """
func.func private @g(tensor<?xf32> {{relax.dims = ["n"]}}) -> (tensor<?xf32> {{relax.dims = ["n"]}})
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {{
  %y = relax.call_tir @g(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %z = relax.{0} %y : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}}"""


def test_declarations_are_functions_of_their_arguments():
    programs = [parse(DECLARED.format(name)) for name in ("relu", "abs")]
    (found,) = prove(programs[0], programs[0].clone())
    assert found.kind is VerdictKind.PROVED
    (found,) = prove(*programs)
    assert found.kind is VerdictKind.UNKNOWN  # the interpreter has no body to run
