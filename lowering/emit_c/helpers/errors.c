/* Messages of run-time errors. */
#include "prelude.h"

/// set_error
static _Thread_local char last_error[512];

/* Remembers why the current call fails. */
static void set_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
}

/// place_error: set_error
/* Puts the place of an op before a message that begins with its name. */
static void place_error(const char *name, const char *place)
{
    const size_t length = strlen(name), added = strlen(place);
    char rest[sizeof last_error];
    if (strncmp(last_error, name, length) != 0 || added >= sizeof last_error)
        return;
    memcpy(rest, last_error + length, sizeof last_error - length);
    memcpy(last_error, place, added);
    memcpy(last_error + added, rest, sizeof last_error - (added > length ? added : length));
    last_error[sizeof last_error - 1] = 0;
}
