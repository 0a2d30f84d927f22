cudaSetDevice(2)
idx, err = cudaGetDevice()
