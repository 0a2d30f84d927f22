"""CONTRIBUTING's instructions, followed by their text alone in a copy of the repository."""
