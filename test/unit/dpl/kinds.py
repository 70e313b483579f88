"""For every kind of pattern a program that it matches, and one that it must not.

The value that is asked about is what @main returns, or the first field of the tuple that it returns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import OpResult, SSAValue

from relax_dialect import parse
from relax_dialect.dpl import (
    K_ELEMWISE,
    K_OUT_ELEMWISE_FUSABLE,
    Pattern,
    dominates,
    has_attr,
    has_dtype,
    has_shape,
    has_type,
    is_call,
    is_call_dps_packed,
    is_call_packed,
    is_call_tir,
    is_const,
    is_constant,
    is_dfv,
    is_expr,
    is_function,
    is_gv,
    is_if,
    is_input,
    is_let,
    is_op,
    is_shape,
    is_tuple,
    is_tuple_get_item,
    is_var,
    only_used_by,
    repeat,
    same_shape_as,
    together,
    used_by,
    wildcard,
)
from relax_dialect.dpl.search.aliases import source
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.unary import TanhOp

relu, tanh, exp = is_op("relu"), is_op("tanh"), is_op("exp")
add, subtract, multiply = is_op("add"), is_op("subtract"), is_op("multiply")
split = is_op("split")

NAMES = {
    "T": "!relax.tensor<[n, 4], f32>",
    "H": "!relax.tensor<[n, 2], f32>",
    "S": "!relax.tensor<[], f32>",
    "B": "!relax.tensor<[], i1>",
    "D": "!relax.tensor<[n, 4], f64>",
}
"""Short names of types in the programs below: `$T`."""

ELSEWHERE = """
relax.func private @twice(%p: $T, %q: $T) -> $T {
  %r = relax.add %p, %p : ($T, $T) -> $T
  relax.return %r : $T
}
relax.func private @same(%p: $T, %q: $T) -> $T {
  relax.return %p : $T
}
relax.func private @none() -> $S {
  %r = relax.constant dense<1.0> : tensor<f32>
  relax.return %r : $S
}
relax.func private @one(%p: $T) -> $S {
  %r = relax.constant dense<1.0> : tensor<f32>
  relax.return %r : $S
}
func.func private @copy(%p: tensor<?x4xf32> {relax.dims = ["n", "4"]}) -> (tensor<?x4xf32> {relax.dims = ["n", "4"]}) {
  func.return %p : tensor<?x4xf32>
}
func.func private @other(%p: tensor<?x4xf32> {relax.dims = ["n", "4"]}) -> (tensor<?x4xf32> {relax.dims = ["n", "4"]}) {
  func.return %p : tensor<?x4xf32>
}
"""


def program(body: str) -> ModuleOp:
    """A module whose function @main has this body, with parameters x, y, z and a condition c."""
    lines = [line.strip() for line in body.strip().splitlines()]
    *lines, last = lines
    if not last.startswith("return"):
        lines, last = [*lines, last], "return %r : $T"
    type = last.split(" : ", 1)[1]
    text = f"relax.func @main(%x: $T, %y: $T, %z: $T, %c: $B, %w: $D) -> {type} {{\n  "
    text += "\n  ".join([*lines, f"relax.{last}"]) + "\n}" + ELSEWHERE
    for short, long in NAMES.items():
        text = text.replace(f"${short}", long)
    return _parsed(text).clone()


@cache
def _parsed(text: str) -> ModuleOp:
    return parse(text)


def main(module: ModuleOp) -> FuncOp:
    return next(op for op in module.ops if isinstance(op, FuncOp))


def root(module: ModuleOp, field: bool) -> SSAValue:
    """The value that is asked about."""
    last = main(module).regions[0].block.last_op
    assert last is not None
    value = last.operands[0]
    if field:
        made = source(value)
        assert isinstance(made, OpResult) and made.op.name == "relax.tuple"
        value = made.op.operands[0]
    return value


@dataclass(frozen=True)
class Case:
    """`make` gets the function, for patterns of its own values."""

    name: str
    make: Callable[[FuncOp], Pattern]
    matches: str
    refused: str
    field: bool = False
    forms: bool = True
    """Whether the answer is the same in all normal forms; bindings by `relax.let` are of one form."""


def _case(
    name: str, pattern: Callable[[], Pattern], matches: str, refused: str, **rest: bool
) -> Case:
    return Case(name, lambda func: pattern(), matches, refused, **rest)


def unary(op: str, operand: str, result: str = "r") -> str:
    return f"%{result} = relax.{op} %{operand} : ($T) -> $T\n"


def binary(op: str, one: str, two: str, result: str = "r") -> str:
    return f"%{result} = relax.{op} %{one}, %{two} : ($T, $T) -> $T\n"


def constant(number: str, result: str = "k") -> str:
    return f"%{result} = relax.constant dense<{number}> : tensor<f32>\n"


def scaled(number: str) -> str:
    return constant(number) + "%r = relax.multiply %x, %k : ($T, $S) -> $T\n"


def halves(first: str, second: str) -> str:
    return (
        "%h, %i = relax.split %x {sections = 2 : i64, axis = 1 : i64} : ($T) -> ($H, $H)\n"
        f"%r = relax.subtract %{first}, %{second} : ($H, $H) -> $H\nreturn %r : $H"
    )


def pair(one: str, two: str) -> str:
    return f"%t = relax.tuple %{one}, %{two} : ($T, $T) -> tuple<$T, $T>\n"


def chosen(then: str, orelse: str) -> str:
    return (
        "%r = relax.if %c : ($B) -> $T {\n"
        + unary(then, "x", "p")
        + "relax.yield %p : $T\n} else {\n"
        + unary(orelse, "x", "q")
        + "relax.yield %q : $T\n}\n"
    )


def diamond(middle: str = "tanh", used: str = "p") -> str:
    return (
        unary("exp", "x", "e")
        + unary("relu", "e", "p")
        + unary(middle, "e", "q")
        + binary("add", "p", "q")
        + pair("r", used)
        + "return %t : tuple<$T, $T>"
    )


BIASED = unary("exp", "x", "e") + binary("multiply", "e", "y", "p") + binary("add", "p", "z")
CHAIN = unary("relu", "x", "p") + unary("tanh", "p", "q") + unary("exp", "q")
USED_TWICE = (
    unary("relu", "x", "p") + unary("tanh", "p") + pair("r", "p") + "return %t : tuple<$T, $T>"
)
USED_ONCE = (
    unary("relu", "x", "p") + unary("tanh", "p") + pair("r", "x") + "return %t : tuple<$T, $T>"
)
TUPLE = "return %t : tuple<$T, $T>"
CLOSURE = (
    "%f = relax.closure (%p: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {{\n"
    "%v = relax.{0} %p : ($T) -> $T\nrelax.return %v : $T\n}}\n"
    "return %f : !relax.func<(!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>>"
)


def _diamond() -> Pattern:
    top = exp(wildcard())
    return add(relu(top), tanh(top))


def _same_shape() -> Pattern:
    x = wildcard()
    return is_tuple([x, same_shape_as(wildcard(), x)])


def _shared_turns() -> Pattern:
    bias = wildcard()
    return repeat(is_input(), lambda p: add(p, bias, in_order=True), at_least=2)


def _fork() -> Pattern:
    return exp(wildcard()).fork_to(relu, tanh)


def _let_body() -> Pattern:
    variable = is_var()
    return is_let(variable, relu(wildcard()), subtract(variable, variable))


CASES: tuple[Case, ...] = (
    # leaves
    _case("wildcard", lambda: relu(wildcard()), unary("relu", "x"), unary("tanh", "x")),
    Case(
        "expr",
        lambda func: relu(is_expr(func.body.block.args[1])),
        unary("relu", "y"),
        unary("relu", "x"),
    ),
    Case(
        "value",
        lambda func: relu(func.body.block.args[1]),
        unary("relu", "y"),
        unary("relu", "x"),
    ),
    _case("expr_operator", lambda: is_expr(TanhOp), unary("tanh", "x"), unary("relu", "x")),
    _case("input", lambda: relu(is_input()), unary("relu", "x"), CHAIN.replace("exp", "relu")),
    _case("var", lambda: relu(is_var()), unary("relu", "x"), CHAIN.replace("exp", "relu")),
    _case("var_name", lambda: relu(is_var("y")), unary("relu", "y"), unary("relu", "x")),
    _case(
        "var_matched",
        lambda: relu(is_var("m")),
        "%m = relax.match_cast %x : $T -> !relax.tensor<[n, 4]>\n"
        "%r = relax.relu %m : (!relax.tensor<[n, 4]>) -> !relax.tensor<[n, 4]>\n"
        "return %r : !relax.tensor<[n, 4]>",
        unary("tanh", "x", "m") + unary("relu", "m"),
    ),
    _case(
        "var_let",
        lambda: relu(is_var("v")),
        unary("tanh", "x", "m") + "%v = relax.let %m : ($T) -> $T\n" + unary("relu", "v"),
        unary("tanh", "x", "v") + unary("relu", "v"),
        forms=False,
    ),
    _case(
        "dfv",
        lambda: relu(is_dfv()),
        "%r = relax.dataflow {\n"
        + unary("exp", "x", "p")
        + unary("relu", "p", "q")
        + "relax.output %q : $T\n}\n",
        unary("exp", "x", "p") + unary("relu", "p"),
        forms=False,
    ),
    _case(
        "gv",
        lambda: is_gv("twice")(relu(wildcard()), wildcard()),
        unary("relu", "x", "p") + "%r = relax.call @twice(%p, %y) : ($T, $T) -> $T",
        unary("relu", "x", "p") + "%r = relax.call @same(%p, %y) : ($T, $T) -> $T",
    ),
    _case(
        "constant",
        lambda: multiply(wildcard(), is_constant()),
        scaled("2.0"),
        binary("multiply", "x", "y"),
    ),
    _case("const", lambda: multiply(wildcard(), is_const(2)), scaled("2.0"), scaled("3.0")),
    _case("number", lambda: multiply(wildcard(), 0.1), scaled("0.1"), scaled("0.2")),
    _case(
        "shape",
        lambda: is_op("reshape")(wildcard(), is_shape([None, 2])),
        "%s = relax.shape [2 * n, 2]\n%r = relax.reshape %x, %s : ($T, !relax.shape<[2 * n, 2]>) -> !relax.tensor<[2 * n, 2], f32>\nreturn %r : !relax.tensor<[2 * n, 2], f32>",
        "%s = relax.shape [n, 4]\n%r = relax.reshape %x, %s : ($T, !relax.shape<[n, 4]>) -> $T",
    ),
    # operators and calls
    _case("op", lambda: relu, unary("relu", "x"), unary("tanh", "x")),
    _case("op_of_relay", lambda: is_op("nn.relu"), unary("relu", "x"), unary("tanh", "x")),
    _case(
        "call",
        lambda: subtract(relu(wildcard()), wildcard()),
        unary("relu", "x", "p") + binary("subtract", "p", "y"),
        unary("relu", "x", "p") + binary("subtract", "y", "p"),
    ),
    _case(
        "commutative",
        lambda: add(relu(wildcard()), is_input()),
        unary("relu", "x", "p") + binary("add", "y", "p"),
        unary("tanh", "x", "p") + binary("add", "y", "p"),
    ),
    _case(
        "in_order",
        lambda: add(relu(wildcard()), wildcard(), in_order=True),
        unary("relu", "x", "p") + binary("add", "p", "y"),
        unary("relu", "x", "p") + binary("add", "y", "p"),
    ),
    _case(
        "varg_default_wildcard",
        lambda: is_op("where")(relu(wildcard()) | is_input(), varg_default_wildcard=True),
        "%r = relax.where %c, %x, %y : ($B, $T, $T) -> $T",
        "%k = relax.constant dense<true> : tensor<i1>\n%r = relax.where %k, %x, %y : ($B, $T, $T) -> $T",
    ),
    _case(
        "call_of_any",
        lambda: wildcard()(relu(wildcard())),
        unary("relu", "x", "p") + unary("exp", "p"),
        unary("exp", "x", "p") + unary("exp", "p"),
    ),
    _case(
        "call_of_either", lambda: (relu | tanh)(is_input()), unary("tanh", "x"), unary("exp", "x")
    ),
    _case("call_of_not", lambda: (~relu)(is_input()), unary("tanh", "x"), unary("relu", "x")),
    _case(
        "call_of_both",
        lambda: (wildcard().has_attr("TOpPattern", K_ELEMWISE) & ~relu)(is_input()),
        unary("tanh", "x"),
        unary("relu", "x"),
    ),
    _case(
        "product_with_quotient",
        lambda: (relu(wildcard()) * tanh(wildcard())) / exp(wildcard()),
        unary("relu", "x", "a")
        + unary("tanh", "x", "b")
        + unary("exp", "x", "e")
        + binary("divide", "b", "e", "d")
        + binary("multiply", "a", "d"),
        unary("relu", "x", "a")
        + unary("tanh", "x", "b")
        + unary("exp", "x", "e")
        + binary("multiply", "b", "e", "d")
        + binary("divide", "a", "d"),
    ),
    _case(
        "quotient_of_product",
        lambda: relu(wildcard()) * (tanh(wildcard()) / exp(wildcard())),
        unary("relu", "x", "a")
        + unary("tanh", "x", "b")
        + unary("exp", "x", "e")
        + binary("multiply", "b", "a", "d")
        + binary("divide", "d", "e"),
        unary("relu", "x", "a")
        + unary("tanh", "x", "b")
        + unary("exp", "x", "e")
        + binary("multiply", "b", "e", "d")
        + binary("divide", "d", "a"),
    ),
    _case(
        "arithmetic",
        lambda: (relu(wildcard()) + 1) * is_input() - is_input() / is_input(),
        unary("relu", "x", "p")
        + constant("1.0")
        + "%a = relax.add %k, %p : ($S, $T) -> $T\n"
        + binary("multiply", "y", "a", "m")
        + binary("divide", "x", "y", "d")
        + binary("subtract", "m", "d"),
        unary("relu", "x", "p")
        + constant("1.0")
        + "%a = relax.add %k, %p : ($S, $T) -> $T\n"
        + binary("multiply", "y", "a", "m")
        + binary("divide", "x", "y", "d")
        + binary("subtract", "d", "m"),
    ),
    _case(
        "arithmetic_reflected",
        lambda: 2 / (1 - 3 * (1 + is_input())),
        constant("1.0")
        + constant("2.0", "k2a")
        + constant("3.0", "k3a")
        + "%a = relax.add %k, %x : ($S, $T) -> $T\n%b = relax.multiply %k3a, %a : ($S, $T) -> $T\n%e = relax.subtract %k, %b : ($S, $T) -> $T\n%r = relax.divide %k2a, %e : ($S, $T) -> $T\n",
        constant("1.0")
        + constant("2.0", "k2a")
        + constant("3.0", "k3a")
        + "%a = relax.add %k, %x : ($S, $T) -> $T\n%b = relax.multiply %k3a, %a : ($S, $T) -> $T\n%e = relax.subtract %b, %k : ($T, $S) -> $T\n%r = relax.divide %k2a, %e : ($S, $T) -> $T\n",
    ),
    _case(
        "diamond",
        _diamond,
        diamond(),
        unary("exp", "x", "e")
        + unary("exp", "y", "g")
        + unary("relu", "e", "p")
        + unary("tanh", "g", "q")
        + binary("add", "p", "q")
        + pair("r", "p")
        + TUPLE,
        field=True,
    ),
    _case(
        "call_of_any_arguments",
        lambda: add(exp(None), wildcard()),
        unary("exp", "x", "p") + binary("add", "p", "y"),
        unary("relu", "x", "p") + binary("add", "p", "y"),
    ),
    _case(
        "order_of_relay",
        lambda: (
            has_attr({"TOpPattern": K_ELEMWISE}, has_shape(["n", 4]))
            & has_type("!relax.tensor<[n, 4], f32>", has_dtype("float32"))
        ),
        unary("relu", "x"),
        "%r = relax.relu %w : ($D) -> $D\nreturn %r : $D",
    ),
    _case(
        "dominates_as_method",
        lambda: add.dominates(exp(wildcard()), relu | tanh),
        diamond(used="x"),
        diamond(used="x", middle="negative"),
        field=True,
    ),
    # types and attributes
    _case(
        "has_type",
        lambda: relu(has_type(wildcard(), "!relax.tensor<[?, 4], f32>")),
        unary("relu", "x"),
        "%r = relax.relu %w : ($D) -> $D\nreturn %r : $D",
    ),
    _case(
        "has_type_object",
        lambda: wildcard().has_type(TensorType(["n", 4], f32)),
        unary("relu", "x"),
        "%r = relax.relu %w : ($D) -> $D\nreturn %r : $D",
    ),
    _case(
        "has_dtype",
        lambda: has_dtype(relu(wildcard()), "float32"),
        unary("relu", "x"),
        "%r = relax.relu %w : ($D) -> $D\nreturn %r : $D",
    ),
    _case(
        "has_shape",
        lambda: has_shape(relu(wildcard()), ["n", 4]),
        unary("relu", "x"),
        "%s = relax.sum %x {axis = array<i64: 0>, keepdims = true} : ($T) -> !relax.tensor<[1, 4], f32>\n%r = relax.relu %s : (!relax.tensor<[1, 4], f32>) -> !relax.tensor<[1, 4], f32>\nreturn %r : !relax.tensor<[1, 4], f32>",
    ),
    _case(
        "has_attr",
        lambda: is_op("softmax")(wildcard()).has_attr("axis", 0),
        "%r = relax.softmax %x {axis = 0 : i64} : ($T) -> $T",
        "%r = relax.softmax %x {axis = 1 : i64} : ($T) -> $T",
    ),
    _case(
        "has_attr_several",
        lambda: split(wildcard()).has_attr({"axis": 1, "sections": 2})[0],
        "%h, %i = relax.split %x {sections = 2 : i64, axis = 1 : i64} : ($T) -> ($H, $H)\nreturn %h : $H",
        "%h, %i = relax.split %x {indices = array<i64: 2>, axis = 1 : i64} : ($T) -> ($H, $H)\nreturn %h : $H",
    ),
    _case(
        "has_attr_default",
        lambda: is_op("leakyrelu")(wildcard()).has_attr("alpha", 0.01),
        unary("leakyrelu", "x"),
        "%r = relax.leakyrelu %x {alpha = 0.5 : f64} : ($T) -> $T",
    ),
    _case(
        "has_attr_of_operator",
        lambda: has_attr(wildcard(), "TOpPattern", K_ELEMWISE)(wildcard()),
        unary("relu", "x"),
        "%r = relax.softmax %x {axis = 0 : i64} : ($T) -> $T",
    ),
    _case(
        "has_attr_of_callee",
        lambda: (is_op("matmul") | exp).has_attr("TOpPattern", K_OUT_ELEMWISE_FUSABLE),
        "%m = relax.permute_dims %y : ($T) -> !relax.tensor<[4, n], f32>\n%r = relax.matmul %x, %m : ($T, !relax.tensor<[4, n], f32>) -> !relax.tensor<[n, n], f32>\nreturn %r : !relax.tensor<[n, n], f32>",
        unary("exp", "x"),
    ),
    _case(
        "same_shape_as",
        _same_shape,
        pair("x", "y") + TUPLE,
        "%t = relax.tuple %x, %c : ($T, $B) -> tuple<$T, $B>\nreturn %t : tuple<$T, $B>",
    ),
    # alternatives
    _case(
        "either", lambda: relu(wildcard()) | tanh(wildcard()), unary("tanh", "x"), unary("exp", "x")
    ),
    _case(
        "both",
        lambda: relu(wildcard()) & has_dtype(wildcard(), "f32"),
        unary("relu", "x"),
        "%r = relax.relu %w : ($D) -> $D\nreturn %r : $D",
    ),
    _case(
        "not",
        lambda: relu(~tanh(wildcard())),
        unary("exp", "x", "p") + unary("relu", "p"),
        unary("tanh", "x", "p") + unary("relu", "p"),
    ),
    _case(
        "optional",
        lambda: tanh(exp(is_input()).optional(lambda p: relu(p))),
        unary("exp", "x", "p") + unary("tanh", "p"),
        unary("exp", "x", "p") + unary("exp", "p", "q") + unary("tanh", "q"),
    ),
    _case(
        "optional_taken",
        lambda: tanh(exp(is_input()).optional(lambda p: relu(p))),
        unary("exp", "x", "p") + unary("relu", "p", "q") + unary("tanh", "q"),
        unary("relu", "x", "p") + unary("tanh", "p"),
    ),
    _case("named", lambda: relu(wildcard().named("x")), unary("relu", "x"), unary("tanh", "x")),
    _case(
        "dup",
        lambda: subtract(p := relu(wildcard()), p.dup()),
        unary("relu", "x", "p") + unary("relu", "y", "q") + binary("subtract", "p", "q"),
        unary("relu", "x", "p") + unary("exp", "y", "q") + binary("subtract", "p", "q"),
    ),
    # structure
    _case(
        "tuple",
        lambda: is_tuple([relu(wildcard()), is_input()]),
        unary("relu", "x", "p") + pair("p", "y") + TUPLE,
        unary("relu", "x", "p") + pair("y", "p") + TUPLE,
    ),
    _case(
        "tuple_of_operands",
        lambda: is_op("concat")(is_tuple([relu(wildcard())])),
        unary("relu", "x", "p") + "%r = relax.concat %p {axis = 0 : i64} : ($T) -> $T",
        unary("tanh", "x", "p") + "%r = relax.concat %p {axis = 0 : i64} : ($T) -> $T",
    ),
    _case(
        "any_tuple_of_operands",
        lambda: is_op("max")(is_op("stack")(wildcard())),
        "%s = relax.stack %x, %y {axis = 0 : i64} : ($T, $T) -> !relax.tensor<[2, n, 4], f32>\n"
        "%r = relax.max %s {axis = array<i64: 0>} : (!relax.tensor<[2, n, 4], f32>) -> $T",
        unary("relu", "x"),
    ),
    _case(
        "tuple_unordered",
        lambda: is_tuple([relu(wildcard()), tanh(wildcard())], unordered=True),
        unary("relu", "x", "p") + unary("tanh", "x", "q") + pair("q", "p") + TUPLE,
        unary("relu", "x", "p") + pair("p", "p") + TUPLE,
    ),
    _case("tuple_of_any", lambda: is_tuple(), pair("x", "y") + TUPLE, unary("relu", "x")),
    _case(
        "tuple_get_item",
        lambda: is_tuple_get_item(is_tuple(), 1),
        pair("x", "y") + "%r = relax.tuple_get_item %t {index = 1 : i64} : (tuple<$T, $T>) -> $T",
        pair("x", "y") + "%r = relax.tuple_get_item %t {index = 0 : i64} : (tuple<$T, $T>) -> $T",
    ),
    _case(
        "output",
        lambda: subtract((p := split(wildcard()))[1], p[0]),
        halves("i", "h"),
        halves("h", "i"),
    ),
    _case(
        "output_any",
        lambda: subtract(is_tuple_get_item(split), is_tuple_get_item(split)),
        halves("i", "h"),
        binary("subtract", "x", "y"),
    ),
    _case(
        "results_of_a_call",
        lambda: subtract(p := split(wildcard()), p),
        halves("i", "h"),
        "%h, %i = relax.split %x {sections = 2 : i64, axis = 1 : i64} : ($T) -> ($H, $H)\n%j, %l = relax.split %y {sections = 2 : i64, axis = 1 : i64} : ($T) -> ($H, $H)\n%r = relax.subtract %h, %l : ($H, $H) -> $H\nreturn %r : $H",
    ),
    _case(
        "if",
        lambda: is_if(is_input(), relu(wildcard()), tanh(wildcard())),
        chosen("relu", "tanh"),
        chosen("tanh", "relu"),
    ),
    _case(
        "let",
        lambda: relu(is_let(wildcard(), tanh(wildcard()))),
        unary("tanh", "x", "m") + "%v = relax.let %m : ($T) -> $T\n" + unary("relu", "v"),
        unary("tanh", "x", "m") + unary("relu", "m"),
        forms=False,
    ),
    _case(
        "let_body",
        _let_body,
        unary("relu", "x", "m") + "%v = relax.let %m : ($T) -> $T\n" + binary("subtract", "v", "v"),
        unary("tanh", "x", "m") + "%v = relax.let %m : ($T) -> $T\n" + binary("subtract", "v", "v"),
        forms=False,
    ),
    _case(
        "function",
        lambda: is_function([p := is_input()], relu(p)),
        CLOSURE.format("relu"),
        CLOSURE.format("tanh"),
    ),
    _case(
        "function_called",
        lambda: is_function([p := wildcard(), wildcard()], add(p, p))(is_input(), is_input()),
        "%r = relax.call @twice(%x, %y) : ($T, $T) -> $T",
        "%r = relax.call @same(%x, %y) : ($T, $T) -> $T",
    ),
    _case(
        "function_called_with_any_arguments",
        lambda: is_function(None, add(p := wildcard(), p))(None),
        "%r = relax.call @twice(%x, %y) : ($T, $T) -> $T",
        "%r = relax.call @same(%x, %y) : ($T, $T) -> $T",
    ),
    _case(
        "function_called_with_further_arguments",
        lambda: is_function([p := wildcard(), wildcard()], add(p, p))(
            relu, varg_default_wildcard=True
        ),
        unary("relu", "x", "p") + "%r = relax.call @twice(%p, %y) : ($T, $T) -> $T",
        unary("relu", "x", "p") + "%r = relax.call @twice(%y, %p) : ($T, $T) -> $T",
    ),
    _case(
        "function_called_without_arguments",
        lambda: is_function(None, is_constant())(),
        "%r = relax.call @none() : () -> $S\nreturn %r : $S",
        "%r = relax.call @one(%x) : ($T) -> $S\nreturn %r : $S",
    ),
    # calls by name
    _case(
        "call_by_name",
        lambda: is_call("twice", [relu(wildcard()), wildcard()]),
        unary("relu", "x", "p") + "%r = relax.call @twice(%p, %y) : ($T, $T) -> $T",
        unary("relu", "x", "p") + "%r = relax.call @same(%p, %y) : ($T, $T) -> $T",
    ),
    _case(
        "call_tir",
        lambda: is_call_tir("copy", [is_input()]),
        "%r = relax.call_tir @copy(%x) : ($T) -> $T",
        "%r = relax.call_tir @other(%x) : ($T) -> $T",
    ),
    _case(
        "call_packed",
        lambda: is_call_packed("f", [is_input()]),
        '%r = relax.call_pure_packed "f"(%x) : ($T) -> $T',
        '%r = relax.call_pure_packed "g"(%x) : ($T) -> $T',
    ),
    _case(
        "call_dps_packed",
        lambda: is_call_dps_packed("f"),
        '%r = relax.call_dps_packed "f"(%x) : ($T) -> $T',
        '%r = relax.call_dps_packed "g"(%x) : ($T) -> $T',
    ),
    # repetition
    _case(
        "repeat",
        lambda: repeat(exp(is_input()), lambda p: relu(p), at_least=1),
        unary("exp", "x", "a")
        + unary("relu", "a", "b")
        + unary("relu", "b", "e")
        + unary("relu", "e"),
        unary("exp", "x", "a") + unary("tanh", "a", "b") + unary("relu", "b"),
    ),
    _case(
        "repeat_at_least",
        lambda: exp(is_input()).repeat(lambda p: relu(p), at_least=2),
        unary("exp", "x", "a") + unary("relu", "a", "b") + unary("relu", "b"),
        unary("exp", "x", "a") + unary("relu", "a"),
    ),
    _case(
        "repeat_at_most",
        lambda: exp(is_input()).repeat(lambda p: relu(p), at_most=1),
        unary("exp", "x", "a") + unary("relu", "a"),
        unary("exp", "x", "a") + unary("relu", "a", "b") + unary("relu", "b"),
    ),
    _case(
        "repeat_shared",
        _shared_turns,
        binary("add", "x", "y", "p") + binary("add", "p", "y"),
        binary("add", "x", "y", "p") + binary("add", "p", "z"),
    ),
    # users
    _case(
        "dominates",
        lambda: dominates(exp(wildcard()), has_attr(wildcard(), "TOpPattern", K_ELEMWISE), add),
        diamond(used="x"),
        diamond(used="x", middle="softmax").replace(
            "relax.softmax %e", "relax.softmax %e {axis = 0 : i64}"
        ),
        field=True,
    ),
    _case(
        "dominates_all_users",
        lambda: dominates(exp(wildcard()), wildcard(), add),
        diamond(used="x"),
        diamond(used="p"),
        field=True,
    ),
    _case(
        "dominates_side_inputs",
        lambda: dominates(exp(wildcard()), multiply, add),
        BIASED,
        BIASED.replace("multiply", "subtract"),
    ),
    _case(
        "dominates_no_side_inputs",
        lambda: dominates(exp(wildcard()), wildcard(), add, side_inputs=False),
        diamond(used="x"),
        BIASED + pair("r", "x") + TUPLE,
        field=True,
    ),
    _case(
        "dominates_leaves",
        lambda: dominates(exp(wildcard()), wildcard(), add, side_inputs="leaves"),
        BIASED,
        unary("exp", "x", "e")
        + unary("tanh", "y", "t")
        + binary("multiply", "e", "t", "p")
        + binary("add", "p", "z"),
    ),
    _case(
        "used_by",
        lambda: used_by(relu(wildcard()), tanh),
        USED_TWICE,
        unary("exp", "x", "p") + unary("tanh", "p") + pair("r", "x") + TUPLE,
        field=True,
    ),
    _case(
        "used_by_index",
        lambda: relu.used_by(subtract, index=1),
        unary("relu", "x", "p") + binary("subtract", "x", "p"),
        unary("relu", "x", "p") + binary("subtract", "p", "x"),
    ),
    _case("used_by_sign", lambda: relu ^ tanh ^ exp, CHAIN, CHAIN.replace("tanh", "negative")),
    _case("only_used_by", lambda: only_used_by(relu, tanh), USED_ONCE, USED_TWICE, field=True),
    _case(
        "only_used_by_sign",
        lambda: relu >> tanh >> exp,
        CHAIN + pair("r", "x") + TUPLE,
        CHAIN + pair("r", "p") + TUPLE,
        field=True,
    ),
    _case(
        "fork_to",
        _fork,
        unary("exp", "x", "e")
        + unary("relu", "e")
        + unary("tanh", "e", "q")
        + pair("r", "q")
        + TUPLE,
        unary("exp", "x", "e")
        + unary("relu", "e")
        + unary("tanh", "x", "q")
        + pair("r", "q")
        + TUPLE,
        field=True,
    ),
    _case(
        "together_one_to_one",
        lambda: together(subtract(x := wildcard(), wildcard()), multiply(x, wildcard())),
        binary("subtract", "x", "y") + binary("multiply", "x", "z", "q") + pair("r", "q") + TUPLE,
        binary("subtract", "x", "y") + binary("multiply", "x", "y", "q") + pair("r", "q") + TUPLE,
        field=True,
    ),
    _case(
        "together_not_one_to_one",
        lambda: together(
            subtract(x := wildcard(), wildcard()), multiply(x, wildcard()), one_to_one=False
        ),
        binary("subtract", "x", "y") + binary("multiply", "x", "y", "q") + pair("r", "q") + TUPLE,
        binary("subtract", "x", "y") + binary("multiply", "z", "y", "q") + pair("r", "q") + TUPLE,
        field=True,
    ),
    _case(
        "together",
        lambda: together(subtract(x := wildcard(), wildcard()), multiply(x, wildcard())),
        binary("subtract", "x", "y") + binary("multiply", "z", "x", "q") + pair("r", "q") + TUPLE,
        binary("subtract", "x", "y") + binary("multiply", "z", "y", "q") + pair("r", "q") + TUPLE,
        field=True,
    ),
)
