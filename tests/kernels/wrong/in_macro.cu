#define STORE(place, value) out[place] = (value)

extern "C" __global__ void kernel(int* out) {
    STORE(0, 1);
    STORE(1, unknown_value);  // error
}
