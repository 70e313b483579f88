"""Texts that break what quotes them badly, as every name and string of a program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from strict_c import STRICT
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr

import lowering
from relax_dialect import interpret, parse
from relax_dialect.errors import ExecutionError
from relax_dialect.frontends import tvmscript
from relax_dialect.interpret import register_packed
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import load, verify

PIECES = (
    *(
        "{",
        "}",
        "{}",
        "{0}",
        "{script}",
        "{{",
        "%0",
        "{%0}",
        "{n}",
        "{x!r:>9}",
        "%s",
        "%n",
        "%%",
        "%",
    ),
    *(
        '"',
        "'",
        "\\",
        "\\n",
        "\\\\",
        "`",
        "//",
        "/*",
        "*/",
        "/*/",
        "??/",
        "??=",
        "???/",
        "#",
        "#define x",
    ),
    *(
        "\n",
        "\r\n",
        "\t",
        "\v",
        "\x07",
        "\x7f",
        "\x1b[0m",
        " ",
        ";",
        "@",
        "@f",
        "$",
        "<",
        "</script>",
        "&amp;",
    ),
    *(
        "ä",
        "λ",
        "日本",
        "🦊",
        "\u202e",
        "\u2028",
        "int",
        "static",
        "if",
        "main",
        "NULL",
        "set_error",
    ),
    *("goto fail;", "__attribute__", "_API x;", "*/ int evil; /*", "x" * 300, "0", "-1", "1.5e3f"),
)
"""No NUL, which ends strings of C and is refused there."""

T, S = "!relax.tensor<[n], f32>", "!relax.tensor<[], i1>"

FUNCTION = f"""
relax.func @FUNCTION(%x: {T}, %c: {S}) -> {T} {{
  relax.assert_op %c {{format = "MESSAGE"}} : ({S}) -> ()
  relax.assert_op %c, %x {{format = "VALUES {{}}"}} : ({S}, {T}) -> ()
  relax.print %x {{format = "PRINT {{}}"}} : ({T}) -> ()
  %f = relax.closure [s] (%v: !relax.tensor<[s], f32>) -> !relax.tensor<[?], f32> impure {{
    %p = relax.call_packed "PACKED"(%v) : (!relax.tensor<[s], f32>) -> !relax.tensor<[?], f32>
    relax.return %p : !relax.tensor<[?], f32>
  }}
  %y = relax.call_closure %f, %x : (!relax.func<[s] (!relax.tensor<[s], f32>) -> !relax.tensor<[?], f32>, impure>, {T}) -> !relax.tensor<[?], f32>
  %z = relax.match_cast %y : !relax.tensor<[?], f32> -> {T}
  %w = relax.call @PRIVATE(%z) : ({T}) -> {T}
  relax.return %w : {T}
}}
relax.func private @PRIVATE(%x: {T}) -> {T} {{
  %y = relax.negative %x : ({T}) -> {T}
  %z = relax.add %y, %x : ({T}, {T}) -> {T}
  relax.return %z : {T}
}}
"""


def hostile(random: Random) -> str:
    """A few pieces, one after the other."""
    return "".join(random.choices(PIECES, k=random.choice((1, 1, 2, 3, 5))))


def quoted(text: str) -> str:
    """A text as one of a format: `{}` stands for values there."""
    return text.replace("{", "{{").replace("}", "}}")


def packed_name(number: int, text: str) -> str:
    return f"{text}{number}"


def module_of(texts: Sequence[str], folder: Path) -> ModuleOp:
    """A module with a function for each text, named `fN` and the text, in a file named like the first."""
    name = "".join(c for c in texts[0] if c not in "/\0")[:50]
    path = folder / f"m{name}.mlir"
    named = (
        FUNCTION.replace("FUNCTION", f"f{i}").replace("PRIVATE", f"g{i}") for i in range(len(texts))
    )
    path.write_text("".join(named), encoding="utf-8")
    module = load(path)
    symbols = {f"{kind}{i}": f"{kind}{i}{t}" for i, t in enumerate(texts) for kind in "fg"}
    for function in [op for op in module.ops if isinstance(op, FuncOp)]:
        old = function.sym_name.data
        number = int(old[1:])
        function.properties["sym_name"] = StringAttr(symbols[old])
        text = texts[number]
        strings = {
            "MESSAGE": quoted(text),
            "VALUES {}": f"{quoted(text)} {{}}",
            "PRINT {}": f"{quoted(text)} {{}}",
            "PACKED": packed_name(number, text),
        }
        for op in walk_ops(function):
            for key, value in op.properties.items():
                if isinstance(value, StringAttr) and value.data in strings:
                    op.properties[key] = StringAttr(strings[value.data])
                elif isinstance(value, SymbolRefAttr):
                    op.properties[key] = SymbolRefAttr(symbols[value.string_value()])
    verify(module)
    return module


X, TRUE, FALSE = np.array([0.5, -1.0, 2.0], "f4"), np.array(True), np.array(False)


LONGEST = 250
"""C cuts messages off, which names of 300 letters show."""


class Checker:
    """A module of hostile texts, and what each function is to say."""

    def __init__(self, texts: Sequence[str], folder: Path):
        self.texts = texts
        self.folder = folder
        self.module = module_of(texts, folder)
        for number, text in enumerate(texts):
            register_packed(packed_name(number, text), _twice)

    def check(self, shown: Callable[[], Any]) -> None:
        """Check everything; `shown` gives what was printed since it was last called."""
        text = str(self.module)
        assert str(parse(text)) == text
        ast.parse(tvmscript.dump(self.module))
        build = self.folder / "build"
        model = lowering.compile(
            self.module, "model", directory=build, extra_flags=(*STRICT, "-O0"), cache=False
        )
        loaded = lowering.load(build)
        for number, text in enumerate(self.texts):
            name = f"f{number}{text}"
            said = {each: self._said(shown, each, name) for each in (self.module, model, loaded)}
            expected = said[self.module]
            assert expected[0] == f"{text} [ 0.5 -1.   2. ]\n"
            assert all(f"@{name}: "[:100] in message for message in expected[2:])
            assert said[model] == said[loaded] == expected, name

    def _said(self, shown: Callable[[], Any], where: Any, name: str) -> tuple[Any, ...]:
        """What a function prints, its result, and its errors."""
        if isinstance(where, ModuleOp):
            call = lambda *args: interpret.run(where, name, *args)  # noqa: E731
        else:
            call = getattr(where, name)
        shown()
        result = call(X, TRUE).tolist()
        printed = shown().out
        with pytest.raises(ExecutionError) as wrong_value:
            call(X, FALSE)
        register_packed(packed_name(*self._told(name)), lambda x: x[:1])
        with pytest.raises(ExecutionError) as wrong_size:
            call(X, TRUE)
        register_packed(packed_name(*self._told(name)), _twice)
        messages = (str(error.value)[:LONGEST] for error in (wrong_value, wrong_size))
        return printed, result, *messages

    def _told(self, name: str) -> tuple[int, str]:
        """The number and the text of a function."""
        number = next(i for i, text in enumerate(self.texts) if name == f"f{i}{text}")
        return number, self.texts[number]


def _twice(x: np.ndarray) -> np.ndarray:
    return x * np.float32(2)
