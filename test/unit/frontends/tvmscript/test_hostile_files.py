"""Files that are meant to break what reads them, through the tool: one error with a place, nothing is run."""

from __future__ import annotations

import sys
import time

import pytest

from lowering.tools.relax_translate import main as relax_translate
from relax_dialect.frontends.tvmscript import loads

HEAD = '@R.function\ndef main(x: R.Tensor(("n", 4), "float32")):\n'
PRIM = (
    '@T.prim_func\ndef f(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):\n'
    "    for i in range(4):\n        b[i] = a[i]\n"
)
ELIF = "    elif 1:\n        pass\n" * 900
TRAP = "open('trapped', 'w')"
DEEP = "error: expected expressions and statements that are nested less deeply, found deeper ones"


def body(text: str) -> bytes:
    return f"{HEAD}    {text}\n".encode()


FILES: dict[str, tuple[bytes, str]] = {
    # bytes that are no text
    "binary": (bytes(range(256)), "3:115: error: expected a script as UTF-8 text, found bytes"),
    "utf-16": (HEAD.encode("utf-16"), "1:1: error: expected a script as UTF-8 text, found bytes"),
    "latin-1": (HEAD.encode() + b"    \xe9 = x\n", "3:5: error: expected a script as UTF-8 text"),
    "null bytes": (b"\0" * 99, "1:1: error: expected Python's syntax"),
    "empty": (b"", "1:1: error: expected @I.ir_module or @R.function, found none"),
    # marks, ends of lines, tabs
    "byte order mark": (b"\xef\xbb\xbf" + body("return R.relo(x)"), "3:12: error: expected an operator"),
    "CRLF": (body("y = x\n    return R.relo(x)").replace(b"\n", b"\r\n"), "4:12: error: expected an op"),
    "CR": (body("y = x\n    return R.relo(x)").replace(b"\n", b"\r"), "4:12: error: expected an op"),
    "tabs": (body("return R.relo(x)").replace(b"    ", b"\t"), "3:9: error: expected an operator"),
    "tabs and blanks": (body("    y = x\n\treturn x"), "4:1: error: expected Python's syntax"),
    "an invisible character": (body("y\u200b = x"), "3:6: error: expected Python's syntax"),
    "half a character": (body(r'R.func_attr({"a": "\ud800"})'), "3:23: error: expected a text of whole"),
    # depth and length
    "attributes": (body("return x" + ".a" * 9000), f"3:12: {DEEP}"),
    "signs": (body("return " + "-" * 2500 + "x"), f"3:509: {DEEP}"),
    "lambdas": (body("return " + "lambda:" * 3000 + "x"), f"3:1: {DEEP}"),
    "branches": (body("if x:\n        y = x\n" + "    elif x:\n        y = x\n" * 900), f"996:9: {DEEP}"),
    "branches of TIR": (f"{PRIM}    if 1:\n        pass\n{ELIF}".encode(), DEEP),
    "a text of a size": (body(f'y: R.Tensor(("{"-" * 900}n", 4)) = x'), f"3:18: {DEEP}"),
    "a sum of TIR": (PRIM.replace("a[i]\n", "a[i]" + " + a[i]" * 900 + "\n").encode(), "4:16: error: te: an"),
    "many results": (body("return R.split(x, 10 ** 9)"), "3:12: error: relax.split: expected 1 to 4096"),
    "many problems": (body("\n    ".join(["R.exp()"] * 2000)), "... and 950 more"),
    "a list of a large product": (body("return R.const([0] * 10 ** 12)"), "3:20: error: expected a size"),
    "a negative buffer": (PRIM.replace("4", "-4").encode(), "2:20: error: expected a size of at least 0"),
    # names and types
    "a parameter twice": (HEAD.replace("(x", "(x: R.Tensor, x").encode() + b"    return x", "2:23: error: expected each param"),
    "a type of itself": (b"@R.function\ndef f(x: x.ty):\n    return x", "2:10: error: expected a name"),
    "a contradiction": (body('y: R.Tensor((3,), "int8") = x'), "3:8: error: expected a value of the declared"),
    "a tensor as a function": (body("return x(x)"), "3:12: error: expected a function, found a value"),
    "an axis that is a tensor": (body("return R.sum(x, axis=x)"), "3:12: error: relax.sum: expected an int"),
    "types of too many": (HEAD.replace('"))', '", 1, 2, 3))').encode() + b"    return x", "expected at most 4 arguments"),
    "a function without end": (
        body("@R.function\n    def f(y: R.Tensor):\n        z = y\n    return x"),
        "4:5: error: expected a return at the end of f, found none",
    ),
    # what would do something if it were run
    "a decorator": (f"@{TRAP}\n{HEAD}    return x".encode(), "1:2: error: expected @R.function or"),
    "a flag": (f"@R.function(private={TRAP})\n{HEAD[12:]}    return x".encode(), "1:21: error: expected private=True or"),
    "an unknown flag": (f"@R.function(evil={TRAP})\n{HEAD[12:]}    return x".encode(), "1:18: error: expected private or"),
    "a local decorator": (body(f"@{TRAP}\n    def f(y: R.Tensor):\n        return y"), "3:6: error: exp"),
    "a default": (HEAD.replace(")):", f") = {TRAP}):").encode() + b"    return x", "2:1: error: expected parameters with"),
    "an import": (f"import this\nfrom antigravity import *\n{TRAP}\n{HEAD}    return x".encode(), "3:1: error: expected"),
    "an argument by name": (f"{HEAD}    return x\n{HEAD}    return main(x, y={TRAP})".encode(), "error: exp"),
    "TIR": (PRIM.replace("= a[i]", f"= {TRAP}").encode(), "4:16: error: unknown function in open"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_hostile_files_get_one_error_with_a_place(name, tmp_path, capsys, monkeypatch):
    held, expected = FILES[name]
    path = tmp_path / "f.py"
    path.write_bytes(held)
    monkeypatch.chdir(tmp_path)
    begin = time.process_time()
    assert relax_translate(["--import-tvmscript", "f.py", "-o", "-"]) == 1
    assert (
        time.process_time() - begin < 2
    )  # a tenth of a second and less, but for what machines add
    out, told = capsys.readouterr()
    assert not out and told.startswith("f.py:") and expected in told
    assert [each.name for each in tmp_path.iterdir()] == ["f.py"]
    assert {"this", "antigravity"}.isdisjoint(sys.modules)


def test_sizes_of_foreign_letters_stay_apart():
    text = '@R.function\ndef f(x: R.Tensor(("长", "宽"))):\n    return x\n'
    assert "!relax.tensor<[u957f, u5bbd]>" in str(loads(text))
