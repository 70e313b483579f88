"""How many modules and functions in files of Python are read: TVM's own tests, a collection of models.

    python test/unit/support/script_files.py PATH... [--verbose]

A file is never run: the classes under `@I.ir_module` and the functions under `@R.function` or
`@T.prim_func` that it holds at any depth are taken out by `ast`, each with the sizes that are declared before it
in the functions around it, and read. What stands under `pytest.raises` is counted apart: TVM refuses it.
"""

from __future__ import annotations

import argparse
import ast
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from isolated import each

from relax_dialect.frontends import tvmscript
from relax_dialect.frontends.tvmscript.script.script_source import Source
from relax_dialect.frontends.tvmscript.script.syntax import parsed

MODULES = ("ir_module",)
FUNCTIONS = ("function", "prim_func")
DECLARED = re.compile(r"(\w+\.)*(dynamic|dyn|Var|SizeVar|var|TypeVar|int64)\(")
"""What makes a symbolic variable."""


def scripts(path: Path) -> Iterator[tuple[str, str, bool]]:
    """The name, the text, and whether TVM refuses it, of all scripts in a file."""
    text = path.read_text()
    tree, _ = parsed(Source(text, str(path)))
    lines = text.splitlines()
    imports = [
        _lines(lines, node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    waiting: list[tuple[ast.AST, Sequence[str], bool]] = [(tree, (), False)]
    while waiting:
        parent, declared, refused = waiting.pop()
        for node in ast.iter_child_nodes(parent):
            match node:
                case ast.ClassDef() | ast.FunctionDef() if _is_script(node):
                    name = f"{path.stem}:{node.lineno} {node.name}"
                    yield name, "\n".join([*imports, *declared, _lines(lines, node)]), refused
                case ast.Assign(value=ast.Call()) if DECLARED.match(ast.unparse(node.value)):
                    declared = [*declared, _lines(lines, node)]
                case ast.With():
                    fails = "pytest.raises" in ast.unparse(node.items[0])
                    waiting.append((node, declared, refused or fails))
                case ast.FunctionDef() | ast.ClassDef() | ast.If() | ast.For() | ast.Try():
                    waiting.append((node, declared, refused))


def _is_script(node: ast.ClassDef | ast.FunctionDef) -> bool:
    words = MODULES if isinstance(node, ast.ClassDef) else FUNCTIONS
    callees = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
    return any(isinstance(c, ast.Attribute) and c.attr in words for c in callees)


def _lines(lines: Sequence[str], node: ast.AST) -> str:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])  # pyright: ignore
    return textwrap.dedent("\n".join(lines[first - 1 : node.end_lineno]))  # pyright: ignore


def reason(text: str) -> str:
    """Why a script is not read; empty if it is."""
    try:
        tvmscript.loads(text)
    except tvmscript.ScriptError as error:
        told = str(error).splitlines()[0].partition("error: ")[2]
        return re.sub(r"\d+", "N", re.sub(r"[%@][\w.]+", "@", told))[:150]
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, help="files, or folders with files")
    parser.add_argument("--verbose", action="store_true", help="all reasons, with names")
    args = parser.parse_args()
    files = [f for p in args.paths for f in (sorted(p.rglob("*.py")) if p.is_dir() else [p])]
    found = [script for file in files for script in scripts(file)]
    fates: dict[str, tuple[str, bool]] = {}
    for i, told, why in each(lambda script: reason(script[1]), found):
        fates[found[i][0]] = (f"not an error of ours: {why}" if why else told), found[i][2]
    for refused, title in ((False, "scripts"), (True, "scripts that TVM refuses")):
        told = {name: why for name, (why, is_refused) in fates.items() if is_refused is refused}
        print(f"{len(told)} {title}, {sum(not why for why in told.values())} are read")
        for why, count in Counter(filter(None, told.values())).most_common(
            None if args.verbose else 20
        ):
            print(f"    {count} {why}")
            if args.verbose:
                print("       ", *[name for name, each in told.items() if each == why][:5])


if __name__ == "__main__":
    main()
