/* The functions for C callers of models that communicate. */
#include "mpi.c"

/// rank: mpi_begin
int NAME_rank(void)
{
    return mpi_begin() != 0 ? -1 : mpi_own_rank;
}

/// ranks: mpi_begin
int NAME_ranks(void)
{
    return mpi_begin() != 0 ? -1 : mpi_rank_count;
}

/// fail: mpi_leave
int NAME_fail(const char *message)
{
    set_error("%s", message);
    return mpi_leave(-1);
}
