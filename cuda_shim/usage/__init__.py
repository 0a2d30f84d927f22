"""The number and duration of a program's calls: counters of all its processes, and the report of them.

`call_counter` and `call_tracer` are the listeners (see `instrumentation`), which the session's recording installs.
The report's folder holds what all processes write; the other modules read it and make reports, profiles and traces.
"""
