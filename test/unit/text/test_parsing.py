"""Reading programs: errors of every kind, names that print and parse back, depth and length."""

from __future__ import annotations

import gc
import re
import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation

from relax_dialect.errors import RelaxError
from relax_dialect.parsing import (
    MAX_NESTING,
    ProgramError,
    deep_recursion,
    load,
    parse,
    parse_unverified,
)
from relax_dialect.threads import RARELY

ERRORS = Path(__file__).parents[2] / "filecheck" / "errors"
T = "!relax.tensor<[n], f32>"


UNREADABLE = [p for p in sorted(ERRORS.glob("*.mlir")) if " -p " not in p.read_text()]
"""The mistakes that reading finds; a pass finds the others."""


@pytest.mark.parametrize("path", UNREADABLE, ids=lambda p: p.stem)
def test_every_error_is_one_short_message(path: Path):
    for chunk in path.read_text().split("// -----"):
        with pytest.raises(ProgramError) as error:
            parse(chunk, path.name)
        text = str(error.value)
        assert re.match(rf"{path.name}:\d+:\d+: error: ", text), "an error names its place"
        assert len(text.split("\n")) in (1, 3), "a message, or one with the line and a marker"
        assert "builtin.module {" not in text and "Traceback" not in text and len(text) < 1000


def test_a_model_is_no_program(tmp_path: Path):
    (tmp_path / "m.onnx").write_bytes(bytes(range(256)))
    with pytest.raises(
        ProgramError, match=r"; read a model by relax_dialect\.frontends\.onnx\.load$"
    ):
        load(tmp_path / "m.onnx")


def chain(names: list[str]) -> str:
    """A function of one `exp` after the other with the given names."""
    lines, before = [], "%arg"
    for name in names:
        lines.append(f"  {name} = relax.exp {before} : ({T}) -> {T}")
        before = name
    body = "\n".join(lines)
    return f"relax.func @f(%arg: {T}) -> {T} {{\n{body}\n  relax.return {before} : {T}\n}}"


@pytest.mark.parametrize(
    "names",
    [
        ["%x", "%x_2", "%x_1_7"],
        ["%x_1", "%x", "%x_1_1"],
        ["%0", "%1", "%a"],
        ["%a_0", "%a", "%a_1", "%a_2_3_4"],
        ["%_1", "%__2", "%x1", "%x2_1"],
    ],
)
def test_names_print_and_parse_back(names: list[str]):
    module = parse(chain(names))
    once = str(module)
    assert str(parse(once)) == once
    exps = [op for op in parse(once).walk() if op.name == "relax.exp"]
    assert [op.operands[0].owner for op in exps][1:] == exps[:-1]


def test_a_clone_prints_the_same():
    text = (ERRORS.parent / "dialect" / "blocks.mlir").read_text()
    module = parse(text)
    clone = module.clone()
    clone.verify()
    assert str(clone) == str(module)
    for op in clone.walk():
        for operand in op.operands:
            assert owner_module(operand.owner) is clone


def owner_module(owner) -> ModuleOp:
    current = owner if isinstance(owner, Operation) else owner.parent_op()
    while not isinstance(current, ModuleOp):
        current = current.parent_op()
    return current


def nested(depth: int) -> str:
    return (
        f"relax.func @f(%x: {T}) -> {T} {{\n"
        + "relax.dataflow {\n" * depth
        + "relax.output\n}\n" * depth
        + f"relax.return %x : {T}\n}}"
    )


def test_deep_nesting_is_read():
    module = parse(nested(200))
    with deep_recursion():
        assert str(parse(str(module))) == str(module)


def test_deeper_nesting_is_refused_with_its_place():
    with pytest.raises(ProgramError, match=rf"<text>:\d+:\d+: error: .*at most {MAX_NESTING} deep"):
        parse(nested(MAX_NESTING + 1))


def test_braces_in_strings_and_comments_do_not_count():
    braces = "{" * (MAX_NESTING + 1)
    parse(f'// {braces}\n"test.op"() {{a = "{braces}"}} : () -> ()')


def test_deep_types_are_refused():
    text = '"test.op"() : () -> ' + "tuple<" * 20000 + "i32" + ">" * 20000
    with pytest.raises(ProgramError, match="RecursionError"):
        parse(text)


def test_a_crash_of_the_verifier_is_an_error():
    text = '%m = "test.op"() : () -> memref<4xf32>\n%x = "memref.load"(%m) : (memref<4xf32>) -> f32'
    with pytest.raises(ProgramError, match="index for each dimension"):
        parse(text)


def test_the_recursion_limit_is_restored():
    before = sys.getrecursionlimit()
    with pytest.raises(ProgramError):
        parse("relax.func")
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("chosen", [(700, 10, 10), (0, 0, 0), (10**6, 5, 50)])
def test_garbage_is_looked_for_rarely_and_as_before_afterwards(chosen: tuple[int, int, int]):
    before = gc.get_threshold()
    gc.set_threshold(*chosen)
    try:
        with deep_recursion(), deep_recursion():
            assert all(map(int.__ge__, gc.get_threshold(), chosen))
            assert (gc.get_threshold()[0] >= RARELY[0]) is (chosen[0] > 0)
        assert gc.get_threshold() == chosen
    finally:
        gc.set_threshold(*before)


def test_line_offset_moves_the_place():
    with pytest.raises(ProgramError, match=r"p\.mlir:12:8: error"):
        parse_unverified("\nnothing", "p.mlir", line_offset=10)


def test_unreadable_files(tmp_path: Path):
    with pytest.raises(ProgramError, match="expected a readable file"):
        load(tmp_path / "none.mlir")
    with pytest.raises(ProgramError, match="expected a readable file"):
        load(tmp_path)
    (tmp_path / "b.mlir").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProgramError, match="UTF-8"):
        load(tmp_path / "b.mlir")


def test_signatures_found_by_their_text_stay_apart():
    """The aliases of two programs may give the same text two meanings."""
    for dtype in ("f32", "f64"):
        module = parse(
            f"!t = !relax.tensor<[n], {dtype}>\nrelax.func @f(%x: !t) -> !t {{\n"
            "%y = relax.exp %x : (!t) -> !t\nrelax.return %y : !t\n}"
        )
        assert f"!relax.tensor<[n], {dtype}>" in str(module)


def operations(length: int) -> int:
    """The Python calls that parsing and verifying a dataflow block of this length takes."""
    lines = [f"  %v{i + 1} = relax.exp %v{i} : ({T}) -> {T}" for i in range(length)]
    text = (
        f"relax.func @f(%v0: {T}) -> {T} {{\n%o = relax.dataflow {{\n"
        + "\n".join(lines)
        + f"\nrelax.output %v{length} : {T}\n}}\nrelax.return %o : {T}\n}}"
    )
    count = 0

    def profile(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        module = parse(text)
        str(module)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.long
def test_long_blocks_take_linear_work():
    operations(10)
    short, long = operations(500), operations(2000)
    assert long < 4.4 * short


@pytest.mark.long
def test_ten_thousand_ops():
    module = parse(chain([f"%v{i}" for i in range(10_000)]))
    assert sum(op.name == "relax.exp" for op in module.walk()) == 10_000


def test_errors_are_relax_errors():
    assert issubclass(ProgramError, RelaxError)


def test_constants_that_are_no_finite_numbers_read_back():
    text = """relax.func @main() -> !relax.tensor<[3], f32> {
      %c = relax.constant dense<"0x0000C07F0000807F0000803F"> : tensor<3xf32>
      relax.return %c : !relax.tensor<[3], f32>
    }"""
    printed = str(parse(text))
    assert "0x0000C07F0000807F0000803F" in printed
    assert str(parse(printed)) == printed


NAMES_OF_A_MODULE = """
%y = arith.addi %x, %x : i32
func.func @f(%x: i64, %z: i64) -> i64 {
  %y = arith.addi %x, %z : i64
  return %y : i64
}
relax.func @g(%y: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> {
  %x = relax.exp %y : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  relax.return %x : !relax.tensor<[2], f32>
}
%x = arith.constant 1 : i32
builtin.module {
  %x, %y = "test.op"() : () -> (i64, f32)
}
%z = arith.addi %x, %y : i32
"""


def test_isolated_regions_define_names_of_the_module_again():
    module = parse(NAMES_OF_A_MODULE)
    first, *_, last = module.ops
    assert first.operands[0].type == last.operands[0].type == i32
    assert str(parse(str(module))) == str(module)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f() -> i32 { return %x : i32 }\n%x = arith.constant 1 : i32", "IsolatedFromAbove"),
        ("%x = arith.constant 1 : i32\nfunc.func @f() -> i32 { return %x : i32 }", "IsolatedFromAbove"),
        ("%x = arith.constant 1 : i32\nfunc.func @f() -> i32 { return %x#1 : i32 }", "no op there defines"),
        ("func.func @f(%x: i32) { %x = arith.constant 1 : i32\nreturn }", "%x is already defined"),
        ("func.func @f() -> i32 { return %x : i32 }\nfunc.func @g(%x: i32) { return }", "no op there"),
    ],
)  # fmt: skip
def test_isolated_regions_use_no_names_of_the_module(text: str, message: str):
    with pytest.raises(ProgramError, match=message):
        parse(text)


@pytest.mark.parametrize("given", [None, 7, b"relax.func", ["a"]])
def test_what_is_no_text_is_refused(given: object):
    with pytest.raises(ProgramError, match="expected the text of a program, found"):
        parse(given)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ProgramError, match="expected the path of a program, found"):
        load(given)  # pyright: ignore[reportArgumentType]
