"""The number and duration of a program's calls: counters of all its processes, and the report of them.

The package knows keys, numbers and files; `binding.counting` decides which events are counted.
"""
