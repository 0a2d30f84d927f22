import json

import cuda_shim

handle = cuda_shim.enable()
from cuda.bindings import driver

driver.cuInit(0)
plain, function = driver.cuInit.__code__, driver.cuInit
try:
    cuda_shim.report()
except cuda_shim.SettingError as error:
    refused = str(error)
with cuda_shim.enable(report="record"):
    function(0), function(0)
during = cuda_shim.report().as_dict()["calls"]["cuInit"]["count"]
handle.disable()
assert function is driver.cuInit and function.__code__ is plain
function(0)
after = cuda_shim.report().calls["cuInit"].count
cuda_shim.enable(report="record")
function(0)
print(json.dumps([refused, during, after, cuda_shim.report().calls["cuInit"].count]))
