"""Groups of prim funcs: elementwise chains, epilogues, equal ones, those that only reshape."""
