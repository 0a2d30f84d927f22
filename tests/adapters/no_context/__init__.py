"""Calls of the driver before cuInit, and after it without a context."""
