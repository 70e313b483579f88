"""`relax-translate --check-tvm`: each pass that we have of TVM's beside TVM's own, on programs both know; errors."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from optional import package

from lowering.tools import relax_translate
from relax_dialect.frontends import tvmscript

HEAD = "@I.ir_module\nclass Module:\n"
MAIN = "    @R.function\n    def main({params}):\n{body}"
X, W = 'x: R.Tensor(("n", 16), "float32")', 'w: R.Tensor((16, 8), "float32")'
NORM = ", ".join(f'{p}: R.Tensor((16,), "float32")' for p in ("g", "b", "m", "v"))
FORMS, VALUES = "the same module", "other forms"


def program(params: str, *lines: str) -> str:
    """A module of one function, its lines in a block of dataflow, but for what is returned."""
    *bindings, last = lines
    attribute = [bindings.pop(0)] if bindings[0].startswith("R.func_attr") else []
    output = f"R.output({last.removeprefix('return ')})"
    body = [*attribute, "with R.dataflow():", *(f"    {b}" for b in [*bindings, output]), last]
    lines = "".join(f"        {line}\n" for line in body)  # pyright: ignore[reportAssignmentType]
    return HEAD + MAIN.format(params=params, body=lines)


WEIGHTS = program(f"{X}, {W}", "R.func_attr({'num_input': 1})", "t = R.multiply(w, w)", "y = R.matmul(x, t)", "return y")  # fmt: skip
VALUE = HEAD + MAIN.format(
    params=X,
    body="""\
        n = T.int64()
        k = R.prim_value(n * 3 + 2)
        return k
""",
)
PASSES = {
    "DecomposeOpsForInference": (VALUES, program(f"{X}, {NORM}", "y = R.nn.batch_norm(x, g, b, m, v, axis=1)", "z = y[0]", "return z")),
    "DecomposeOpsForTraining": (FORMS, program(f"{X}, {NORM}", "y = R.nn.layer_norm(x, g, b, axes=[-1])", "return y")),
    "LiftTransformParams": (FORMS, WEIGHTS),
    "relax-lift-transform-params{shared=true}": (FORMS, WEIGHTS),
    "BundleModelParams": (FORMS, WEIGHTS),
    "relax-bundle-model-params{param=q}": (FORMS, WEIGHTS),
    "AdjustMatmulOrder": (FORMS, program("x: R.Tensor((16,), 'float32'), a: R.Tensor((32, 2), 'float32'), b: R.Tensor((2, 16), 'float32')", "t = R.matmul(a, b)", "y = R.matmul(t, x)", "return y")),
    "ExpandMatmulOfSum": (FORMS, program(f"{X}, a: R.Tensor((16, 8), 'float32'), b: R.Tensor((16, 8), 'float32')", "t = R.add(a, b)", "y = R.matmul(x, t)", "return y")),
    "ReorderTakeAfterMatmul": (FORMS, program(f"{X}, {W}, i: R.Tensor(('k',), 'int64')", "t = R.take(w, i, axis=1)", "y = R.matmul(x, t)", "return y")),
    "ReorderPermuteDimsAfterConcat": (FORMS, program(f"{X}, {W}", "a = R.permute_dims(x)", "b = R.matmul(x, w)", "c = R.permute_dims(b)", "y = R.concat((a, c))", "return y")),
    'relax-update-param-type{params=w types="!relax.tensor<[16, k], f32>"}': (FORMS, program(f"{X}, {W}", "y = R.matmul(x, w)", "return y")),
    "AttachGlobalSymbol": (FORMS, WEIGHTS.replace("@R.function", "@R.function(private=True)")),
    "FastMathTransform": (VALUES, program(X, "y = R.exp(x)", "z = R.nn.softmax(y)", "return z")),
    "relax-fast-math": (VALUES, program(f"i: R.Tensor(('n',), 'int64'), {W}", "t = R.exp(w)", "z = R.take(t, i, axis=0)", "return z")),
    "ComputePrimValue": (FORMS, VALUE),
    "FoldConstant": (FORMS, program('x: R.Tensor(("n",), "float16")', "t = R.add(R.const([1, 2], 'float16'), R.const(1, 'float16'))", "s = R.sum(x)", "y = R.add(t, s)", "return y")),
    "LegalizeOps": (FORMS, program('x: R.Tensor(("n", "m"), "int32")', "y = R.multiply(x, x)", "z = R.sum(y, axis=[0])", "return z")),
    "relax-gradient{wrt=w,0}": (VALUES, program(f"{X}, {W}", "y = R.tanh(R.matmul(x, w))", "z = R.sum(R.multiply(y, y))", "return z")),
    "relax-convert-layout{op=conv2d data=NHWC kernel=OHWI}": (VALUES, program('x: R.Tensor(("n", 4, 9, 7), "float32"), w: R.Tensor((6, 4, 3, 3), "float32"), b: R.Tensor((6, 1, 1), "float32")', "y = R.nn.conv2d(x, w)", "z = R.nn.relu(R.add(y, b))", "u = R.nn.max_pool2d(z, (2, 2))", "return u")),
    "ToMixedPrecision": (FORMS, program(f"{X}, {W}", "y = R.matmul(x, w)", "z = R.tanh(y)", "u = R.nn.softmax(z)", "return u")),
    "relax-convert-to-dataflow{min-size=9}": (FORMS, HEAD + MAIN.format(params=X, body="        y = R.exp(x)\n        return y\n")),
    "relax-bind-symbolic-vars{vars=n sizes=4}": (FORMS, program(X, "y = R.exp(x)", "return y")),
}  # fmt: skip


def check(path: Path, text: str, *words: str) -> int:
    path.write_text(text)
    return relax_translate.main(["--check-tvm", *words, str(path)])


@pytest.mark.parametrize("name", PASSES)
def test_as_tvm_does(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package("tvm")
    how, text = PASSES[name]
    assert check(tmp_path / "model.py", text, name) == 0, capsys.readouterr()
    assert how in capsys.readouterr().out


PRODUCT = """\
    @T.prim_func(private=True, s_tir=True)
    def fused(x: T.Buffer((4, 8), "float32"), w: T.Buffer((8, 6), "float32"), {y}: T.Buffer((4, 6), "float32")):
{allocated}        for i, j, k in T.grid(4, 6, 8):
            with T.sblock("matmul"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    t[v_i, v_j] = T.float32(0)
                t[v_i, v_j] = t[v_i, v_j] + x[v_i, v_k] * w[v_k, v_j]
"""
RELU = """\
        for i, j in T.grid(4, 6):
            with T.sblock("relu"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                y[v_i, v_j] = T.max(t[v_i, v_j], T.float32(0))
"""
CALL = MAIN.format(
    params='x: R.Tensor((4, 8), "float32"), w: R.Tensor((8, 6), "float32")',
    body="""\
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.fused, (x, w), out_sinfo=R.Tensor((4, 6), "float32"))
            R.output(y)
        return y
""",
)


def test_parts_of_prim_funcs_become_library_calls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package("tvm")
    monkeypatch.chdir(tmp_path)
    pattern = HEAD + PRODUCT.format(y="t", allocated="")
    Path("patterns.mlir").write_text(str(tvmscript.loads(pattern)))
    allocated = '        t = T.alloc_buffer((4, 6), "float32")\n'
    fused = HEAD + PRODUCT.format(y="y", allocated=allocated) + RELU + CALL
    name = 'relax-split-call-tir-by-pattern{file="patterns.mlir"}'
    assert check(tmp_path / "model.py", fused, name) == 0, capsys.readouterr()
    assert FORMS in capsys.readouterr().out


EXP = PASSES["FastMathTransform"][1]
REFUSED = {
    "FoldConstants": "found FoldConstants; the nearest is FoldConstant",
    "FuseTIR": r"found one of TVM's whose work relax-fuse-elementwise does \(both steps in one\); docs/from-tvm",
    "LazyGetInput": r"found one of TVM's which has no counterpart \(parameters are the caller's arrays",
    "relax-lift-transform-params{shared=3}": "expected the options shared=bool, funcs=str,...",
    "relax-lift-transform-params{": "expected one pass, as in FoldConstant",
    "FoldConstant,relax-cse": "expected one pass, as in FoldConstant .*found 2 passes",
    "relax-update-param-type": r"expected the options params=str,... \(required\)",
    "FoldConstant": "expected the package tvm, found none; install it with pip install 'relax-xdsl",
}


@pytest.mark.parametrize("name", REFUSED)
def test_without_tvm(
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tvm", None)
    assert check(tmp_path / "model.py", EXP, name) == 1
    assert re.search(REFUSED[name], capsys.readouterr().err)


def test_what_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sizes, seeds and tolerances are those of the command line; what differs is exit code 1."""
    package("tvm")
    path = tmp_path / "model.py"
    assert check(path, EXP, "FastMathTransform", "--random", "n=0") == 0
    assert "@main: the same values (3 runs)" in capsys.readouterr().out
    told, half = set[str](), EXP.replace("float32", "float16")
    for seed in ("0", "1"):
        assert check(path, half, "FastMathTransform", "--seed", seed, "--tolerance", "0") == 1
        told.add(capsys.readouterr().out)
    assert len(told) == 2
    assert check(path, EXP, "FastMathTransform", "--random", "k=3") == 1
    assert "expected a variable of the parameters (n), found 'k'" in capsys.readouterr().err
    three = "z = R.reshape(R.exp(x), R.shape([3]))"
    reshaped = program('x: R.Tensor(("n",), "float32")', three, "return z")
    assert check(path, reshaped, "FastMathTransform") == 0
    assert "(one run; stopped at n=6, both)" in capsys.readouterr().out


def test_what_tvm_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package("tvm")
    path = tmp_path / "model.py"
    unknown = program(
        'x: R.Tensor(ndim=1, dtype="float32")', "z = R.add(x, R.exp(R.const(1.0)))", "return z"
    )
    returned = WEIGHTS.replace("return y", "return w")
    wrong = {
        "relax-to-graph-normal-form": (EXP, "expected a pass that TVM has, found ToGraphNormalForm"),
        "relax-to-mixed-precision{dtype=bf16}": (EXP, "expected dtype=f16, as TVM has no other"),
        "relax-fold-constant{max-elements=3}": (EXP, "expected no options, as TVM's pass has no arguments"),
        "relax-lift-transform-params{funcs=main}": (WEIGHTS, "expected shared=true with it"),
        "FuseOpsByPattern": (EXP, "takes patterns of Python, which each side has of its own"),
        "relax-gradient{mode=vjp}": (EXP, "expected mode=gradient, as TVM has no other, found vjp"),
        "FoldConstant": (unknown, "expected a program that TVM's pass takes, found one that stops it (emit_te"),
        "LiftTransformParams": (returned, "expected TVM's pass to produce a well-formed module, found that TVM refuses it"),
    }  # fmt: skip
    for name, (text, message) in wrong.items():
        assert check(path, text, name) == 1
        assert message in capsys.readouterr().err
