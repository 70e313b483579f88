"""Numbers of a Relax function that are sizes by their names: `k: T.int64 = t[0]; R.shape([k, n])`.

A number is matched with a size where it is bound, or by a pair of statements, which also works in a
dataflow block:

    gv = R.shape([k])
    gv1 = R.match_cast(gv, R.Shape([size]))
"""

from __future__ import annotations

import ast
from collections import Counter

from relax_dialect.frontends.tvmscript.scope import Aliases

SHAPES = (("R", "shape"), ("R", "Shape"), ("R", "Tensor"))
"""The calls whose arguments are sizes."""


class NumbersInShapes:
    """The numbers of a function that are used as sizes, by their names in its text."""

    def __init__(self, aliases: Aliases, function: ast.FunctionDef):
        def name_of(call: ast.expr) -> tuple[str, str] | None:
            return aliases.resolve(call.func) if isinstance(call, ast.Call) else None

        nodes = list(ast.walk(function))
        reads = Counter(
            n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        )
        shapes: dict[str, ast.Call] = {}
        matches: dict[str, str] = {}
        for each in nodes:
            match each:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Call(args=[ast.List(elts=[ast.Name()])]) as call,
                ) if name_of(call) == ("R", "shape") and reads[name] == 1:
                    shapes[name] = call
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Call(
                        args=[
                            ast.Name(id=of),
                            ast.Call(args=[ast.List(elts=[ast.Name(id=size)])]) as type,
                        ]
                    ) as call,
                ) if (name_of(call), name_of(type)) == (
                    ("R", "match_cast"),
                    ("R", "Shape"),
                ) and not reads[name]:
                    matches[of] = size
        self.matched = {name: size for name, size in matches.items() if name in shapes}
        """The shapes of one number that are matched with a size and not read else, and that size."""
        apart = [shapes[name] for name in self.matched]
        self.names = {
            part.id
            for call in nodes
            if isinstance(call, ast.Call) and name_of(call) in SHAPES and call not in apart
            for argument in call.args
            for part in ast.walk(argument)
            if isinstance(part, ast.Name)
        }
        """The names that occur in other shapes."""
