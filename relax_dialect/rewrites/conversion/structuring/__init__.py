"""Parts of relax-convert-cf-to-scf: the graph of blocks, nests of branches and loops, block machines."""
