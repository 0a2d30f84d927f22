// Barriers that count arrivals and bytes, clusters, elections and matrices stored by a warp.
typedef unsigned long long u64;

static __device__ unsigned shared_address(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }
static __device__ void init(unsigned bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
static __device__ u64 arrive(unsigned bar) {
    u64 state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
    return state;
}
static __device__ u64 arrive(unsigned bar, unsigned count) {
    u64 state;
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(bar), "r"(count) : "memory");
    return state;
}
static __device__ u64 arrive_expect(unsigned bar, unsigned bytes) {
    u64 state;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(bar), "r"(bytes) : "memory");
    return state;
}
static __device__ u64 arrive_drop(unsigned bar) {
    u64 state;
    asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
    return state;
}
static __device__ unsigned pending(u64 state) {
    unsigned count;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
    return count;
}
static __device__ unsigned test(unsigned bar, u64 state) {
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(bar), "l"(state) : "memory");
    return done;
}
static __device__ unsigned test_parity(unsigned bar, unsigned parity) {
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    return done;
}
static __device__ void wait_parity(unsigned bar, unsigned parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra.uni done; "
                 "bra.uni again; done: }" ::"r"(bar), "r"(parity) : "memory");
}
static __device__ void expect(unsigned bar, unsigned bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
static __device__ void complete(unsigned bar, unsigned bytes) {
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
static __device__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// One thread: the counts of arrivals and bytes that complete each phase.
extern "C" __global__ void phases(unsigned* out) {
    __shared__ alignas(8) u64 storage;
    const unsigned bar = shared_address(&storage);
    unsigned at = 0;
    init(bar, 3);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    const u64 first = arrive(bar);
    out[at++] = pending(first), out[at++] = test(bar, first), out[at++] = test_parity(bar, 0), out[at++] = test_parity(bar, 1);
    const u64 second = arrive(bar, 2);
    out[at++] = pending(second), out[at++] = test(bar, first), out[at++] = test(bar, second);
    out[at++] = test_parity(bar, 0), out[at++] = test_parity(bar, 1);
    expect(bar, 100);
    const u64 third = arrive_expect(bar, 28);
    out[at++] = pending(third);
    arrive(bar, 2);
    out[at++] = test(bar, third), out[at++] = test_parity(bar, 1);
    complete(bar, 100);
    out[at++] = test(bar, third);
    complete(bar, 28);
    out[at++] = test(bar, third), out[at++] = test_parity(bar, 0), out[at++] = test_parity(bar, 1);
    const u64 dropped = arrive_drop(bar);
    out[at++] = pending(dropped), out[at++] = test(bar, dropped);
    arrive(bar, 2);
    out[at++] = test(bar, dropped);
    const u64 two = arrive(bar);
    out[at++] = pending(two), out[at++] = test(bar, two);
    arrive(bar);
    out[at++] = test(bar, two);
    complete(bar, 64);  // bytes may come before they are expected
    const u64 early = arrive(bar);
    expect(bar, 64);
    out[at++] = pending(early), out[at++] = test(bar, early);
    arrive(bar);
    out[at++] = test(bar, early);
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
    init(bar, 1);
    out[at++] = pending(arrive(bar)), out[at++] = test_parity(bar, 0);
    out[at++] = 0xabcdef;
}

// Warps that produce and consume through a ring of stages with a full and an empty barrier each.
extern "C" __global__ void pipeline(unsigned* out, int rounds) {
    __shared__ alignas(8) u64 full[2], empty[2];
    __shared__ unsigned stage[2][32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; ++i) init(shared_address(&full[i]), 32), init(shared_address(&empty[i]), 96);
    __syncthreads();
    unsigned sum = 0;
    if (warp == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int round = 0; round < rounds; ++round) {
            const unsigned slot = round % 2, use = round / 2;
            if (use > 0) wait_parity(shared_address(&empty[slot]), (use - 1) & 1);
            stage[slot][lane] = round * 1000 + lane * 7;
            arrive(shared_address(&full[slot]));
        }
    } else {
        for (int round = 0; round < rounds; ++round) {
            const unsigned slot = round % 2, use = round / 2;
            wait_parity(shared_address(&full[slot]), use & 1);
            sum = sum * 31 + stage[slot][(lane + warp) % 32];
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty[slot])) : "memory");
        }
    }
    out[threadIdx.x] = sum;
    asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
}

extern "C" __global__ void elections(unsigned* out) {
    const unsigned lane = threadIdx.x % 32;
    unsigned leader, chosen;
    asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(leader), "=r"(chosen));
    out[threadIdx.x * 4] = leader, out[threadIdx.x * 4 + 1] = chosen;
    unsigned some = 99, one = 99;
    if (lane % 3 == 1)
        asm volatile("{ .reg .pred p; elect.sync %0|p, 0x92492492; selp.u32 %1, 1, 0, p; }" : "=r"(some), "=r"(one));
    out[threadIdx.x * 4 + 2] = some, out[threadIdx.x * 4 + 3] = one;
}

// Blocks of a cluster: each other's memory and barriers.
extern "C" __global__ void __cluster_dims__(4, 1, 1) neighbours(unsigned* out, const unsigned* data) {
    __shared__ alignas(128) unsigned words[64], arrived[64], sent[4];
    __shared__ alignas(8) u64 storage[3];
    unsigned rank, blocks, cluster, clusters, place, is_cluster;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters));
    asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(place));
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(is_cluster));
    const unsigned lane = threadIdx.x, next = (rank + 1) % blocks;
    for (unsigned i = lane; i < 64; i += 32) words[i] = rank * 100 + i, arrived[i] = 0;
    if (lane < 4) sent[lane] = 5;
    const unsigned bulk = shared_address(&storage[0]), stores = shared_address(&storage[1]), arrivals = shared_address(&storage[2]);
    if (lane == 0) {
        init(bulk, 1), init(stores, 1), init(arrivals, 32);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        arrive_expect(bulk, 128 + 64 * 2), arrive_expect(stores, 8 + 4 + 4 + 8);
    }
    sync_cluster();
    unsigned there, far, owner, old;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(words)), "r"(next));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner) : "r"(there));
    asm volatile("ld.shared::cluster.u32 %0, [%1+16];" : "=r"(far) : "r"(there) : "memory");
    u64 generic;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(words), "r"(next));
    const unsigned through = ((const unsigned*)generic)[lane];
    sync_cluster();
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(there + 128), "r"(1u) : "memory");
    unsigned far_arrivals, far_sent, far_stores, far_bulk, far_arrived;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far_arrivals) : "r"(arrivals), "r"(next));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far_sent) : "r"(shared_address(sent)), "r"(next));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far_stores) : "r"(stores), "r"(next));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far_bulk) : "r"(bulk), "r"(next));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far_arrived) : "r"(shared_address(arrived)), "r"(next));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(far_arrivals) : "memory");
    if (lane == 0) {
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];"
                     ::"r"(far_sent), "r"(rank + 10), "r"(rank + 20), "r"(far_stores) : "memory");
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                     ::"r"(far_sent + 8), "r"(rank + 30), "r"(far_stores) : "memory");
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
                     ::"r"(far_sent + 12), "r"(rank + 40), "r"(far_stores) : "memory");
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];"
                     ::"r"(far_arrived + 8 * 31), "l"(1ull << 33), "r"(far_stores) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(far_arrived), "r"(shared_address(words)), "r"(128), "r"(far_bulk) : "memory");
        if (rank < 2)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
                         ::"r"(shared_address(arrived + 32 + 16 * rank)), "l"(data + 16 * rank), "r"(rank ? 48 : 64), "r"(bulk), "h"((short)15)
                         : "memory");
        if (rank == 2)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
                         ::"r"(shared_address(words + 36)), "l"(data + 40), "r"(16), "r"(bulk), "h"((short)15) : "memory");
    }
    wait_parity(bulk, 0);
    wait_parity(stores, 0);
    wait_parity(arrivals, 0);
    unsigned* mine = out + (blockIdx.x * 32 + lane) * 16;
    mine[0] = rank, mine[1] = blocks, mine[2] = cluster, mine[3] = clusters, mine[4] = place, mine[5] = is_cluster;
    mine[6] = owner, mine[7] = far, mine[8] = through, mine[9] = sent[lane % 4], mine[10] = arrived[lane], mine[11] = arrived[lane + 32];
    mine[12] = lane >= 4 ? words[lane + 32] : 0;
    sync_cluster();
    mine[13] = words[32], mine[14] = lane, mine[15] = old - (next * 100 + 32) < 32;
    sync_cluster();
}

// stmatrix: a warp's registers become rows, or columns, of matrices.
extern "C" __global__ void store_matrices(unsigned short* out) {
    __shared__ alignas(128) unsigned short tile[6][256];
    const unsigned lane = threadIdx.x;
    for (unsigned i = lane; i < 6 * 256; i += 32) ((unsigned short*)tile)[i] = 0xffff;
    __syncwarp();
    const unsigned base = shared_address(tile), row = (lane * 5 % 32) * 16;
    const unsigned a = lane * 0x10001, b = a + 0x1000200, c = a + 0x3000400, d = a + 0x5000600;
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(base + row), "r"(a) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(base + 512 + row), "r"(a), "r"(b) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(base + 1024 + row), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(base + 1536 + row), "r"(a) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(base + 2048 + row), "r"(a), "r"(b) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(base + 2560 + row), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
    __syncwarp();
    for (unsigned i = lane; i < 6 * 256; i += 32) out[i] = ((unsigned short*)tile)[i];
}
