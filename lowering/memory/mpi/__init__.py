"""Communication of ranks by MPI: calls at the level of loops, and their definitions in the mpi dialect."""
