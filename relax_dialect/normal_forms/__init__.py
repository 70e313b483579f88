"""The common steps of the normal forms: flattening functions into scopes, assigning graph nodes to
scopes."""
