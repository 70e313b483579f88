"""What the normal forms share: flattening functions into scopes, and placing the nodes of graphs."""
