"""Constants: small ones stand in the C text, big ones in a file beside it."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, UnitAttr

from lowering.emit_c.expressions import CExpr
from lowering.emit_c.types import CType, literal, scalar_type
from relax_dialect.errors import RelaxError

MAGIC = b"RLXWTS\r\n"
VERSION = 1
ALIGNMENT = 64
LANES = 512
FNV_OFFSET = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3


@dataclass(frozen=True)
class Constant:
    """A `memref.global` with its C name; data is `None` if it starts uninitialised."""

    c_name: str
    element: CType
    shape: tuple[int, ...]
    data: np.ndarray | None
    constant: bool

    @property
    def count(self) -> int:
        return int(np.prod(self.shape, dtype=object)) if self.shape else 1

    @property
    def bytes(self) -> int:
        return self.count * self.element.size

    def splat(self) -> CExpr | None:
        """The value of all elements, if they are the same to the bit."""
        if self.data is None or self.count == 0 or not self.constant:
            return None
        raw = self.data.view(f"u{self.element.size}")
        return literal(self.data[0].item(), self.element) if (raw == raw[0]).all() else None

    def all_zero(self) -> bool:
        return self.data is None or not self.data.view(f"u{self.element.size}").any()


def read_constant(op: memref.GlobalOp, c_name: str) -> Constant:
    """The constant that a `memref.global` defines."""
    t = op.type
    element = scalar_type(t.element_type)
    shape = t.get_shape()
    value = op.initial_value
    where = f"C: memref.global @{op.sym_name.data}"
    if any(d < 0 for d in shape):
        raise RelaxError(f"{where}: expected a static shape, found {t}")
    data: np.ndarray | None = None
    if isinstance(value, DenseIntOrFPElementsAttr):
        data = np.frombuffer(value.data.data, dtype=_stored_dtype(value, element))
        if element.kind == "bool":
            data = data.astype(np.bool_)
        count = int(np.prod(shape, dtype=object)) if shape else 1
        if len(data) == 1 and count != 1:
            data = np.repeat(data, count)
        if len(data) != count:
            raise RelaxError(f"{where}: expected {count} elements for {t}, found {len(data)}")
    elif not isinstance(value, UnitAttr):
        raise RelaxError(f"{where}: expected dense<...> or uninitialized, found {value}")
    return Constant(c_name, element, tuple(shape), data, op.constant is not None)


def _stored_dtype(value: DenseIntOrFPElementsAttr, element: CType) -> np.dtype:
    size = value.type.element_type.compile_time_size  # pyright: ignore[reportAttributeAccessIssue]
    if element.kind == "bool":
        return np.dtype(f"u{size}")
    return np.dtype(element.dtype).newbyteorder("<")


def rows(texts: Sequence[str], width: int = 92) -> Iterator[str]:
    """Lines of numbers."""
    line = ""
    for text in texts:
        if line and len(line) + len(text) + 2 > width:
            yield f"    {line}"
            line = ""
        line += f"{', ' if line else ''}{text}" if not line else f" {text}"
        line += ","
    if line:
        yield f"    {line}"


@dataclass
class WeightsFile:
    """The payload of the file beside the C text: entries aligned to 64 bytes."""

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


LOADER = """static char *weights;

/* FNV-1a over 64-bit words in 512 interleaved lanes, which are hashed in turn. */
static uint64_t checksum(const char *payload, size_t size)
{
    const uint64_t prime = 0x100000001b3u;
    uint64_t lanes[512];
    for (int i = 0; i < 512; ++i)
        lanes[i] = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size / 8; ++i) {
        uint64_t word;
        memcpy(&word, payload + 8 * i, 8);
        lanes[i % 512] = (lanes[i % 512] ^ word) * prime;
    }
    uint64_t result = 0xcbf29ce484222325u;
    for (int i = 0; i < 512; ++i)
        result = (result ^ lanes[i]) * prime;
    return result;
}

/* Reads the weights; on failure an error is set and nothing is kept. */
static int read_weights(FILE *file, const char *path)
{
    const uint64_t size = @SIZE@u, expected = @CHECKSUM@u;
    char header[64];
    uint32_t version;
    uint64_t found_size, found;
    if (fread(header, 1, 64, file) != 64 || memcmp(header, @MAGIC@, 8) != 0) {
        set_error("@NAME@_load: %s: not a weights file", path);
        return -1;
    }
    memcpy(&version, header + 8, 4);
    memcpy(&found_size, header + 16, 8);
    memcpy(&found, header + 24, 8);
    if (version != @VERSION@) {
        set_error("@NAME@_load: %s: expected version @VERSION@ of the format, found %u", path,
            (unsigned)version);
        return -1;
    }
    if (found_size != size || found != expected) {
        set_error("@NAME@_load: %s: made for another model: expected %llu bytes with checksum "
            "%016llx, found %llu with %016llx", path, (unsigned long long)size,
            (unsigned long long)expected, (unsigned long long)found_size,
            (unsigned long long)found);
        return -1;
    }
    char *payload = aligned_alloc(64, size);
    if (payload == NULL) {
        set_error("@NAME@_load: out of memory for %llu bytes", (unsigned long long)size);
        return -1;
    }
    const size_t count = fread(payload, 1, size, file);
    if (count != size || fgetc(file) != EOF) {
        set_error("@NAME@_load: %s: expected %llu bytes of weights, found %s", path,
            (unsigned long long)size, count != size ? "fewer: the file is truncated" : "more");
        free(payload);
        return -1;
    }
    if (checksum(payload, size) != expected) {
        set_error("@NAME@_load: %s: the checksum does not match: the file is corrupt", path);
        free(payload);
        return -1;
    }
    weights = payload;
    return 0;
}

int @NAME@_load(const char *path)
{
    if (weights != NULL)
        return 0;
    if (path == NULL) {
        set_error("@NAME@_load: the path is NULL");
        return -1;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        set_error("@NAME@_load: cannot open %s: %s", path, strerror(errno));
        return -1;
    }
    const int status = read_weights(file, path);
    fclose(file);
    if (status != 0)
        return status;
@POINTERS@
    return 0;
}

void @NAME@_unload(void)
{
    free(weights);
    weights = NULL;
}
"""


def loader(name: str, size: int, check: int, pointers: Sequence[tuple[str, CType, int]]) -> str:
    """The C functions that read the file."""
    return (
        LOADER.replace("@NAME@", name)
        .replace("@SIZE@", str(size))
        .replace("@CHECKSUM@", f"0x{check:016x}")
        .replace("@MAGIC@", '"RLXWTS\\r\\n"')
        .replace("@VERSION@", str(VERSION))
        .replace(
            "@POINTERS@",
            "\n".join(f"    {c} = (const {t.name} *)(weights + {at});" for c, t, at in pointers),
        )
    )
