"""The model as a file: tensors, texts, schemas, the order of nodes."""
