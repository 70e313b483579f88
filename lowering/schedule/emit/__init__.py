"""A schedule written out as loops, vectors and calls."""
