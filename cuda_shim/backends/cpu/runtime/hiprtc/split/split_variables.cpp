// Variables that live across stretches.
#include <algorithm>

#include "hiprtc/split/split_writer.h"
#include "hiprtc/words.h"

namespace cuda_shim {
namespace {

bool has_lambda(const TokenStream& tokens, Range range) {
    for (size_t i = range.begin; i < range.end; ++i)
        if (tokens.is(i, "[") &&
            (i == range.begin || !(tokens.is_identifier(i - 1) || tokens.is(i - 1, ")") || tokens.is(i - 1, "]"))))
            return true;
    return false;
}

}  // namespace

std::string SplitWriter::array_name(const Variable& variable) const {
    return concat({"cuda_shim_v", std::to_string(&variable - body_.variables().data()), "_", variable.name});
}

// Indices and the like, computed from threadIdx: cheaper to compute again than to keep, and the compiler sees how they
// depend on the loop's counter.
void SplitWriter::choose_recomputed() {
    for (Variable& variable : body_.variables()) {
        if (variable.kind != Variable::Local || !variable.varying || !variable.at_structure || !variable.declarator)
            continue;
        if (variable.is_array() || variable.is_reference() || variable.aliased || !variable.writes.empty()) continue;
        if (variable.declarator->initialiser != Declarator::Assigned) continue;
        variable.recomputed = uniformity_.is_recomputable(variable.initial());
    }
}

// A strided loop's variable is computed from the round.
void SplitWriter::choose_strided(const Statement& statement) {
    if (statement.split && statement.kind == Statement::For && !is_joint(statement)) {
        const StridedLoop strided = as_strided(statement, body_, uniformity_);
        if (strided.is) {
            strided_[&statement] = strided;
            Variable& variable = body_.variables()[static_cast<size_t>(strided.variable)];
            variable.recomputed = true;
            variable.recomputed_from =
                concat({"(", specifiers(variable, true), ")((", text(strided.initial), ") + cuda_shim_round",
                        std::to_string(statement.range.begin), " * (", text(strided.stride), "))"});
        }
    }
    for (const auto& child : statement.children) choose_strided(*child);
}

void SplitWriter::choose_per_thread() {
    auto uses_elsewhere = [&](const Variable& variable) {
        const int home = stretch_of_[variable.declared_at];
        for (size_t use : variable.uses)
            if (stretch_of_[use] != home) return true;
        return home == 0;
    };
    for (Variable& variable : body_.variables()) {
        if (!variable.varying || variable.recomputed || variable.kind == Variable::Fixed) continue;
        if (variable.kind == Variable::Parameter)
            variable.per_thread = true;
        else if (variable.at_structure && variable.declarator)
            variable.per_thread = uses_elsewhere(variable);
    }
    // What a kept pointer or reference may point to must be kept with it, and so must what a kept type is named after.
    for (bool grown = true; grown;) {
        grown = false;
        for (const Variable& keeper : body_.variables()) {
            if (!keeper.per_thread || !keeper.declarator) continue;
            const bool points =
                keeper.is_reference() || keeper.declaration->is_auto || !keeper.declarator->pointer.empty();
            if (has_lambda(tokens_, keeper.initial())) throw NotSplit("a lambda that lives across a barrier");
            std::vector<Range> sources = {keeper.initial()};
            for (size_t write : keeper.writes) {  // up to the end of the statement that assigns it
                size_t end = write;
                while (end < tokens_.size() && !tokens_.is(end, ";")) ++end;
                sources.push_back({write, end});
            }
            for (const Range& source : sources)
                for (size_t i = source.begin; points && i < source.end; ++i) {
                    Variable* target = body_.variable_at(i);
                    if (!target || target->per_thread || target->recomputed || !target->varying ||
                        target->kind == Variable::Fixed)
                        continue;
                    if (!target->at_structure) {
                        if (target->is_array() || target->aliased)
                            throw NotSplit("a pointer to a local lives across a barrier");
                        continue;
                    }
                    if (target->is_array() || target->aliased || keeper.declaration->is_auto)
                        target->per_thread = grown = true;
                }
        }
    }
}

// The words before the declarator; a const on the variable itself must go where it is assigned later.
std::string SplitWriter::specifiers(const Variable& variable, bool without_const) const {
    const Range range = variable.declaration->specifiers;
    std::string words;
    for (size_t i = range.begin; i < range.end; ++i) {
        const bool qualifies_variable = variable.declarator->pointer.empty();
        if (tokens_.is(i, "register") || (tokens_.is(i, "const") && without_const && qualifies_variable)) continue;
        append(words, {tokens_.text(i), " "});
    }
    return words;
}

// An expression for decltype outside of thread loops: variables with an element for each thread are named as such, and
// recomputed ones are replaced by what they are computed from.
std::string SplitWriter::unevaluated(Range range) const {
    std::string result;
    if (range.empty()) return result;
    size_t copied = tokens_[range.begin].begin;
    for (size_t i = range.begin; i < range.end; ++i) {
        const Variable* variable = body_.variable_at(i);
        if (!variable || !(variable->per_thread || variable->recomputed)) continue;
        result += tokens_.source().substr(copied, tokens_[i].begin - copied);
        if (variable->per_thread)
            append(result, {variable->is_reference() ? "(*" : "(", array_name(*variable), ".value[0])"});
        else
            append(result, {"(", unevaluated(variable->initial()), ")"});
        copied = tokens_[i].end;
    }
    return result + tokens_.source().substr(copied, tokens_[range.end - 1].end - copied);
}

// "typedef float cuda_shim_t3[4]; cuda_shim_per_thread<cuda_shim_t3> cuda_shim_v3_r;"
std::string SplitWriter::storage(const Variable& variable) {
    const std::string array = array_name(variable), type = array + "_t";
    std::string definition;
    if (variable.kind == Variable::Parameter) {
        definition = concat({"typedef cuda_shim_decay_t<decltype(", variable.name, ")> ", type, ";\n"});
    } else if (variable.is_reference()) {
        definition = concat({"typedef decltype(&(", unevaluated(variable.initial()), ")) ", type, ";\n"});
    } else if (variable.declaration->is_auto) {
        definition =
            concat({"typedef cuda_shim_decay_t<decltype(", unevaluated(variable.initial()), ")> ", type, ";\n"});
    } else {
        std::string pointer = variable.declarator->pointer;
        // `float* const p` is assigned once for every thread: not a constant.
        const size_t constant = pointer.rfind("const ");
        if (constant != std::string::npos && pointer.find('*', constant) == std::string::npos)
            pointer.erase(constant, 6);
        definition = concat(
            {"typedef ", specifiers(variable, true), pointer, " ", type, text(variable.declarator->bounds), ";\n"});
    }
    // Everything that is alive together has to fit on a worker's stack; a kernel that does not is refused by its
    // compiler, and runs on fibres.
    const std::string total = fresh("total");
    append(definition, {"constexpr size_t ", total, " = ", total_, " + sizeof(", type, "); static_assert(", total,
                        " <= CUDA_SHIM_SPLIT_BYTES, \"too much to keep for every thread of a block\");\n"});
    total_ = total;
    return concat({definition, "CUDA_SHIM_UNINITIALISED cuda_shim_per_thread<", type, "> ", array, ";\n"});
}

// Inside a thread loop: gives the variable, bound by reference, its first value.
std::string SplitWriter::initialise(const Variable& variable, const std::string& initial) const {
    const std::string type = array_name(variable) + "_t", element = array_name(variable) + ".value[cuda_shim_t]";
    if (variable.is_reference())
        return concat({element, " = &(", initial, "); auto& ", variable.name, " = *", element, ";"});
    switch (variable.declarator->initialiser) {
        case Declarator::None:
            return concat({"cuda_shim_default_initialise(", variable.name, ");"});
        case Declarator::Assigned: {
            const bool braced = !initial.empty() && initial[initial.find_first_not_of(" \n\t")] == '{';
            if (variable.is_array() || braced)
                return concat({"{ ", type, " cuda_shim_initial = ", initial, "; cuda_shim_copy(", variable.name,
                               ", cuda_shim_initial); }"});
            return concat({variable.name, " = ", initial, ";"});
        }
        case Declarator::Parenthesised:
            return concat({variable.name, " = ", type, "(", initial, ");"});
        case Declarator::Braced:
            return concat({"{ ", type, " cuda_shim_initial{", initial, "}; cuda_shim_copy(", variable.name,
                           ", cuda_shim_initial); }"});
    }
    return "";
}

std::string SplitWriter::plain_declaration(const Variable& variable, const std::string& initial) const {
    std::string words = concat(
        {specifiers(variable, false), variable.declarator->pointer, variable.name, text(variable.declarator->bounds)});
    switch (variable.declarator->initialiser) {
        case Declarator::None:
            break;
        case Declarator::Assigned:
            append(words, {" = ", initial});
            break;
        case Declarator::Parenthesised:
            append(words, {"(", initial, ")"});
            break;
        case Declarator::Braced:
            append(words, {"{", initial, "}"});
            break;
    }
    return words + ";";
}

void SplitWriter::declare_variables(const Declaration& declaration, Range range, Stretch& stretch, const Place& place) {
    if (declaration.kind == Declaration::Verbatim && tokens_.is(range.begin, "using")) {
        // A type may be named after a thread's variables; its value is not.
        append(out_, {unevaluated(range), tokens_.is(range.end - 1, ";") ? "\n" : ";\n"});
        return;
    }
    if (declaration.kind == Declaration::Verbatim) {
        for (size_t i = range.begin; i < range.end; ++i) {
            const Variable* variable = body_.variable_at(i);
            if (variable && variable->kind != Variable::Fixed && variable->varying)
                throw NotSplit(concat(
                    {"the declaration of ",
                     tokens_.text(declaration.declarators.empty() ? range.begin : declaration.declarators[0].name),
                     " depends on a thread's variables"}));
        }
        append(out_, {line(range.begin), text(range), tokens_.is(range.end - 1, ";") ? "\n" : ";\n"});
        return;
    }
    for (const Declarator& declarator : declaration.declarators) {
        const Variable& variable = body_.variables()[static_cast<size_t>(declarator.variable)];
        const Range own{declarator.name,
                        std::max({declarator.name + 1, declarator.initial.end, declarator.bounds.end})};
        std::string initial = text(declarator.initial);
        if (has_collective(declarator.initial)) {
            check_evaluated_always(declarator.initial);
            initial = exchange(declarator.initial, stretch, place);
        }
        if (!variable.varying) {
            append(out_, {line(declarator.name), plain_declaration(variable, initial), "\n"});
            continue;
        }
        if (variable.recomputed) continue;
        if (!variable.per_thread) {
            append(stretch.text, {line(declarator.name), plain_declaration(variable, initial)});
        } else {
            append(out_, {line(declarator.name), storage(variable)});
            append(stretch.text, {line(declarator.name), initialise(variable, initial)});
        }
        stretch.mentions.push_back(own);
    }
}

void SplitWriter::declare_parameters() {
    for (const Variable& variable : body_.variables()) {
        if (variable.kind != Variable::Parameter || !variable.per_thread || planning_) continue;
        out_ += storage(variable);
        thread_loop({}, {}, concat({array_name(variable), ".value[cuda_shim_t] = ", variable.name, ";"}));
    }
}

}  // namespace cuda_shim
