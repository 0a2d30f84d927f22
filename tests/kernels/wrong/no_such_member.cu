extern "C" __global__ void kernel(float4* out) {
    float4 v = make_float4(1, 2, 3, 4);
    v.q = 5;  // error
    out[0] = v;
}
