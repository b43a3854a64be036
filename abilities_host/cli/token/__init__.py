"""The commands about tokens of clients."""
