"""The header that programs with a mistake are given."""

HEADERS = {b"own/broken.h": b"#pragma once\n\n__device__ int broken() { return nothing_here; }\n"}
