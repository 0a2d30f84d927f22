"""Recorded programs and kernels of NVIDIA's GPU, run again here and compared.

`launches` describes kernels and their arguments, `recorded` reads the data of the wheel, `device` and `images` run a
launch through the served modules, `worker` does that in a process of its own, `supervisor` keeps such processes going,
`compare` and `value_limits` judge results, `report` writes down the outcomes.
"""
