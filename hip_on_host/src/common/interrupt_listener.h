// Detects that the program is interrupted (SIGINT) while it waits in one of these libraries.
#pragma once

namespace cuda_shim {

// The program's main thread, or one that acts for it while it waits.
bool is_main_thread();
void act_for_main_thread(bool does);  // the calling thread, from now on

// True on the main thread if the program was interrupted since the outermost of the current listeners began.
bool interrupted_meanwhile();

// Listens for SIGINT during its lifetime, beside the handler that was installed before. It works on the main thread
// only, which is the one that interpreters interrupt; on other threads, and where the program ignores the signal, it
// detects nothing. A nested listener also reports interrupts that came during the outermost one before it.
class InterruptListener {
public:
    InterruptListener();
    ~InterruptListener();
    InterruptListener(const InterruptListener&) = delete;
    InterruptListener& operator=(const InterruptListener&) = delete;

    bool interrupted() const;
    // If the signal has no other handler, ends the process by it, as it would have ended without this listener.
    void end_as_without_us() const;

private:
    bool listens_ = false, is_first_ = false;
    int interrupts_at_start_ = 0;
};

}  // namespace cuda_shim
