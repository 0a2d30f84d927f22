#include "kernel_compiler/analyse/memory_use/memory_walk.h"

#include <algorithm>
#include <utility>

#include "kernel_compiler/analyse/memory_use/type_names.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
namespace {

constexpr uint64_t kMaxSteps = 2'000'000;  // a kernel beyond is not followed to its end

}  // namespace

MemoryWalk::MemoryWalk(const CallGraph& calls) : calls_(calls), tree_(calls.tree()), constants_(calls) {
    for (NodeIndex i = 0; i < tree_.size(); ++i) {
        const SyntaxNode& node = tree_[i];
        if (node.kind == NodeKind::Record && i + 1 < node.end) records_[node.name] = i;
        if (node.kind == NodeKind::Constructor && tree_.body(i) != kNoNode)
            constructors_[node.name.substr(0, node.name.find('<'))].push_back(i);
    }
    find_address_taken_functions();
}

// NVIDIA's assembler assumes that a call through a pointer may run each function whose address the program takes, and
// each virtual method.
void MemoryWalk::find_address_taken_functions() {
    std::set<std::string_view> virtual_names;
    for (NodeIndex i = 0; i < tree_.size(); ++i) {
        const SyntaxNode& node = tree_[i];
        if (node.is_virtual && node.is_function()) virtual_names.insert(node.name);
        if (node.kind != NodeKind::Reference || node.target_kind != NodeKind::Function) continue;
        NodeIndex above = node.parent, at = i;
        while (above != kNoNode &&
               (tree_[above].kind == NodeKind::ImplicitCast || tree_[above].kind == NodeKind::Paren))
            at = above, above = tree_[above].parent;
        const bool is_called = above != kNoNode && tree_[above].is_call() && tree_.child(above, 0) == at;
        const NodeIndex definition = tree_.definition(node.target);
        if (!is_called && definition != kNoNode && tree_.function_around(i) != kNoNode)
            reachable_by_address_.insert(definition);
    }
    for (NodeIndex i = 0; i < tree_.size(); ++i)
        if (tree_[i].kind == NodeKind::Method && virtual_names.count(tree_[i].name) && tree_.body(i) != kNoNode)
            reachable_by_address_.insert(i);
}

KernelMemory MemoryWalk::walk(NodeIndex kernel) {
    frames_.clear();
    shared_ = {};
    steps_ = 0;
    KernelMemory memory;
    const std::shared_ptr<StackFrame> stack = walk_frame(kernel);
    stack->of_kernel = true;
    memory.stack = stack;
    shared_.kernel = kernel;
    shared_.kernel_end = tree_[kernel].end;
    memory.shared = std::move(shared_);
    return memory;
}

std::shared_ptr<StackFrame> MemoryWalk::walk_frame(NodeIndex function) {
    auto frame = std::make_shared<StackFrame>();
    Call call;
    call.function = function;
    Call* const outer_call = std::exchange(call_, &call);
    StackFrame* const outer_frame = std::exchange(frame_, frame.get());
    StackScope* const outer_scope = std::exchange(scope_, &frame->scope);
    const uint64_t outer_copies = std::exchange(copies_, 1);
    const unsigned outer_loops = std::exchange(loops_, 0);
    call.caller = outer_call;
    ++depth_;
    visit_children(function);
    --depth_;
    call_ = outer_call, frame_ = outer_frame, scope_ = outer_scope, copies_ = outer_copies, loops_ = outer_loops;
    return frame;
}

// Statements and expressions.

void MemoryWalk::visit_children(NodeIndex node, size_t first) {
    const std::vector<NodeIndex> children = tree_.children(node);
    for (size_t i = first; i < children.size(); ++i) {
        const Place place = visit(children[i]);
        // A value of class type is a copy; any other use of a pointer or an object is not followed.
        if (tree_[node].kind == NodeKind::InitList || tree_[node].kind == NodeKind::Other) escape(place);
    }
}

MemoryWalk::Place MemoryWalk::visit_through(NodeIndex node) {
    const NodeIndex inner = tree_.child(node, 0);
    return inner == kNoNode ? Place{} : visit(inner);
}

MemoryWalk::Place MemoryWalk::visit(NodeIndex node) {
    if (node == kNoNode || ++steps_ > kMaxSteps) return {};
    const SyntaxNode& at = tree_[node];
    switch (at.kind) {
        case NodeKind::Lambda:
        case NodeKind::Record:
        case NodeKind::Sizeof:
        case NodeKind::TypeTrait:
        case NodeKind::Literal:
        case NodeKind::Attribute:
        case NodeKind::Parameter:
        case NodeKind::TemplateArgument:
            return {};
        case NodeKind::Compound:
            visit_block(node);
            return {};
        case NodeKind::If:
            visit_if(node);
            return {};
        case NodeKind::For:
        case NodeKind::While:
        case NodeKind::Do:
        case NodeKind::RangeFor:
            visit_loop(node);
            return {};
        case NodeKind::Variable:
            declare(node);
            return {};
        case NodeKind::Return:
            if (const Place place = visit_through(node); place.variable) call_->result = place;
            return {};
        case NodeKind::Reference:
            return visit_reference(at);
        case NodeKind::This:
            return call_->object;
        case NodeKind::Paren:
        case NodeKind::WithCleanups:
        case NodeKind::MaterialiseTemporary:
        case NodeKind::BindTemporary:
        case NodeKind::Constant:
        case NodeKind::Member:
            return visit_through(node);
        case NodeKind::ImplicitCast:
        case NodeKind::ValueCast:
        case NodeKind::ForcedCast:
            return visit_cast(node);
        case NodeKind::Subscript:
            return visit_subscript(node);
        case NodeKind::Unary:
            return visit_unary(node);
        case NodeKind::Binary:
        case NodeKind::CompoundAssign:
            return visit_binary(node);
        case NodeKind::Conditional:
            return visit_choice(node);
        case NodeKind::Construct:
            return visit_construct(node, {});
        case NodeKind::Call:
        case NodeKind::MethodCall:
        case NodeKind::OperatorCall:
            return visit_call(node);
        case NodeKind::Atomic:
            for (NodeIndex child : tree_.children(node)) escape(visit(child));
            return {};
        default:
            visit_children(node);
            return {};
    }
}

void MemoryWalk::visit_block(NodeIndex node) {
    scope_->inner.push_back(std::make_unique<StackScope>());
    StackScope* const outer = std::exchange(scope_, scope_->inner.back().get());
    visit_children(node);
    scope_ = outer;
}

void MemoryWalk::visit_if(NodeIndex node) {
    const size_t condition = size_t{tree_[node].has_init} + size_t{tree_[node].has_variable};
    const std::vector<NodeIndex> children = tree_.children(node);
    if (condition + 1 >= children.size()) return visit_children(node);
    for (size_t i = 0; i <= condition; ++i) visit(children[i]);
    const KnownValue value = constants_.evaluate(children[condition], call_->parameters);
    if (!value.number || *value.number) visit(children[condition + 1]);
    if ((!value.number || !*value.number) && condition + 2 < children.size()) visit(children[condition + 2]);
}

void MemoryWalk::visit_loop(NodeIndex node) {
    scope_->inner.push_back(std::make_unique<StackScope>());
    StackScope* const outer = std::exchange(scope_, scope_->inner.back().get());
    const uint64_t outer_copies = copies_;
    const unsigned outer_loops = loops_;
    if (const std::optional<uint64_t> rounds = constants_.unrolled_rounds(node, call_->parameters))
        copies_ *= std::max<uint64_t>(*rounds, 1);
    else
        ++loops_;
    visit_children(node);
    loops_ = outer_loops;
    copies_ = outer_copies;
    scope_ = outer;
}

MemoryWalk::Place MemoryWalk::visit_reference(const SyntaxNode& node) {
    if (node.target_kind == NodeKind::Function && tree_.definition(node.target) != kNoNode) {
        call_apart(tree_.definition(node.target));  // its address; a call does not visit the callee's name
        return {};
    }
    const NodeIndex declaration = tree_.declaration(node.target);
    if (declaration != kNoNode && tree_[declaration].is_thread_local) {
        VariableUse& use = shared_.variables[declaration];
        use.declaration = declaration;
        use.read = use.read || node.is_volatile();
        return {&use};
    }
    return find(node.target);
}

MemoryWalk::Place MemoryWalk::find(uint64_t id) const {
    for (const Call* call = call_; call; call = call->caller)
        if (const auto entry = call->places.find(id); entry != call->places.end()) return entry->second;
    return {};
}

MemoryWalk::Place MemoryWalk::visit_cast(NodeIndex node) {
    Place place = visit_through(node);
    const SyntaxNode& at = tree_[node];
    if (!place.variable) return {};
    if (at.operation == "LValueToRValue") {
        if (place.is_pointer) {
            place.is_pointer = false;
            return place;
        }
        read(place, node);
        return {};
    }
    if (at.operation == "ToVoid" || at.operation == "PointerToBoolean") return {};
    if (at.operation == "PointerToIntegral") {
        escape(place);
        return {};
    }
    return place;
}

MemoryWalk::Place MemoryWalk::visit_subscript(NodeIndex node) {
    Place place = visit(tree_.child(node, 0));
    const NodeIndex index = tree_.child(node, 1);
    visit(index);
    if (place.variable && !constants_.evaluate(index, call_->parameters).constant) place.indexed = true;
    return place;
}

MemoryWalk::Place MemoryWalk::visit_unary(NodeIndex node) {
    const std::string_view sign = tree_[node].operation;
    Place place = visit_through(node);
    if (!place.variable || sign == "*" || sign == "&") return place;
    if (sign != "++" && sign != "--") return {};
    if (place.is_pointer) {
        if (loops_ && !place.indexed) place.indexed = true, call_->places[place.pointer] = place;
        place.is_pointer = !tree_[node].postfix;
        return place;
    }
    read(place, node);
    write(place, node);
    return place;
}

MemoryWalk::Place MemoryWalk::visit_binary(NodeIndex node) {
    const std::string_view sign = tree_[node].operation;
    const NodeIndex first = tree_.child(node, 0), second = tree_.child(node, 1);
    Place left = visit(first), right = visit(second);
    if (sign == ",") return right;
    if (tree_[node].kind == NodeKind::CompoundAssign) {
        if (left.is_pointer && (loops_ || !constants_.evaluate(second, call_->parameters).constant))
            left.indexed = true, call_->places[left.pointer] = left;
        if (left.is_pointer) return left;
        read(left, first);
        write(left, first);
        return left;
    }
    if (sign == "=") {
        copy(left, right, first);
        return left;
    }
    if (sign != "+" && sign != "-") return {};
    Place place = left.variable ? left : right;
    if (left.variable && right.variable) return {};  // a distance
    const NodeIndex distance = left.variable ? second : first;
    if (place.variable && !constants_.evaluate(distance, call_->parameters).constant) place.indexed = true;
    return place;
}

void MemoryWalk::copy(Place to, Place from, NodeIndex access) {
    if (to.is_pointer && from.variable) {
        Place target = from;
        target.is_pointer = true;
        target.pointer = to.pointer;
        target.indexed = from.indexed || loops_ != 0;
        call_->places[to.pointer] = target;
        return;
    }
    if (to.is_pointer) return;
    escape(from);  // a pointer that is kept somewhere
    write(to, access);
}

MemoryWalk::Place MemoryWalk::visit_choice(NodeIndex node) {
    visit(tree_.child(node, 0));
    const KnownValue value = constants_.evaluate(tree_.child(node, 0), call_->parameters);
    if (value.number) return visit(tree_.child(node, *value.number ? 1 : 2));
    Place first = visit(tree_.child(node, 1)), second = visit(tree_.child(node, 2));
    if (first.variable && second.variable && first.variable != second.variable) {
        escape(first);
        escape(second);
        return {};
    }
    Place place = first.variable ? first : second;
    place.indexed = true;
    return place;
}

// Declarations.

VariableUse& MemoryWalk::add_local(NodeIndex declaration) {
    scope_->variables.push_back(std::make_unique<VariableUse>());
    VariableUse& use = *scope_->variables.back();
    use.declaration = declaration;
    call_->places[tree_[declaration].id] = {&use};
    return use;
}

void MemoryWalk::declare(NodeIndex variable) {
    const SyntaxNode& node = tree_[variable];
    if (node.is_static) return;
    NodeIndex value = kNoNode;
    for (NodeIndex child : tree_.children(variable))
        if (tree_[child].kind != NodeKind::Attribute && node.initialised) value = child;
    const std::string_view type = node.real_type();
    if (type_names::is_reference(type) || type_names::is_pointer(type)) {
        Place place = value == kNoNode ? Place{} : visit(value);
        place.is_pointer = type_names::is_pointer(type);
        place.pointer = node.id;
        if (place.variable) call_->places[node.id] = place;
        if (place.variable || type_names::is_reference(type)) return;
    }
    VariableUse& use = add_local(variable);
    if (type_names::is_pointer(type)) {
        call_->places[node.id].is_pointer = false;
        return;
    }
    if (value == kNoNode) return;
    use.constant_elements = constants_.evaluate(value, call_->parameters).constant;
    NodeIndex made = value;
    while (made != kNoNode &&
           (tree_[made].kind == NodeKind::WithCleanups || tree_[made].kind == NodeKind::BindTemporary))
        made = tree_.child(made, 0);
    if (made != kNoNode && tree_[made].kind == NodeKind::Construct) {
        visit_construct(made, {&use});
        return;
    }
    escape(visit(value));
    if (!use.constant_elements) use.written = true;
    use.known_writes = true;
}

// Is every part of the type a word of 32 bits?
bool MemoryWalk::has_words_alone(std::string_view type, unsigned depth) const {
    type = type.substr(0, type.find('['));
    if (type.find('*') != std::string_view::npos) return false;
    type = type_names::without_qualifiers(type);
    if (type_names::is_of_words(type)) return true;
    const auto record = records_.find(type_names::class_name(type));
    if (record == records_.end() || depth > 4) return false;
    bool any = false;
    for (NodeIndex child : tree_.children(record->second)) {
        if (tree_[child].kind == NodeKind::Base) return false;
        if (tree_[child].kind != NodeKind::Field) continue;
        if (!has_words_alone(tree_[child].real_type(), depth + 1)) return false;
        any = true;
    }
    return any;
}

// Uses.

void MemoryWalk::read(const Place& place, NodeIndex access) {
    if (!place.variable) return;
    place.variable->read = true;
    note(place, access, &VariableUse::indexed_reads);
}

void MemoryWalk::write(const Place& place, NodeIndex access) {
    if (!place.variable) return;
    place.variable->written = true;
    place.variable->known_writes = place.variable->known_writes || !place.indexed;
    note(place, access, &VariableUse::indexed_writes);
}

void MemoryWalk::note(const Place& place, NodeIndex access, uint64_t VariableUse::* indexed) {
    VariableUse& use = *place.variable;
    use.words = use.words && has_words_alone(tree_[access].real_type());
    if (!place.indexed) return;
    if (loops_)
        use.indexed_in_loops += copies_;
    else
        use.*indexed += copies_;
}

void MemoryWalk::escape(const Place& place) {
    if (place.variable) place.variable->escapes = true;
}

}  // namespace cuda_shim
