"""Speed of the compiled code compared with its peers', and of the compiler itself: `python -m bench`."""

import os

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = (
        "1"  # before numpy and its kind are loaded: one thread against one thread
    )
