"""A script as Python's `ast` has it."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from relax_dialect.frontends.tvmscript.source import ScriptError, Source

TypeVariables: TypeAlias = Mapping[int, Sequence[str]]
"""The names in the brackets of `def f[n, m](...)`, by the definition's line."""

MOST_BITS = 4096
TOO_LONG = f"expected numbers of at most {MOST_BITS} bits, found a longer one; write a smaller one"

_HEADER = re.compile(r"^([ \t]*def[ \t]+\w+)(\[[^\[\]]*\])", re.MULTILINE)


def parsed(source: Source) -> tuple[ast.Module, TypeVariables]:
    """The tree of a script, and the type variables of its functions, which Python knows from 3.12 on: they
    are taken out of the text, in which all places stay. Raises `ScriptError`."""
    variables: dict[int, Sequence[str]] = {}

    def blank(found: re.Match[str]) -> str:
        names = (each.partition(":")[0].strip() for each in found[2][1:-1].split(","))
        variables[source.text.count("\n", 0, found.start()) + 1] = [n for n in names if n]
        return found[1] + re.sub(r"[^\n]", " ", found[2])

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python, about the text's style
            tree = ast.parse(_HEADER.sub(blank, source.text))
    except SyntaxError as error:
        line, column = error.lineno or 1, max(error.offset or 1, 1)
        reason = (
            f"expected Python's syntax, found an error: {error.msg.partition(';')[0]}; correct it"
        )
        raise ScriptError(source.message(line, column, reason)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        reason = (
            f"expected Python's syntax, found a text that cannot be parsed ({error}); simplify it"
        )
        raise ScriptError(source.message(1, 1, reason)) from None
    if (number := number_too_long(tree)) is not None:
        raise source.error(number, TOO_LONG)
    return tree, variables


def number_too_long(tree: ast.AST) -> ast.Constant | None:
    """An integer with more bits than a program can hold, if there is one: Python cannot even write the
    longest, which hexadecimal digits may say."""
    for node in ast.walk(tree):
        number = node.value if isinstance(node, ast.Constant) else None
        if isinstance(number, int) and number.bit_length() > MOST_BITS:
            return node  # pyright: ignore
    return None
