"""Transforms, as TVM's own suite groups them: TVM's pass and ours on one program, compared by form, or else by values."""

from __future__ import annotations

from pathlib import Path

import pytest
from optional import TVM, needs

from lowering.tools import relax_translate

X, Y = 'x: R.Tensor((4, 4), "float32")', 'y: R.Tensor((4, 4), "float32")'
N, S = 'x: R.Tensor(("n", 4), "float32")', "c: R.Tensor((), 'bool')"


def module(*functions: str) -> str:
    return "@I.ir_module\nclass Module:\n" + "".join(functions)


def function(head: str, *lines: str, private: bool = False) -> str:
    """A function; lines of its body that are indented are in the block above them."""
    body = "".join(f"        {line}\n" for line in lines)
    return f"    @R.function(private={private})\n    def {head}:\n{body}"


def block(*lines: str, output: str) -> tuple[str, ...]:
    return "with R.dataflow():", *(f"    {line}" for line in lines), f"    R.output({output})"


def main(params: str, *lines: str, output: str, returns: str = "") -> str:
    return function(f"main({params})", *block(*lines, output=output), f"return {returns or output}")


SQUARE = function(f"square({X})", "r = R.multiply(x, x)", "return r", private=True)
CASES: dict[str, tuple[str, str]] = {
    "dead bindings": ("DeadCodeElimination", module(main(X, "a = R.exp(x)", "b = R.add(a, a)", "d = R.sin(b)", output="b"))),
    "dead outputs of two blocks": ("DeadCodeElimination", module(function(f"main({X})", *block("a = R.exp(x)", "b = R.sin(a)", output="a, b"), *block("e = R.cos(a)", "f = R.tan(b)", output="e, f"), "return e"))),
    "unused functions": ("DeadCodeElimination", module(SQUARE, main(X, "a = R.exp(x)", output="a"))),
    "entries that are private": ("relax-dce{entry-functions=square}", module(SQUARE, SQUARE.replace("square", "other"), main(X, "a = R.exp(x)", output="a"))),
    "functions that call each other": ("DeadCodeElimination", module(SQUARE, function(f"twice({X})", "r = Module.square(Module.square(x))", "return r", private=True), main(X, "a = R.exp(x)", output="a"))),
    "equal expressions": ("EliminateCommonSubexpr", module(main(f"{X}, {Y}", "a = R.add(x, y)", "b = R.add(x, y)", "e = R.multiply(a, b)", output="e"))),
    "equal calls, other attributes": ("EliminateCommonSubexpr", module(main(X, "a = R.sum(x, axis=[0])", "b = R.sum(x, axis=[1])", "d = R.sum(x, axis=[0])", "e = R.add(R.add(a, b), d)", output="e"))),
    "calls alone": ("relax-cse{call-only=true}", module(main(f"{X}, {Y}", "a = R.add(x, y)", "b = R.add(x, y)", "e = (a, b)", output="e"))),
    "other names for values": ("CanonicalizeBindings", module(function(f"main({X})", "a = x", "b = a", "d = b", "return d"))),
    "matches that say nothing new": ("CanonicalizeBindings", module(function(f"main({N})", "n = T.int64()", "a = R.match_cast(x, R.Tensor((n, 4), 'float32'))", "b = R.exp(a)", "return b"))),
    "fields of tuples": ("CanonicalizeBindings", module(function(f"main({X}, {Y})", "t = (x, y)", "a = t[0]", "b = t[1]", "d = R.add(a, b)", "return d"))),
    "constants": ("FoldConstant", module(main('x: R.Tensor((2,), "float32")', 'a = R.add(R.const([1, 2], "float32"), R.const([3, 4], "float32"))', "b = R.multiply(x, a)", output="b"))),
    "sizes that become known": ("relax-bind-symbolic-vars{vars=n sizes=8}", module(function(f"main({N})", "n = T.int64()", "a = R.zeros((n, 4), 'float32')", "b = R.add(x, a)", "return b"))),
    "weights in a tuple": ("BundleModelParams", module(function(f"main({X}, {Y}, w: R.Tensor((4,), 'float32'))", "R.func_attr({'num_input': 1})", "a = R.add(x, y)", "b = R.multiply(a, w)", "return b"))),
    "parallel products": ("CombineParallelMatmul", module(main("x: R.Tensor((2, 4, 8), 'float32'), a: R.Tensor((8, 3), 'float32'), b: R.Tensor((8, 5), 'float32')", "p = R.matmul(x, a)", "q = R.matmul(x, b)", "s = (p, q)", output="s"))),
    "pure bindings": ("relax-convert-to-dataflow{min-size=2}", module(function(f"main({X})", "a = R.exp(x)", "b = R.add(a, x)", "R.print(b, format='{}')", "return b").replace("private=False", "pure=False"))),
    "blocks taken apart": ("ToNonDataflow", module(main(X, "a = R.exp(x)", "b = R.sin(a)", output="b"))),
    "products with a sum": ("ExpandMatmulOfSum", module(main(f"{X}, a: R.Tensor((4, 3), 'float32'), b: R.Tensor((4, 3), 'float32')", "t = R.add(a, b)", "z = R.matmul(x, t)", output="z"))),
    "products in the cheaper order": ("AdjustMatmulOrder", module(main("x: R.Tensor((1, 64), 'float32'), a: R.Tensor((64, 2), 'float32'), b: R.Tensor((2, 64), 'float32')", "t = R.matmul(a, b)", "z = R.matmul(x, t)", output="z"))),
    "rows taken after the product": ("ReorderTakeAfterMatmul", module(main(f"{X}, w: R.Tensor((4, 6), 'float32'), i: R.Tensor((3,), 'int64')", "t = R.take(w, i, axis=1)", "z = R.matmul(x, t)", output="z"))),
    "one transposition after a concatenation": ("ReorderPermuteDimsAfterConcat", module(main(f"{X}, {Y}", "a = R.permute_dims(x)", "b = R.permute_dims(y)", "z = R.concat((a, b), axis=0)", output="z"))),
    "transposed operands": ("FuseTransposeMatmul", module(main(f"{X}, {Y}", "t = R.permute_dims(y)", "z = R.matmul(x, t)", output="z"))),
    "private functions": ("InlinePrivateFunctions", module(SQUARE, function(f"main({X})", "a = Module.square(x)", "b = Module.square(a)", "return b"))),
    "recursive functions stay": ("InlinePrivateFunctions", module(function(f"loop({X}, {S})", "if c:", "    r = Module.loop(R.add(x, x), c)", "else:", "    r = x", "return r", private=True).replace("loop(", "loop(", 1).replace(":\n        if", " -> R.Tensor((4, 4), 'float32'):\n        if"), function(f"main({X}, {S})", "a = Module.loop(x, c)", "return a"))),
    "results of private functions": ("RemoveUnusedOutputs", module(function(f"pair({X})", "a = R.exp(x)", "b = R.sin(x)", "return (a, b)", private=True), function(f"main({X})", "t = Module.pair(x)", "a = t[0]", "return a"))),
    "parameters of private functions": ("RemoveUnusedParameters", module(function(f"first({X}, {Y})", "a = R.exp(x)", "return a", private=True), function(f"main({X}, {Y})", "a = Module.first(x, y)", "return a"))),
    "local functions": ("LambdaLift", module(function(f"main({X}, {Y})", "@R.function", "def inner(z: R.Tensor((4, 4), 'float32')) -> R.Tensor((4, 4), 'float32'):", "    r = R.add(z, z)", "    return r", "a = inner(x)", "return a"))),
    "norms for inference": ("DecomposeOpsForInference", module(main("x: R.Tensor((2, 3, 4, 4), 'float32'), g: R.Tensor((3,), 'float32'), b: R.Tensor((3,), 'float32'), m: R.Tensor((3,), 'float32'), v: R.Tensor((3,), 'float32')", "t = R.nn.batch_norm(x, g, b, m, R.multiply(v, v), axis=1, epsilon=1e-3)", "z = t[0]", output="z"))),
    "norms for training": ("DecomposeOpsForTraining", module(main("x: R.Tensor((2, 4), 'float32'), g: R.Tensor((4,), 'float32'), b: R.Tensor((4,), 'float32')", "z = R.nn.layer_norm(x, g, b, axes=[-1])", output="z"))),
    "shapes that stay": ("RewriteDataflowReshape", module(main(X, "a = R.reshape(x, R.shape([2, 8]))", "b = R.exp(a)", output="b"))),
    "an order from the inputs": ("relax-topological-sort{order=depth-first direction=from-inputs}", module(main(f"{X}, {Y}", "a = R.exp(x)", "b = R.exp(y)", "d = R.sin(a)", "e = R.sin(b)", "f = R.add(d, e)", output="f"))),
    "an order from the outputs": ("relax-topological-sort{order=breadth-first direction=from-outputs}", module(main(f"{X}, {Y}", "a = R.exp(x)", "b = R.exp(y)", "d = R.sin(a)", "e = R.sin(b)", "f = R.add(d, e)", output="f"))),
    "types of parameters": ('relax-update-param-type{params=y types="!relax.tensor<[k, 4], f32>"}', module(main(f"{N}, y: R.Tensor((8, 4), 'float32')", "z = R.matmul(x, R.permute_dims(y))", output="z"))),
    "weights alone": ("LiftTransformParams", module(main(f"{X}, {Y}", "t = R.permute_dims(y)", "o = R.ones((4, 4), 'float32')", "u = R.add(t, o)", "a = R.add(x, o)", "z = R.matmul(a, u)", output="z").replace("        with", "        R.func_attr({'num_input': 1})\n        with"))),
    "weights up to a stop": ("LiftTransformParams", module(main(f"{X}, {Y}", "t = R.permute_dims(y)", "s = R.builtin.stop_lift_params(t)", "u = R.exp(s)", "z = R.matmul(x, u)", output="z").replace("        with", "        R.func_attr({'num_input': 1})\n        with"))),
    "gradients": ("Gradient", module(main(f"{X}, {Y}", "a = R.multiply(x, y)", "b = R.tanh(a)", "z = R.sum(b)", output="z"))),
    "gradients of intermediate values": ("relax-gradient{wrt=a,x,z}", module(main(f"{X}, {Y}", "a = R.multiply(x, y)", "b = R.multiply(a, a)", "z = R.sum(b)", output="z"))),
    "gradients of tuples": ("Gradient", module(main(f"t: R.Tuple(R.Tensor((4,), 'float32'), R.Tensor((4,), 'float32')), {X.replace('(4, 4)', '(4,)')}", "a = t[0]", "b = t[1]", "d = R.add(R.multiply(a, x), b)", "z = R.sum(R.multiply(d, d))", output="z"))),
    "gradients of one of several results": ("relax-gradient{target-index=1}", module(main(X, "a = R.exp(x)", "z = R.sum(a)", output="a, z", returns="(a, z)"))),
    "sizes as numbers": ("ComputePrimValue", module(function(f"main({N})", "n = T.int64()", "k = R.prim_value(n * 4)", "return k"))),
    "operators as prim funcs": ("LegalizeOps", module(main(f"{N}, y: R.Tensor((4,), 'float32')", "a = R.add(x, y)", "b = R.nn.relu(a)", "z = R.max(b, axis=[1])", output="z"))),
    "numbers on paper": ("FastMathTransform", module(main(X, "a = R.tanh(x)", "z = R.exp(a)", output="z"))),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@needs(TVM)
def test_both_passes(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    spec, text = CASES[case]
    (path := tmp_path / "program.py").write_text(text)
    assert relax_translate.main(["--check-tvm", spec, str(path)]) == 0, capsys.readouterr().out
