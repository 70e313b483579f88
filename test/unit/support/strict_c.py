"""Modules below the graph as C that compiles without a warning."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from relax_dialect.parsing import new_context

STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")


def parse_module(text: str) -> ModuleOp:
    module = Parser(new_context(), text).parse_module()
    module.verify()
    return module
