"""Loops, branches, tensors and memory of other dialects in Relax functions: C gives what the interpreter gives."""

import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.runtime.loading import CompiledModule
from relax_dialect import interpret, parse
from relax_dialect.errors import RelaxError

PROGRAM = Path(__file__).with_name("mixed_dialects.mlir").read_text()


@pytest.fixture(scope="module")
def module() -> ModuleOp:
    return parse(PROGRAM)


@pytest.fixture(scope="module")
def model(module: ModuleOp) -> CompiledModule:
    return lowering.compile(module, extra_flags=("-Wall", "-Wextra", "-Werror"))


def vector(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


X = vector(1, -2, 0.5, 4)
GRID = np.arange(6, dtype=np.float32).reshape(3, 2)
ROWS = np.arange(24, dtype=np.float32).reshape(6, 4)
CALLS = [
    *(("power", (X, k)) for k in (0, 3, -1)),
    # the last turn is the one before an i8 would overflow; steps of 0 and below are errors
    *(("grow", (X[:2], *map(np.int8, b))) for b in ((0, 3, 1), (120, 127, 5), (3, 3, 2))),
    *(("grow", (X[:2], *map(np.int8, b))) for b in ((0, 3, 0), (0, 3, -1))),
    *(("branches", (X[:n], c)) for n in (0, 3) for c in (True, False)),
    *(("halve", (X, k)) for k in (0, 1, 20)),
    *(("swapped", (X, k)) for k in (1, 20)),
    *(("renamed", (X[:3], k)) for k in (0, 2)),
    *(("exp", (X[:n],)) for n in (0, 3)),
    *(("sum", (X[:n], X[:m])) for n, m in ((3, 3), (0, 0), (3, 2), (2, 3))),
    *(("elements", (X, i, np.float32(2))) for i in (0, 3, 4, -1)),
    *(("product", (GRID, GRID.T, rows, np.float32(1))) for rows in (3, 2, 4, -1)),
    *(("size", (np.ones((3, 4), np.float32), d)) for d in (0, 1, 2, -1)),
    *(("views", (np.arange(6 * n, dtype=np.float32).reshape(n, 6),)) for n in (4, 2)),
    # a slice beyond the tensor is an error
    *(("slices", (ROWS[:n], ROWS[n:])) for n in (3, 4, 1)),
    ("slices", (ROWS[:3], ROWS[:1])),
    *(("inserted", (ROWS, *at, np.float32(7))) for at in ((5, 3), (0, 0), (6, 0), (0, -1))),
    *(("called", (X[:n], k)) for n, k in ((0, 1), (4, 0), (4, 2))),
    *(("parallel", (ROWS[:n],)) for n in (0, 3)),
    *(("reduced", (X[:n],)) for n in (0, 4)),
    ("scaled", (X, np.float32(2))),
    ("around", (X,)),
    ("shifted", (np.arange(3), np.arange(3), 5)),
    *(("memory", (X, size, k)) for size, k in ((1, 3), (2, 0), (0, 1), (-1, 1), (1, 5))),
    *(("carried", (X[:n], k)) for n in (0, 4) for k in (0, 2)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_c_and_interpreter_agree(
    module: ModuleOp, model: CompiledModule, name: str, arguments: tuple[object, ...]
) -> None:
    try:
        expected = interpret.run(module, name, *arguments)
    except RelaxError:
        with pytest.raises(RelaxError):
            model[name](*arguments)
        return
    found = model[name](*arguments)
    pairs = (
        zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    )
    for mine, reference in pairs:
        np.testing.assert_allclose(mine, reference, rtol=1e-6)


V = "!relax.tensor<[n], f32>"
REFUSED = {
    "%s = scf.if %c -> (memref<1xf32>) {{ {m} }} else {{ {m} }}".format(
        m="%m = memref.alloc() : memref<1xf32> scf.yield %m : memref<1xf32>"
    ): "a tensor, a shape, a tuple of them or a scalar, found memref<1xf32>",
    "%m = memref.alloc() : memref<2xf32, strided<[2]>>": "expected memory without a layout",
    f"""%t = relax.to_builtin %x : ({V}) -> tensor<?xf32>
        %u = tensor.pad %t low[0] high[1] {{
        ^bb0(%k: index):
          %j = arith.index_cast %k : index to i32
          %v = arith.sitofp %j : i32 to f32
          tensor.yield %v : f32
        }} : tensor<?xf32> to tensor<?xf32>
        relax.print %c {{format = "{{}}"}} : (i1) -> ()
        %r = relax.from_builtin %u : (tensor<?xf32>) -> !relax.tensor<[?], f32>
        %o = relax.call_packed "f"(%r) : (!relax.tensor<[?], f32>) -> !relax.object""": (
        "move the ops on builtin tensors into a func.func"
    ),
}


@pytest.mark.parametrize(("ops", "message"), REFUSED.items())
def test_what_has_no_place_in_c_is_refused(ops: str, message: str) -> None:
    module = parse(f"relax.func @f(%x: {V}, %c: i1) -> {V} {{ {ops}\n relax.return %x : {V} }}")
    with pytest.raises(RelaxError, match=re.escape(message)):
        lowering.lower(module)
