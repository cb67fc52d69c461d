"""What the verbs of the command line do: each module has a few, with what can be written after them."""
