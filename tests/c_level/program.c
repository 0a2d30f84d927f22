/* A CUDA program in C: it knows cuda.h, cuda_runtime_api.h and nvrtc.h, and nothing of Python. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(call)                                                             \
  do {                                                                         \
    int status = (int)(call);                                                  \
    if (status) {                                                              \
      printf("%s: %d\n", #call, status);                                       \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
#define COUNT 1000

static const char *source =
    "extern \"C\" __global__ void twice(int *values, int count) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < count) values[i] *= 2;\n"
    "}\n";
static CUcontext context;
static CUfunction twice;

static void *work(void *unused) {
  (void)unused;
  int values[COUNT], count = COUNT, wrong = 0;
  for (int i = 0; i < COUNT; i++)
    values[i] = i;
  CUdeviceptr memory;
  CUstream stream;
  MUST(cuCtxSetCurrent(context));
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  MUST(cuMemAlloc(&memory, sizeof values));
  MUST(cuMemcpyHtoDAsync(memory, values, sizeof values, stream));
  void *arguments[] = {&memory, &count};
  MUST(cuLaunchKernel(twice, (COUNT + 127) / 128, 1, 1, 128, 1, 1, 0, stream, arguments, NULL));
  MUST(cuMemcpyDtoHAsync(values, memory, sizeof values, stream));
  MUST(cuStreamSynchronize(stream));
  MUST(cuMemFree(memory));
  MUST(cuStreamDestroy(stream));
  for (int i = 0; i < COUNT; i++)
    wrong += values[i] != 2 * i;
  return (void *)(size_t)wrong;
}

int main(void) {
  CUdevice device;
  MUST(cuInit(0));
  MUST(cuDeviceGet(&device, 0));
  MUST(cuDevicePrimaryCtxRetain(&context, device));
  MUST(cuCtxSetCurrent(context));
  nvrtcProgram program;
  size_t size;
  MUST(nvrtcCreateProgram(&program, source, "twice.cu", 0, NULL, NULL));
  MUST(nvrtcCompileProgram(program, 0, NULL));
  MUST(nvrtcGetPTXSize(program, &size));
  char *code = malloc(size);
  MUST(nvrtcGetPTX(program, code));
  MUST(nvrtcDestroyProgram(&program));
  CUmodule module;
  MUST(cuModuleLoadData(&module, code));
  MUST(cuModuleGetFunction(&twice, module, "twice"));
  pthread_t threads[4];
  size_t wrong = 0;
  for (int i = 0; i < 4; i++)
    MUST(pthread_create(&threads[i], NULL, work, NULL));
  for (int i = 0; i < 4; i++) {
    void *found;
    MUST(pthread_join(threads[i], &found));
    wrong += (size_t)found;
  }
  struct cudaDeviceProp properties;
  MUST(cudaGetDeviceProperties(&properties, 0));
  int *managed;
  MUST(cudaMallocManaged((void **)&managed, sizeof *managed, cudaMemAttachGlobal));
  MUST(cudaMemset(managed, 0, sizeof *managed));
  MUST(cudaDeviceSynchronize());
  MUST(cudaFree(managed));
  const char *text;
  MUST(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
  printf("%zu wrong; %d.%d; %s; %s\n", wrong, properties.major, properties.minor, text,
         cudaGetErrorName(cudaErrorInvalidValue));
  return 0;
}
