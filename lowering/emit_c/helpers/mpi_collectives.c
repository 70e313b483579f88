/* Collectives and messages of ranks, on buffers without gaps. */
#include "mpi.c"
#include <limits.h>

/// mpi_count: mpi_step
/* A buffer of MPI: its elements and sizes. */
struct mpi_buffer {
    void *data;
    MPI_Datatype type;
    int rank;
    const int64_t *sizes;
};

static int64_t mpi_count(const struct mpi_buffer *b)
{
    int64_t count = 1;
    for (int i = 0; i < b->rank; ++i)
        count *= b->sizes[i];
    return count;
}

/// mpi_parts: mpi_count
/* The elements of one part, of which `whole` has one for each rank of a group. */
static int mpi_parts(const char *step, const struct mpi_buffer *part, const struct mpi_buffer *whole,
    MPI_Comm comm, int *count)
{
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    const int64_t own = mpi_count(part), all = mpi_count(whole);
    *count = (int)own;
    if (own > INT_MAX) {
        set_error("%s: expected at most %d elements for each rank, found %lld; split the tensor", step,
            INT_MAX, (long long)own);
        return -1;
    }
    if (all == own * ranks)
        return 0;
    set_error("%s: expected %lld elements, %lld for each of %d ranks, found %lld; correct the number of ranks, "
        "or pad the axis", step, (long long)(own * ranks), (long long)own, ranks, (long long)all);
    return -1;
}

/// mpi_allreduce: mpi_count
/* Reduces a buffer in place, in pieces that an int can count. */
static int mpi_allreduce(const char *step, const struct mpi_grid *grid, const struct mpi_buffer *b, MPI_Op op)
{
    MPI_Comm comm;
    int size = 1;
    if (mpi_step(step, grid, b->rank, b->sizes, &comm) != 0)
        return -1;
    MPI_Type_size(b->type, &size);
    char *data = b->data;
    for (int64_t left = mpi_count(b), piece; left > 0; left -= piece, data += piece * size) {
        piece = left < INT_MAX ? left : INT_MAX;
        if (mpi_check(MPI_Allreduce(MPI_IN_PLACE, data, (int)piece, b->type, op, comm), step) != 0)
            return -1;
    }
    return 0;
}

/// mpi_bcast: mpi_count
/* Copies the buffer of a rank to all. */
static int mpi_bcast(const char *step, const struct mpi_grid *grid, const struct mpi_buffer *b, int root)
{
    MPI_Comm comm;
    int size = 1;
    if (mpi_step(step, grid, b->rank, b->sizes, &comm) != 0)
        return -1;
    MPI_Type_size(b->type, &size);
    char *data = b->data;
    for (int64_t left = mpi_count(b), piece; left > 0; left -= piece, data += piece * size) {
        piece = left < INT_MAX ? left : INT_MAX;
        if (mpi_check(MPI_Bcast(data, (int)piece, b->type, root, comm), step) != 0)
            return -1;
    }
    return 0;
}

/// mpi_allgather: mpi_parts
static int mpi_allgather(const char *step, const struct mpi_grid *grid, const struct mpi_buffer *from,
    const struct mpi_buffer *to)
{
    MPI_Comm comm;
    int count;
    if (mpi_step(step, grid, from->rank, from->sizes, &comm) != 0
        || mpi_parts(step, from, to, comm, &count) != 0)
        return -1;
    return mpi_check(
        MPI_Allgather(from->data, count, from->type, to->data, count, to->type, comm), step);
}

/// mpi_reduce_scatter: mpi_parts
static int mpi_reduce_scatter(const char *step, const struct mpi_grid *grid, const struct mpi_buffer *from,
    const struct mpi_buffer *to, MPI_Op op)
{
    MPI_Comm comm;
    int count;
    if (mpi_step(step, grid, from->rank, from->sizes, &comm) != 0
        || mpi_parts(step, to, from, comm, &count) != 0)
        return -1;
    return mpi_check(
        MPI_Reduce_scatter_block(from->data, to->data, count, to->type, op, comm), step);
}

/// mpi_scatter: mpi_parts
static int mpi_scatter(const char *step, const struct mpi_grid *grid, const struct mpi_buffer *from,
    const struct mpi_buffer *to, int root)
{
    MPI_Comm comm;
    int count;
    if (mpi_step(step, grid, from->rank, from->sizes, &comm) != 0
        || mpi_parts(step, to, from, comm, &count) != 0)
        return -1;
    return mpi_check(
        MPI_Scatter(from->data, count, from->type, to->data, count, to->type, root, comm), step);
}

/// mpi_alltoall: mpi_parts
static int mpi_alltoall(const char *step, const struct mpi_grid *grid, const struct mpi_buffer *from,
    const struct mpi_buffer *to)
{
    MPI_Comm comm;
    int count, ranks = 1;
    struct mpi_buffer part = {NULL, from->type, 0, NULL};
    if (mpi_step(step, grid, from->rank, from->sizes, &comm) != 0)
        return -1;
    MPI_Comm_size(comm, &ranks);
    const int64_t each = mpi_count(from) / ranks;
    part.rank = 1;
    part.sizes = &each;
    if (mpi_parts(step, &part, from, comm, &count) != 0)
        return -1;
    return mpi_check(
        MPI_Alltoall(from->data, count, from->type, to->data, count, to->type, comm), step);
}

/// mpi_rank_in: mpi_step
/* The rank in its group, and the number of ranks there. */
static int mpi_rank_in(const char *step, const struct mpi_grid *grid, int32_t *rank, int32_t *count)
{
    MPI_Comm comm;
    int number = 0;
    if (mpi_begin() != 0 || (grid->count > 0 && mpi_agree(mpi_ranks, step, 0, NULL, false) != 0)
        || mpi_group(step, grid, &comm) != 0)
        return -1;
    if (rank != NULL && mpi_check(MPI_Comm_rank(comm, &number), step) == 0)
        *rank = number;
    if (count != NULL && mpi_check(MPI_Comm_size(comm, &number), step) == 0)
        *count = number;
    return 0;
}

/// mpi_peer: mpi_count
/* The rank of some number in the group of this one. */
static int mpi_peer(const char *step, const struct mpi_grid *grid, int number, int *peer)
{
    int sizes[8], index = 0;
    if (mpi_begin() != 0 || mpi_fill_grid(step, grid, sizes) != 0)
        return -1;
    const int own = mpi_group_of(grid, sizes, mpi_own_rank);
    for (int rank = 0; rank < mpi_rank_count; ++rank)
        if (mpi_group_of(grid, sizes, rank) == own && index++ == number) {
            *peer = rank;
            if (rank != mpi_own_rank)
                return 0;
        }
    set_error("%s: expected another of the %d ranks of its group, found %d; correct the number", step, index,
        number);
    return -1;
}

/* Waits until a message has gone (`from` is -1) or come, or another rank fails. */
static int mpi_wait(const char *step, MPI_Request *request, int from)
{
    MPI_Status status;
    for (int is_done = 0, fails = 0;;) {
        if (mpi_check(MPI_Test(request, &is_done, &status), step) != 0)
            return -1;
        if (is_done)
            return 0;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, mpi_notices, &fails, MPI_STATUS_IGNORE);
        if (!fails)
            continue;
        if (from >= 0) {
            int was_cancelled = 0;
            MPI_Cancel(request);
            MPI_Wait(request, &status);
            MPI_Test_cancelled(&status, &was_cancelled);
            mpi_received[from] += !was_cancelled;
        }
        (void)mpi_agree(mpi_ranks, step, 0, NULL, false);
        if (from < 0)
            MPI_Wait(request, MPI_STATUS_IGNORE);
        return -1;
    }
}

/* The elements of a message, which an int counts. */
static int mpi_length(const char *step, const struct mpi_buffer *b, int *count)
{
    const int64_t all = mpi_count(b);
    *count = (int)all;
    if (all <= INT_MAX)
        return 0;
    set_error("%s: expected at most %d elements, found %lld; send them in parts", step, INT_MAX, (long long)all);
    return -1;
}

/// mpi_send: mpi_peer
/* Sends a buffer, after what it is. */
static int mpi_send(
    const char *step, const struct mpi_grid *grid, const struct mpi_buffer *b, int number, int tag)
{
    int to, count;
    struct mpi_report head;
    MPI_Request requests[2];
    if (mpi_peer(step, grid, number, &to) != 0 || mpi_length(step, b, &count) != 0)
        return -1;
    mpi_describe(&head, strchr(step, '('), b->rank, b->sizes, false);
    MPI_Isend(&head, (int)sizeof head, MPI_BYTE, to, tag, mpi_messages, &requests[0]);
    MPI_Isend(b->data, count, b->type, to, tag, mpi_messages, &requests[1]);
    mpi_sent[to] += 2;
    int result = mpi_wait(step, &requests[0], -1);
    if (result == 0)
        result = mpi_wait(step, &requests[1], -1);
    else
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    return result;
}

/// mpi_recv: mpi_peer
/* Receives a buffer, after what it is. */
static int mpi_recv(
    const char *step, const struct mpi_grid *grid, const struct mpi_buffer *b, int number, int tag)
{
    int from, count;
    struct mpi_report head, own;
    MPI_Request request;
    if (mpi_peer(step, grid, number, &from) != 0 || mpi_length(step, b, &count) != 0)
        return -1;
    mpi_describe(&own, strchr(step, '('), b->rank, b->sizes, false);
    MPI_Irecv(&head, (int)sizeof head, MPI_BYTE, from, tag, mpi_messages, &request);
    if (mpi_wait(step, &request, from) != 0)
        return -1;
    ++mpi_received[from];
    if (strcmp(head.text, own.text) != 0) {
        set_error("%s: expected %s from rank %d, found %s; send the tensor that is received", step, own.text,
            from, head.text);
        return -1;
    }
    MPI_Irecv(b->data, count, b->type, from, tag, mpi_messages, &request);
    if (mpi_wait(step, &request, from) != 0)
        return -1;
    ++mpi_received[from];
    return 0;
}
