"""`relax-lsp` as an editor speaks to it: one process, JSON-RPC on its standard input and output."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from optional import package

from lowering.tools import relax_lsp

T = "!relax.tensor<[n, k], f32>"
PROGRAM = f"""relax.func @f(%x: {T}) -> {T} {{
  %y = relax.exp %x {{a.b = "😀"}} : ({T}) -> {T}
  relax.return %y : {T}
}}
"""


class Editor:
    """The editor's side of the protocol."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "lowering.tools.relax_lsp", "--stdio"]
        pipe = subprocess.PIPE
        root = Path(__file__).parents[4]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=root)
        self.count = 0
        self.told: list[Any] = []

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def tell(self, method: str, **params: Any) -> None:
        self.send(method=method, params=params)

    def receive(self) -> Any:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the server has ended"
        return json.loads(self.process.stdout.read(length))

    def ask(self, method: str, **params: Any) -> Any:
        """The answer to a request; what the server tells meanwhile is kept."""
        self.count += 1
        self.send(id=self.count, method=method, params=params or None)
        while "method" in (message := self.receive()):
            self.told.append(message)
        assert message["id"] == self.count
        assert "error" not in message, message
        return message["result"]

    def about(self, method: str, line: int, column: int, **params: Any) -> Any:
        place = {"line": line, "character": column}
        return self.ask(
            f"textDocument/{method}", textDocument={"uri": URI}, position=place, **params
        )

    def open(self, text: str, uri: str) -> None:
        document = {"uri": uri, "languageId": "mlir", "version": 1, "text": text}
        self.tell("textDocument/didOpen", textDocument=document)

    def change(self, text: str, version: int) -> None:
        document = {"uri": URI, "version": version}
        self.tell("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])

    def diagnostics(self, uri: str, version: int | None) -> list[Any]:
        """Those of a version of a text."""
        while True:
            for message in self.told:
                params = message["params"]
                if params["uri"] == uri and params.get("version") == version:
                    return params["diagnostics"]
            self.told.append(self.receive())


URI = "file:///tmp/program.mlir"


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    package("pygls", "lsp")
    editor = Editor()
    encodings = {"general": {"positionEncodings": ["utf-16"]}}
    answer = editor.ask("initialize", processId=None, rootUri=None, capabilities=encodings)
    assert answer["capabilities"]["positionEncoding"] == "utf-16"
    editor.tell("initialized")
    editor.open(PROGRAM, URI)
    yield editor
    assert editor.ask("shutdown") is None
    editor.tell("exit")
    _, errors = editor.process.communicate(timeout=30)
    assert (editor.process.returncode, errors.decode()) == (0, "")


def place(line: int, start: int, end: int) -> dict[str, Any]:
    return {
        "start": {"line": line, "character": start},
        "end": {"line": line, "character": end},
    }


def test_a_right_program_has_no_errors(editor: Editor):
    assert editor.diagnostics(URI, 1) == []


def test_hover(editor: Editor):
    found = editor.about("hover", 2, 16)
    assert found["range"] == place(2, 15, 17)
    assert found["contents"]["kind"] == "markdown" and f"%y : {T}" in found["contents"]["value"]
    assert "The exponential function" in editor.about("hover", 1, 8)["contents"]["value"]
    assert editor.about("hover", 99, 99) is None


def test_definition_and_references(editor: Editor):
    assert editor.about("definition", 2, 16) == {"uri": URI, "range": place(1, 2, 4)}
    context = {"includeDeclaration": False}
    found = editor.about("references", 0, 14, context=context)
    assert found == [{"uri": URI, "range": place(1, 17, 19)}]
    found = editor.about("documentHighlight", 1, 3)
    assert [(each["range"], each["kind"]) for each in found] == [
        (place(1, 2, 4), 3),
        (place(2, 15, 17), 2),
    ]


def test_columns_are_counted_in_the_editor_s_units(editor: Editor):
    """The character before `n` takes two."""
    line = PROGRAM.split("\n")[1]
    column = line.index("n, k") + 1
    found = editor.about("definition", 1, column)
    assert found == {"uri": URI, "range": place(0, 33, 34)}
    assert editor.about("hover", 1, column)["range"] == place(1, column, column + 1)


def test_the_outline(editor: Editor):
    (function,) = editor.ask("textDocument/documentSymbol", textDocument={"uri": URI})
    assert (function["name"], function["range"]) == (
        "@f",
        place(0, 0, 1) | {"end": {"line": 3, "character": 1}},
    )
    assert [op["name"] for op in function["children"]] == ["relax.exp", "relax.return"]


def test_a_change_is_read_and_an_old_text_is_not_told_of(editor: Editor):
    for version in range(2, 10):
        editor.change(PROGRAM.replace("relax.exp", "relax.ex" + "p" * (11 - version)), version)
    (error,) = editor.diagnostics(URI, 9)
    assert error["range"] == place(1, 7, 17) and "is relax.exp meant?" in error["message"]
    versions = [message["params"].get("version") for message in editor.told]
    assert set(versions) <= {1, 9}


def test_completion_in_a_text_that_has_just_changed(editor: Editor):
    editor.change(PROGRAM.replace("  relax.return", "  %z = relax.softm\n  relax.return"), 10)
    found = editor.about("completion", 2, 18)
    (item,) = [each for each in found if each["label"] == "relax.softmax"]
    assert item["textEdit"] == {"newText": "relax.softmax", "range": place(2, 7, 18)}
    assert "(C1)" in item["documentation"]["value"]


def test_a_question_about_a_large_text_is_answered_at_once(editor: Editor):
    ops = "".join(f"  %{i} = relax.add %{i - 1}, %x : ({T}, {T}) -> {T}\n" for i in range(1, 2000))
    text = f"relax.func @f(%x: {T}) -> {T} {{\n  %0 = relax.exp %x : ({T}) -> {T}\n{ops}  relax.return %1999 : {T}\n}}\n"
    editor.change(text, 11)
    assert editor.diagnostics(URI, 11) == []
    start = time.perf_counter()
    found = editor.about("hover", 1500, 5)
    taken = time.perf_counter() - start
    assert "relax.add" in found["contents"]["value"]
    assert taken < 1, "0.1 s where nothing else runs"


def test_a_closed_text_has_no_errors_and_no_answers(editor: Editor):
    other = "file:///tmp/other.mlir"
    editor.open("slip", other)
    assert len(editor.diagnostics(other, 1)) == 1
    editor.tell("textDocument/didClose", textDocument={"uri": other})
    assert editor.diagnostics(other, None) == []
    position = {"line": 0, "character": 0}
    assert editor.ask("textDocument/hover", textDocument={"uri": other}, position=position) is None


# Without a process


def test_without_pygls_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    monkeypatch.delitem(sys.modules, "relax_dialect.lsp.server", raising=False)
    assert relax_lsp.main([]) == 1
    errors = capsys.readouterr().err
    assert (
        errors.startswith("error: relax-lsp: expected the package pygls")
        and "relax-xdsl[lsp]" in errors
    )
