"""Dataflow patterns and rewriters, as TVM's own suite groups them: the same text of a pattern in both libraries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from optional import TVM, needs, package

from relax_dialect import dpl, interpret
from relax_dialect.analysis import name_to_binding
from relax_dialect.builder import op
from relax_dialect.frontends import tvmscript

SCRIPT = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def double(x: T.Buffer((4, 4), "float32"), y: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.sblock("y"):
                a, b = T.axis.remap("SS", [i, j])
                y[a, b] = x[a, b] * T.float32(2)
    @R.function
    def main(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32"), b: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            m = R.matmul(x, w)
            s = R.add(m, b)
            r = R.nn.relu(s)
            t = R.permute_dims(w, axes=[1, 0])
            n = R.matmul(x, t)
            q = R.nn.relu(n)
            c = R.call_tir(cls.double, (q,), out_ty=R.Tensor((4, 4), "float32"))
            p = R.call_dps_packed("f", (r, c), out_ty=R.Tensor((4, 4), "float32"))
            parts = R.split(p, 2, axis=0)
            first = parts[0]
            both = (r, q)
            one = R.add(first, R.const(1, "float32"))
            h = R.astype(m, "float16")
            v = R.reshape(q, R.shape([16]))
            d = R.divide(r, r)
            g = R.add(d, q)
            R.output(one, both, h, v, g)
        return (one, both, h, v, g)
"""
NAMES = [*"msrtnqcphvdg", "first", "both", "one"]
CASES = [
    "wildcard()",
    'is_op("relax.matmul")(wildcard(), wildcard())',
    'is_op("relax.nn.relu")(is_op("relax.add")(is_op("relax.matmul")(wildcard(), is_var("w")), wildcard()))',
    'is_op("relax.nn.relu")(is_op("relax.matmul")(wildcard(), wildcard()))',
    'is_op("relax.nn.relu")(is_op("relax.add")(wildcard(), wildcard()) | is_op("relax.matmul")(wildcard(), wildcard()))',
    'is_op("relax.matmul")(wildcard(), is_op("relax.permute_dims")(wildcard()))',
    'is_op("relax.permute_dims")(wildcard()).has_attr({"axes": [1, 0]})',
    'is_op("relax.permute_dims")(wildcard()).has_attr({"axes": [0, 1]})',
    'is_op("relax.add")(wildcard(), is_const())',
    'is_op("relax.add")(wildcard(), is_var("b"))',
    'is_op("relax.add")(wildcard(), is_var("x"))',
    'is_op("relax.add")(is_const(), wildcard())',
    'wildcard().has_dtype("float16")',
    'wildcard().has_dtype("float32") & is_op("relax.matmul")(wildcard(), wildcard())',
    "wildcard().has_shape((16,))",
    "wildcard().has_shape((4, 4)) & is_op('relax.add')(wildcard(), wildcard())",
    "is_tuple([wildcard(), wildcard()])",
    "is_tuple([wildcard()])",
    "is_tuple_get_item(wildcard(), 0)",
    "is_tuple_get_item(wildcard(), 1)",
    'is_op("relax.add")(is_tuple_get_item(is_op("relax.split")(wildcard())), wildcard())',
    'is_call_tir("double", [wildcard()])',
    'is_call_tir("double", [is_op("relax.nn.relu")(wildcard())])',
    'is_call_tir("single", [wildcard()])',
    'is_call_dps_packed("f", [wildcard(), is_call_tir("double")])',
    'is_call_dps_packed("f", [wildcard()])',
    'is_call_dps_packed("g")',
    '~is_op("relax.matmul")(wildcard(), wildcard())',
    '~(is_op("relax.nn.relu")(wildcard()) | is_op("relax.add")(wildcard(), wildcard()))',
    'is_op("relax.divide")(wildcard(), is_op("relax.nn.relu")(wildcard()))',
    "is_op('relax.nn.relu')(wildcard()) & wildcard().has_shape((4, 4))",
]


@pytest.fixture(scope="module")
def ours() -> Any:
    return tvmscript.loads(SCRIPT)


@pytest.fixture(scope="module")
def theirs() -> Any:
    tvm = package("tvm")
    return tvm.script.from_source(SCRIPT)


def their_bindings(module: Any) -> Iterator[tuple[str, Any, dict[Any, Any]]]:
    from tvm.relax.analysis import get_var2val  # pyright: ignore[reportMissingImports]

    known = get_var2val(module["main"])
    for block in module["main"].body.blocks:
        for binding in block.bindings:
            yield binding.var.name, binding.value, known


def our_function(module: Any) -> Any:
    return next(f for f in module.ops if f.sym_name.data == "main")


@pytest.mark.parametrize("pattern", CASES)
@needs(TVM)
def test_a_pattern_matches_the_same_bindings(pattern: str, ours: Any, theirs: Any):
    language = package("tvm.relax.dpl")
    made = eval(pattern, dict(vars(language)))
    wanted = {
        name
        for name, value, known in their_bindings(theirs)
        if name in NAMES and made.match(value, known)
    }
    own = eval(pattern, dict(vars(dpl)))
    bound = name_to_binding(our_function(ours))
    found = {name for name in NAMES if name in bound and own.match(bound[name][0].results[0])}
    assert found == wanted


def _swish(library: Any) -> Any:
    x = library.wildcard()
    return x, library.is_op("relax.multiply")(x, library.is_op("relax.sigmoid")(x))


def _twice(library: Any) -> Any:
    x = library.wildcard()
    return x, library.is_op("relax.add")(x, x)


def _chain(library: Any) -> Any:
    x = library.wildcard()
    return x, library.is_op("relax.exp")(library.is_op("relax.log")(x))


REWRITES = {
    "a value that is used twice": (_swish, "silu"),
    "the same operand on both sides": (_twice, "relu"),
    "matches in a chain": (_chain, "abs"),
}
CHAIN = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.sigmoid(x)
            b = R.multiply(x, a)
            c = R.add(b, b)
            d = R.exp(R.log(c))
            e = R.exp(R.log(R.exp(R.log(d))))
            f = R.add(e, a)
            R.output(f)
        return f
"""


@pytest.mark.parametrize("case", REWRITES)
@needs(TVM)
def test_rewriting_calls_computes_the_same(case: str):
    tvm, language = package("tvm"), package("tvm.relax.dpl")
    make, name = REWRITES[case]
    script = tvm.script.from_source(CHAIN)
    x, pattern = make(language)
    group = tvm.relax.op if name == "abs" else tvm.relax.op.nn
    changed = language.rewrite_call(
        pattern, lambda _, m: getattr(group, name)(m[x]), script["main"]
    )
    wanted = tvmscript.from_tvm(tvm.IRModule({"main": changed}))
    module = tvmscript.loads(CHAIN)
    x, pattern = make(dpl)
    dpl.rewrite_call(pattern, lambda _, m: getattr(op, name)(m[x]), our_function(module))
    assert f"relax.{name}" in str(module)
    assert str(module).count(f"relax.{name}") == str(wanted).count(f"relax.{name}")
    given = np.array([0.5, -2.0, 3.0, 0.1], np.float32)
    found = [interpret.run(each, "main", given) for each in (module, wanted)]
    np.testing.assert_allclose(*found, rtol=1e-6)


QKV = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), "float32"), a: R.Tensor((8, 2), "float32"), b: R.Tensor((8, 2), "float32")):
        with R.dataflow():
            p = R.matmul(x, a)
            q = R.matmul(x, b)
            s = R.add(p, q)
            R.output(s)
        return s
"""


@needs(TVM)
def test_a_context_of_parallel_products():
    """Two products of one operand are one with the weights side by side."""
    tvm, language = package("tvm"), package("tvm.relax.dpl")

    def combined(library: Any, ops: Any, function: Any) -> Any:
        with library.PatternContext() as context:
            x, left, right = (library.wildcard() for _ in range(3))
            first = library.is_op("relax.matmul")(x, left)
            second = library.is_op("relax.matmul")(x, right)

            def rewriter(matches: Any, _: Any) -> dict[Any, Any]:
                weights = ops.concat([matches[left], matches[right]], 1)
                parts = ops.split(ops.matmul(matches[x], weights), 2, 1)
                return {matches[first]: parts[0], matches[second]: parts[1]}

        return library.rewrite_bindings(context, rewriter, function)

    script = tvm.script.from_source(QKV)
    changed = combined(language, tvm.relax.op, script["main"])
    wanted = tvmscript.from_tvm(tvm.IRModule({"main": changed}))
    module = tvmscript.loads(QKV)
    combined(dpl, op, our_function(module))
    draw = np.random.default_rng(0)
    given = [draw.normal(size=s).astype("f") for s in ((4, 8), (8, 2), (8, 2))]
    for each in (module, wanted):
        assert str(each).count("relax.matmul") == 1
    found = [interpret.run(each, "main", *given) for each in (module, wanted)]
    np.testing.assert_allclose(*found, rtol=1e-5)
