"""Small programs of which NVRTC takes some and refuses others, by the rules of CUDA C++."""
