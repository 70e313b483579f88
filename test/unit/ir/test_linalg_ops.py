"""Named ops of linalg: what they compute is what `mlir-opt` says they do."""

from __future__ import annotations

import re
import subprocess

import pytest
from optional import MLIR, mlir_tool, needs
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.transforms.linalg_generalize_named_ops import LinalgGeneralizeNamedOpsPass

from relax_dialect import parse
from relax_dialect.ir.mlir.linalg_ops import OPS, LinalgWindowOp, PointwiseOp, TableOp
from relax_dialect.parsing import new_context

STRIDE, DILATION = 2, 3
UNARY = {"abs", "ceil", "erf", "floor", "negf", "reciprocal", "round", "rsqrt", "square", "tanh"}


def _types(op: type[TableOp], element: str) -> list[str]:
    """Types of the operands, the loops of sizes 2, 3, 4, ..."""
    if issubclass(op, PointwiseOp):
        return [f"tensor<2x3x{element}>"] * (2 if op.name.split(".")[1] in UNARY else 3)
    inputs, result = op.SPEC.split("->")
    sizes = {c: n for n, c in enumerate(dict.fromkeys(result + inputs.replace(",", "")), 2)}

    def size(letter: str, is_image: bool) -> int:
        if not (is_image and letter.isupper()):
            return sizes[letter]
        return (sizes[letter.lower()] - 1) * STRIDE + (sizes[letter] - 1) * DILATION + 1

    operands = [*inputs.split(","), result]
    return [
        f"tensor<{''.join(f'{size(c, number == 0)}x' for c in operand)}{element}>"
        for number, operand in enumerate(operands)
    ]


def _has_strides(op: type[TableOp]) -> bool:
    return issubclass(op, LinalgWindowOp) and op.name.split(".")[1] not in (
        "conv_1d",
        "conv_2d",
        "conv_3d",
    )


def _program(op: type[TableOp], element: str, accumulator: str) -> str:
    types = _types(op, element)
    types[-1] = types[-1].replace(element, accumulator)
    if not _has_strides(op) and issubclass(op, LinalgWindowOp):
        shape = re.findall(r"\d+(?=x)", types[1]), re.findall(r"\d+(?=x)", types[2])
        image = "".join(f"{int(a) + int(b) - 1}x" for a, b in zip(*shape))
        types[0] = f"tensor<{image}{element}>"
    names = [f"%{i}" for i in range(len(types))]
    window = ""
    if _has_strides(op):
        rank = sum(c.isupper() for c in op.SPEC.split(",")[0])
        vector = f": vector<{rank}xi64>"
        window = f" {{dilations = dense<{DILATION}> {vector}, strides = dense<{STRIDE}> {vector}}}"
    params = ", ".join(f"%{i}: {t}" for i, t in enumerate(types))
    ins = f"ins({', '.join(names[:-1])} : {', '.join(types[:-1])})"
    return (
        f"func.func @f({params}) -> {types[-1]} {{\n"
        f"  %r = {op.name}{window} {ins} outs({names[-1]} : {types[-1]}) -> {types[-1]}\n"
        f"  return %r : {types[-1]}\n}}\n"
    )


FLOATS = [(op, "f32", "f32") for op in OPS if "unsigned" not in op.name]
NARROW = [
    (op, "f16", "f32")
    for op in OPS
    if not issubclass(op, PointwiseOp) and "unsigned" not in op.name
]
INTEGERS = [
    (op, "i8", "i32")
    for op in OPS
    if not issubclass(op, PointwiseOp) or op.name in ("linalg.div", "linalg.div_unsigned")
]


@needs(MLIR)
@pytest.mark.parametrize("cases", [FLOATS, NARROW, INTEGERS], ids=["f32", "f16", "i8"])
def test_generalized_as_mlir_does(cases: list[tuple[type[TableOp], str, str]]) -> None:
    texts = []
    for op, element, accumulator in cases:
        if issubclass(op, PointwiseOp):
            element = accumulator
        texts.append(_program(op, element, accumulator))
    run = subprocess.run(
        [mlir_tool("mlir-opt"), "--linalg-generalize-named-ops", "--split-input-file"],
        input="// -----\n".join(texts), capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[:2000]
    theirs = run.stdout.split("// -----")
    assert len(theirs) == len(texts)
    for text, expected in zip(texts, theirs):
        module = parse(text)
        LinalgGeneralizeNamedOpsPass().apply(new_context(), module)
        assert _described(module) == _described(parse(expected)), text


def _described(module: ModuleOp) -> tuple[object, ...]:
    """The one generic of a module, up to the order of parallel loops, names and operands that commute."""
    (generic,) = (op for op in module.walk() if isinstance(op, GenericOp))
    maps = [attribute.data for attribute in generic.get_indexing_maps()]
    used = [dim for m in (maps[-1], *maps[:-1]) for expr in m.results for dim in _dims(expr)]
    order = list(dict.fromkeys(used))
    new: list[AffineExpr] = [AffineDimExpr(order.index(dim)) for dim in range(len(order))]
    subscripts = [[e.replace_dims_and_symbols(new, []) for e in m.results] for m in maps]
    kinds = [generic.get_iterator_types().data[dim].data for dim in order]
    return [list(map(str, each)) for each in subscripts], kinds, _body(generic)


def _dims(expr: AffineExpr) -> list[int]:
    return [e.position for e in expr.post_order() if isinstance(e, AffineDimExpr)]


def _body(generic: GenericOp) -> str:
    names: dict[object, str] = {a: f"%a{i}" for i, a in enumerate(generic.body.block.args)}
    lines = []
    for op in generic.body.block.ops:
        if op.name == "arith.constant":  # it may be outside as well
            continue
        operands = [names.get(v) or f"{v.owner.properties['value']}" for v in op.operands]
        if re.match(r"arith\.(add|mul|max|min)", op.name):
            operands.sort()
        names |= {result: f"%{len(names)}" for result in op.results}
        lines.append(f"{op.name} {operands} {[str(r.type) for r in op.results]}")
    return "\n".join(lines)
