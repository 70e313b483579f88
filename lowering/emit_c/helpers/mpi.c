/* Communication of ranks by MPI. Before each collective all ranks compare what they are about to do: an error
   of one rank is an error of all, and none waits for a rank that will not come. */
#include "mpi_mail.c"

/// mpi_begin: mpi_mail
#if defined(__GLIBC__)
extern int on_exit(void (*function)(int status, void *argument), void *argument); /* not in strict C */
#endif

/* A process that ends with an error leaves MPI unfinished, and mpirun ends the other ranks. */
static void mpi_end(int status, void *argument)
{
    int is_over = 0;
    (void)argument;
    MPI_Finalized(&is_over);
    if (status == 0 && !is_over)
        MPI_Finalize();
}

#if !defined(__GLIBC__)
static void mpi_end_well(void)
{
    mpi_end(0, NULL);
}
#endif

/* Starts MPI unless the program has; the model that starts it ends it with the process. */
static int mpi_start(void)
{
    int is_over = 0, is_running = 0, level = 0;
    MPI_Finalized(&is_over);
    MPI_Initialized(&is_running);
    if (is_over) {
        set_error("NAME: expected MPI to run, found it finalized; call MPI_Finalize after the last call");
        return -1;
    }
    if (is_running)
        return 0;
    if (mpi_check(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread") != 0)
        return -1;
#if defined(__GLIBC__)
    on_exit(mpi_end, NULL);
#else
    atexit(mpi_end_well);
#endif
    return 0;
}

/* Whether all ranks run this build of the model. */
static int mpi_compare_builds(void)
{
    static const char build[] = "DIGEST";
    char *const all = malloc((size_t)mpi_rank_count * sizeof build);
    int status = -1;
    if (all == NULL) {
        set_error("NAME: out of memory for the digests of %d ranks", mpi_rank_count);
        return -1;
    }
    if (mpi_check(MPI_Allgather(build, sizeof build, MPI_CHAR, all, sizeof build, MPI_CHAR, mpi_ranks),
            "NAME") == 0) {
        int other = 0;
        while (other < mpi_rank_count && memcmp(all, all + (size_t)other * sizeof build, sizeof build) == 0)
            ++other;
        if (other < mpi_rank_count)
            set_error("NAME: expected the same artifact on all ranks, found %.12s on rank 0 and %.12s on "
                "rank %d; copy one to all of them, compiled with one --cpu", all,
                all + (size_t)other * sizeof build, other);
        else
            status = 0;
    }
    free(all);
    return status;
}

/* Joins the other ranks, at the first call that communicates. */
static int mpi_begin(void)
{
    if (mpi_rank_count > 0)
        return 0;
    if (mpi_start() != 0 || mpi_check(MPI_Comm_dup(MPI_COMM_WORLD, &mpi_ranks), "NAME") != 0)
        return -1;
    MPI_Comm_set_errhandler(mpi_ranks, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi_ranks, &mpi_own_rank);
    MPI_Comm_size(mpi_ranks, &mpi_rank_count);
    if (mpi_compare_builds() == 0)
        return mpi_open_mail();
    MPI_Comm_free(&mpi_ranks);
    mpi_rank_count = 0; /* the next call compares again */
    mpi_is_told = true;
    return -1;
}

/// mpi_agree: mpi_begin, spell_sizes
/* What a rank is about to do, for the errors of others. */
struct mpi_report {
    int32_t rank;
    int32_t fails;
    char text[sizeof last_error];
};

static void mpi_describe(
    struct mpi_report *own, const char *step, int rank, const int64_t *sizes, bool fails)
{
    char shape[256] = "";
    own->rank = mpi_own_rank;
    own->fails = fails;
    if (rank > 0)
        spell_sizes(shape, sizeof shape, rank, sizes);
    if (fails)
        snprintf(own->text, sizeof own->text, "%s", last_error);
    else
        snprintf(own->text, sizeof own->text, sizes == NULL ? "%s" : "%s [%s]", step, shape);
}

/* The error of ranks some of which fail, or do something else than others. */
static void mpi_blame(const struct mpi_report *all, int count)
{
    int failed = 0, other = 1;
    while (failed < count && !all[failed].fails)
        ++failed;
    while (other < count && strcmp(all[other].text, all[0].text) == 0)
        ++other;
    if (failed < count)
        set_error("rank %d: %s", (int)all[failed].rank, all[failed].text);
    else if (other < count)
        set_error("expected the same step on all ranks, found %s on rank %d and %s on rank %d; pass all ranks "
            "equal sizes, and let them take the same branches", all[0].text, (int)all[0].rank,
            all[other].text, (int)all[other].rank);
}

/* Whether no rank fails, and all of them are about to do the same; else an error on all of them. */
static int mpi_agree(MPI_Comm comm, const char *step, int rank, const int64_t *sizes, bool fails)
{
    const uint64_t prime = 1099511628211u; /* FNV-1a */
    uint64_t key = 14695981039346656037u;
    for (const char *c = step; *c != 0; ++c)
        key = (key ^ (unsigned char)*c) * prime;
    for (int i = 0; i < rank; ++i)
        key = (key ^ (uint64_t)sizes[i]) * prime;
    int64_t found[] = {fails, (int64_t)(key >> 2), -(int64_t)(key >> 2)};
    if (mpi_check(MPI_Allreduce(MPI_IN_PLACE, found, 3, MPI_INT64_T, MPI_MAX, comm), step) != 0)
        return -1;
    if (found[0] == 0 && found[1] == -found[2])
        return 0;
    mpi_is_told = mpi_is_told || comm == mpi_ranks;
    int count = 0;
    struct mpi_report own;
    MPI_Comm_size(comm, &count);
    mpi_describe(&own, step, rank, sizes, fails);
    struct mpi_report *const all = malloc((size_t)count * sizeof own);
    const int bytes = (int)sizeof own;
    const bool is_known = all != NULL
        && MPI_Allgather(&own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm) == MPI_SUCCESS;
    if (is_known && !fails)
        mpi_blame(all, count);
    free(all);
    if (comm == mpi_ranks)
        mpi_clear_mail();
    return -1;
}

/// mpi_leave: mpi_agree
/* The status of a call: a failure that other ranks do not know of is reported to them. */
static int mpi_leave(int status)
{
    if (status != 0 && !mpi_is_told && mpi_begin() == 0) {
        mpi_warn();
        (void)mpi_agree(mpi_ranks, "", 0, NULL, true);
    }
    mpi_is_told = false;
    return status;
}

/// mpi_return: mpi_agree
/* Whether all ranks are about to return from a call. */
static int mpi_return(const char *called)
{
    return mpi_begin() != 0 ? -1 : mpi_agree(mpi_ranks, called, 0, NULL, false);
}

/// mpi_step: mpi_agree
/* The ranks in row-major order along the axes of a grid, one of which may be -1: those that differ along
   the `axes` alone are a group. Without a grid all ranks are one. */
struct mpi_grid {
    int count;
    int sizes[8];
    unsigned axes;
};

struct mpi_known {
    struct mpi_grid grid;
    MPI_Comm comm;
};

/* Fills in the size that is -1. */
static int mpi_fill_grid(const char *step, const struct mpi_grid *grid, int *sizes)
{
    int fixed = 1, open = -1;
    for (int i = 0; i < grid->count; ++i) {
        sizes[i] = grid->sizes[i];
        if (sizes[i] < 0)
            open = i;
        else
            fixed *= sizes[i];
    }
    if (grid->count > 0 && (open >= 0 ? mpi_rank_count % fixed != 0 : mpi_rank_count != fixed)) {
        set_error("%s: expected %s%d ranks for its grid, found %d; start as many, or correct 'grid'", step,
            open >= 0 ? "a multiple of " : "", fixed, mpi_rank_count);
        return -1;
    }
    if (open >= 0)
        sizes[open] = mpi_rank_count / fixed;
    return 0;
}

/* The number of the group that a rank is in. */
static int mpi_group_of(const struct mpi_grid *grid, const int *sizes, int rank)
{
    int group = 0;
    for (int i = 0, below = mpi_rank_count; i < grid->count; ++i) {
        below /= sizes[i];
        if ((grid->axes >> i & 1) == 0)
            group = group * sizes[i] + rank / below % sizes[i];
    }
    return group;
}

/* The grids of the model that have been used, with the groups of this rank. */
static struct mpi_known mpi_groups[16];
static int mpi_group_count;

/* The group of this rank, made at its first use. */
static int mpi_group(const char *step, const struct mpi_grid *grid, MPI_Comm *comm)
{
    int sizes[8];
    *comm = mpi_ranks;
    if (grid->count == 0)
        return 0;
    for (int i = 0; i < mpi_group_count; ++i)
        if (memcmp(&mpi_groups[i].grid, grid, sizeof *grid) == 0) {
            *comm = mpi_groups[i].comm;
            return 0;
        }
    if (mpi_fill_grid(step, grid, sizes) != 0)
        return -1;
    const int group = mpi_group_of(grid, sizes, mpi_own_rank);
    if (mpi_group_count == (int)(sizeof mpi_groups / sizeof *mpi_groups)) {
        set_error("%s: expected at most %d grids in a model, found more; combine some", step,
            mpi_group_count);
        return -1;
    }
    if (mpi_check(MPI_Comm_split(mpi_ranks, group, mpi_own_rank, comm), step) != 0)
        return -1;
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
    mpi_groups[mpi_group_count].grid = *grid;
    mpi_groups[mpi_group_count++].comm = *comm;
    return 0;
}

/* The group for a step that all of its ranks are about to do. */
static int mpi_step(const char *step, const struct mpi_grid *grid, int rank, const int64_t *sizes,
    MPI_Comm *comm)
{
    const bool is_whole = grid->count == 0;
    if (mpi_begin() != 0 || mpi_agree(mpi_ranks, step, is_whole ? rank : 0, is_whole ? sizes : NULL, false) != 0
        || mpi_group(step, grid, comm) != 0)
        return -1;
    return is_whole ? 0 : mpi_agree(*comm, step, rank, sizes, false);
}
