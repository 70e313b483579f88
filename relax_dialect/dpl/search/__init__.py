"""The matcher: which values a pattern matches."""
