"""`If`, `Loop`, `Scan` and sequences."""
