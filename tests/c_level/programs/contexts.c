#include <cuda.h>
#include <pthread.h>
#include <stdio.h>

static CUcontext context;
static CUdeviceptr memory;
static CUstream stream;

/* A call that needs a context, two in a stream that brings one along, one in the null stream. */
static void calls(const char *where) {
  CUdeviceptr more;
  CUcontext now;
  int allocated = cuMemAlloc(&more, 16), filled = cuMemsetD8Async(memory, 0, 64, stream);
  int synchronized = cuStreamSynchronize(stream), null = cuMemsetD8Async(memory, 0, 64, NULL);
  cuCtxGetCurrent(&now);
  printf("%s %d %d %d %d %s\n", where, allocated, filled, synchronized, null, now ? "context" : "none");
}

static void *work(void *unused) {
  calls("thread");
  cuCtxPushCurrent(context);
  calls("pushed");
  cuCtxPopCurrent(&context);
  calls("popped");
  cuCtxSetCurrent(context);
  calls("set");
  cuCtxSetCurrent(NULL);
  calls("unset");
  return unused;
}

int main(void) {
  int count = 0;
  int before = cuDeviceGetCount(&count), wrong = cuInit(5), still = cuMemAlloc(&memory, 64);
  printf("before %d %d %d\n", before, wrong, still);
  int initialized = cuInit(0), counted = cuDeviceGetCount(&count), allocated = cuMemAlloc(&memory, 64);
  printf("initialized %d %d %d\n", initialized, counted, allocated);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  cuMemAlloc(&memory, 64);
  cuStreamCreate(&stream, 0);
  calls("main");
  for (int round = 0; round < 2; round++) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    calls("main");
  }
  return 0;
}
