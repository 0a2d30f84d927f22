"""Instrumentation of calls: listeners, and the bodies that served functions have while there is one.

A function without listeners runs its own body, which knows nothing of this package. `usage` has the listeners: the
counter of the report, and the tracer of profiles, traces and findings.
"""
