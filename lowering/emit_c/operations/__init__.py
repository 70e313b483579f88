"""The C spelling of each operation, one file per dialect or kind."""
