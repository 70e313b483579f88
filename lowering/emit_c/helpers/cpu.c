/* The check for the CPU that a model is built for. It asks the processor itself: what compilers know differs. */
#include "errors.c"

#if defined(__GNUC__) && defined(MACRO)
#include <cpuid.h>
#endif

/// built_for
const char *NAME_built_for(void)
{
    return BUILT_FOR;
}

/// missing_feature
#if defined(__GNUC__) && defined(MACRO)
#include <cpuid.h>

/* Whether the processor has a feature: a bit of a register of cpuid, eax to edx, for a leaf and a part of
   it. The system must keep the registers that the feature uses, which are bits of XCR0. */
static bool has_feature(uint32_t leaf, uint32_t part, int place, uint32_t bit, uint32_t registers)
{
    uint32_t eax, ebx, ecx, edx, kept, rest;
    if (registers != 0) {
        if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & (1u << 27)) == 0) /* OSXSAVE */
            return false;
        __asm__ volatile("xgetbv" : "=a"(kept), "=d"(rest) : "c"(0));
        if ((kept & registers) != registers)
            return false;
    }
    if (__get_cpuid_count(leaf, part, &eax, &ebx, &ecx, &edx) == 0)
        return false;
    return ((place == 0 ? eax : place == 1 ? ebx : place == 2 ? ecx : edx) & bit) != 0;
}

/* The first feature that the machine lacks, or NULL. Uses none of them itself. */
__attribute__((noinline))
static const char *missing_feature(void)
{
    static const struct {
        const char *name;
        uint32_t leaf, part;
        int place, bit;
        uint32_t registers;
    } asked[] = {
        ASKED
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i)
        if (!has_feature(asked[i].leaf, asked[i].part, asked[i].place, 1u << asked[i].bit,
                asked[i].registers))
            return asked[i].name;
    return NULL;
}
#endif

/// check_cpu: missing_feature, set_error
int NAME_check_cpu(void)
{
#if defined(__GNUC__) && defined(MACRO)
    static const char *missing;
    static bool is_known;
    if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&missing, missing_feature(), __ATOMIC_RELAXED);
        __atomic_store_n(&is_known, true, __ATOMIC_RELEASE);
    }
    const char *const lacking = __atomic_load_n(&missing, __ATOMIC_RELAXED);
    if (lacking != NULL) {
        set_error(
            MESSAGE, lacking);
        return -1;
    }
#endif
    return 0;
}
