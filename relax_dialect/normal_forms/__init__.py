"""The common steps of the normal forms: flattening functions into scopes, placing the nodes of graphs."""
