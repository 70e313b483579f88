"""The drivers and names of TVM, on our patterns."""

from __future__ import annotations

import numpy as np
import pytest
from test_rewriting import ARGUMENT, DOUBLE, T, binary, dataflow, function, names, run, unary

from relax_dialect import dpl
from relax_dialect.builder import op
from relax_dialect.dpl import (
    FuseOpsByPattern,
    PatternContext,
    PatternError,
    is_dfv,
    is_gv,
    is_op,
    rewrite,
    rewrite_bindings,
    rewrite_call,
    wildcard,
)
from relax_dialect.ops.blocks import DataflowOp

PAIR = unary("a", "exp", "x") + unary("b", "tanh", "x") + binary("r", "add", "a", "b")


def block_of(module) -> DataflowOp:
    return next(o for o in module.walk() if isinstance(o, DataflowOp))


def test_rewrite_call():
    x, module = wildcard(), function(DOUBLE)
    pattern = is_op("negative")(is_op("negative")(x))
    assert rewrite_call(pattern, lambda call, found: found[x], module) is module
    assert names(module) == ["exp"]
    assert rewrite_call(is_op("exp")(x), lambda call, found: call, module) is module
    assert names(module) == ["exp"], "what is given back stays"


def test_what_is_written_again_stays():
    """A rewriter may give the match as it is in new ops: nothing changes, and it ends."""
    module = function(dataflow(PAIR))
    before = str(module)
    x, y = wildcard(), wildcard()
    pattern = is_op("add")(is_op("exp")(x), y)
    assert rewrite(pattern, lambda root, m: op.add(op.exp(m[x]), m[y]), module) == 0
    assert str(module) == before


def test_a_context_matches_all_that_is_made_in_it():
    module = function(dataflow(PAIR))
    with PatternContext() as ctx:
        x = wildcard()
        exp, tanh = is_op("exp")(x), is_op("tanh")(x)
        found = ctx.match_dfb(block_of(module))
    assert found is not None
    assert (found[exp].name, found[tanh].name, found[x].name) == ("a", "b", "x")
    with PatternContext() as ctx:
        is_op("exp")(x := wildcard())
        is_op("tanh")(is_op("exp")(x))
    assert ctx.match_dfb(block_of(module)) is None


def test_users_in_a_context():
    module = function(dataflow(PAIR))
    with PatternContext() as ctx:
        exp, add = is_op("exp"), is_op("add")
        exp ^ add
    found = ctx.match_dfb(block_of(module))
    assert found is not None and (found[exp].name, found[add].name) == ("a", "r")
    with PatternContext() as ctx:
        wildcard().used_by(is_op("tanh")).used_by(is_op("abs"))
    assert ctx.match_dfb(block_of(module)) is None


def test_contexts_inside_each_other_and_empty_ones():
    with PatternContext() as outer:
        is_op("exp")
        with PatternContext() as inner:
            is_op("tanh")
        is_op("add")
    assert [len(ctx._made) for ctx in (outer, inner)] == [2, 1]  # pyright: ignore
    with PatternContext() as ctx:
        pass
    with pytest.raises(PatternError, match="expected patterns made inside"):
        ctx.match_dfb(block_of(function(dataflow(PAIR))))
    with pytest.raises(PatternError, match="match_dfb: expected a block, found"):
        outer.match_dfb(function(dataflow(PAIR)))  # pyright: ignore


def test_rewrite_bindings():
    module = function(dataflow(PAIR))
    before = run(module)
    with PatternContext() as ctx:
        x = wildcard()
        exp, tanh = is_op("exp")(x), is_op("tanh")(x)

    def swapped(found, bindings):
        assert bindings[found[exp].value].name == "relax.exp" and len(bindings) == 2
        return {found[exp]: op.abs(op.exp(found[x])), found[tanh]: op.negative(op.abs(found[x]))}

    assert rewrite_bindings(ctx, swapped, module) is module
    assert sorted(names(module)) == ["abs", "abs", "add", "exp", "negative"]
    np.testing.assert_allclose(
        run(module), before - np.tanh(ARGUMENT) - np.abs(ARGUMENT), rtol=1e-5, atol=1e-6
    )


def test_rewrite_bindings_of_what_is_no_root():
    x = wildcard()
    with PatternContext() as ctx:
        inner = is_op("negative")(x)
        is_op("negative")(inner)
    with pytest.raises(dpl.RewriteError, match="found one for %a, which is none"):
        rewrite_bindings(ctx, lambda m, b: {m[inner]: m[x]}, function(DOUBLE))
    module = function(DOUBLE)
    rewrite_bindings(ctx, lambda m, b: {}, module)
    assert names(module) == ["negative", "negative", "exp"]


def test_partition_as_a_method():
    module = function(DOUBLE)
    pattern = is_op("negative")(is_op("negative")(wildcard()))
    assert pattern.partition(module, {"Codegen": "mine"}, lambda match: True) is module
    assert "@fused_negative_negative" in str(module) and 'Codegen = "mine"' in str(module)


def test_fuse_ops_by_pattern():
    x = wildcard()
    inner = is_op("negative")(x)
    seen = []

    def check(context) -> bool:
        seen.append((context.matched_expr.name, context.annotated_expr["inner"].name))
        return True

    module = function(DOUBLE)
    rows = [
        ("mine.exp", is_op("exp")(wildcard())),
        ("mine.two", is_op("negative")(inner), {"inner": inner}, check),
    ]
    assert FuseOpsByPattern(rows, annotate_codegen=True)(module) is module
    assert seen == [("b", "a")]
    text = str(module)
    assert 'Composite = "mine.two", Codegen = "mine"' in text and 'Composite = "mine.exp"' in text
    with pytest.raises(
        PatternError, match=r"expected .name, pattern., .name, pattern, annotations. or"
    ):
        FuseOpsByPattern([("mine.exp",)])
    with pytest.raises(
        PatternError, match="expected a dict of names and patterns as the annotations"
    ):
        FuseOpsByPattern([("mine.exp", inner, check)])


def test_functions_by_name():
    body = f"%y = relax.call @g(%x) : ({T}) -> {T}"
    module = function(body.replace("@g", "@f"))
    x = wildcard()
    assert [len(p.find_all(module)) for p in (is_gv("f")(x), is_gv()(x), is_gv("f"))] == [1, 1, 1]
    assert not is_gv("h")(x).find_all(module) and not is_gv("f")(x, x).find_all(module)


def test_variables_of_dataflow_blocks():
    module = function(dataflow(PAIR))
    assert len(is_dfv().find_all(module)) == 3
    assert len(is_dfv("a").find_all(module)) == 1
    assert is_op("add")(is_dfv("a"), is_dfv()).find_all(module)
    assert not is_op("exp")(is_dfv()).find_all(module), "a parameter is none"
    assert not is_dfv().find_all(function(unary("y", "exp", "x")))


def test_names_of_classes():
    x = wildcard()
    made = {
        dpl.WildcardPattern: x,
        dpl.CallPattern: is_op("exp")(x),
        dpl.OrPattern: is_op("exp") | is_op("tanh"),
        dpl.AndPattern: x & is_op("exp"),
        dpl.NotPattern: ~is_op("exp"),
        dpl.AttrPattern: x.has_attr("axis", 1),
        dpl.TuplePattern: dpl.is_tuple(),
        dpl.TupleGetItemPattern: x[0],
        dpl.DominatorPattern: dpl.dominates(x, x, is_op("exp")),
        dpl.FunctionPattern: dpl.is_function(None, x),
        dpl.VarPattern: dpl.is_var(),
        dpl.ConstantPattern: dpl.is_const(),
    }
    for kind, pattern in made.items():
        assert type(pattern) is kind and isinstance(pattern, dpl.DFPattern)
