"""The syntax tree of a script, by Python's `ast`."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from keyword import iskeyword, softkwlist
from typing import TypeAlias

from relax_dialect.frontends.tvmscript.script.script_source import ScriptError, Source

TypeVariables: TypeAlias = Mapping[int, Sequence[str]]
"""The names in the brackets of `def f[n, m](...)`, by the definition's line."""

MOST_BITS = 4096
TOO_LONG = f"expected numbers of at most {MOST_BITS} bits, found a longer one; write a smaller one"
MOST_NESTED = 500
TOO_DEEP = (
    "expected expressions and statements that are nested less deeply, found deeper ones; bind parts"
)
HALF = "expected a text of whole characters, found half of one, a surrogate; leave it out"

_WORDS = {
    ast.Assign: "an assignment",
    ast.AnnAssign: "an assignment",
    ast.AugAssign: "an assignment that reads its target",
    ast.NamedExpr: "an assignment inside of an expression, ':='",
    ast.BoolOp: "'and' or 'or'",
    ast.Compare: "a chain of comparisons",
    ast.IfExp: "a choice, 'x if y else z'",
    ast.Expr: "an expression",
    ast.JoinedStr: "a formatted text, f'...'",
    ast.Set: "a set",
    ast.Slice: "a slice",
    ast.Starred: "a starred value",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a generator",
    ast.YieldFrom: "'yield'",
    ast.ImportFrom: "'import'",
    ast.ClassDef: "a class",
    ast.FunctionDef: "a function",
    ast.AsyncFunctionDef: "'async'",
    ast.AsyncFor: "'async'",
    ast.AsyncWith: "'async'",
    ast.Delete: "'del'",
}
"""The names of syntax whose class in `ast` is no keyword."""

_HALF = re.compile("[\ud800-\udfff]")
_HEADER = re.compile(r"^([ \t]*def[ \t]+\w+)(\[[^\[\]]*\])", re.MULTILINE)


def parsed(source: Source) -> tuple[ast.Module, TypeVariables]:
    """Return the tree of a script, and the type variables of its functions, which Python knows from 3.12
    on: they are blanked in the text, so that all positions remain. Raises `ScriptError`."""
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
    except ValueError as error:
        reason = (
            f"expected Python's syntax, found a text that cannot be parsed ({error}); simplify it"
        )
        raise ScriptError(source.message(1, 1, reason)) from None
    except (RecursionError, MemoryError):
        raise ScriptError(source.message(_deep_line(source.lines), 1, TOO_DEEP)) from None
    if (found := unfit(tree)) is not None:
        raise source.error(*found)
    return tree, variables


def _deep_line(lines: Sequence[str]) -> int:
    """Return the first line at which Python's parser finds a text too deep."""

    def is_deep(count: int) -> bool:
        try:
            ast.parse("\n".join(lines[:count]))
        except (RecursionError, MemoryError):
            return True
        except (SyntaxError, ValueError):
            pass
        return False

    return bisect_left(range(1, len(lines)), True, key=is_deep) + 1


def unfit(tree: ast.AST) -> tuple[ast.AST, str] | None:
    """Return a node that a program cannot hold, and why, or None: integers too long for Python to write,
    which hexadecimal digits can express, lone surrogates, and too deep nesting. Chains of operators, which
    are read from the left, count as one level."""
    level = [tree]
    for _ in range(MOST_NESTED):
        inner: list[ast.AST] = []
        for node in level:
            if isinstance(node, ast.Constant):
                value = node.value
                if isinstance(value, int) and value.bit_length() > MOST_BITS:
                    return node, TOO_LONG
                if isinstance(value, str) and not value.isascii() and _HALF.search(value):
                    return node, HALF
                continue
            while isinstance(node, ast.BinOp) and isinstance(node.left, ast.BinOp):
                inner.append(node.right)
                node = node.left
            inner += ast.iter_child_nodes(node)
        level = inner
        if not level:
            return None
    return next((node for node in level if hasattr(node, "lineno")), tree), TOO_DEEP


def called(node: ast.AST) -> str:
    """Return the name of syntax in messages: `a comprehension`, `'while'`."""
    name = type(node).__name__.lower()
    return _WORDS.get(type(node), f"'{name}'" if iskeyword(name) or name in softkwlist else name)
