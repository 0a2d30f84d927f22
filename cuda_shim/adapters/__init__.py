"""The calls where CUDA and HIP differ in substance, by subject.

Every adapter is a factory: it takes the `Binding` of one function when that is first called, and returns the
function that serves it. That one gets CUDA's arguments by position and returns cuda-python's tuple. A row
names its adapter as `module.factory`.
"""
