"""Passes of xDSL between ours: programs, where the passes run, and what they do not take.

docs/from-mlir.md has the same rows, which `test/unit/lowering/test_xdsl_pipelines.py` runs and compares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.pipeline import PASSES
from relax_dialect import parse
from relax_dialect.ir.walk import symbol_name
from relax_dialect.transform.regions import erase

SIZES = {"n": 4, "k": 8, "m": 6}


def _tensor(sizes: Sequence[str], dtype: str = "f32") -> str:
    return f"!relax.tensor<[{', '.join(sizes)}], {dtype}>"


def _function(name: str, op: str, operands: Sequence[str], result: str) -> str:
    values = [f"%{letter}" for letter, _ in zip("xyz", operands)]
    params = ", ".join(f"{value}: {type}" for value, type in zip(values, operands))
    operator, _, attributes = op.partition(" ")
    return f"""relax.func @{name}({params}) -> {result} {{
  %r = relax.{operator} {", ".join(values)} {attributes} : ({", ".join(operands)}) -> {result}
  relax.return %r : {result}
}}"""


def functions(dtype: str = "f32") -> Mapping[str, str]:
    """Functions of one operator each, on symbolic sizes, by their names."""
    line, grid, turned = _tensor("n", dtype), _tensor("nk", dtype), _tensor("kn", dtype)
    total = _tensor(["n + m", "k"], dtype)
    half, places = _tensor("n", "f16"), _tensor("m", "i64")
    found = {
        "add": ("add", [line, line], line),
        "relu": ("relu", [grid], grid),
        "sum": ("sum {axis = array<i64: 1>}", [grid], line),
        "transpose": ("permute_dims", [grid], turned),
        "product": ("matmul", [grid, _tensor("km", dtype)], _tensor("nm", dtype)),
        "softmax": ("softmax {axis = -1 : i64}", [grid], grid),
        "concat": ("concat {axis = 0 : i64}", [grid, _tensor("mk", dtype)], total),
        "take": ("take {axis = 0 : i64}", [grid, places], _tensor("mk", dtype)),
        "narrow": ("add", [half, half], half),
    }
    return {name: _function(name, *parts) for name, parts in found.items()}


def program(names: Sequence[str], is_static: bool, dtype: str = "f32") -> ModuleOp:
    """Some of the functions; sizes are those of `SIZES` or symbolic."""
    text = "\n".join(functions(dtype)[name] for name in names)
    if is_static:
        text = text.replace("n + m", "10")
        for name, size in SIZES.items():
            text = text.replace(f"[{name},", f"[{size},").replace(f"[{name}]", f"[{size}]")
            text = text.replace(f", {name}]", f", {size}]")
    return parse(text)


def arguments(dtype: type[np.generic] = np.float32) -> Mapping[str, Sequence[np.ndarray]]:
    """Arguments of the functions, by their names."""
    rng = np.random.default_rng(0)

    def random(*sizes: int) -> np.ndarray:
        return (4 * rng.standard_normal(sizes)).astype(dtype)

    n, k, m = SIZES.values()
    half = random(n).astype(np.float16)
    grid = random(n, k)
    return {
        "add": [random(n), random(n)],
        "relu": [grid],
        "sum": [grid],
        "transpose": [grid],
        "product": [grid, random(k, m)],
        "softmax": [grid],
        "concat": [grid, random(m, k)],
        "take": [grid, rng.integers(0, n, m)],
        "narrow": [half, half[::-1].copy()],
    }


STAGES = {
    "prim funcs on tensors": "relax-fuse-siblings",
    "prim funcs on memrefs": "relax-schedule",
    "loops": "relax-emulate-unsupported-floats",
    "the end": None,
}
"""The levels of a program, and the pass of ours that comes next."""

PIPELINES: Mapping[str, Sequence[str]] = {
    "prim funcs on tensors": (
        "canonicalize",
        "cse",
        "dce",
        "licm",
        "linalg-generalize-named-ops",
        "constant-fold-interp",
        "arith-add-fastmath",
        "control-flow-hoist",
        "convert-scf-to-cf",
        "function-persist-arg-names",
    ),
    "prim funcs on memrefs": (
        "canonicalize,cse,dce",
        "linalg-generalize-named-ops",
        "convert-linalg-to-loops",
        "scf-for-loop-unroll",
    ),
    "loops": (
        "canonicalize",
        "cse",
        "dce",
        "licm",
        "control-flow-hoist",
        "scf-for-loop-flatten",
        "scf-for-loop-range-folding",
        "scf-for-loop-unroll",
        "loop-hoist-memref",
        "convert-scf-to-cf",
        "convert-arith-to-varith,varith-fuse-repeated-operands,convert-varith-to-arith",
        "lift-arith-to-linalg",
        "lower-affine",
        "convert-scf-to-openmp",
        "convert-ml-program-to-memref",
        "reconcile-unrealized-casts",
    ),
    "the end": (
        "canonicalize,cse,licm,canonicalize,dce",
        "scf-for-loop-range-folding,scf-for-loop-unroll",
        "convert-scf-to-cf",
    ),
}
"""Passes of xDSL that run at a level, on static and on symbolic programs: the results are the same, and so are
those of the C that our passes make of it."""

LLVM = (
    "convert-memref-to-ptr{lower-func=true}",
    "convert-ptr-type-offsets",
    "canonicalize",
    "convert-ptr-to-llvm",
    "reconcile-unrealized-casts",
)
"""From loops on static memrefs to pointers of LLVM."""

RISCV = (
    "canonicalize",
    "convert-arith-to-riscv",
    "convert-func-to-riscv-func",
    "convert-memref-to-riscv",
    "convert-scf-to-riscv-scf",
    "canonicalize",
    "reconcile-unrealized-casts",
    "canonicalize",
)
"""From loops on static memrefs to instructions on as many registers as there are values."""

ASSEMBLY = (
    "riscv-allocate-registers",
    "riscv-lower-parallel-mov",
    "canonicalize",
    "convert-riscv-scf-to-riscv-cf",
    "riscv-lower-parallel-mov",
    "canonicalize",
)
"""From there to assembly (`-t riscv-asm`)."""

X86 = (*LLVM[:3], "convert-func-to-x86-func", "convert-arith-to-x86")

LIMITS: Sequence[tuple[Sequence[str], str, bool, str, str]] = (
    (LLVM, "concat", True, "memref.copy", "`memref.copy`, `memref.collapse_shape`"),
    (LLVM, "relu", False, "memref.dim", "sizes that are not static, from two dimensions on"),
    (RISCV, "narrow", True, "Unexpected float type f16", "f16"),
    (RISCV, "take", True, "Only 32 bit integers are supported", "integers of 64 bits"),
    (RISCV, "product", False, "MinSI is not supported", "`arith.minsi`, `arith.maxsi`, `arith.ceildivui`"),
    (RISCV, "relu", False, "dynamic stride", "sizes that are not static, from two dimensions on"),
    (RISCV, "softmax", False, "-36893488147419103232 is out of range", "buffers of a size that is not static: "
     "the marker -2^63 of it is multiplied by the bytes of an element"),
    ((*RISCV, *ASSEMBLY), "softmax", True, "Out of registers", "more values than registers: none is spilled"),
    (X86, "sum", True, "arith.constant is only implemented for integers", "constants of floats"),
    (("convert-linalg-to-memref-stream",), "take", True, "expected a linalg.generic directly around it",
     "`linalg.index`, which is left in a `memref_stream.generic`"),
)  # fmt: skip
"""What passes of xDSL do not take of ours: the passes, a function, whether its sizes are static, what the
error says, and what it is about."""

TO_LOOPS = (
    "relax-legalize",
    "relax-fuse-elementwise",
    "relax-bufferize",
    "relax-linalg-to-loops",
    "relax-lower-functions",
)
"""Plain loops, without a schedule."""


def kernel(name: str, is_static: bool = True, dtype: str = "f32") -> tuple[ModuleOp, str]:
    """The prim func of a function as plain loops on memrefs that the caller gives, and its name."""
    module = lowering.lower(program([name], is_static, dtype), TO_LOOPS)
    for op in list(module.ops):
        if symbol_name(op) == name:
            erase(op)
    (function,) = module.ops
    symbol = symbol_name(function)
    assert symbol is not None
    function.properties.pop("sym_visibility", None)
    return module, symbol


def after(stage: str) -> tuple[Sequence[str], Sequence[str]]:
    """Our passes up to a level, and those that follow."""
    names, following = list(PASSES), STAGES[stage]
    at = len(names) if following is None else names.index(following)
    return names[:at], names[at:]
