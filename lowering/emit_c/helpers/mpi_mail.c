/* Communication of ranks by MPI: errors, and the messages that are on their way. */
#include "entry.c"
#include <mpi.h>

/// mpi_check: set_error
static MPI_Comm mpi_ranks; /* the ranks that run this model, apart from other messages */
static int mpi_own_rank, mpi_rank_count; /* 0 before the first call that communicates */
static bool mpi_is_told; /* whether all ranks know that the current call fails */

/* Whether a call of MPI succeeded. */
static int mpi_check(int code, const char *step)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS)
        return 0;
    MPI_Error_string(code, text, &length);
    set_error("%s: MPI: %s", step, text);
    return -1;
}

/// mpi_mail: mpi_check
/* Messages between two ranks. A rank that waits for one looks for a notice that another rank fails. */
static MPI_Comm mpi_messages, mpi_notices;
static int64_t *mpi_sent, *mpi_received; /* the messages to and from each rank */
static bool mpi_has_warned;

static int mpi_open_mail(void)
{
    mpi_sent = calloc(2 * (size_t)mpi_rank_count, sizeof *mpi_sent);
    if (mpi_sent == NULL) {
        set_error("NAME: out of memory for %d ranks", mpi_rank_count);
        return -1;
    }
    mpi_received = mpi_sent + mpi_rank_count;
    if (mpi_check(MPI_Comm_dup(mpi_ranks, &mpi_messages), "NAME") != 0)
        return -1;
    return mpi_check(MPI_Comm_dup(mpi_ranks, &mpi_notices), "NAME");
}

/* Sends the other ranks a notice that this one fails. */
static void mpi_warn(void)
{
    static const char notice;
    for (int rank = 0; rank < mpi_rank_count; ++rank) {
        MPI_Request request;
        if (rank == mpi_own_rank)
            continue;
        MPI_Isend(&notice, 1, MPI_CHAR, rank, 0, mpi_notices, &request);
        MPI_Request_free(&request);
    }
    mpi_has_warned = true;
}

/* Receives a message that nothing waits for. */
static void mpi_drop(int rank, MPI_Comm comm)
{
    MPI_Status status;
    int bytes = 0;
    MPI_Probe(rank, MPI_ANY_TAG, comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    void *const data = malloc((size_t)bytes + 1);
    if (data != NULL)
        MPI_Recv(data, bytes, MPI_BYTE, rank, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
    free(data);
}

/* Receives the notices and messages of a failed call: the next one begins without any. */
static void mpi_clear_mail(void)
{
    int64_t *const wanted = malloc(2 * (size_t)mpi_rank_count * sizeof *wanted);
    if (wanted == NULL)
        return;
    int64_t *const warned = wanted + mpi_rank_count, own = mpi_has_warned;
    MPI_Alltoall(mpi_sent, 1, MPI_INT64_T, wanted, 1, MPI_INT64_T, mpi_ranks);
    MPI_Allgather(&own, 1, MPI_INT64_T, warned, 1, MPI_INT64_T, mpi_ranks);
    for (int rank = 0; rank < mpi_rank_count; ++rank) {
        for (; mpi_received[rank] < wanted[rank]; ++mpi_received[rank])
            mpi_drop(rank, mpi_messages);
        if (warned[rank] && rank != mpi_own_rank)
            mpi_drop(rank, mpi_notices);
    }
    mpi_has_warned = false;
    free(wanted);
}
