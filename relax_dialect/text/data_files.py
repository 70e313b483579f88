"""Elements of constants in a .safetensors file beside a program:

%w = relax.constant file("model.safetensors", "w") : tensor<64x3x7x7xf32>
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO

from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    StringAttr,
    TensorType,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from relax_dialect import mapped_data
from relax_dialect.errors import RelaxError
from relax_dialect.text.regular_files import open_inside
from relax_dialect.text.safetensors import header, tensors_of

KINDS: Mapping[str, str] = {
    "f64": "F64",
    "f32": "F32",
    "f16": "F16",
    "bf16": "BF16",
    **{f"i{bits}": f"I{bits}" for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": f"U{bits}" for bits in (8, 16, 32, 64)},
}
"""Our element types, and their names in the format."""

KEYWORD = "file"

_USED = re.compile(r'\brelax\.constant\s+file\s*\(\s*"([^"\n]*)"')


def used_files(text: str) -> Sequence[str]:
    """Return the files that a program may read constants from."""
    return sorted(set(_USED.findall(text)))


def parse_constant(parser: Parser) -> DenseIntOrFPElementsAttr:
    """`("model.safetensors", "w") : tensor<...>`; the file is that of the program's folder."""
    position = parser.pos
    with parser.in_parens():
        file = parser.parse_str_literal()
        parser.parse_punctuation(",")
        name = parser.parse_str_literal()
    parser.parse_punctuation(":")
    type = parser.parse_type()
    program = Path(parser.lexer.input.name)
    try:
        return read_constant(program.parent, file, name, type)
    except RelaxError as error:
        parser.raise_error(f"relax.constant: {error}", position, parser.pos)


def read_constant(folder: Path, file: str, name: str, type: Any) -> DenseIntOrFPElementsAttr:
    """Return a tensor of a file in a folder, of a type. Raises `RelaxError`."""
    if not isinstance(type, TensorType) or str(type.element_type) not in KINDS:
        known = ", ".join(KINDS)
        raise RelaxError(
            f"expected a tensor type of {known}, found {type}; write the elements as dense<...>"
        )
    try:
        data = open_inside(folder, file) if Path(file).name == file else None
        if data is None:
            raise RelaxError(
                f"expected the name of a file in the folder of the program, no link, found {file!r}; put "
                "it there"
            )
    except OSError as error:
        raise RelaxError(
            f"expected a file {file} beside the program, found none: {error.strerror}; put it there"
        ) from None
    with data:
        return _read_tensor(data, file, name, type)


def _read_tensor(data: BinaryIO, file: str, name: str, type: Any) -> DenseIntOrFPElementsAttr:
    """Return a tensor of an open file. Raises `RelaxError`."""
    stored = tensors_of(data, file).get(name)
    if stored is None:
        raise RelaxError(f"{file}: expected a tensor {name!r}, found none; correct the name")
    kind, sizes = KINDS[str(type.element_type)], list(type.get_shape())
    if stored.dtype != kind or stored.shape != sizes:
        raise RelaxError(
            f"{file}: expected {name!r} as {sizes} {kind}, found {stored.shape} {stored.dtype}; "
            "correct the type"
        )
    content: Any = mapped_data.read(data, stored.offset, stored.size)
    return DenseIntOrFPElementsAttr(type, BytesAttr(content))


class BesidePrinter(Printer):
    """A printer that refers large constants to a data file, which `write` writes."""

    def __init__(self, stream: IO[str], file: str, least: int):
        super().__init__(stream)
        self.file, self.least = file, least
        self.placed: dict[int, tuple[str, DenseIntOrFPElementsAttr]] = {}
        """Names of attributes by their identity, since comparing takes long."""
        self._names: set[str] = set()

    def place(self, attribute: DenseIntOrFPElementsAttr, wish: str) -> None:
        """Store an attribute in the file under a name derived from `wish`."""
        is_kept = str(attribute.type.element_type) in KINDS
        if is_kept and id(attribute) not in self.placed and len(attribute.data.data) >= self.least:
            name, number = wish, 0
            while name in self._names:
                number += 1
                name = f"{wish}_{number}"
            self._names.add(name)
            self.placed[id(attribute)] = name, attribute

    def print_attribute(self, attribute: Any) -> None:
        if id(attribute) not in self.placed:
            super().print_attribute(attribute)
            return
        self.print_string(f"{KEYWORD}(")
        self.print_attribute(StringAttr(self.file))
        self.print_string(", ")
        self.print_attribute(StringAttr(self.placed[id(attribute)][0]))
        self.print_string(") : ")
        self.print_attribute(attribute.type)

    def contents(self) -> Iterator[bytes]:
        """Yield the file, in parts."""
        yield header(
            (name, KINDS[str(attribute.type.element_type)], attribute.type.get_shape())
            for name, attribute in self.placed.values()
        )
        for _, attribute in self.placed.values():
            yield attribute.data.data
            mapped_data.drop(attribute.data.data)
