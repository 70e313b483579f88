"""Speed of the compiled code compared with its peers', and of the compiler itself: `python -m bench`."""

import os

THREADS_VARIABLE = "RELAX_BENCH_THREADS"
"""The environment variable that `--threads` sets for a process of its own."""

THREADS = int(os.environ.get(THREADS_VARIABLE, "1"))
"""The number of threads of every contender, on as many cores."""

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = str(THREADS)  # before numpy and its kind are loaded
