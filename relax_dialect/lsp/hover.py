"""The text that an editor shows about the name under the cursor."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Block, BlockArgument, OpResult, SSAValue

from relax_dialect.lsp import documentation
from relax_dialect.lsp.document import Document, ProgramText, moved
from relax_dialect.lsp.documentation import mlir
from relax_dialect.lsp.occurrences import Name, NameKind, OpText, Span

_LONGEST = 400
"""Longer lines of programs and values of aliases are cut off."""


def hover(document: Document, offset: int) -> tuple[Span, str] | None:
    """Return the name, op, attribute or type at an offset, and its description, as Markdown."""
    start, part = document.part_at(offset)

    def line(text: OpText) -> str:
        return f"line {document.lines.place(start + text.start)[0] + 1}"

    found = about(part, offset - start, line)
    return None if found is None else (moved(found[0], start), found[1])


def about(part: ProgramText, offset: int, line: Callable[[OpText], str]) -> tuple[Span, str] | None:
    """Return the span and description in one part; `line` describes an op's line in the whole text."""
    if (named := part.places.at(offset)) is not None:
        return named[0], _ABOUT[named[1].kind](part, named[1], line)
    text = part.op_at(offset)
    if text is not None and text.name_span[0] <= offset <= text.name_span[1]:
        return _about_op(text)
    for span, name in () if text is None else text.attributes:
        if span[0] <= offset <= span[1]:
            return span, _about_attribute(text, name)
    return _about_type(part, offset)


def _about_op(text: OpText) -> tuple[Span, str] | None:
    kind = documentation.op_kind(text.name) if text.op is None else type(text.op)
    if kind is None:
        return None
    types = [] if text.op is None else [str(type) for type in text.op.result_types]
    shown = [mlir(f"// results: {', '.join(types)[:_LONGEST]}")] if types else []
    return text.name_span, "\n\n".join([*shown, documentation.of_op(kind)])


def _about_attribute(text: OpText | None, name: str) -> str:
    assert text is not None
    value = None if text.op is None else text.op.get_attr_or_prop(name)
    shown = "" if value is None else "\n\n" + mlir(f"{name} = {value}"[:_LONGEST])
    return f"attribute `{name}` of `{text.name}`{shown}"


def _about_type(part: ProgramText, offset: int) -> tuple[Span, str] | None:
    """Return the type or attribute whose name is at an offset, as in `!relax.tensor`."""
    start = end = offset
    while start > 0 and (part.text[start - 1].isalnum() or part.text[start - 1] in "_."):
        start -= 1
    while end < len(part.text) and (part.text[end].isalnum() or part.text[end] in "_."):
        end += 1
    if start == 0 or part.text[start - 1] not in "!#":
        return None
    kind = documentation.attribute_kind(part.text[start - 1 : end])
    return None if kind is None else ((start - 1, end), documentation.of_attribute(kind))


# Names


def _value(part: ProgramText, name: Name, line: Callable[[OpText], str]) -> str:
    value, text = name.meaning, name.owner
    type = f" : {value.type}" if isinstance(value, SSAValue) else ""
    shown = [mlir(f"{name.name}{type}"[:_LONGEST])]
    if isinstance(value, BlockArgument):
        shown.append(f"{_argument(part, value)}")
    elif name.definition is None or text is None:
        shown.append("No op defines it.")
    else:
        number = "the result of"
        if isinstance(value, OpResult) and len(value.op.results) > 1:
            number = f"result {value.index} of"
        state = ", which does not parse" if text.op is None else ""
        shown.append(f"{number} `{text.name}`, {line(text)}{state}:")
        shown.append(mlir(_source(part, text)))
    return "\n\n".join(shown)


def _argument(part: ProgramText, value: BlockArgument) -> str:
    owner = value.block.parent_op()
    if owner is None:
        return f"argument {value.index} of a block"
    symbol = owner.get_attr_or_prop("sym_name")
    name = f" @{getattr(symbol, 'data', '')}" if symbol is not None else ""
    region = owner.regions[0]
    is_entry = len(owner.regions) == 1 and region.blocks[0] is value.block
    what = "parameter" if is_entry and name else "argument"
    return f"{what} {value.index} of `{owner.name}{name}`"


def _symbol(part: ProgramText, name: Name, line: Callable[[OpText], str]) -> str:
    if name.definition is None:
        return f"`@{name.name}`: nothing in this file defines it."
    text: OpText = name.meaning
    return f"{mlir(_source(part, text))}\n\n`{text.name}`, {line(text)}"


def _block(part: ProgramText, name: Name, line: Callable[[OpText], str]) -> str:
    block: Block = name.meaning
    types = ", ".join(str(type) for type in block.arg_types)
    head = f"{name.name}({types})" if types else name.name
    return f"{mlir(head[:_LONGEST])}\n\n{len(name.uses)} jumps to it"


def _alias(part: ProgramText, name: Name, line: Callable[[OpText], str]) -> str:
    return mlir(f"{name.name} = {name.meaning}"[:_LONGEST])


def _size(part: ProgramText, name: Name, line: Callable[[OpText], str]) -> str:
    text = name.owner
    shown = f"`{name.name}`, a symbolic variable, at least 0"
    if name.meaning is None or text is None:
        return f"{shown}, bound by the function type around it"
    for span, type in text.parameters:
        if name.definition is not None and span[0] <= name.definition[0] < span[1]:
            spelt = part.text[span[0] : span[1]].partition(":")[0].strip()
            symbol = "" if text.symbol is None else f" @{text.symbol.name}"
            bound = f"bound by the parameter `{spelt}` of `{text.name}{symbol}`, {line(text)}:"
            return f"{shown}, {bound}\n\n{mlir(f'{spelt}: {type}'[:_LONGEST])}"
    return f"{shown}, bound by `{text.name}`, {line(text)}:\n\n{mlir(_source(part, text))}"


_ABOUT: dict[NameKind, Callable[[ProgramText, Name, Callable[[OpText], str]], str]] = {
    NameKind.VALUE: _value,
    NameKind.SYMBOL: _symbol,
    NameKind.BLOCK: _block,
    NameKind.ALIAS: _alias,
    NameKind.SIZE: _size,
}


def _source(part: ProgramText, text: OpText) -> str:
    """Return the text of an op up to the ops inside it."""
    written = part.text[text.start : text.header_end].rstrip()
    return written if len(written) <= _LONGEST else f"{written[:_LONGEST]} ..."
