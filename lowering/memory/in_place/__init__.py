"""Results written into existing buffers instead of new ones."""
