/* The file of weights: read, or taken from memory. */
#include "errors.c"

/// checks
static BYTES *loaded_weights;

/* FNV-1a over 64-bit words in 512 interleaved lanes, which are hashed in turn. A block begins with the
   first lane: all but the last have a multiple of 4096 bytes. */
static void hash_block(uint64_t *lanes, const char *block, size_t size)
{
    const uint64_t prime = 0x100000001b3u;
    for (size_t i = 0; i < size / 8; ++i) {
        uint64_t word;
        memcpy(&word, block + 8 * i, 8);
        lanes[i % 512] = (lanes[i % 512] ^ word) * prime;
    }
}

static void start_hash(uint64_t *lanes)
{
    for (int i = 0; i < 512; ++i)
        lanes[i] = 0xcbf29ce484222325u;
}

static uint64_t end_hash(const uint64_t *lanes)
{
    uint64_t result = 0xcbf29ce484222325u;
    for (int i = 0; i < 512; ++i)
        result = (result ^ lanes[i]) * 0x100000001b3u;
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
#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
int fileno(FILE *); /* which strict C11 hides */

/* The weights as pages of the file; NULL if it cannot be mapped. */
static char *content_of(FILE *file)
{
    void *const found = mmap(NULL, WEIGHTS_SIZE + 64, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    return found == MAP_FAILED ? NULL : (char *)found + 64;
}

static void release_weights(void)
{
    if (loaded_weights != NULL)
        munmap(loaded_weights - 64, WEIGHTS_SIZE + 64);
    loaded_weights = NULL;
}
#else
/* The weights in memory; NULL if there is none left. */
static char *content_of(FILE *file)
{
    char *const found = aligned_alloc(64, WEIGHTS_SIZE);
    if (found != NULL && fseek(file, 64, SEEK_SET) == 0 && fread(found, 1, WEIGHTS_SIZE, file) == WEIGHTS_SIZE)
        return found;
    free(found);
    return NULL;
}

static void release_weights(void)
{
    free(loaded_weights);
    loaded_weights = NULL;
}
#endif

/* Checks the weights block by block, and loads them; on failure an error is set and nothing is kept. */
static int read_weights(FILE *file, const char *path)
{
    const uint64_t size = WEIGHTS_SIZE, expected = WEIGHTS_CHECKSUM;
    uint64_t lanes[512], count = 0;
    char block[1 << 15] = {0};
    if (fread(block, 1, 64, file) != 64)
        memset(block, 0, 64);
    if (check_header("load", path, block) != 0)
        return -1;
    start_hash(lanes);
    for (size_t part; (part = fread(block, 1, sizeof block, file)) != 0; count += part)
        hash_block(lanes, block, part);
    if (count != size) {
        set_error("NAME_load: %s: expected %llu bytes of weights, found %s", path,
            (unsigned long long)size, count < size ? "fewer: the file is truncated" : "more");
        return -1;
    }
    if (end_hash(lanes) != expected) {
        set_error("NAME_load: %s: the checksum does not match: the file is corrupt", path);
        return -1;
    }
    loaded_weights = content_of(file);
    if (loaded_weights == NULL)
        set_error("NAME_load: out of memory for %llu bytes", (unsigned long long)size);
    return loaded_weights == NULL ? -1 : 0;
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
    uint64_t lanes[512];
    start_hash(lanes);
    hash_block(lanes, payload, size);
    if (end_hash(lanes) != expected) {
        set_error("NAME_use_weights: the checksum does not match: the data is corrupt");
        return -1;
    }
    loaded_weights = payload;
    SET_POINTERS
    return 0;
}
