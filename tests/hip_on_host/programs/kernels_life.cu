extern "C" __global__ void life(int* cells, int steps) {
    __shared__ int board[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    board[y][x] = cells[y * 16 + x];
    int history[3] = {0, 0, 0};
    int step = 0;
    while (step < steps) {
        __syncthreads();
        int alive = 0;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if (dx || dy) alive += board[(y + dy) & 15][(x + dx) & 15];
        history[step % 3] += alive;
        bool next = alive == 3 || (alive == 2 && board[y][x]);
        __syncthreads();
        board[y][x] = next;
        ++step;
    }
    cells[y * 16 + x] = board[y][x] + 10 * (history[0] + history[1] + history[2]);
}
