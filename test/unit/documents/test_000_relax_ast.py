"""Document 000, Relax AST Design: its constructs, its example and its rules, interpreted and as C."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from levels import Levels, logged, message, refused, spelled
from optional import amount, shortened

from relax_dialect import BlockBuilder, interpret
from relax_dialect.builder import op, var
from relax_dialect.frontends import tvmscript
from relax_dialect.ops.binary import AddOp, MultiplyOp
from relax_dialect.ops.core import FuncOp, MatchShapeOp
from relax_dialect.parsing import parse, verify
from relax_dialect.visitor import DataflowMutator, ExprMutator, ExprVisitor

EXAMPLE = """
relax.func @relax_func(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, m], f32>) -> !relax.tensor<[?], f32> {
  %gv0 = relax.dataflow {
    %lv0 = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> M
    %lv1 = relax.flatten %lv0 : (M) -> !relax.tensor<[m * n], f32>
    relax.output %lv1 : !relax.tensor<[m * n], f32>
  }
  %gv1 = relax.binding_block {
    %u = relax.call_packed "custom_inplace_update"(%gv0) : (!relax.tensor<[m * n], f32>) -> !relax.tensor<[m * n], f32>
    relax.output %u : !relax.tensor<[m * n], f32>
  }
  relax.return %gv1 : !relax.tensor<[m * n], f32>
}
"""

PROGRAM = f"""{EXAMPLE}
// ShapeExpr: a shape of symbolic sizes.
relax.func @shapes(%x: M) -> !relax.shape<[2 * n, m + n, n * m]> {{
  %s = relax.shape [2 * n, m + n, n * m]
  relax.return %s : !relax.shape<[2 * n, m + n, n * m]>
}}
// MatchShape of a shape gives a shape, of a tensor the tensor with these sizes.
relax.func @match_a_shape(%x: !relax.tensor<[?, ?], f32>) -> !relax.shape<[?, ?]> {{
  %s = relax.shape_of %x : (!relax.tensor<[?, ?], f32>) -> !relax.shape<[?, ?]>
  %v = relax.match_shape %s [m, n] : (!relax.shape<[?, ?]>) -> !relax.shape<[m, n]>
  relax.return %v : !relax.shape<[m, n]>
}}
relax.func @match_a_tensor(%x: !relax.tensor<[?, ?], f32>) -> !relax.tensor<[?], f32> {{
  %v = relax.match_shape %x [m, n] : (!relax.tensor<[?, ?], f32>) -> !relax.tensor<[m, n], f32>
  %r = relax.reshape %v, %s : (!relax.tensor<[m, n], f32>, !relax.shape<[m * n]>) -> !relax.tensor<[m * n], f32>
  relax.return %r : !relax.tensor<[m * n], f32>
}}
// A variable that is bound is compared, and so is a number.
relax.func @match_again(%x: V, %y: U) -> V {{
  %v = relax.match_shape %y [n] : (U) -> V
  %r = relax.add %x, %v : (V, V) -> V
  relax.return %r : V
}}
relax.func @match_a_number(%x: U) -> !relax.tensor<[3], f32> {{
  %v = relax.match_shape %x [3] : (U) -> !relax.tensor<[3], f32>
  relax.return %v : !relax.tensor<[3], f32>
}}
// A variable that a dataflow block binds is known after it, as a normal Var is.
relax.func @escapes(%x: U) -> U {{
  %y = relax.dataflow {{
    %v = relax.match_shape %x [k] : (U) -> !relax.tensor<[k], f32>
    relax.output %v : !relax.tensor<[k], f32>
  }}
  %c = relax.concat %y, %y {{axis = 0 : i64}} : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[2 * k], f32>
  relax.return %c : !relax.tensor<[2 * k], f32>
}}
// SeqExpr: blocks in sequence, also in a branch.
relax.func @blocks(%x: V, %c: B) -> V {{
  %a = relax.dataflow {{
    %0 = relax.exp %x : (V) -> V
    %1 = relax.negative %0 : (V) -> V
    relax.output %1, %0 : V, V
  }}
  %r = relax.if %c : (B) -> V {{
    %b = relax.dataflow {{
      %2 = relax.add %a#0, %a#1 : (V, V) -> V
      relax.output %2 : V
    }}
    %d = relax.binding_block {{
      %3 = relax.add %b, %x : (V, V) -> V
      relax.output %3 : V
    }}
    relax.yield %d : V
  }} else {{
    relax.yield %a#0 : V
  }}
  relax.return %r : V
}}
// ExternFunc: a prim func.
func.func private @twice(%a: tensor<?xf32> {{relax.dims = ["n"]}}) -> (tensor<?xf32> {{relax.dims = ["n"]}}) {{
  %0 = arith.addf %a, %a : tensor<?xf32>
  func.return %0 : tensor<?xf32>
}}
relax.func @prim_func(%x: V) -> V {{
  %y = relax.call_tir @twice(%x) : (V) -> V
  relax.return %y : V
}}
""".replace("%r = relax.reshape %v, %s", "%s = relax.shape [m * n]\n  %r = relax.reshape %v, %s")


@cache
def program() -> Levels:
    return Levels(PROGRAM.replace("%a = relax.dataflow", "%a:2 = relax.dataflow"))


def matrix(*shape: int) -> Any:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


# The example, as text, by the builder and as the script that the document shows --------------------------


@pytest.mark.parametrize("sizes", [(2, 3, 4), (1, 1, 1), (0, 3, 2), (2, 0, 3), (17, 5, 9)])
def test_the_example(sizes: tuple[int, int, int]):
    n, k, m = sizes
    x, w = matrix(n, k), matrix(k, m) + 1
    with logged({"custom_inplace_update": lambda y: y * 2}) as calls:
        found = program()("relax_func", x, w)
    np.testing.assert_allclose(found, 2 * (x @ w).ravel(), rtol=1e-5)
    assert calls == ["custom_inplace_update"] * 2  # once on each level


SCRIPT = """
from tvm.script import relax as R

@R.func
def relax_func(x: R.Tensor[(n, k), "f32"], w: R.Tensor[(k, m), "f32"]):
    # start a DataflowBlock
    with R.dataflow(): ## <= DataflowBlock
        lv0: R.Tensor[(n, m), "f32"] = R.dot(x, w) ## <= VarBinding, lv0 is a DataflowVar
        gv0: R.Tensor[(n * m,), "f32"] = R.flatten(lv0) ## <= VarBinding, gv0 is a Var that escapes to the outer scope
        R.outputs(gv0)

    # start a BindingBlock
    gv1 = R.call_packed("custom_inplace_update", gv0) ## <= side-effect binding
    return gv1
"""


def test_the_example_as_a_script():
    module = tvmscript.loads(SCRIPT)
    x, w = matrix(2, 3), matrix(3, 2)
    with logged({"custom_inplace_update": lambda y: y + 1}):
        np.testing.assert_allclose(interpret.run(module, "relax_func", x, w), (x @ w).ravel() + 1)


MATCHES = """
from tvm.script import relax as R

@R.func
def of_a_shape(x: R.Tensor[(n, m), "f32"]):
    var = R.match_shape(x.shape, (p, q))
    return var

@R.func
def of_a_tensor(x: R.Tensor["f32"]):
    with R.dataflow():
        var = R.match_shape(x, (m, 2 * m))
        R.outputs(var)
    return R.flatten(var)
"""


def test_match_shape_as_a_script():
    """Both meanings: a shape gives a shape, a tensor the tensor with these sizes."""
    module = tvmscript.loads(MATCHES)
    assert interpret.run(module, "of_a_shape", matrix(2, 3)) == (2, 3)
    assert interpret.run(module, "of_a_tensor", matrix(3, 6)).tolist() == list(range(18))
    assert "2 * m" in message(lambda: interpret.run(module, "of_a_tensor", matrix(3, 5)))
    assert "relax.match_shape %x [m, 2 * m]" in str(module)


def test_the_example_by_the_builder():
    bb = BlockBuilder()
    x, w = var("x", shape=["n", "k"]), var("w", shape=["k", "m"])
    with bb.function("relax_func", [x, w]):
        with bb.dataflow():
            lv0 = bb.emit(op.matmul(x, w), "lv0")
            assert str(lv0.type) == "!relax.tensor<[n, m], f32>"  # inferred at once
            gv0 = bb.emit_output(op.flatten(lv0), "gv0")
        assert [str(size) for size in gv0.shape or ()] == ["m * n"]
        bb.emit_func_output(
            bb.emit(op.call_packed("custom_inplace_update", [gv0], gv0.type), "gv1")
        )
    verify(bb.module, "test")
    with logged({"custom_inplace_update": lambda y: -y}):
        found = interpret.run(bb.module, "relax_func", matrix(2, 3), matrix(3, 2))
    np.testing.assert_allclose(found, -(matrix(2, 3) @ matrix(3, 2)).ravel())


# Shapes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "m"), [(2, 3), (0, 1), (1, 0), (1, 1), (40, 7)])
def test_shapes(n: int, m: int):
    x = matrix(n, m)
    assert program()("shapes", x) == (2 * n, m + n, n * m)
    assert program()("match_a_shape", x) == (n, m)
    np.testing.assert_array_equal(program()("match_a_tensor", x), x.ravel())
    np.testing.assert_array_equal(program()("escapes", x.ravel()), np.tile(x.ravel(), 2))


def test_matches_are_checked():
    assert program()("match_again", matrix(2), matrix(2)).tolist() == [0, 2]
    found = program().fails("match_again", matrix(2), matrix(3))
    assert "expected size n = 2 in dimension 0, found 3" in found
    assert program()("match_a_number", matrix(3)).tolist() == [0, 1, 2]
    assert "found 4" in program().fails("match_a_number", matrix(4))


@pytest.mark.parametrize("taken", [True, False])
@pytest.mark.parametrize("size", [0, 1, 5])
def test_blocks_in_sequence(taken: bool, size: int):
    x = matrix(size)
    found = program()("blocks", x, np.array(taken))
    np.testing.assert_allclose(found, x if taken else -np.exp(x), rtol=1e-6)


def test_prim_funcs():
    assert program()("prim_func", matrix(3)).tolist() == [0, 2, 4]


# Scopes and effects --------------------------------------------------------------------------------------

WRONG = {
    "a dataflow variable does not leave its block": (
        "relax.func @f(%x: V) -> V { %y = relax.dataflow { %a = relax.exp %x : (V) -> V\n %b = relax.exp %a : (V) -> V\n"
        "relax.output %b : V }\n relax.return %a : V }",
        "pass it out of its block with relax.output",
    ),
    "a variable of a branch does not leave it": (
        "relax.func @f(%x: U, %c: B) -> U { %r = relax.if %c : (B) -> U { %v = relax.match_shape %x [k] : (U) -> "
        "!relax.tensor<[k], f32>\n relax.yield %v : !relax.tensor<[k], f32> } else { relax.yield %x : U }\n"
        "%s = relax.match_cast %r : U -> !relax.tensor<[2 * k], f32>\n relax.return %s : !relax.tensor<[2 * k], f32> }",
        "(S1), found 'k'",
    ),
    "a dataflow block has no effects": (
        'relax.func @f(%x: V) -> O { %y = relax.dataflow { %a = relax.call_packed "f"(%x) : (V) -> O\n'
        "relax.output %a : O }\n relax.return %y : O }",
        "(E1)",
    ),
    "a dataflow block has no control flow": (
        "relax.func @f(%x: V, %c: B) -> V { %y = relax.dataflow { %a = relax.if %c : (B) -> V { relax.yield %x : V } "
        "else { relax.yield %x : V }\n relax.output %a : V }\n relax.return %y : V }",
        "(E2)",
    ),
    "a function gives what it declares": (
        "relax.func @f(%x: V) -> B { relax.return %x : V }",
        "expected a value of the declared result type",
    ),
    "a match has as many entries as sizes": (
        "relax.func @f(%x: M) -> M { %y = relax.match_shape %x [n] : (M) -> V\n relax.return %x : M }",
        "(C1)",
    ),
}


@pytest.mark.parametrize("rule", WRONG)
def test_rules(rule: str):
    text, expected = WRONG[rule]
    assert expected in refused(text)


# Visitors and mutators -----------------------------------------------------------------------------------


class CountVarDef(ExprVisitor):
    """The document's analysis."""

    def __init__(self) -> None:
        super().__init__()
        self.n_vardef = 0

    def visit_var_def(self, var: Any) -> None:
        self.n_vardef += 1


class CountDataflowVarDef(ExprVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.n_vardef = 0

    def visit_dataflow_var_def(self, var: Any) -> None:
        self.n_vardef += 1


def test_visitors_count_definitions():
    """By default the handler of dataflow variables calls that of variables."""
    function = next(iter(parse(spelled(EXAMPLE)).ops))
    found = []
    for counter in (CountVarDef(), CountDataflowVarDef()):
        counter.visit_expr(function)
        found.append(counter.n_vardef)
    assert found == [5, 1]  # x, w, lv0, gv0, gv1; and lv0


def chain(length: int) -> str:
    lines = [f"%v{i + 1}x = relax.add %v{i}x, %v{i}x : (V, V) -> V" for i in range(length)]
    body = "\n".join(lines)
    return spelled(f"relax.func @f(%v0x: V) -> V {{\n{body}\nrelax.return %v{length}x : V\n}}")


@pytest.mark.slow
@shortened
def test_long_programs_take_no_recursion():
    """ANF: bindings are traversed one after the other."""
    length = amount(1500, 1100)
    module = parse(chain(length))
    counter = CountVarDef()
    counter.visit_expr(module)
    assert counter.n_vardef == length + 1

    class Doubled(ExprMutator):
        def visit_add(self, old: AddOp) -> Any:
            return op.multiply(old.lhs, 2.0)

    Doubled().visit_expr(module)
    verify(module, "test")
    assert sum(isinstance(each, MultiplyOp) for each in module.walk()) == length


MULADD = """
relax.func @main(%x: V, %y: V) -> V {
  %o = relax.multiply %x, %y : (V, V) -> V
  %p = relax.add %o, %y : (V, V) -> V
  %r = relax.dataflow {
    %a = relax.multiply %p, %y : (V, V) -> V
    %b = relax.add %a, %x : (V, V) -> V
    relax.output %b : V
  }
  relax.return %r : V
}
"""


class Fuse(ExprMutator):
    """Two bindings become one."""

    def visit_add(self, old: AddOp) -> Any:
        product = self.builder.lookup_binding(old.lhs)
        if isinstance(product, MultiplyOp):
            return op.ewise_fma(product.lhs, product.rhs, old.rhs)
        return None


class Split(ExprMutator):
    """One binding becomes two."""

    def visit_multiply(self, old: MultiplyOp) -> Any:
        one = self.builder.emit(op.negative(old.lhs), "one")
        return op.negative(op.multiply(one, old.rhs))


class FuseDataflow(DataflowMutator):
    visit_add = Fuse.visit_add


@pytest.mark.parametrize(
    ("mutator", "names"),
    [
        (Fuse, ["ewise_fma", "ewise_fma"]),
        (FuseDataflow, ["multiply", "add", "ewise_fma"]),
        (Split, ["negative", "multiply", "negative", "add"] * 2),
    ],
)
def test_mutators(mutator: type[ExprMutator], names: list[str]):
    levels = Levels(MULADD)
    x, y = np.float32([1, 2, 3]), np.float32([4, 5, 6])
    expected = (x * y + y) * y + x
    mutator().visit_expr(levels.module)
    verify(levels.module, "test")
    skipped = ("dataflow", "output", "return", "func")
    found = [
        o.name.removeprefix("relax.") for o in levels.module.walk() if o.name.startswith("relax.")
    ]
    assert [name for name in found if name not in skipped] == names
    np.testing.assert_allclose(levels("main", x, y), expected)


def test_a_mutator_that_changes_a_result_type():
    """The shape and type of both sides are filled in anew, those of callers too."""

    class Half(ExprMutator):
        def visit_exp(self, old: Any) -> Any:
            return op.astype(op.exp(old.x), "f16")

    levels = Levels(
        "relax.func private @inner(%x: V) -> V { %y = relax.exp %x : (V) -> V\n relax.return %y : V }\n"
        "relax.func @main(%x: V) -> V { %y = relax.call @inner(%x) : (V) -> V\n relax.return %y : V }"
    )
    Half().visit_expr(levels.module)
    verify(levels.module, "test")
    assert {str(f.function_type.output) for f in levels.module.ops if isinstance(f, FuncOp)} == {
        "!relax.tensor<[n], f16>"
    }
    assert levels("main", np.zeros(2, np.float32)).dtype == np.float16


def test_match_shape_is_a_binding():
    """It has a handler of its own, and defines the variables that it names first."""

    class Matches(ExprVisitor):
        found: list[Any] = []

        def visit_match_shape(self, old: MatchShapeOp) -> None:
            self.found.append(old.candidates())

    Matches().visit_expr(program().module)
    assert sorted(Matches.found) == [(), ("k",), ("m", "n"), ("m", "n"), ("n",)]


def test_a_bad_call_from_outside_is_an_error():
    with logged({"custom_inplace_update": lambda y: y[:1]}):
        assert "custom_inplace_update" in message(
            lambda: interpret.run(program().module, "relax_func", matrix(2, 2), matrix(2, 2))
        )


IN_PLACE = """
relax.func @main(%x: V) -> V {
  %y = relax.call_inplace_packed "add_one_in_place"(%x) {inplace_indices = array<i64: 0>} : (V) -> V
  relax.return %y : V
}
"""


def test_an_update_in_place_returns_its_argument():
    """Returned or not, and if it has no elements, of which every array has another address."""
    levels = Levels(IN_PLACE)
    for returns in (True, False):

        def update(x: Any, returns: bool = returns) -> Any:
            x += 1
            return x if returns else None

        interpret.register_packed("add_one_in_place", update)
        for size in (0, 1, 7):
            x = np.arange(size, dtype=np.float32)
            assert levels("main", x).tolist() == (x + 1).tolist()
    interpret.register_packed("add_one_in_place", lambda x: np.zeros(1, np.float32))
    for size in (0, 1):
        assert "write to the argument" in message(
            lambda: levels.compiled.main(np.ones(size, np.float32))  # noqa: B023
        )
