"""A buffer of rmm's."""

import rmm

print("works:", rmm.DeviceBuffer(size=64).size)
