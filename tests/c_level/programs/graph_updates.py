import ctypes

from cuda.bindings import driver

driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
pointer = ctypes.c_void_p


class Info(ctypes.Structure):
    _fields_ = (("result", ctypes.c_int), ("error_node", pointer), ("error_from_node", pointer))


def graph(nodes):
    made = driver.cuGraphCreate(0)[1]
    for _ in range(nodes):
        driver.cuGraphAddEmptyNode(made, [], 0)
    return pointer(int(made))


executable = driver.cuGraphInstantiate(driver.CUgraph(graph(2).value), 0)[1]
for library, name in (("libcuda.so.1", "cuGraphExecUpdate_v2"), ("libcudart.so", "cudaGraphExecUpdate")):
    update = getattr(ctypes.CDLL(library), name)
    for nodes in (2, 3, 1):
        info = Info(99, 99, 99)
        print(
            nodes, update(pointer(int(executable)), graph(nodes), ctypes.byref(info)), info.result, info.error_from_node
        )
    print("no information", update(pointer(int(executable)), graph(2), None))
