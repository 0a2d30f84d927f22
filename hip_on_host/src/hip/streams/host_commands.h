// Functions of the program that run in a stream's order.
#pragma once
#include "hip/streams/command.h"

namespace cuda_shim {

// Runs `call(data)`, a function of the program, unless the program has announced its end (hipExtEndHostFunctions).
//
// An interpreter that is ending unwinds a thread which enters it, from within the function: the thread stops here then,
// and waits for the process to end.
void call_program(void (*call)(void* data), void* data);
// Called in the child of a fork, which does not have the calling threads.
void forget_running_calls();

// hipLaunchHostFunc, and host nodes of graphs.
class HostCommand final : public Command {
public:
    explicit HostCommand(const hipHostNodeParams& params) : params_(params) {}
    hipError_t execute(Device&) override {
        call_program(params_.fn, params_.userData);
        return hipSuccess;
    }
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeHost; }
    CommandPtr clone() const override { return std::make_unique<HostCommand>(params_); }
    Activity activity() const override { return {"host function", "", 0}; }
    const hipHostNodeParams& params() const { return params_; }

private:
    hipHostNodeParams params_;
};

// hipStreamAddCallback: as a host function, but given the stream and its status.
class CallbackCommand final : public Command {
public:
    CallbackCommand(hipStream_t stream, hipStreamCallback_t callback, void* data)
        : stream_(stream), callback_(callback), data_(data) {}
    hipError_t execute(Device& device) override;
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeHost; }
    CommandPtr clone() const override { return std::make_unique<CallbackCommand>(*this); }
    Activity activity() const override { return {"host function", "", 0}; }

private:
    hipStream_t stream_;
    hipStreamCallback_t callback_;
    void* data_;
};

// hipGraphAddEmptyNode, and joins without work.
class EmptyCommand final : public Command {
public:
    hipError_t execute(Device&) override { return hipSuccess; }
    hipGraphNodeType node_type() const override { return hipGraphNodeTypeEmpty; }
    CommandPtr clone() const override { return std::make_unique<EmptyCommand>(); }
    bool cheap() const override { return true; }
};

}  // namespace cuda_shim
