"""Constants whose elements stand in a file beside the program."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from lowering.runtime.source_cache import text_key
from lowering.tools.inputs.array_files import read_arrays
from relax_dialect import RelaxError, interpret, load, parse
from relax_dialect.text.data_files import BesidePrinter, used_files

PROGRAM = """
relax.func @main() -> tuple<!relax.tensor<[2, 3], f32>, !relax.tensor<[2], ui8>, !relax.tensor<[2], i1>> {
  %w = relax.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = relax.constant dense<[7, 255]> : tensor<2xui8>
  %c = relax.constant dense<[true, false]> : tensor<2xi1>
  %t = relax.tuple %w, %b, %c : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2], ui8>, !relax.tensor<[2], i1>) -> tuple<!relax.tensor<[2, 3], f32>, !relax.tensor<[2], ui8>, !relax.tensor<[2], i1>>
  relax.return %t : tuple<!relax.tensor<[2, 3], f32>, !relax.tensor<[2], ui8>, !relax.tensor<[2], i1>>
}"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program with a file of constants beside it."""
    module = parse(PROGRAM)
    printer = BesidePrinter(text := io.StringIO(), "w.safetensors", 1)
    for op in module.ops:
        for inner in op.walk():
            if inner.name == "relax.constant":
                printer.place(inner.value, "weight")
    printer.print_op(module)
    (tmp_path / "w.safetensors").write_bytes(b"".join(printer.contents()))
    (tmp_path / "p.mlir").write_text(text.getvalue())
    return tmp_path / "p.mlir"


def test_what_is_written_is_read(program: Path):
    text = program.read_text()
    assert 'relax.constant file("w.safetensors", "weight") : tensor<2x3xf32>' in text
    assert 'file("w.safetensors", "weight_1") : tensor<2xui8>' in text
    assert "dense<[true, false]>" in text, "the format has no numbers of one bit"
    assert str(load(program)) == str(parse(PROGRAM))
    found = interpret.run(load(program), "main")
    told = read_arrays(str(program.with_name("w.safetensors")))
    assert [np.array_equal(a, b) for a, b in zip(found, told.values())] == [True, True]


def test_the_cache_looks_at_the_file(program: Path):
    text, data = program.read_text(), program.with_name("w.safetensors")
    assert used_files(text) == ["w.safetensors"]
    keys = [text_key(text.encode(), str(program), "m", {}) for _ in range(2)]
    data.write_bytes(data.read_bytes()[:-1] + b"x")
    keys.append(text_key(text.encode(), str(program), "m", {}))
    data.unlink()
    keys.append(text_key(text.encode(), str(program), "m", {}))
    assert keys[0] == keys[1] and (keys[0] is None or len(set(keys)) == 3)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"weight")', '"other")', "w.safetensors: expected a tensor 'other', found none; correct the name"),
        ("tensor<2x3xf32>\n", "tensor<6xf32>\n", "expected 'weight' as [6] F32, found [2, 3] F32"),
        ("2x3xf32>\n", "2x3xi32>\n", "expected 'weight' as [2, 3] I32, found [2, 3] F32; correct the type"),
        ("2x3xf32>\n", "2x3xi1>\n", "expected a tensor type of f64, f32, f16, bf16, i8, "),
        ("tensor<2x3xf32>\n", "f32\n", "expected a tensor type of f64, f32, "),
        ("w.safetensors", "no.safetensors", "expected a file no.safetensors beside the program, found none"),
        ("w.safetensors", "../w.safetensors", "expected the name of a file in the folder of the program"),
        ("w.safetensors", "link.safetensors", "in the folder of the program, no link, found 'link"),
        ("w.safetensors", "cut.safetensors", "expected a whole .safetensors file, found another: 'weight' of shape"),
        ("w.safetensors", "head.safetensors", "expected a whole .safetensors file, found another: its head ends"),
        ("w.safetensors", "json.safetensors", "expected a whole .safetensors file, found another: "),
        ("w.safetensors", "list.safetensors", "expected a whole .safetensors file, found another: "),
    ],
)  # fmt: skip
def test_files_that_do_not_fit(program: Path, old: str, new: str, message: str):
    data = program.with_name("w.safetensors")
    whole = data.read_bytes()
    data.with_name("link.safetensors").symlink_to(data)
    data.with_name("cut.safetensors").write_bytes(whole[:-20])
    data.with_name("head.safetensors").write_bytes(whole[:30])
    data.with_name("json.safetensors").write_bytes((4).to_bytes(8, "little") + b"\xff{}{")
    data.with_name("list.safetensors").write_bytes((2).to_bytes(8, "little") + b"[]")
    text = program.read_text()
    assert old in text
    program.write_text(text.replace(old, new, 1))
    with pytest.raises(RelaxError) as error:
        load(program)
    assert message in str(error.value) and "p.mlir:3:" in str(error.value)
