"""Recognition of computations that have a strategy: contractions, convolutions, row groups."""
