// A thread's view of its block's cluster, and shared memory of the cluster's other blocks. A launch without clusters
// has one block in each.
#pragma once
// Part for programs with names that begin with: __cluster __threadfence_cluster

CUDA_SHIM_INLINE unsigned int __clusterDimIsSpecified() { return cuda_shim_run->cluster != nullptr; }
CUDA_SHIM_INLINE dim3 __clusterDim() {
    const CudaShimCluster* cluster = cuda_shim_run->cluster;
    return cluster ? dim3(cluster->size[0], cluster->size[1], cluster->size[2]) : dim3(1, 1, 1);
}
CUDA_SHIM_INLINE unsigned int __clusterSizeInBlocks() {
    const dim3 size = __clusterDim();
    return size.x * size.y * size.z;
}
CUDA_SHIM_INLINE dim3 __clusterGridDimInClusters() {
    const dim3 size = __clusterDim();
    return dim3(cuda_shim_grid_dim.x / size.x, cuda_shim_grid_dim.y / size.y, cuda_shim_grid_dim.z / size.z);
}
CUDA_SHIM_INLINE dim3 __clusterIdx() {
    const dim3 size = __clusterDim();
    return dim3(cuda_shim_block_index.x / size.x, cuda_shim_block_index.y / size.y, cuda_shim_block_index.z / size.z);
}
CUDA_SHIM_INLINE dim3 __clusterRelativeBlockIdx() {
    const dim3 size = __clusterDim();
    return dim3(cuda_shim_block_index.x % size.x, cuda_shim_block_index.y % size.y, cuda_shim_block_index.z % size.z);
}
CUDA_SHIM_INLINE unsigned int __clusterRelativeBlockRank() {
    const dim3 size = __clusterDim(), at = __clusterRelativeBlockIdx();
    return at.x + size.x * (at.y + size.y * at.z);
}

// The blocks meet where they wait: their work between arriving and waiting precedes the meeting all the same.
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE void __cluster_barrier_arrive() { __atomic_thread_fence(__ATOMIC_RELEASE); }
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE void __cluster_barrier_arrive_relaxed() {}
CUDA_SHIM_FACT(waits) CUDA_SHIM_INLINE void __cluster_barrier_wait() { cuda_shim_cluster_barrier(); }
CUDA_SHIM_INLINE void __threadfence_cluster() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Returns the offset of an address in the memory that the block `rank` shares; -1 if it is not in there.
CUDA_SHIM_INLINE long cuda_shim_offset_in(const CudaShimCluster* cluster, unsigned int rank, const char* address, bool* dynamic) {
    const CudaShimSharedPlace& place = cluster->blocks[rank];
    *dynamic = place.dynamic_shared && (unsigned long)(address - place.dynamic_shared) < cuda_shim_run->dynamic_shared_bytes;
    if (*dynamic) return address - place.dynamic_shared;
    const bool variable = place.variables && (unsigned long)(address - place.variables) < cluster->variable_bytes;
    return variable ? address - place.variables : -1;
}
CUDA_SHIM_INLINE void* __cluster_map_shared_rank(const void* pointer, unsigned int rank) {
    const CudaShimCluster* cluster = cuda_shim_run->cluster;
    if (!cluster) return const_cast<void*>(pointer);
    for (unsigned int of = 0; of < __clusterSizeInBlocks(); ++of) {
        bool dynamic;
        const long offset = cuda_shim_offset_in(cluster, of, (const char*)pointer, &dynamic);
        if (offset >= 0) return (dynamic ? cluster->blocks[rank].dynamic_shared : cluster->blocks[rank].variables) + offset;
    }
    return const_cast<void*>(pointer);
}
// The block of the cluster that shares the address; -1 where none does.
CUDA_SHIM_INLINE long cuda_shim_rank_of_shared(const void* pointer) {
    for (unsigned int of = 0; of < __clusterSizeInBlocks(); ++of) {
        bool dynamic;
        if (cuda_shim_offset_in(cuda_shim_run->cluster, of, (const char*)pointer, &dynamic) >= 0) return of;
    }
    return -1;
}
CUDA_SHIM_INLINE unsigned int __cluster_query_shared_rank(const void* pointer) {
    const long of = cuda_shim_run->cluster ? cuda_shim_rank_of_shared(pointer) : -1;
    return of >= 0 ? (unsigned int)of : __clusterRelativeBlockRank();
}
