"""The errors of texts that are being typed: each at its place, those that follow from others left out."""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from programs import context, marked, read, told
from text_mutations import OF_TEXT
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from relax_dialect.lsp import document, navigation
from relax_dialect.lsp.completion import completion
from relax_dialect.lsp.document import Document
from relax_dialect.lsp.hover import hover
from relax_dialect.parsing import MAX_NESTING

T = "!relax.tensor<[n, k], f32>"

RIGHT = f"""// RUN: relax-opt %s | filecheck %s
relax.func @f(%x: {T}) -> {T} {{
  %y = relax.dataflow {{
    %0 = relax.exp %x : ({T}) -> {T}
    relax.output %0 : {T}
  }}
  %z = relax.match_cast %y : {T} -> !relax.tensor<[m, k], f32>
  relax.return %y : {T}
}}
func.func @g(%a: memref<4xf32>) {{
  %c = arith.constant 0 : index
  %v = memref.load %a[%c] : memref<4xf32>
  cf.br ^end(%v : f32)
^end(%w: f32):
  func.return
}}
"""


def function(*body: str, name: str = "f") -> str:
    """A function of one parameter `%x`, with ops that end in what it gives."""
    lines = "".join(f"  {line}\n" for line in body)
    return f"relax.func @{name}(%x: {T}) -> {T} {{\n{lines}}}\n"


RETURN = f"relax.return %x : {T}"


def test_a_right_program_has_no_errors():
    assert told(read(RIGHT)) == []


@pytest.mark.parametrize("text", ["", "\n\n", "// a comment\n", " // RUN: relax-opt %s"])
def test_an_empty_text_has_no_errors(text: str):
    assert told(read(text)) == []


def test_all_errors_of_parsing_are_told():
    found = told(
        read(
            function(
                f"%a = relax.expp %x : ({T}) -> {T}", "relax.return %a : !relax.tensor<[n, k, f32>"
            )
            + function(f"%b = relax.exp %q : ({T}) -> {T}", RETURN, name="g")
            + "!alias = !relax.tenso<[n]>\n"
            + function(RETURN, name="h")
        )
    )
    assert [word for word, _ in found] == ["relax.expp", "<", "%q", "relax.tenso"]
    assert "is relax.exp meant?" in found[0][1] and "after the shape" in found[1][1]
    assert "found %q" in found[2][1] and "is relax.tensor meant?" in found[3][1]


def test_all_errors_of_verifiers_are_told_at_their_ops():
    found = told(
        read(
            function(
                f"%a = relax.exp %x : ({T}) -> !relax.tensor<[n, k + 1], f32>",
                f"%b = relax.match_cast %x : {T} -> !relax.tensor<[n, k], f64>",
                RETURN,
            )
            + function("%s = relax.shape [n, q]", "%t = relax.shape [r]", RETURN, name="g")
            + "func.func @h() {\n  %c = arith.constant 1 : i32\n}\n"
        )
    )
    assert [word for word, _ in found] == [
        "relax.exp",
        "relax.match_cast",
        "relax.shape",
        "relax.shape",
        "arith.constant",
    ]
    assert "found 'q'" in found[2][1] and "found 'r'" in found[3][1]


def test_errors_that_follow_from_others_are_not_told():
    """Uses of what an unreadable op gives, calls of a function that holds one, blocks without an end."""
    text = function(
        "%y = relax.dataflow {",
        f"  %0 = relax.expp %x : ({T}) -> {T}",
        f"  %1 = relax.exp %0 : ({T}) -> {T}",
        f"  relax.output %1 : {T}, %0",
        "}",
        f"relax.return %y : {T}",
    )
    call = function(f"%r = relax.call @f(%x) : ({T}) -> {T}", f"relax.return %r : {T}", name="g")
    assert [word for word, _ in told(read(text + call))] == ["relax.expp", "%0"]


def test_a_missing_brace_is_told_and_what_follows_is_read():
    """Without the brace the next function would stand in the first one."""
    document = read(function(RETURN).rstrip().removesuffix("}") + function(RETURN, name="g"))
    assert [entry.name for entry in navigation.outline(document)] == ["@f", "@g"]
    ((word, message),) = told(document)
    assert word == "relax.func" and "'}'" in message


@pytest.mark.parametrize("indent", ["  ", ""])
def test_a_slip_in_nested_regions_is_told_alone(indent: str):
    """Also where nothing is indented."""
    branch = f"relax.yield %x : {T}\n"
    text = function(
        f"%r = relax.if %p : (!relax.tensor<[], i1>) -> {T} {{\n{branch}}} else {{\n{branch}}}",
        f"relax.return %r : {T}",
    )
    text = text.replace("(%x", "(%p: !relax.tensor<[], i1>, %x").replace("\n  ", f"\n{indent}")
    if indent:
        text = text.replace("\nrelax.yield", "\n    relax.yield").replace("\n} else", "\n  } else")
        text = text.replace(f"{branch}}}", f"{branch}  }}")
    assert told(read(text)) == []
    for name in ("relax.yield", "relax.if", "relax.return"):
        slip = text.replace(name, f"{name}x", 1)
        assert [word for word, _ in told(read(slip))] == [f"{name}x"]


def test_every_string_that_is_none_is_told_and_the_rest_is_read():
    text = function('%o = relax.call_packed "a(%x)', RETURN)
    text += function('%o = relax.call_packed "\\q"()', RETURN, name="g")
    found = told(read(text + function(RETURN, name="h")))
    assert [word for word, _ in found] == ['"a(%x)', "\\q"]
    assert ["closing" in found[0][1], "escapes" in found[1][1]] == [True, True]
    assert [entry.name for entry in navigation.outline(read(text))] == ["@f", "@g"]
    assert len(told(read('x "\n' * 1000))) == document._MOST_STRINGS + 1


def test_too_deep_nesting_is_told():
    ((word, message),) = told(read("{" * (MAX_NESTING + 1)))
    assert word == "{" and "nested at most" in message


def test_parts_have_errors_of_their_own():
    parts = [function(RETURN), function("relax.retur"), function(RETURN), "%"]
    found = read("// -----\n".join(parts))
    assert [word for word, _ in told(found)] == ["relax.retur", "%"]
    assert [start for start, _ in found.parts][1] == len(parts[0])
    again = Document(found.text + " ", context(), found)
    same = [a is b for (_, a), (_, b) in zip(found.parts, again.parts, strict=True)]
    assert same == [True, True, True, False], "parts that have not changed are not read again"


def test_comments_that_only_look_like_separators_separate_nothing():
    assert len(read(f"// ---------\n{RIGHT}  // -----x\n").parts) == 1


def test_a_fault_of_ours_is_told_and_ends_nothing(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise KeyError("slip")

    monkeypatch.setattr(document, "sizes", broken)
    ((_, message),) = told(read(RIGHT))
    assert "could not read" in message and "slip" in message


# While typing


def use(text: str, rng: random.Random) -> None:
    """Read a text and ask everything about some of its places."""
    found = read(text)
    for fault in found.faults:
        assert 0 <= fault.span[0] < fault.span[1] <= len(text)
        assert "could not read" not in fault.message
    navigation.outline(found)
    for offset in (len(text), rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)):
        hover(found, offset)
        navigation.definition(found, offset)
        navigation.references(found, offset)
        completion(found, offset)


def token_ends(text: str) -> list[int]:
    lexer, found = MLIRLexer(Input(text, "")), [0]
    while True:
        try:
            token = lexer.lex()
        except ParseError:
            lexer.pos += 1
            continue
        if token.kind is MLIRTokenKind.EOF:
            return found
        found.append(token.span.end)


def test_every_beginning_of_a_program_is_read():
    rng = random.Random(0)
    for end in token_ends(RIGHT):
        use(RIGHT[:end], rng)


def test_programs_with_slips_are_read():
    rng = random.Random(1)
    for _ in range(60):
        start, text = rng.randrange(len(RIGHT)), RIGHT
        if rng.random() < 0.3:
            text = rng.choice(OF_TEXT)(text, rng)
        typed = "".join(
            rng.choice('%@{}[]()<>"!#^,:= \n$\\/-+*0aé') for _ in range(rng.randrange(5))
        )
        use(text[:start] + typed + text[start + rng.randrange(30) :], rng)


def test_names_are_known_where_a_later_op_is_none():
    text = marked(
        function(
            f"«def:%a» = relax.exp %x : ({T}) -> {T}",
            f"%b = relax.exp «use:%a» : ({T}) -> {T}",
            "%c = ",
        )
    )
    assert navigation.definition(text.read(), text.at("use")) == text.spans["def"][0]


def test_the_page_s_examples():
    """The program in Python runs, the settings are what their editors can read."""
    page = (Path(__file__).parents[3] / "docs" / "editor.md").read_text("utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    exec(compile(next(text for kind, text in blocks if kind == "python"), "editor.md", "exec"), {})
    readers: dict[str, Callable[[str], Any]] = {"json": json.loads, "toml": tomllib.loads}
    settings = [readers[kind](text) for kind, text in blocks if kind in readers]
    assert len(settings) == 3 and all("relax-lsp" in str(each) for each in settings)
