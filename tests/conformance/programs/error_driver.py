"""Names and texts of the driver's errors."""

from _show import call, show
from cuda.bindings import driver

for member in driver.CUresult:
    if int(member) in (0, 1, 2, 3, 4, 5, 34, 100, 101, 200, 201, 202, 205, 206, 208, 209, 211, 214, 215, 216, 217, 218, 219,
                       220, 222, 300, 301, 302, 303, 304, 400, 401, 402, 500, 600, 700, 701, 702, 704, 705, 708, 709,
                       710, 712, 713, 715, 716, 717, 718, 719, 720, 800, 801, 802, 900, 901, 902, 903, 904, 905, 906,
                       907, 908, 909, 910, 911, 912, 999):  # fmt: skip
        call(driver.cuGetErrorName, member, note=str(int(member)), values=True)
        call(driver.cuGetErrorString, member, note=str(int(member)), values=True)
call(driver.cuGetErrorName, 1, note="int", values=True)
call(driver.cuGetErrorName, 5000, note="no such")
call(driver.cuGetErrorString, 5000, note="no such")
call(driver.cuGetErrorName, -1, note="negative")
call(driver.cuGetErrorName, "1", note="str")
call(driver.cuGetErrorName, None, note="None")
show("status of an unknown number", lambda: driver.CUresult(5000))
show("equals an int", driver.CUresult.CUDA_SUCCESS == 0)
show("truth", bool(driver.CUresult.CUDA_SUCCESS))
show("str", str(driver.CUresult.CUDA_ERROR_INVALID_VALUE))
show("repr", repr(driver.CUresult.CUDA_ERROR_INVALID_VALUE))
show("format", f"{driver.CUresult.CUDA_ERROR_INVALID_VALUE}")
