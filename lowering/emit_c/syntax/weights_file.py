"""The file of weights: big constants in a file next to the C text, with a checksum."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from relax_dialect.mapped_data import BLOCK, drop

MAGIC = b"RLXWTS\r\n"
VERSION = 1
ALIGNMENT = 64
CHECKSUM = slice(24, 32)
"""The bytes of the header that hold the checksum."""

LANES = 512
FNV_OFFSET = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3


@dataclass(frozen=True)
class Pieces:
    """The content of a file in parts, which are not joined: together they are as large as the model."""

    parts: Sequence[memoryview]

    @classmethod
    def of(cls, content: Content) -> Pieces:
        """Return any content in parts."""
        return content if isinstance(content, Pieces) else cls((memoryview(content),))

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __bytes__(self) -> bytes:
        return b"".join(self.parts)

    def checksum(self) -> bytes:
        """Return the checksum of a file of weights, which is in its first part."""
        return bytes(self.parts[0][CHECKSUM])

    def blocks(self) -> Iterator[memoryview]:
        """Yield the content in parts, each of which leaves memory after its use if it is mapped."""
        for part in self.parts:
            for start in range(0, len(part), BLOCK):
                yield (block := part[start : start + BLOCK])
                drop(block)


Content = bytes | memoryview | Pieces


@dataclass
class WeightsFile:
    """The payload of the file next to the C text: entries aligned to 64 bytes.

    The entries are not copied before they are written to the file, since together they are as large as the
    model.
    """

    chunks: list[memoryview] = field(default_factory=list)
    size: int = 0
    lanes: np.ndarray = field(default_factory=lambda: np.full(LANES, FNV_OFFSET, np.uint64))

    def add(self, array: np.ndarray) -> int:
        """Append an entry; return its offset."""
        at = self.size
        data = array.reshape(-1).view(np.uint8)
        whole = len(data) // ALIGNMENT * ALIGNMENT
        rest = data[whole:].tobytes()
        self._append(memoryview(data[:whole]))  # pyright: ignore[reportArgumentType]
        self._append(memoryview(rest + b"\0" * (-len(rest) % ALIGNMENT)))
        return at

    def _append(self, chunk: memoryview) -> None:
        """Append whole words, and hash them: the lane of each is its offset in the payload."""
        words = np.frombuffer(chunk, "<u8")
        prime = np.uint64(FNV_PRIME)
        lane, start = self.size // 8 % LANES, 0
        while start < len(words):
            row = words[start : start + LANES - lane]
            lanes = self.lanes[lane : lane + len(row)]
            np.bitwise_xor(lanes, row, lanes)
            np.multiply(lanes, prime, lanes)
            lane, start = 0, start + len(row)
        drop(chunk)
        self.chunks.append(chunk)
        self.size += len(chunk)

    def checksum(self) -> int:
        """FNV-1a over 64-bit words in 512 interleaved lanes, which are hashed one after the other."""
        result = FNV_OFFSET
        for lane in self.lanes.tolist():
            result = ((result ^ lane) * FNV_PRIME) % 2**64
        return result

    def file(self) -> Pieces:
        """Return the whole file: magic, version, alignment, size of the payload, checksum, payload."""
        header = struct.pack("<8sIIQQ", MAGIC, VERSION, ALIGNMENT, self.size, self.checksum())
        return Pieces((memoryview(header.ljust(ALIGNMENT, b"\0")), *self.chunks))
