"""Floats survive being printed and read, at every level and by xDSL's and MLIR's own tools."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from mlir_oracle import mlir_opt
from optional import MLIR, needs
from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, FloatAttr, ModuleOp

from lowering.driver import compile
from lowering.pipeline import PASSES, lower
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.parsing import new_context, parse
from relax_dialect.text.float_syntax import bits_of_float, float_of_bits

WIDTHS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}


def special(type: str) -> list[int]:
    """The bits of infinities, NaN of all kinds, zeros, denormals, and numbers of many digits."""
    exponent, fraction = WIDTHS[type]
    ones, sign = ((1 << exponent) - 1) << fraction, 1 << (exponent + fraction)
    quiet = 1 << (fraction - 1)
    positive = [
        ones,
        ones | quiet,
        ones | quiet | 5,
        ones | 1,
        0,
        1,
        (1 << fraction) - 1,
        ones - 1,
        (ones >> 1) + 3,
        0x4B3C614E >> (32 - 1 - exponent - fraction) if type != "f64" else 0x4341C37937E08001,
    ]
    return positive + [bits | sign for bits in positive]


def hex_of(bits: int, type: str) -> str:
    return f"0x{bits:0{sum(WIDTHS[type], 1) // 4}X}"


def global_op(name: str, shape: str, elements: str) -> str:
    return (
        f'"memref.global"() <{{sym_name = "{name}", type = memref<{shape}>, sym_visibility = "private", '
        f"initial_value = dense<{elements}> : tensor<{shape}>, constant}}> : () -> ()"
    )


def program(type: str) -> str:
    """Every form that a float stands in: scalars, lists, splats, arrays, globals, long constants."""
    bits = [hex_of(b, type) for b in special(type)]
    some, shape = ", ".join(bits), f"{len(bits)}x{type}"
    lines = [
        global_op("g", shape, f"[{some}]"),
        global_op("long", f"7x{shape}", f"[{', '.join([f'[{some}]'] * 7)}]"),
        "func.func @f() {",
        f"  %l = arith.constant dense<[{some}]> : tensor<{shape}>",
        f"  %z = arith.constant dense<[0.0, -0.0]> : tensor<2x{type}>",
        f"  %y = arith.constant dense<[-0.0, 0.0]> : tensor<2x{type}>",
        f'  "t.x"() {{a = array<{type}: {some}>}} : () -> ()',
    ]
    for i, number in enumerate(bits):
        lines.append(f"  %s{i}x = arith.constant {number} : {type}")
        lines.append(f"  %d{i}x = arith.constant dense<{number}> : tensor<3x{type}>")
        lines.append(f"  %o{i}x = arith.constant dense<[{number}]> : tensor<1x{type}>")
    return "\n".join([*lines, "  func.return", "}"])


def read(text: str) -> ModuleOp:
    context = new_context()
    context.allow_unregistered = True
    return parse(text, context=context)


def all_bits(module: ModuleOp) -> list[bytes | int]:
    """The bits of every float of a module, in order."""
    found: list[bytes | int] = []
    for op in module.walk():
        for attribute in (op.properties | op.attributes).values():
            if isinstance(attribute, DenseIntOrFPElementsAttr | DenseArrayBase):
                found.append(attribute.data.data)
            elif isinstance(attribute, FloatAttr):
                found.append(bits_of_float(attribute.value.data, attribute.type))
    return found


@pytest.mark.parametrize("type", WIDTHS)
def test_floats_are_their_bits(type: str):
    size = sum(WIDTHS[type], 1) // 8
    given = special(type)
    raw = b"".join(b.to_bytes(size, "little") for b in given)
    zeros = (0).to_bytes(size, "little"), (1 << 8 * size - 1).to_bytes(size, "little")
    dense = [zeros[0] + zeros[1], zeros[1] + zeros[0], raw]
    for bits in given:
        one = bits.to_bytes(size, "little")
        dense += [bits, one * 3, one]
    module = read(program(type))
    assert all_bits(module) == [raw, raw * 7, raw, *dense]
    assert all_bits(read(str(module))) == all_bits(module)


@pytest.mark.parametrize("type", WIDTHS)
def test_every_pattern_of_bits_comes_back(type: str):
    element = read(f"%x = arith.constant 0.0 : {type}").body.block.first_op.results[0].type  # pyright: ignore
    width = sum(WIDTHS[type], 1)
    random = np.random.default_rng(0).integers(0, 1 << min(width, 63), 2000)
    for bits in range(1 << 16) if width == 16 else map(int, random):
        assert bits_of_float(float_of_bits(bits, element), element) == bits


def tool_output(command: list[str], text: str) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


EVERY_TYPE = "\n".join(re.sub(r'(@f|"g|"long)\b', rf"\1_{type}", program(type)) for type in WIDTHS)


@pytest.mark.parametrize("type", ["0xf32", "0x3xf16", "3x0xf64"])
def test_a_type_with_a_size_of_zero_is_no_number_in_hex(type: str):
    text = f"%0 = arith.constant dense<> : tensor<{type}>"
    assert text in str(read(text))


@pytest.mark.slow
def test_xdsl_reads_the_same_floats():
    xdsl = [sys.executable, "-m", "xdsl.tools.xdsl_opt", "--allow-unregistered-dialect"]
    text_of_xdsl = tool_output(xdsl, EVERY_TYPE)
    assert text_of_xdsl.strip() == str(read(EVERY_TYPE))
    assert tool_output(xdsl, text_of_xdsl) == text_of_xdsl


@needs(MLIR)
def test_mlir_reads_the_same_floats():
    module = read(EVERY_TYPE)
    printed = mlir_opt(str(module), "--mlir-print-op-generic")
    assert printed == mlir_opt(EVERY_TYPE, "--mlir-print-op-generic")
    assert all_bits(read(printed)) == all_bits(module)


def booleans(count: int) -> list[ModuleOp]:
    """Constants of so many booleans: mixed, all false, all true."""
    data = np.random.default_rng(count).integers(0, 2, count).astype(bool)
    listed = [", ".join(str(bool(v)).lower() for v in x) for x in (data, data & False, data | True)]
    return [read(f"%x = arith.constant dense<[{x}]> : tensor<{count}xi1>") for x in listed]


BOOLEANS = pytest.mark.parametrize("count", [1, 7, 8, 9, 100, 101, 128, 150])


@BOOLEANS
def test_booleans_are_bits_in_long_constants(count: int):
    for module in booleans(count):
        assert all_bits(read(str(module))) == all_bits(module)


@needs(MLIR)
@BOOLEANS
def test_mlir_reads_the_same_booleans(count: int):
    for module in booleans(count):
        assert all_bits(read(mlir_opt(str(module)))) == all_bits(module)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "%x = arith.constant 0x1FFFFFFFF : f32",
            "at most 8 hexadecimal digits, found 0x1FFFFFFFF",
        ),
        ("%x = arith.constant -0x7F800000 : f32", "without a sign, found '-'"),
        ("%x = arith.constant dense<[0x12345]> : tensor<1xf16>", "at most 4 hexadecimal digits"),
        ("%x = arith.constant dense<-0x1> : tensor<1xf16>", "without a sign, found '-'"),
        ('"t.x"() {a = array<f32: 1.0, -0x1>} : () -> ()', "without a sign, found '-'"),
        ('"t.x"() {a = array<bf16: 0x10000>} : () -> ()', "at most 4 hexadecimal digits"),
        ('%x = arith.constant dense<"00"> : tensor<1xf32>', "hexadecimal digits after 0x"),
        ('%x = arith.constant dense<"0x0"> : tensor<1xf32>', "an even number of hexadecimal"),
        ('%x = arith.constant dense<"0x0000"> : tensor<3xf32>', "12 bytes for the 3 elements"),
    ],
)
def test_wrong_bits_are_refused(text: str, message: str):
    with pytest.raises(RelaxError, match=message):
        read(text)


SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 12345678.0, 1e-45]
SPLATS = """
  %i = relax.constant dense<0xFF800000> : tensor<7xf32>
  %m = relax.maximum %x, %i : (!relax.tensor<[7], f32>, !relax.tensor<[7], f32>) -> !relax.tensor<[7], f32>
"""


def test_the_pipeline_in_pieces_of_text_means_the_same():
    """As `relax-opt -p a | relax-opt -p b | ...`, and then C."""
    bits = ", ".join(f"0x{b:08X}" for b in np.array(SPECIAL, np.float32).view(np.uint32))
    text = (
        "relax.func @main(%x: !relax.tensor<[7], f32>) -> !relax.tensor<[7], f32> {\n"
        f"  %c = relax.constant dense<[{bits}]> : tensor<7xf32>{SPLATS}"
        "  %0 = relax.add %m, %c : (!relax.tensor<[7], f32>, !relax.tensor<[7], f32>) -> !relax.tensor<[7], f32>\n"
        "  relax.return %0 : !relax.tensor<[7], f32>\n}"
    )
    x = np.full(7, -0.0, np.float32)
    expected = x + np.array(SPECIAL, np.float32)
    module = parse(text)
    np.testing.assert_array_equal(run(module, "main", x).view(np.int32), expected.view(np.int32))
    whole = lower(module.clone())
    for name in PASSES:
        module = parse(str(lower(module, [name])))
    assert str(module) == str(whole)
    found = compile(parse(text))["main"](x)
    np.testing.assert_array_equal(found.view(np.int32), expected.view(np.int32))


DECLARATIONS = """builtin.module {
  func.func private @f(tensor<?xf32> {relax.dims = ["n"]}, i32) -> (tensor<?xf32> {relax.dims = ["n"]}) attributes {a = 1 : i32}
  func.func private @g(tensor<?xf32> {relax.dims = ["n"]})
  func.func private @h(f32) -> f32
}"""


@needs(MLIR)
def test_mlir_keeps_declarations():
    assert str(read(mlir_opt(DECLARATIONS))) == DECLARATIONS


def test_declarations_keep_what_they_say():
    assert str(read(DECLARATIONS)) == DECLARATIONS
    named = DECLARATIONS.replace("(tensor<?xf32> {", "(%x: tensor<?xf32> {").replace(
        "}, i32)", "}, %y: i32)"
    )
    named = named.replace("-> (%x: ", "-> (")
    assert str(read(named)) == DECLARATIONS
