/* The file of weights: read, or taken from memory. */
#include "errors.c"

/// checks
static BYTES *loaded_weights;

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

/* Whether a file, or what is called so, begins as the weights of this model do. */
static int check_header(const char *function, const char *file, const char *header)
{
    const uint64_t size = WEIGHTS_SIZE, expected = WEIGHTS_CHECKSUM;
    uint32_t version;
    uint64_t found_size, found;
    if (memcmp(header, WEIGHTS_MAGIC, 8) != 0) {
        set_error("NAME_%s: %s: not a weights file", function, file);
        return -1;
    }
    memcpy(&version, header + 8, 4);
    memcpy(&found_size, header + 16, 8);
    memcpy(&found, header + 24, 8);
    if (version != FORMAT_VERSION) {
        set_error("NAME_%s: %s: expected version FORMAT_VERSION of the format, found %u", function, file,
            (unsigned)version);
        return -1;
    }
    if (found_size != size || found != expected) {
        set_error("NAME_%s: %s: made for another model: expected %llu bytes with checksum "
            "%016llx, found %llu with %016llx", function, file, (unsigned long long)size,
            (unsigned long long)expected, (unsigned long long)found_size,
            (unsigned long long)found);
        return -1;
    }
    return 0;
}

/// read_weights
/* Reads the weights; on failure an error is set and nothing is kept. */
static int read_weights(FILE *file, const char *path)
{
    const uint64_t size = WEIGHTS_SIZE, expected = WEIGHTS_CHECKSUM;
    char header[64] = {0};
    if (fread(header, 1, 64, file) != 64)
        memset(header, 0, 64);
    if (check_header("load", path, header) != 0)
        return -1;
    char *payload = aligned_alloc(64, size);
    if (payload == NULL) {
        set_error("NAME_load: out of memory for %llu bytes", (unsigned long long)size);
        return -1;
    }
    const size_t count = fread(payload, 1, size, file);
    if (count != size || fgetc(file) != EOF) {
        set_error("NAME_load: %s: expected %llu bytes of weights, found %s", path,
            (unsigned long long)size, count != size ? "fewer: the file is truncated" : "more");
        free(payload);
        return -1;
    }
    if (checksum(payload, size) != expected) {
        set_error("NAME_load: %s: the checksum does not match: the file is corrupt", path);
        free(payload);
        return -1;
    }
    loaded_weights = payload;
    return 0;
}

int NAME_load(const char *path)
{
    if (loaded_weights != NULL)
        return 0;
    if (NAME_check_cpu() != 0)
        return -1;
    if (path == NULL) {
        set_error("NAME_load: the path is NULL");
        return -1;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        set_error("NAME_load: cannot open %s: %s", path, strerror(errno));
        return -1;
    }
    const int status = read_weights(file, path);
    fclose(file);
    if (status != 0)
        return status;
    SET_POINTERS
    return 0;
}

///
#undef BYTES
#define BYTES const char
#define loaded_weights used_weights
static BYTES *loaded_weights;

/// use_weights
int NAME_use_weights(const void *data, size_t bytes)
{
    const uint64_t size = WEIGHTS_SIZE, expected = WEIGHTS_CHECKSUM;
    if (NAME_check_cpu() != 0)
        return -1;
    if (data == NULL || (uintptr_t)data % 64 != 0) {
        set_error("NAME_use_weights: expected data aligned to 64 bytes, found %s",
            data == NULL ? "NULL" : "others");
        return -1;
    }
    if (bytes != size + 64) {
        set_error("NAME_use_weights: expected the %llu bytes of NAME.weights, found %llu",
            (unsigned long long)size + 64, (unsigned long long)bytes);
        return -1;
    }
    const char *const payload = (const char *)data + 64;
    if (check_header("use_weights", "the data", data) != 0)
        return -1;
    if (checksum(payload, size) != expected) {
        set_error("NAME_use_weights: the checksum does not match: the data is corrupt");
        return -1;
    }
    loaded_weights = payload;
    SET_POINTERS
    return 0;
}
