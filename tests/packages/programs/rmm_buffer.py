"""Buffers of rmm's, from its default resource and from a pool."""

import rmm

content = bytes(range(64))
assert rmm.DeviceBuffer.to_device(content).tobytes() == content
pool = rmm.mr.PoolMemoryResource(rmm.mr.CudaMemoryResource(), initial_pool_size=1 << 20)
rmm.mr.set_current_device_resource(pool)
buffers = [rmm.DeviceBuffer.to_device(content) for _ in range(3)]
assert all(buffer.tobytes() == content for buffer in buffers)
assert len({buffer.ptr for buffer in buffers}) == 3
print("works: buffers of the default resource and of a pool")
