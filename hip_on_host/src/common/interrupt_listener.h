// Whether the program was interrupted (SIGINT) while it waits in one of these libraries.
#pragma once

namespace cuda_shim {

// The program's main thread, or one that acts for it while it waits.
bool is_main_thread();
void act_for_main_thread(bool does);  // the calling thread, from now on

// Whether the program was interrupted since the first of the listeners around began; on the main thread only, too.
bool interrupted_meanwhile();

// Listens for SIGINT as long as it lives, beside the handler that was there before. On the main thread only, which is
// the one that interpreters interrupt; elsewhere, and where the program ignores the signal, it hears nothing. One
// inside of another hears what the other has heard already.
class InterruptListener {
public:
    InterruptListener();
    ~InterruptListener();
    InterruptListener(const InterruptListener&) = delete;
    InterruptListener& operator=(const InterruptListener&) = delete;

    bool interrupted() const;
    // Where nobody else handles the signal: ends the process by it, as it would have ended without us.
    void end_as_without_us() const;

private:
    bool listens_ = false, is_first_ = false;
    int seen_ = 0;
};

}  // namespace cuda_shim
