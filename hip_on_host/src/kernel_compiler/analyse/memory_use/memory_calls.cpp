// Calls, as MemoryWalk follows them.
#include <algorithm>
#include <array>
#include <utility>

#include "kernel_compiler/analyse/memory_use/memory_walk.h"
#include "kernel_compiler/analyse/memory_use/type_names.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr unsigned kMaxDepth = 48;
// Functions for which NVIDIA's library reduces angles in local memory, and how much of it: recorded on an H100.
constexpr std::array<std::string_view, 10> kAngleFunctions = {"sin", "cos", "tan", "cuda_shim_sincos", "j0", "j1", "jn",
                                                              "y0",  "y1",  "yn"};
constexpr uint64_t kAngleBytes = 40;
constexpr std::array<std::string_view, 6> kFloatBesselFunctions = {"j0f", "j1f", "jnf", "y0f", "y1f", "ynf"};
constexpr uint64_t kFloatBesselBytes = 32;

uint64_t bytes_in_print_buffer(std::string_view type) { return type == "int" || type == "unsigned int" ? 4 : 8; }

}  // namespace

MemoryWalk::Place MemoryWalk::visit_call(NodeIndex node) {
    const SyntaxNode& at = tree_[node];
    if (at.is_dependent()) return {};
    std::vector<NodeIndex> arguments = tree_.children(node);
    if (arguments.empty()) return {};
    const NodeIndex named = tree_.without_conversions(arguments.front());
    arguments.erase(arguments.begin());
    const Callee callee = calls_.callee(node);
    if (callee.definition != kNoNode) {
        const bool is_operator = at.kind == NodeKind::OperatorCall && tree_[callee.definition].kind == NodeKind::Method;
        Place object;
        if (at.kind == NodeKind::MethodCall) object = visit(named);
        if (is_operator && !arguments.empty()) {
            object = visit(arguments.front());
            arguments.erase(arguments.begin());
        }
        return call_inlined(callee.definition, object, arguments);
    }
    const std::string_view name = named == kNoNode ? std::string_view() : tree_[named].name;
    if (name == "operator=" && arguments.size() == 2) {  // the class has none of its own
        const Place target = visit(arguments[0]);
        read(visit(arguments[1]), arguments[1]);
        write(target, arguments[0]);
        return target;
    }
    if (callee.of_prelude) {
        if (at.kind == NodeKind::MethodCall) read(visit(named), named);
        call_library(callee.name, arguments);
        return {};
    }
    visit(named);
    for (NodeIndex argument : arguments) escape(visit(argument));
    call_anything();
    return {};
}

MemoryWalk::Place MemoryWalk::call_inlined(NodeIndex function, Place object, const std::vector<NodeIndex>& arguments) {
    std::vector<Place> places;
    std::vector<KnownValue> values;
    for (NodeIndex argument : arguments) {
        places.push_back(visit(argument));
        values.push_back(constants_.evaluate(argument, call_->parameters));
    }
    if (!is_inlined(function) || is_running(function) || depth_ >= kMaxDepth) {
        escape(object);
        for (const Place& place : places) escape(place);
        call_apart(function);
        return {};
    }
    Call call;
    call.caller = call_;
    call.function = function;
    call.object = object;
    call.parameters.caller = &call_->parameters;
    const std::vector<NodeIndex> parameters = parameters_of(function);
    for (size_t i = 0; i < parameters.size() && i < places.size(); ++i) {
        const SyntaxNode& parameter = tree_[parameters[i]];
        call.parameters.values[parameter.id] = values[i];
        Place place = places[i];
        if (!place.variable) continue;
        place.is_pointer = !ends_with(parameter.real_type(), "&");
        place.pointer = parameter.id;
        call.places[parameter.id] = place;
    }
    scope_->inner.push_back(std::make_unique<StackScope>());
    StackScope* const outer = std::exchange(scope_, scope_->inner.back().get());
    call_ = &call;
    ++depth_;
    visit_children(function);
    --depth_;
    call_ = call.caller;
    scope_ = outer;
    Place result = type_names::returns_address(tree_[function].type) ? call.result : Place{};
    result.is_pointer = false;
    return result;
}

void MemoryWalk::call_apart(NodeIndex function) {
    if (is_running(function) || depth_ >= kMaxDepth) return;
    auto entry = frames_.find(function);
    if (entry == frames_.end()) entry = frames_.emplace(function, walk_frame(function)).first;
    frame_->callees.push_back(entry->second);
}

void MemoryWalk::call_anything() {
    for (NodeIndex function : reachable_by_address_) call_apart(function);
}

void MemoryWalk::call_library(std::string_view name, const std::vector<NodeIndex>& arguments) {
    if (name == "cuda_shim_dynamic_shared") shared_.has_dynamic = true;
    if (name == "printf") reserve_print_buffer(arguments);
    bool of_doubles = false;
    for (NodeIndex argument : arguments) of_doubles = of_doubles || tree_[argument].real_type() == "double";
    if (of_doubles && one_of(name, kAngleFunctions))
        frame_->library_bytes = std::max(frame_->library_bytes, kAngleBytes);
    if (one_of(name, kFloatBesselFunctions)) frame_->library_bytes = std::max(frame_->library_bytes, kFloatBesselBytes);
    const bool keeps_address = starts_with(name, "atomic") || starts_with(name, "__nv_atomic") || name == "printf";
    const bool assigns = starts_with(name, "operator") && ends_with(name, "=") && name != "operator==" &&
                         name != "operator!=" && name != "operator<=" && name != "operator>=";
    for (size_t i = 0; i < arguments.size(); ++i) {
        const Place place = visit(arguments[i]);
        const bool is_target = assigns && i == 0;
        if (keeps_address) {
            escape(place);
            continue;
        }
        if (!(is_target && name == "operator=")) read(place, arguments[i]);
        if (is_target || !starts_with(name, "operator")) write(place, arguments[i]);
    }
}

// The arguments behind the format, each with its own alignment.
void MemoryWalk::reserve_print_buffer(const std::vector<NodeIndex>& arguments) {
    uint64_t end = 0;
    for (size_t i = 1; i < arguments.size(); ++i) {
        const uint64_t bytes = bytes_in_print_buffer(tree_[arguments[i]].real_type());
        end = (end + bytes - 1) / bytes * bytes + bytes;
    }
    scope_->buffer = std::max(scope_->buffer, end);
}

// A constructor with a body of its own makes the object; else its parts are copied.
MemoryWalk::Place MemoryWalk::visit_construct(NodeIndex node, Place constructed) {
    const std::vector<NodeIndex> arguments = tree_.children(node);
    if (!arguments.empty()) write(constructed, node);
    const bool copies = arguments.size() == 1 && type_names::class_name(tree_[arguments.front()].real_type()) ==
                                                     type_names::class_name(tree_[node].real_type());
    const NodeIndex constructor = copies ? kNoNode : constructor_for(node);
    if (constructor != kNoNode) {
        call_inlined(constructor, constructed, arguments);
        return {};
    }
    for (NodeIndex argument : arguments) read(visit(argument), argument);
    return {};
}

NodeIndex MemoryWalk::constructor_for(NodeIndex construct) const {
    const auto entry = constructors_.find(type_names::class_name(tree_[construct].real_type()));
    if (entry == constructors_.end()) return kNoNode;
    const size_t arguments = tree_.children(construct).size();
    for (NodeIndex constructor : entry->second)
        if (parameters_of(constructor).size() == arguments && !tree_[constructor].symbol.empty()) return constructor;
    return kNoNode;
}

std::vector<NodeIndex> MemoryWalk::parameters_of(NodeIndex function) const {
    std::vector<NodeIndex> parameters;
    for (NodeIndex child : tree_.children(function))
        if (tree_[child].kind == NodeKind::Parameter) parameters.push_back(child);
    return parameters;
}

bool MemoryWalk::is_inlined(NodeIndex function) const {
    for (NodeIndex child : tree_.children(function))
        if (tree_[child].kind == NodeKind::Attribute && tree_[child].operation == "NoInlineAttr") return false;
    return true;
}

bool MemoryWalk::is_running(NodeIndex function) const {
    for (const Call* call = call_; call; call = call->caller)
        if (call->function == function) return true;
    return false;
}

}  // namespace cuda_shim
