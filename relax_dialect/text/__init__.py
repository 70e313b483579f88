"""Programs as text: what xDSL's parser and printers lack, and errors that show the line they are about."""
