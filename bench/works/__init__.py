"""The works of the benchmark, one file for each kind: `WORKS` in each lists its rows."""
