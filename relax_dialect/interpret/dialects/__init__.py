"""The semantics of other dialects: arith, linalg, memref, scf and the rest."""
