"""Changes of which ops and dimensions form one kernel, before it is tiled."""
