"""Speed of the compiled code beside numpy's, and of the compiler itself: `python -m bench`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is loaded: one thread against one thread
