"""The language server: the results of the other modules, served through pygls.

Texts are read in a separate thread, a moment after the last change or at the first request about them;
request handlers only look up results.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from lsprotocol import types as lsp  # pyright: ignore
from pygls.lsp.server import LanguageServer  # pyright: ignore
from xdsl.context import Context

from relax_dialect.lsp import navigation
from relax_dialect.lsp.completion import Proposed, completion
from relax_dialect.lsp.document import Document
from relax_dialect.lsp.hover import hover
from relax_dialect.lsp.occurrences import Span

DELAY = 0.2
"""Seconds without a change after which a text is read."""

STACK = 256 << 20
"""Bytes of stack for reading texts; that recurses over their nesting."""


@dataclass
class _Open:
    """A text in an editor, and the result of reading it."""

    text: str
    version: int | None
    document: Document | None = None
    reading: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None

    @property
    def is_read(self) -> bool:
        return self.document is not None and self.document.text is self.text


class RelaxServer(LanguageServer):
    """A language server for programs of Relax and of all dialects next to it."""

    def __init__(self, context: Context, version: str, delay: float = DELAY):
        # whole texts, as reading one takes far longer than sending it
        super().__init__(
            "relax-lsp", version, text_document_sync_kind=lsp.TextDocumentSyncKind.Full
        )
        self._context = context
        self._delay = delay
        self._texts: dict[str, _Open] = {}
        before = threading.stack_size(STACK)
        self._reader = ThreadPoolExecutor(1, "reader")
        self._reader.submit(int).result()  # its thread starts now
        threading.stack_size(before)
        _register(self)

    # Texts

    def changed(self, uri: str, text: str, version: int | None) -> None:
        """Record a new text, or a change: it is read when nothing has changed for a moment."""
        found = self._texts.setdefault(uri, _Open(text, version))
        found.text, found.version = text, version
        if found.timer is not None:
            found.timer.cancel()
        loop = asyncio.get_running_loop()
        found.timer = loop.call_later(self._delay, self._start_reading, uri)

    def closed(self, uri: str) -> None:
        """Close a text, and clear its errors."""
        if (found := self._texts.pop(uri, None)) is not None and found.timer is not None:
            found.timer.cancel()
        self._publish(uri, [], None)

    async def document(self, uri: str) -> Document | None:
        """Return the current document of an open text, reading it if it has not been read."""
        while (found := self._texts.get(uri)) is not None and not found.is_read:
            await asyncio.shield(self._start_reading(uri))
        return None if found is None else found.document

    def _start_reading(self, uri: str) -> asyncio.Future[None]:
        found = self._texts[uri]
        if found.reading is None or found.reading.done():
            found.reading = asyncio.get_running_loop().create_task(self._read(uri, found))
        return found.reading

    async def _read(self, uri: str, found: _Open) -> None:
        loop = asyncio.get_running_loop()
        while self._texts.get(uri) is found and not found.is_read:
            version = found.version
            given = found.text, self._context, found.document, self._encoding
            document = await loop.run_in_executor(self._reader, Document, *given)
            found.document = document
            if found.is_read and self._texts.get(uri) is found:
                self._publish(uri, _diagnostics(document), version)

    def _publish(
        self, uri: str, diagnostics: Sequence[lsp.Diagnostic], version: int | None
    ) -> None:
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, diagnostics, version)
        )

    @property
    def _encoding(self) -> str:
        """Return the encoding in whose units the editor counts the characters of a line."""
        chosen = self.server_capabilities.position_encoding
        return str(getattr(chosen, "value", chosen) or "utf-16")


# From offsets to the protocol


def _range(document: Document, span: Span) -> lsp.Range:
    return lsp.Range(*(lsp.Position(*document.lines.place(offset)) for offset in span))


def _offset(document: Document, position: lsp.Position) -> int:
    return document.lines.offset(position.line, position.character)


def _markdown(text: str) -> lsp.MarkupContent:
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, text)


def _diagnostics(document: Document) -> list[lsp.Diagnostic]:
    return [
        lsp.Diagnostic(
            _range(document, fault.span),
            fault.message,
            severity=lsp.DiagnosticSeverity.Error,
            source="relax",
        )
        for fault in document.faults
    ]


def _symbol(document: Document, entry: navigation.OutlineLine) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        name=entry.name,
        kind=lsp.SymbolKind.Function if entry.is_function else lsp.SymbolKind.Operator,
        range=_range(document, entry.span),
        selection_range=_range(document, entry.name_span),
        detail=entry.detail,
        children=[_symbol(document, inner) for inner in entry.inner],
    )


_KINDS = {
    Proposed.OP: lsp.CompletionItemKind.Operator,
    Proposed.DIALECT: lsp.CompletionItemKind.Module,
    Proposed.TYPE: lsp.CompletionItemKind.Class,
    Proposed.ATTRIBUTE: lsp.CompletionItemKind.Property,
    Proposed.VALUE: lsp.CompletionItemKind.Variable,
    Proposed.SYMBOL: lsp.CompletionItemKind.Function,
    Proposed.BLOCK: lsp.CompletionItemKind.Reference,
    Proposed.ALIAS: lsp.CompletionItemKind.Constant,
    Proposed.SIZE: lsp.CompletionItemKind.TypeParameter,
}


def _register(server: RelaxServer) -> None:
    """Register the request handlers of a server."""

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        text = params.text_document
        server.changed(text.uri, text.text, text.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        text = server.workspace.get_text_document(uri).source
        server.changed(uri, text, params.text_document.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
        if (document := await server.document(params.text_document.uri)) is None:
            return None
        found = hover(document, _offset(document, params.position))
        return found and lsp.Hover(_markdown(found[1]), _range(document, found[0]))

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def defined(params: lsp.DefinitionParams) -> lsp.Location | None:
        if (document := await server.document(params.text_document.uri)) is None:
            return None
        found = navigation.definition(document, _offset(document, params.position))
        return found and lsp.Location(params.text_document.uri, _range(document, found))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def referred(params: lsp.ReferenceParams) -> list[lsp.Location]:
        if (document := await server.document(params.text_document.uri)) is None:
            return []
        offset = _offset(document, params.position)
        found = navigation.references(document, offset, params.context.include_declaration)
        return [lsp.Location(params.text_document.uri, _range(document, s)) for s in found]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlighted(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        if (document := await server.document(params.text_document.uri)) is None:
            return []
        offset = _offset(document, params.position)
        written = navigation.definition(document, offset)
        kinds = {written: lsp.DocumentHighlightKind.Write}
        return [
            lsp.DocumentHighlight(
                _range(document, span), kinds.get(span, lsp.DocumentHighlightKind.Read)
            )
            for span in navigation.references(document, offset)
        ]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def outlined(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        if (document := await server.document(params.text_document.uri)) is None:
            return []
        return [_symbol(document, entry) for entry in navigation.outline(document)]

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION,
        lsp.CompletionOptions(trigger_characters=list(".%@^!#{[")),
    )
    async def completed(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        if (document := await server.document(params.text_document.uri)) is None:
            return []
        span, proposals = completion(document, _offset(document, params.position))
        place = _range(document, span)
        return [
            lsp.CompletionItem(
                proposal.text,
                kind=_KINDS[proposal.kind],
                detail=proposal.detail or None,
                documentation=_markdown(proposal.documentation) if proposal.documentation else None,
                text_edit=lsp.TextEdit(place, proposal.text),
            )
            for proposal in proposals
        ]
