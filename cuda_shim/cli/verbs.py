"""The verbs of the command line: one file each, with a function of the same name."""

__all__ = ["VERBS"]

VERBS = (
    "run", "doctor", "scan", "explain", "report", "verify", "cache", "libraries", "tables", "completion", "version",
)  # fmt: skip
