"""Being written."""


def main() -> None:
    """Run the command line."""
