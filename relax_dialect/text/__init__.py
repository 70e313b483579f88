"""Programs as text: additions to xDSL's parser and printers, and errors that show their source line."""
