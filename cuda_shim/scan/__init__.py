"""The CUDA names that a program uses, read from its text, with a verdict on each: nothing is run or imported."""

from __future__ import annotations

from cuda_shim.scan.diagnostics import BACKENDS, CODES, NOT_JUDGED, Diagnostic
from cuda_shim.scan.scanner import Scan, scan

__all__ = ["BACKENDS", "CODES", "NOT_JUDGED", "Diagnostic", "Scan", "scan"]
