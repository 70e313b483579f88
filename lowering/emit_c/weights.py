"""The file of weights: big constants in a file next to the C text, with a checksum."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import numpy as np

MAGIC = b"RLXWTS\r\n"
VERSION = 1
ALIGNMENT = 64
LANES = 512
FNV_OFFSET = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3


@dataclass
class WeightsFile:
    """The payload of the file next to the C text: entries aligned to 64 bytes."""

    chunks: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, data: bytes) -> int:
        """Appends an entry; gives its offset."""
        at = self.size
        padded = data + b"\0" * (-len(data) % ALIGNMENT)
        self.chunks.append(padded)
        self.size += len(padded)
        return at

    def finish(self) -> tuple[bytes, int]:
        """The file and its checksum: magic, version, payload size, checksum, payload."""
        payload = b"".join(self.chunks)
        check = checksum(payload)
        header = struct.pack("<8sIIQQ", MAGIC, VERSION, ALIGNMENT, self.size, check)
        return header.ljust(ALIGNMENT, b"\0") + payload, check


def checksum(payload: bytes) -> int:
    """FNV-1a over 64-bit words in 512 interleaved lanes, which are hashed in turn."""
    words = np.frombuffer(payload, dtype="<u8")
    lanes = np.full(LANES, FNV_OFFSET, dtype=np.uint64)
    prime = np.uint64(FNV_PRIME)
    for start in range(0, len(words), LANES):
        row = words[start : start + LANES]
        lanes[: len(row)] = (lanes[: len(row)] ^ row) * prime
    result = FNV_OFFSET
    for lane in lanes.tolist():
        result = ((result ^ lane) * FNV_PRIME) % 2**64
    return result
