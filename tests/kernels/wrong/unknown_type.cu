// A comment of
/* several
   lines */
extern "C" __global__ void kernel(float* out, Matrix4 m) {  // error
    out[0] = 1;
}
