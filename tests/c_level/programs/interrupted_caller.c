/* Functions that call CUDA until it fails, and keep the status; the library serves these calls through Python. */
#include <cuda.h>
#include <nvrtc.h>

enum { WRONG_RESULT = -1 };

void ask_driver(long most, int *status) {
    int value = 0;
    for (*status = 0; most > 0 && !*status; --most) {
        *status = cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0);
        if (!*status && value != 32) *status = WRONG_RESULT;
    }
}

void ask_nvrtc(long most, int *status) {
    int count = 0;
    for (*status = 0; most > 0 && !*status; --most) *status = nvrtcGetNumSupportedArchs(&count);
}

void compile(long most, int *status) {
    char source[] = "extern \"C\" __global__ void f(int *a) { a[threadIdx.x] = 000000; }";
    for (*status = 0; most > 0 && !*status; --most) {
        nvrtcProgram program;
        for (int at = sizeof source - 5; ++source[at] > '7'; --at) source[at] = '0';
        *status = nvrtcCreateProgram(&program, source, 0, 0, 0, 0);
        if (*status) return;
        *status = nvrtcCompileProgram(program, 0, 0);
        nvrtcDestroyProgram(&program);
    }
}

/* A text has no status: it is one that C can print. */
void ask_text(long most, int *status) {
    for (*status = 0; most > 0 && !*status; --most)
        if (!nvrtcGetErrorString(NVRTC_ERROR_INVALID_INPUT)[0]) *status = WRONG_RESULT;
}

/* The calls behind a failed one, with which C programs release what they have. */
void go_on(long most, int *status) {
    ask_driver(most, &status[0]);
    ask_driver(100, &status[1]);
}
