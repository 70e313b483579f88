/* External calls, and the printing of values. */
#include "entry.c"

/// active_level
/* How many calls of recursive functions are active where this thread has called a function from
   outside or a function value: calls that come from there begin at this level. */
static _Thread_local int64_t active_level;

/// tensor_of
/* A compact tensor on the CPU. */
static DLTensor tensor_of(const void *data, int code, int bits, int rank, int64_t *shape)
{
    DLTensor t = {.data = (void *)data, .ndim = rank, .shape = shape};
    t.device.device_type = kDLCPU;
    t.dtype.code = (uint8_t)code;
    t.dtype.bits = (uint8_t)bits;
    t.dtype.lanes = 1;
    return t;
}

/// call_packed: set_error
/* Calls a function from outside; if it fails in a call of this model, that tells why. */
static int call_packed(const char *name, int (*function)(void *, const DLTensor *const *, int,
    DLTensor *), void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    if (function == NULL) {
        set_error("packed function '%s' is not registered: call NAME_register first", name);
        return -1;
    }
    set_error("%s", "");
    const int code = function(context, args, count, result);
    if (code != 0 && last_error[0] == '\0')
        set_error("packed function '%s' failed with code %d", name, code);
    return code;
}

/// take_result: set_error, check_tensor, check_dim, allocate, data_of, detach
/* A copy of what a function from outside gave, once checked; a size of -1 may be any. */
static void *take_result(
    const char *what, const DLTensor *t, int code, int bits, const char *type, int rank,
    const char *dims, const int64_t *sizes)
{
    struct buffer *live = NULL;
    if (t->dtype.bits == 0) {
        set_error("%s: expected a tensor, found none: the function must fill it in", what);
        return NULL;
    }
    if (check_tensor(what, t, code, bits, type, rank, dims) != 0)
        return NULL;
    size_t bytes = (size_t)bits / 8;
    for (int i = 0; i < rank; ++i) {
        if (sizes[i] >= 0 && check_dim(what, t, i, sizes[i], "") != 0)
            return NULL;
        bytes *= (size_t)t->shape[i];
    }
    void *data = allocate(&live, what, (size_t)bits / 8, rank, t->shape);
    if (data == NULL)
        return NULL;
    if (bytes > 0)
        memcpy(data, data_of(t), bytes);
    detach(data);
    return data;
}

/// put
/* Where text goes: a file, or what is left of a string. */
struct text {
    FILE *file;
    char *at;
    size_t room;
};

static void put(struct text *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (to->file != NULL) {
        vfprintf(to->file, format, args);
    } else {
        const int length = vsnprintf(to->at, to->room, format, args);
        const size_t used = length < 0 ? 0 : (size_t)length;
        const size_t step = used < to->room ? used : to->room - 1;
        to->at += step;
        to->room -= step;
    }
    va_end(args);
}

/// float_at: data_of
/* An f16 by its bits. */
static double half_of(uint16_t bits)
{
    const int power = bits >> 10 & 31, digits = bits & 1023;
    const double x = power == 31 ? (digits == 0 ? INFINITY : NAN)
        : power == 0 ? ldexp(digits, -24) : ldexp(digits + 1024, power - 25);
    return bits >> 15 ? -x : x;
}

/* Whether reading a number as f16 gives x; in the middle of two the even one is taken. */
static bool reads_as_half(double number, double x)
{
    int power = 0;
    const bool below = fabs(frexp(x, &power)) == 0.5 && fabs(number) < fabs(x);
    const double unit = ldexp(1, power < -13 ? -24 : power - 11);
    const double off = fabs(number - x) / (below ? unit / 2 : unit);
    return off < 0.5 || (off == 0.5 && fmod(x / unit, 2) == 0);
}

static double float_at(const DLTensor *t, int64_t i)
{
    const void *data = data_of(t);
    if (t->dtype.code == kDLBfloat) {
        const uint32_t bits = (uint32_t)((const uint16_t *)data)[i] << 16;
        float x;
        memcpy(&x, &bits, sizeof x);
        return (double)x;
    }
    if (t->dtype.bits == 16)
        return half_of(((const uint16_t *)data)[i]);
    return t->dtype.bits == 32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

/* How many digits after the first tell a number from all others; its power of ten. */
static int digits_of(double x, int bits, int *power)
{
    char s[40];
    int digits = 0;
    for (; digits < 16; ++digits) {
        snprintf(s, sizeof s, "%.*e", digits, x);
        if (bits == 16 ? reads_as_half(strtod(s, NULL), x)
            : bits == 32 ? strtof(s, NULL) == (float)x : strtod(s, NULL) == x)
            break;
    }
    snprintf(s, sizeof s, "%.*e", digits, x);
    *power = atoi(strchr(s, 'e') + 1);
    return digits;
}

/* How many of 8 digits after the point are left without the zeros at the end. */
static int without_zeros(const char *format, double x)
{
    char s[400];
    snprintf(s, sizeof s, format, 8, x);
    const char *const point = strchr(s, '.');
    int digits = 8;
    while (digits > 0 && point[digits] == '0')
        --digits;
    return digits;
}

/* How the elements of a tensor are spelled, all alike: with a power of ten and so many digits, and
   in columns so wide before and from the point on. */
struct style {
    bool power;
    int digits, left, right;
};

static int spell_element(char *s, size_t room, const DLTensor *t, int64_t i, struct style style)
{
    const void *data = data_of(t);
    const int bits = t->dtype.bits;
    if (t->dtype.code == kDLBool)
        return snprintf(s, room, "%s", ((const bool *)data)[i] ? "True" : "False");
    if (t->dtype.code == kDLInt)
        return snprintf(s, room, "%lld",
            bits == 64 ? (long long)((const int64_t *)data)[i]
            : bits == 32 ? (long long)((const int32_t *)data)[i]
            : bits == 16 ? (long long)((const int16_t *)data)[i]
                         : (long long)((const int8_t *)data)[i]);
    if (t->dtype.code == kDLUInt)
        return snprintf(s, room, "%llu",
            bits == 64 ? (unsigned long long)((const uint64_t *)data)[i]
            : bits == 32 ? (unsigned long long)((const uint32_t *)data)[i]
            : bits == 16 ? (unsigned long long)((const uint16_t *)data)[i]
                         : (unsigned long long)((const uint8_t *)data)[i]);
    const double x = float_at(t, i);
    if (isnan(x))
        return snprintf(s, room, "nan");
    if (isinf(x))
        return snprintf(s, room, x < 0 ? "-inf" : "inf");
    if (t->dtype.code == kDLBfloat)
        return snprintf(s, room, "%g", x);
    int power = 0;
    int right = digits_of(x, bits, &power);
    if (t->ndim == 0 && x != 0 && (power < -4 || power >= (bits == 16 ? 3 : bits == 32 ? 6 : 16)))
        return snprintf(s, room, "%.*e", right, x);
    if (style.power)
        return snprintf(s, room, "%#.*e", style.digits, x);
    right = right > power ? right - power : 0;
    if (t->ndim == 0)
        right = right < 1 ? 1 : right;
    else
        right = right > 8 ? without_zeros("%.*f", x) : right;
    return snprintf(s, room, "%#.*f", right, x);
}

/* Where the point of a spelled number stands, or its end. */
static int point_of(const char *s, int length)
{
    const char *point = strchr(s, '.');
    return point == NULL ? length : (int)(point - s);
}

static struct style style_of(const DLTensor *t, int64_t count)
{
    struct style style = {false, 0, 0, 0};
    char s[400];
    if (t->dtype.code == kDLBfloat)
        return style;
    double least = 0, most = 0;
    for (int64_t i = 0; i < count && t->dtype.code == kDLFloat; ++i) {
        const double x = fabs(float_at(t, i));
        if (!isfinite(x) || x == 0)
            continue;
        least = least == 0 || x < least ? x : least;
        most = x > most ? x : most;
    }
    const double limit = t->dtype.bits == 16 ? 1e3 : t->dtype.bits == 32 ? 1e6 : 1e8;
    style.power = t->ndim > 0 && most > 0
        && (most >= limit || least < 1e-4 || most / least > 1000);
    for (int64_t i = 0; i < count && style.power; ++i) {
        int power = 0;
        const double x = float_at(t, i);
        int digits = isfinite(x) ? digits_of(x, t->dtype.bits, &power) : 0;
        digits = digits > 8 ? without_zeros("%.*e", x) : digits;
        style.digits = digits > style.digits ? digits : style.digits;
    }
    for (int64_t i = 0; i < count; ++i) {
        const int length = spell_element(s, sizeof s, t, i, style);
        const int point = point_of(s, length);
        const bool number = t->dtype.code != kDLFloat || isfinite(float_at(t, i));
        style.left = number && point > style.left ? point : style.left;
        style.right = number && length - point > style.right ? length - point : style.right;
    }
    for (int64_t i = 0; i < count && t->dtype.code == kDLFloat; ++i) {
        const int length = isfinite(float_at(t, i)) ? 0
            : spell_element(s, sizeof s, t, i, style);
        style.left = length - style.right > style.left ? length - style.right : style.left;
    }
    return style;
}


/// put_tensor: put, float_at
static void put_elements(
    struct text *to, const DLTensor *t, int dim, int64_t *next, struct style style)
{
    if (dim == t->ndim) {
        char s[400];
        const int length = spell_element(s, sizeof s, t, *next, style);
        const bool number = t->dtype.code != kDLFloat || isfinite(float_at(t, *next));
        const int point = number ? point_of(s, length) : length - style.right;
        const int right = number ? style.right - (length - point) : 0;
        ++*next;
        const bool bare = t->ndim == 0 || t->dtype.code == kDLBfloat;
        put(to, "%*s%s%*s", bare ? 0 : style.left - point, "", s, bare ? 0 : right, "");
        return;
    }
    put(to, "[");
    for (int64_t i = 0; i < t->shape[dim]; ++i) {
        for (int d = dim + 1; d < t->ndim && i > 0; ++d)
            put(to, "\n");
        if (i > 0)
            put(to, "%*s", dim + 1 == t->ndim ? 1 : dim + 1, "");
        put_elements(to, t, dim + 1, next, style);
    }
    put(to, "]");
}

/* A tensor as numpy prints it, but on lines of any length and without leaving anything out. */
static void put_tensor(struct text *to, const DLTensor *t)
{
    int64_t count = 1, next = 0;
    for (int i = 0; i < t->ndim; ++i)
        count *= t->shape[i];
    if (count == 0) {
        put(to, "[]");
        return;
    }
    put_elements(to, t, 0, &next, style_of(t, count));
}

/// put_shape: put, data_of
/* A shape, which is passed as a row of numbers. */
static void put_shape(struct text *to, const DLTensor *t)
{
    const int64_t *sizes = data_of(t);
    put(to, "(");
    for (int64_t i = 0; i < t->shape[0]; ++i)
        put(to, "%s%lld", i > 0 ? ", " : "", (long long)sizes[i]);
    put(to, ")");
}
