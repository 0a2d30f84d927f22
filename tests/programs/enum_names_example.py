from cuda import cuda

names = {
    "host": ("hipMemoryTypeHost", "CU_MEMORYTYPE_HOST", "cudaMemoryTypeHost"),
    "device": ("hipMemoryTypeDevice", "CU_MEMORYTYPE_DEVICE", "cudaMemoryTypeDevice"),
    "array": ("hipMemoryTypeArray", "CU_MEMORYTYPE_ARRAY"),
    "unified": ("hipMemoryTypeUnified", "CU_MEMORYTYPE_UNIFIED"),
    "managed": ("hipMemoryTypeManaged", "cudaMemoryTypeManaged"),
}
constants = []
for spellings in names.values():
    found = {getattr(cuda.CUmemorytype, name) for name in spellings}
    assert len(found) == 1, found
    constants.extend(found)
assert len(set(constants)) == len(names)
assert all(isinstance(constant, cuda.CUmemorytype) for constant in constants)
print("ok")
