"""Values that a rewrite may use, and where: symbolic variables too, several roots in an ordered block."""

from __future__ import annotations

import numpy as np
import pytest
from effort import effort
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker

import relax_dialect
from relax_dialect import interpret
from relax_dialect.builder import Value, op
from relax_dialect.dpl import (
    PatternError,
    RewriteError,
    is_op,
    rewrite,
    rule,
    together,
    wildcard,
)

T = "!relax.tensor<[n], f32>"
M = "!relax.tensor<[m], f32>"
x, o = wildcard(), wildcard()
ARGUMENT = np.array([-2.0, 0.5, 3.0], np.float32)


def parse(body: str, parameters: str = f"%x: {T}", result: str = T) -> ModuleOp:
    return relax_dialect.parse(f"relax.func @f({parameters}) -> {result} {{\n{body}\n}}")


def made_by(module: ModuleOp, name: str) -> SSAValue:
    """The result of the first op of that name."""
    return next(o for o in module.walk() if o.name == f"relax.{name}").results[0]


TWO_ROOTS = f"""
  %a = relax.relu %x : ({T}) -> {T}
  %e = relax.exp %x : ({T}) -> {T}
  %s = relax.add %e, %x : ({T}, {T}) -> {T}
  %t = relax.multiply %a, %s : ({T}, {T}) -> {T}
  relax.return %t : {T}
"""


def test_an_inner_value_of_a_later_root_may_be_used():
    module = parse(TWO_ROOTS)
    before = interpret.run(module, "f", ARGUMENT)
    inner = is_op("exp")(x)
    pattern = together(is_op("relu")(x), is_op("add")(inner, x))
    count = rewrite(
        pattern,
        lambda root, m: [op.maximum(m[x], op.zeros_like(m[x])), op.subtract(m[inner], -m[x])],
        module,
    )
    assert count == 1
    relax_dialect.verify(module)
    np.testing.assert_allclose(interpret.run(module, "f", ARGUMENT), before, rtol=1e-6)


def test_roots_between_which_a_variable_is_defined_stay():
    """The input of the second root names m: it cannot move in front of the cast that defines m."""
    result = f"tuple<{T}, !relax.tensor<[?], f32>>"
    module = parse(
        f"""
      %a = relax.relu %x : ({T}) -> {T}
      %zz = relax.match_cast %z : !relax.tensor<*, f32> -> {M}
      %sh = relax.shape [m]
      %o = relax.ones %sh {{dtype = f32}} : (!relax.shape<[m]>) -> {M}
      %s = relax.add %x, %o : ({T}, {M}) -> !relax.tensor<[?], f32>
      %t = relax.tuple %a, %s : ({T}, !relax.tensor<[?], f32>) -> {result}
      relax.return %t : {result}""",
        f"%x: {T}, %z: !relax.tensor<*, f32>",
        result,
    )
    pattern = together(is_op("relu")(x), is_op("add")(x, o))
    assert pattern.find_all(module)
    before = str(module)
    assert rewrite(pattern, lambda root, m: [op.abs(m[x]), op.add(m[o], m[x])], module) == 0
    assert str(module) == before


def test_a_location_for_each_root():
    module = parse(TWO_ROOTS)
    relu, add = made_by(module, "relu").owner, made_by(module, "add").owner
    assert isinstance(relu, Operation) and isinstance(add, Operation)
    places = [FileLineColLoc(StringAttr("f.py"), IntAttr(line), IntAttr(1)) for line in (3, 9)]
    relu.location, add.location = places
    pattern = together(is_op("relu")(x), is_op("add")(o, x))
    rewrite(pattern, lambda root, m: [op.abs(m[x]), op.subtract(m[o], m[x])], module)
    found = [made_by(module, name).owner for name in ("abs", "subtract")]
    assert [o.location for o in found if isinstance(o, Operation)] == places


class TestScope:
    """A value or variable that is not there yet is refused with the rule and its line."""

    @pytest.mark.parametrize("kind", ["dataflow", "graph"])
    def test_a_value_computed_from_the_root(self, kind: str):
        module = parse(
            f"""%g = relax.{kind} {{
          %a = relax.relu %x : ({T}) -> {T}
          %b = relax.exp %a : ({T}) -> {T}
          relax.output %b : {T}
        }}
        relax.return %g : {T}"""
        )
        later = made_by(module, "exp")
        message = r"rule '<lambda>' \(test_scopes.py:\d+\): .* which is computed from what is to be replaced"
        with pytest.raises(RewriteError, match=message):
            rewrite(is_op("relu")(x), lambda root, m: op.negative(Value(later)), module)

    def test_a_value_computed_from_the_branch_of_the_root(self):
        module = parse(
            f"""%g = relax.graph {{
          %k = relax.exp %x : ({T}) -> {T}
          %r = relax.if %c : (!relax.tensor<[], i1>) -> {T} {{
            %a = relax.relu %k : ({T}) -> {T}
            relax.yield %a : {T}
          }} else {{
            relax.yield %k : {T}
          }}
          %s = relax.tanh %r : ({T}) -> {T}
          relax.output %s : {T}
        }}
        relax.return %g : {T}""",
            f"%x: {T}, %c: !relax.tensor<[], i1>",
        )
        later = made_by(module, "tanh")
        with pytest.raises(RewriteError, match="computed from what is to be replaced"):
            rewrite(is_op("relu")(x), lambda root, m: op.negative(Value(later)), module)

    def test_a_value_after_the_branch_of_the_root(self):
        module = parse(
            f"""%r = relax.if %c : (!relax.tensor<[], i1>) -> {T} {{
          %a = relax.relu %x : ({T}) -> {T}
          relax.yield %a : {T}
        }} else {{
          relax.yield %x : {T}
        }}
        %l = relax.tanh %x : ({T}) -> {T}
        %s = relax.add %r, %l : ({T}, {T}) -> {T}
        relax.return %s : {T}""",
            f"%x: {T}, %c: !relax.tensor<[], i1>",
        )
        later = made_by(module, "tanh")
        with pytest.raises(RewriteError, match=r"defined before relax.if .*, found %l"):
            rewrite(is_op("relu")(x), lambda root, m: op.negative(Value(later)), module)

    def test_a_variable_defined_later(self):
        result = f"tuple<{T}, !relax.tensor<[?], f32>>"
        module = parse(
            f"""%a = relax.relu %x : ({T}) -> {T}
        %zz = relax.match_cast %z : !relax.tensor<*, f32> -> {M}
        %t = relax.tuple %a, %zz : ({T}, {M}) -> {result}
        relax.return %t : {result}""",
            f"%x: {T}, %z: !relax.tensor<*, f32>",
            result,
        )

        def widened(root: Value, m: object) -> object:
            return op.broadcast_to(op.full(["m"], 1.0, dtype="f32"), root.shape)

        with pytest.raises(
            RewriteError, match=r"symbolic variables that are defined before .* 'm'"
        ):
            rewrite(is_op("relu")(x), widened, module)  # pyright: ignore[reportArgumentType]


class TestLimit:
    MODULE = f"%a = relax.relu %x : ({T}) -> {T}\nrelax.return %a : {T}"

    def test_as_many_rewrites_as_the_limit_are_allowed(self):
        assert (
            rewrite(is_op("relu")(x), lambda r, m: op.abs(m[x]), parse(self.MODULE), limit=1) == 1
        )

    def test_one_more_is_not(self):
        with pytest.raises(RewriteError, match="within 0 rewrites"):
            rewrite(is_op("relu")(x), lambda r, m: op.abs(m[x]), parse(self.MODULE), limit=0)

    @pytest.mark.parametrize("limit", [-1, "a", 2.5, True])
    def test_what_is_no_limit(self, limit: object):
        with pytest.raises(PatternError, match="expected a number of rewrites as the limit, found"):
            rewrite(is_op("relu")(x), lambda r, m: None, parse(self.MODULE), limit=limit)  # pyright: ignore


@pytest.mark.long
def test_rules_are_linear_in_the_driver_of_xdsl():
    double = rule(is_op("negative")(is_op("negative")(x)))(lambda root, m: m[x])

    def work(count: int) -> int:
        lines = [f"%a0x = relax.exp %x : ({T}) -> {T}"]
        for i in range(count):
            lines.append(f"%b{i}x = relax.negative %a{i}x : ({T}) -> {T}")
            lines.append(f"%c{i}x = relax.negative %b{i}x : ({T}) -> {T}")
            lines.append(f"%a{i + 1}x = relax.exp %c{i}x : ({T}) -> {T}")
        body = "\n".join(lines)
        module = parse(
            f"%y = relax.dataflow {{\n{body}\nrelax.output %a{count}x : {T}\n}}\nrelax.return %y : {T}"
        )
        walker = PatternRewriteWalker(GreedyRewritePatternApplier([double]))
        return effort(lambda: walker.rewrite_module(module))

    assert work(400) < 2.5 * work(200)
