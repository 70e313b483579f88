"""Function values as data: their possible functions, their captures, and copies for each reference."""
