"""How each operation is spelled in C, one file per dialect or kind."""
