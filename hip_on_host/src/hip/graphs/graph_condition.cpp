#include "hip/graphs/graph_condition.h"

#include "hip/graphs/graph.h"
#include "hip/memory/device_space.h"

namespace cuda_shim {
namespace {

constexpr size_t kCellBytes = 64;  // a cache line of its own

}  // namespace

std::shared_ptr<Condition> Condition::create(const Graph& graph, unsigned default_value, bool assigned) {
    auto* cell = static_cast<unsigned*>(take_device_memory(kCellBytes, kCellBytes));
    if (!cell) return nullptr;
    *cell = 0;
    return std::shared_ptr<Condition>(new Condition(graph, cell, default_value, assigned));
}

Condition::~Condition() { return_device_memory(cell_, kCellBytes); }

void Condition::begin_launch() {
    if (assigned_) __atomic_store_n(cell_, default_value_, __ATOMIC_RELEASE);
}

ConditionalCommand::ConditionalCommand(std::shared_ptr<Condition> condition, ConditionalType type, unsigned size)
    : condition_(std::move(condition)), type_(type) {
    for (unsigned i = 0; i < size; ++i) {
        bodies_.push_back(std::make_unique<Graph>());
        bodies_.back()->embedded = true;
        handles_.push_back(bodies_.back()->handle());
    }
    condition_->used = true;
}

ConditionalCommand::~ConditionalCommand() { condition_->used = false; }

hipError_t ConditionalCommand::execute(Device& device) {
    hipError_t status = hipSuccess;
    do {
        const size_t body = chosen_body(type_, condition_->value(), bodies_.size());
        if (body == kNoBody) break;
        status = run_nodes(*bodies_[body], device);
    } while (status == hipSuccess && type_ == ConditionalType::While);
    return status;
}

size_t chosen_body(ConditionalType type, unsigned value, size_t count) {
    switch (type) {
        case ConditionalType::If:
            return value ? 0 : count > 1 ? 1 : kNoBody;
        case ConditionalType::While:
            return value ? 0 : kNoBody;
        default:
            return value < count ? value : kNoBody;
    }
}

bool may_have_bodies(ConditionalType type, unsigned count) {
    switch (type) {
        case ConditionalType::If:
            return count == 1 || count == 2;
        case ConditionalType::While:
            return count == 1;
        case ConditionalType::Switch:
            return count > 0;
        default:
            return false;
    }
}

}  // namespace cuda_shim
