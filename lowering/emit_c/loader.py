"""The C functions that read and check the file of weights."""

from __future__ import annotations

from collections.abc import Sequence

from lowering.emit_c.types import CType
from lowering.emit_c.weights import VERSION

LOADER = """static char *loaded_weights;

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
    loaded_weights = payload;
    return 0;
}

int @NAME@_load(const char *path)
{
    if (loaded_weights != NULL)
        return 0;
    if (@NAME@_check_cpu() != 0)
        return -1;
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
            "\n".join(
                f"    {c} = (const {t.memory} *)(loaded_weights + {at});" for c, t, at in pointers
            ),
        )
    )
