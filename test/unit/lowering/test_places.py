"""Ops keep the place where they were read: in passes, in emitted C, in what fails while it runs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import FusedLoc
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from lowering import compile
from lowering.driver import to_c
from lowering.pipeline import PASSES, lower
from relax_dialect import interpret, load, structural_equal
from relax_dialect.builder import BlockBuilder
from relax_dialect.builder import op as relax
from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import in_file, origins_text, place_text
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.unary import ExpOp, TanhOp
from relax_dialect.parsing import parse
from relax_dialect.visitor import ExprMutator

PROGRAM = """relax.func @main(%x: !relax.tensor<[n, 4], f32>, %i: !relax.tensor<[m], i64>) -> !relax.tensor<[3, 4], f32> {
  %0 = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %1 = relax.negative %0 : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %2 = relax.take %1, %i {axis = 0} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[m], i64>) -> !relax.tensor<[m, 4], f32>
  %3 = relax.add %2, %2 : (!relax.tensor<[m, 4], f32>, !relax.tensor<[m, 4], f32>) -> !relax.tensor<[m, 4], f32>
  %4 = relax.match_cast %3 : !relax.tensor<[m, 4], f32> -> !relax.tensor<[3, 4], f32>
  relax.return %4 : !relax.tensor<[3, 4], f32>
}
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("places") / "p.mlir"
    path.write_text(PROGRAM)
    return path


def functions(path: Path, names: list[str]) -> dict[str, str | None]:
    """The functions of the program after some passes, with the lines that they come from; not those of
    loops that threads share."""
    module = lower(load(path), names)
    return {
        op.sym_name.data: origins_text(op.location)
        for op in module.ops
        if isinstance(op, FuncOp) and not op.sym_name.data.endswith("_loop")
    }


def test_reading_sets_the_places_of_names(path: Path):
    main = load(path).body.block.first_op
    assert main is not None
    places = [place_text(op.location) for op in main.regions[0].block.ops]
    assert places == [f"{path}:{line}:{8 if line < 7 else 3}" for line in range(2, 8)]
    assert [in_file(op.location) for op in main.clone().walk()] == [
        in_file(op.location) for op in main.walk()
    ]


def test_prim_funcs_come_from_their_operators(path: Path):
    assert functions(path, ["relax-legalize"]) == {
        "exp": "p.mlir:2",
        "negative": "p.mlir:3",
        "take": "p.mlir:4",
        "add": "p.mlir:5",
    }
    fused = {"exp_negative": "p.mlir:2, p.mlir:3", "take_add": "p.mlir:4, p.mlir:5"}
    assert functions(path, ["relax-legalize", "relax-fuse-elementwise"]) == fused
    assert functions(path, list(PASSES)) == fused | {"main": "p.mlir:1"}


def test_no_op_of_a_prim_func_is_without_a_place(path: Path):
    for op in lower(load(path)).walk():
        if isinstance(op, FuncOp) and op.sym_name.data != "main":
            assert isinstance(op.location, FusedLoc)
            assert all(in_file(inner.location) is not None for inner in op.walk())


def test_c_names_the_lines_without_the_folder(path: Path):
    source = to_c(load(path), "p", opt_level=0, cpu="generic")
    assert "/* from p.mlir:2, p.mlir:3 */" in source.c
    assert "p.mlir:4:8: @main: relax.take" in source.c
    assert str(path.parent) not in source.c + source.h
    unplaced = to_c(parse(PROGRAM), "p", opt_level=0, cpu="generic")
    assert "/* from" not in unplaced.c and "text>" not in unplaced.c
    shorn = re.sub(r"/\* from .* \*/\n|p\.mlir:\d+:\d+: ", "", source.c)
    assert shorn == unplaced.c


def test_a_failed_check_names_its_place(path: Path):
    x = np.ones((2, 4), np.float32)
    messages = {
        "p.mlir:4:8: @main: relax.take: expected": np.array([0, 2, 1]),
        "p.mlir:6:8: @main: relax.match_cast: expected": np.array([0, 1]),
    }
    whole = compile(load(path))["main"]
    for begin, indices in messages.items():
        said: set[str] = set()
        for run in (
            lambda *a: interpret.run(load(path), "main", *a),
            lambda *a: interpret.run(lower(load(path), ["relax-legalize"]), "main", *a),
            lambda *a: interpret.run(
                lower(load(path), ["relax-legalize", "relax-fuse-elementwise"]), "main", *a
            ),
            whole,
        ):
            with pytest.raises(RelaxError) as error:
                run(x, indices)
            said.add(str(error.value))
        (message,) = said
        assert message.startswith(begin.rpartition(":")[0])


def built(shape: list[int | str] | None):
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(shape, "f32")}) as (x,):
        y = bb.emit(relax.exp(x))
        bb.emit_func_output(bb.emit(y * 2.0))
    return bb.get()


def test_errors_of_built_programs_say_the_line_of_python():
    line = built.__code__.co_firstlineno + 3
    message = rf"^test_places\.py:{line}: @main: relax\.exp \(%gv\): cannot be legalized"
    with pytest.raises(RelaxError, match=message):
        compile(built(None))


def test_lines_of_python_are_no_part_of_a_program():
    module = built(["n"])
    source = to_c(module, "p", cpu="generic").c
    assert source == to_c(parse(str(module)), "p", cpu="generic").c and "test_places" not in source
    assert "test_places" not in str(module) and structural_equal(module, parse(str(module)))


class Tanh(ExprMutator):
    """`exp` becomes `tanh`."""

    def visit_op(self, op: Operation) -> object:
        return (
            self.builder.emit(relax.tanh(op.operands[0]))
            if isinstance(op, ExpOp)
            else super().visit_op(op)
        )


def test_what_a_mutator_puts_in_place_of_an_op_has_its_place(path: Path):
    module = load(path)
    Tanh().visit_expr(module)
    (tanh,) = (o for o in module.walk() if isinstance(o, TanhOp))
    assert place_text(tanh.location) == f"{path}:2:8"


def test_parameters_have_places(path: Path):
    main = load(path).body.block.first_op
    assert main is not None
    places = [place_text(a.location) for a in main.clone().regions[0].block.args]
    assert places == [f"{path}:1:18", f"{path}:1:50"]
