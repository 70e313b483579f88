"""Texts that stop a lexer or a parser are answered soon, with their place."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input

from relax_dialect.parsing import ProgramError, new_context, parse
from relax_dialect.text.literals import check_strings

T = "!relax.tensor<[n], f32>"
MANY = 60_000


def in_function(body: str) -> str:
    return f"relax.func @f(%x: {T}) -> {T} {{\n  {body}\n  relax.return %x : {T}\n}}\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        '"a" // "b',
        '// it\'s "one\n"a"',
        r'"a\"b" "\\" "\\\"" "\n\t\0A\ff"',
        '"// no comment"',
        'a / b "//" / "/"',
        '"" ""',
        '"é"',
    ],
)
def test_strings_and_comments(text: str):
    check_strings(Input(text, "t"))


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ('"', "1:1", "the end of the text"),
        ('"a\n"', "1:1", "the end of the line"),
        ('"a" "b', "1:5", "the end of the text"),
        ('// "\n  "a // b', "2:3", "the end of the text"),
        ('"a\\"', "1:1", "the end of the text"),
        ('"a\\', "1:1", "the end of the text"),
        (r'"C:\Users"', "1:4", "found U;"),
        (r'"\n\x"', "1:4", "found x;"),
        (r'"\0"', "1:2", "found 0;"),
        ('"a\\\nb"', "1:3", "found a line break;"),
    ],
)
def test_the_place_of_a_string_that_is_none(text: str, place: str, found: str):
    with pytest.raises(ParseError) as error:
        check_strings(Input(text, "t"))
    assert str(error.value.span.get_location()) == f"t:{place}"
    assert found in error.value.msg
    with pytest.raises(ProgramError, match=f"t:{place}: error: expected .*{found}"):
        parse(text, "t")


SLOW = {
    "quote": '"' + "a" * 10 * MANY,
    "quote in a function": in_function('%c = relax.constant "' + "a" * 10 * MANY),
    "escape": in_function('"t.x"() {a = "' + "a" * 10 * MANY + '\\q"} : () -> ()'),
    "brackets": in_function('"t.x"() {a = ' + "[" * 10 * MANY),
    "types": '"t.x"() : () -> ' + "tuple<" * MANY,
    "digits": '"t.x"() {a = ' + "1" * 10 * MANY + "} : () -> ()",
    "splat": in_function("%c = relax.constant dense<1.0> : tensor<100000000000xf32>"),
    "bytes": in_function('%c = relax.constant dense<"0x0000803F"> : tensor<100000000000xf32>'),
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW.keys())
def test_what_cannot_be_read_is_refused_soon(text: str):
    start = time.process_time()
    with pytest.raises(ProgramError, match=r"<text>:\d+:\d+: error: expected") as error:
        parse(text)
    assert time.process_time() - start < 2
    assert len(str(error.value)) < 1000


LONG = {
    "numbers": in_function(
        f"%c = relax.constant dense<[{', '.join(['-1.5e+00'] * MANY)}]> : tensor<{MANY}xf32>"
    ),
    "one line": in_function(
        "  ".join(f"%a{i}x = relax.exp %x : ({T}) -> {T}" for i in range(MANY // 40))
    ),
    "regions": "\n".join(f'%a{i}x = "t.x"() ({{}}) : () -> i1' for i in range(MANY // 20)),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
def test_twice_the_text_takes_twice_the_time(text: str):
    """Not the square: the parts of xDSL's parser that were quadratic took more than a minute."""
    context = new_context()
    context.allow_unregistered = True
    start = time.process_time()
    parse(text, context=context)
    assert time.process_time() - start < 6


def test_long_lists_are_the_numbers_they_say():
    words = [f"{i}.25" for i in range(1000)]
    for type, elements in (
        ("f32", words),
        ("f32", [*words[:-1], "0xFF800000"]),
        ("f32", [str(i) for i in range(1000)]),
        ("i32", [str(-i) for i in range(1000)]),
        ("i1", ["true", "false"] * 500),
    ):
        short = ", ".join(elements)
        spaced = short.replace(", ", ",       // a comment\n")
        read = {
            str(parse(in_function(f"%c = relax.constant dense<[{t}]> : tensor<1000x{type}>")))
            for t in (short, short.replace(", ", ",      "), spaced)
        }
        assert len(read) == 1
    for wrong, message in (
        (", ".join(words), "Shape mismatch"),
        (f"{', '.join(words)}, 1.5", "Shape mismatch"),
        ("[1.5], [1.5, 2.5]" + " " * 5000, "inconsistent ranks"),
    ):
        with pytest.raises(ProgramError, match=message):
            parse(in_function(f"%c = relax.constant dense<[{wrong}]> : tensor<999xf32>"))
    with pytest.raises(ProgramError, match="Expected integer value"):
        parse(in_function(f"%c = relax.constant dense<[{', '.join(words)}]> : tensor<1000xi32>"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "text"),
    [
        (2, in_function(f'relax.assert_op %c {{format = "{"a" * 5000}\\U"}} : () -> ()')),
        (1, f'"{"a" * 5000}\n' + in_function("")),
    ],
)
def test_plain_xdsl_opt_does_not_hang(tmp_path: Path, line: int, text: str):
    path = tmp_path / "t.mlir"
    path.write_text(text)
    command = [sys.executable, "-m", "xdsl.tools.xdsl_opt", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0
    assert done.stderr.startswith(f"{path}:{line}:") and "Traceback" not in done.stderr
