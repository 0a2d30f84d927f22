"""What a program called, how often and how long: counters of all its processes, and the report of them.

It knows keys, numbers and files; what is counted, `binding.counting` says.
"""
