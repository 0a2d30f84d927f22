"""Limits of textures of linear and pitched memory, and reads of numbers that are normalized."""

from typing import Any

from _device import context, good
from _show import call
from cuda.bindings import driver, runtime

context()
kinds, formats = driver.CUresourcetype, driver.CUarray_format
pointer = int(good(driver.cuMemAlloc(1 << 20)))
plain = driver.CUDA_TEXTURE_DESC()
plain.flags = driver.CU_TRSF_READ_AS_INTEGER


def linear(size: int, at: int = pointer, form: str = "FLOAT", channels: int = 1) -> Any:
    made = driver.CUDA_RESOURCE_DESC()
    made.resType = kinds.CU_RESOURCE_TYPE_LINEAR
    part = made.res.linear
    part.devPtr, part.sizeInBytes = at, size
    part.format, part.numChannels = getattr(formats, f"CU_AD_FORMAT_{form}"), channels
    return made


def rows(width: int, height: int, pitch: int, at: int = pointer, form: str = "FLOAT", channels: int = 1) -> Any:
    made = driver.CUDA_RESOURCE_DESC()
    made.resType = kinds.CU_RESOURCE_TYPE_PITCH2D
    part = made.res.pitch2D
    part.devPtr, part.width, part.height, part.pitchInBytes = at, width, height, pitch
    part.format, part.numChannels = getattr(formats, f"CU_AD_FORMAT_{form}"), channels
    return made


for offset in (0, 4, 16, 32, 256, 512):
    call(driver.cuTexObjectCreate, linear(1024, pointer + offset), plain, None, note=f"linear, offset {offset}")
    call(driver.cuTexObjectCreate, rows(64, 8, 512, pointer + offset), plain, None, note=f"rows, offset {offset}")
for pitch in (16, 32, 64, 100, 128, 255, 256, 260, 288, 512):
    call(driver.cuTexObjectCreate, rows(4, 8, pitch), plain, None, note=f"4 floats, pitch {pitch}")
for width in (0, 1, 64, 65, 127, 128, 129, 131072, 131073):
    call(driver.cuTexObjectCreate, rows(width, 2, 512), plain, None, note=f"width {width}, pitch 512")
for height in (0, 1, 65000, 65001):
    call(driver.cuTexObjectCreate, rows(1, height, 32), plain, None, note=f"height {height}")
for size in (0, 1, 3, 4, 1023, 1 << 20, (1 << 20) + 4, (1 << 29) + 4):
    call(driver.cuTexObjectCreate, linear(size), plain, None, note=f"linear of {size} bytes")
call(driver.cuTexObjectCreate, linear(64, 0), plain, None, note="linear, null")
call(driver.cuTexObjectCreate, rows(4, 4, 512, 0), plain, None, note="rows, null")
for form in ("FLOAT", "HALF", "UNSIGNED_INT8", "SIGNED_INT16", "UNSIGNED_INT32"):
    for flags in (0, driver.CU_TRSF_READ_AS_INTEGER, driver.CU_TRSF_NORMALIZED_COORDINATES):
        sampling = driver.CUDA_TEXTURE_DESC()
        sampling.flags = flags
        call(driver.cuTexObjectCreate, linear(64, form=form), sampling, None, note=f"linear {form}, flags {flags}")
        call(driver.cuTexObjectCreate, rows(4, 4, 512, form=form), sampling, None, note=f"rows {form}, flags {flags}")
        sampling.filterMode = driver.CUfilter_mode.CU_TR_FILTER_MODE_LINEAR
        call(driver.cuTexObjectCreate, linear(64, form=form), sampling, None, note=f"linear {form}, filtered, {flags}")
        call(
            driver.cuTexObjectCreate, rows(4, 4, 512, form=form), sampling, None, note=f"rows {form}, filtered, {flags}"
        )
for channels in (0, 1, 2, 3, 4, 5):
    call(driver.cuTexObjectCreate, linear(64, channels=channels), plain, None, note=f"{channels} channels")

element, normalized = (
    runtime.cudaTextureReadMode.cudaReadModeElementType,
    runtime.cudaTextureReadMode.cudaReadModeNormalizedFloat,
)
kind = runtime.cudaChannelFormatKind
for name, bits in (("Float", 32), ("Float", 16), ("Unsigned", 8), ("Signed", 16), ("Unsigned", 32)):
    channel = runtime.cudaCreateChannelDesc(bits, 0, 0, 0, getattr(kind, f"cudaChannelFormatKind{name}"))[1]
    made = runtime.cudaResourceDesc()
    made.resType = runtime.cudaResourceType.cudaResourceTypeLinear
    made.res.linear.devPtr, made.res.linear.sizeInBytes, made.res.linear.desc = pointer, 64, channel
    for mode in (element, normalized):
        reading = runtime.cudaTextureDesc()
        reading.readMode = mode
        call(runtime.cudaCreateTextureObject, made, reading, None, note=f"{name} {bits}, {mode.name}")
call(runtime.cudaFreeArray, runtime.cudaArray_t(0), note="null")
call(runtime.cudaFreeMipmappedArray, runtime.cudaMipmappedArray_t(0), note="null")
call(driver.cuArrayDestroy, driver.CUarray(0), note="null")
call(driver.cuMipmappedArrayDestroy, driver.CUmipmappedArray(0), note="null")
call(runtime.cudaDestroyTextureObject, 0, note="null")
call(runtime.cudaDestroySurfaceObject, 0, note="null")
