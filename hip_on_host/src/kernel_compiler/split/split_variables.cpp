// Variables that live across regions: which are recomputed, which are stored for each thread, and their declarations.
//
//   before: int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i]; __syncthreads(); y[i] = v;
//   after:  i is computed again in both regions; v is an array with an element for each thread
//
// Precondition for recomputing: the value is cheap, has no effect, cannot trap, and depends on values that never
// change. Precondition for storing: the type is trivially destructible (the text asserts it), and the object refers to
// nothing that ends with its region.
#include <algorithm>

#include "kernel_compiler/split/split_writer.h"
#include "kernel_compiler/string_utils.h"

namespace cuda_shim {
std::string SplitWriter::array_name(const Variable& variable) const {
    return concat({"cuda_shim_v", std::to_string(&variable - body_.variables().data()), "_", variable.name});
}

// The running thread's element, in a thread loop.
std::string SplitWriter::element_of(const Variable& variable) const {
    return array_name(variable) + (!tiled_.count(&variable) ? ".value[cuda_shim_t]"
                                   : runs_by_warp_          ? "_warp[cuda_shim_lane]"
                                                            : "_tile[cuda_shim_group][cuda_shim_lane]");
}

// Indices and the like, computed from threadIdx: cheaper to compute again than to keep, and the compiler sees how they
// depend on the loop's counter.
void SplitWriter::choose_recomputed() {
    for (Variable& variable : body_.variables()) {
        if (variable.kind != Variable::Local || !variable.varying || !variable.at_structure || !variable.declarator)
            continue;
        if (!variable.is_scalar() || variable.aliased || !variable.writes.empty()) continue;
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
            variable.recomputed_with = strided.stride;
            variable.recomputed_from =
                concat({"(", specifiers(variable, true), ")((", text(strided.initial), ") + cuda_shim_round",
                        std::to_string(statement.range.begin), " * (", text(strided.stride), "))"});
        }
    }
    for (const auto& child : statement.children) choose_strided(*child);
}

// Is all of the variable's scope, from its declaration on, in one region?
bool SplitWriter::ends_with_region(const Variable& variable) const {
    const int home = region_of_[variable.declared_at];
    for (size_t i = variable.declared_at; i < variable.scope.end; ++i)
        if (region_of_[i] != 0 && region_of_[i] != home) return false;
    return home != 0;
}

void SplitWriter::choose_per_thread() {
    const auto used_elsewhere = [&](const Variable& variable) {
        const int home = region_of_[variable.declared_at];
        for (size_t use : variable.uses)
            if (region_of_[use] != home) return true;
        return home == 0;
    };
    for (Variable& variable : body_.variables()) {
        if (!variable.varying || variable.recomputed || variable.kind == Variable::Fixed) continue;
        if (variable.kind == Variable::Parameter)
            variable.per_thread = true;
        else if (variable.at_structure && variable.declarator)  // an alias may be used in a later region
            variable.per_thread = used_elsewhere(variable) || (variable.aliased && !ends_with_region(variable));
        if (variable.per_thread) check_storable(variable);
    }
}

// Refuses variables that cannot be kept although their bytes can: they refer to objects that end with the region.
void SplitWriter::check_storable(const Variable& variable) const {
    if (variable.kind == Variable::Parameter) return;
    for (NodeIndex function : body_.syntax().instances())
        for (NodeIndex i = function; i < tree_[function].end; ++i) {
            const SyntaxNode& node = tree_[i];
            if (node.kind != NodeKind::Variable || node.name_token != variable.declared_at) continue;
            if (node.real_type().find("(lambda") != std::string_view::npos)
                throw NotSplit(concat({"the lambda ", variable.name, " is live across a barrier"}));
            if (node.real_type().find("initializer_list") != std::string_view::npos)
                throw NotSplit(concat({"the initializer list ", variable.name, " is live across a barrier"}));
            for (NodeIndex part = i; part < node.end; ++part)
                if (tree_[part].kind == NodeKind::MaterialiseTemporary &&
                    (variable.is_reference() || tree_[part].extended))
                    throw NotSplit(concat({variable.name, ", a reference to a temporary, is live across a barrier"}));
        }
}

// The words before the declarator; a const on the variable itself must go where it is assigned later. Attributes such
// as [[maybe_unused]] are left out: they may not stand behind the words that the writer puts in front.
std::string SplitWriter::specifiers(const Variable& variable, bool without_const) const {
    const Range range = variable.declaration->specifiers, own = variable.declarator->range;
    bool qualifies_variable = true;
    for (size_t i = own.begin; i < variable.declarator->name; ++i)
        qualifies_variable = qualifies_variable && !tokens_.is(i, "*");
    std::string words;
    for (size_t i = range.begin; i < range.end; ++i) {
        if (tokens_.is(i, "[") && tokens_.is(i + 1, "[")) {
            i = tokens_.closing(i);
            continue;
        }
        if (tokens_.is(i, "register") || (tokens_.is(i, "const") && without_const && qualifies_variable)) continue;
        append(words, {unevaluated({i, i + 1}), " "});
    }
    return words;
}

std::string SplitWriter::declared_as(const Variable& variable, const std::string& name, bool without_const) const {
    const Range range = variable.declarator->range;
    std::string words;
    for (size_t i = range.begin; i < range.end; ++i) {
        if (i == variable.declarator->name) {
            append(words, {name, " "});
            continue;
        }
        // `float* const p` is assigned once for every thread: not a constant.
        bool qualifies_variable = i < variable.declarator->name;
        for (size_t k = i; k < variable.declarator->name; ++k)
            qualifies_variable = qualifies_variable && !tokens_.is(k, "*");
        if (tokens_.is(i, "const") && qualifies_variable && without_const) continue;
        append(words, {unevaluated({i, i + 1}), " "});
        // The bound that the initialiser decides.
        const size_t bound = variable.type.find('[');
        if (tokens_.is(i, "[") && tokens_.is(i + 1, "]") && bound != std::string_view::npos)
            words += variable.type.substr(bound + 1, variable.type.find(']') - bound - 1);
    }
    return words;
}

// An expression for decltype outside of thread loops: variables with an element for each thread are named as such, and
// recomputed ones are replaced by their expressions.
std::string SplitWriter::unevaluated(Range range) const {
    std::string result;
    if (range.empty()) return result;
    size_t copied = tokens_[range.begin].begin;
    for (size_t i = range.begin; i < range.end; ++i) {
        const Variable* variable = body_.variable_at(i);
        if (!variable || !(variable->per_thread || variable->recomputed || is_uniform(*variable))) continue;
        result += tokens_.source().substr(copied, tokens_[i].begin - copied);
        if (variable->per_thread)
            append(result, {variable->is_reference() ? "(*" : "(", array_name(*variable), ".value[0])"});
        else if (is_uniform(*variable))
            result += block_name(*variable);
        else
            append(result, {"(", unevaluated(variable->initial()), ")"});
        copied = tokens_[i].end;
    }
    return result + tokens_.source().substr(copied, tokens_[range.end - 1].end - copied);
}

// The words that name a variable's type, for a typedef: no type can be defined or aligned there.
std::string SplitWriter::named_type(const Variable& variable) const {
    const Range range = variable.declaration->specifiers;
    for (size_t i = range.begin; i < range.end; ++i) {
        if (tokens_.is(i, "{")) throw NotSplit("a variable that is declared with its type is kept for every thread");
        if (tokens_.is(i, "alignas")) throw NotSplit("a variable with an alignment is kept for every thread");
    }
    return specifiers(variable, true);
}

// "typedef float cuda_shim_t3[4]; cuda_shim_per_thread<cuda_shim_t3> cuda_shim_v3_r;"
std::string SplitWriter::storage(const Variable& variable) {
    const std::string array = array_name(variable), type = array + "_t";
    std::string definition;
    if (variable.kind == Variable::Parameter) {
        definition = concat({"typedef cuda_shim_decay_t<decltype(", variable.name, ")> ", type, ";\n"});
    } else if (variable.is_reference()) {
        definition = concat({"typedef decltype(&(", unevaluated(variable.initial()), ")) ", type, ";\n"});
    } else if (tokens_.slice(variable.declaration->specifiers.begin, variable.declaration->specifiers.end)
                   .find("auto") != std::string::npos) {
        definition =
            concat({"typedef cuda_shim_decay_t<decltype(", unevaluated(variable.initial()), ")> ", type, ";\n"});
    } else {
        definition = concat({"typedef ", named_type(variable), declared_as(variable, type, true), ";\n"});
    }
    // All variables that are alive together have to fit on a worker's stack; a kernel whose variables do not is refused
    // by its compiler, and runs on fibres. So does one that keeps an object which is not trivially copyable.
    const std::string total = fresh("total");
    append(definition,
           {"constexpr cuda_shim_byte_count ", total, " = ", stored_bytes_, " + sizeof(", type, "); static_assert(",
            total, " <= CUDA_SHIM_SPLIT_BYTES, \"not split: too much to keep for every thread of a block\");\n",
            "static_assert(__is_trivially_copyable(", type,
            "), \"not split: a variable that is kept for every thread is not trivially copyable\");\n"});
    stored_bytes_ = total;
    return concat({definition, "CUDA_SHIM_UNINITIALISED cuda_shim_per_thread<", type, "> ", array, ";\n"});
}

// Inside a thread loop: gives the variable, bound by reference, its first value.
std::string SplitWriter::initialise(const Variable& variable, const std::string& initial) const {
    const std::string type = array_name(variable) + "_t", element = array_name(variable) + ".value[cuda_shim_t]";
    if (variable.is_reference())
        return concat({element, " = &(", initial, "); auto& ", inner_name(variable), " = *", element, ";"});
    // A constant is known by its name from here on.
    const std::string name = variable.is_constant() ? element : inner_name(variable);
    const std::string bind_constant =
        variable.is_constant() ? concat({" const auto& ", inner_name(variable), " = ", element, ";"}) : "";
    // An object may know its own address, so it is made where it is kept.
    const std::string make = concat({"new (cuda_shim_placement{}, cuda_shim_place(", name, ")) "});
    switch (variable.declarator->initialiser) {
        case Declarator::None:
            return concat({"cuda_shim_default_initialise(", name, ");", bind_constant});
        case Declarator::Assigned:
            // A number's first value is assigned like any other; to an object that may be something else.
            if (variable.is_scalar() && !tokens_.is(variable.initial().begin, "{"))
                return concat({name, " = ", initial, ";", bind_constant});
            return concat({make, "cuda_shim_first_value<", type, ">{", initial, "};", bind_constant});
        case Declarator::Parenthesised:
            return concat({make, type, "(", initial, ");", bind_constant});
        case Declarator::Braced:
            if (variable.is_array())
                return concat({make, "cuda_shim_first_value<", type, ">{{", initial, "}};", bind_constant});
            return concat({make, type, "{", initial, "};", bind_constant});
    }
    return "";
}

std::string SplitWriter::plain_declaration(const Variable& variable, const std::string& name,
                                           const std::string& initial) const {
    std::string words = concat({specifiers(variable, false), declared_as(variable, name, false)});
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

// A variable whose scope goes on in other regions must be trivially destructible: its object ends with its own
// region.
std::string SplitWriter::lasting(const Variable& variable) const {
    if (planning_ || variable.is_scalar() || ends_with_region(variable)) return "";
    return concat({" static_assert(CUDA_SHIM_TRIVIALLY_DESTRUCTIBLE(decltype(", variable.name,
                   ")), \"not split: a variable that is kept for every thread has a destructor\");"});
}

// Threads may meet in initial values, where the splitter sees them; not in a variable's constructor.
void SplitWriter::check_constructors(const Declaration& declaration, Range range) const {
    body_.syntax().for_each_within(range, [&](NodeIndex node) {
        if (!body_.syntax().calls().waits(node)) return;
        const bool seen =
            std::any_of(declaration.declarators.begin(), declaration.declarators.end(),
                        [&](const Declarator& declarator) { return declarator.initial.holds(tree_[node].tokens); });
        if (!seen) throw NotSplit("a barrier or warp operation in the constructor of a variable");
    });
}

void SplitWriter::declare_variables(const Declaration& declaration, Range range, Region& region, const Place& place) {
    if (declaration.kind == Declaration::Verbatim) {
        bool types_alone = true;
        for (NodeIndex child : tree_.children(declaration.node))
            types_alone = types_alone && tree_[child].kind == NodeKind::TypeName;
        for (size_t i = range.begin; i < range.end; ++i) {
            const Variable* variable = body_.variable_at(i);
            if (variable && variable->kind != Variable::Fixed && variable->varying && !types_alone)
                throw NotSplit(concat({"a declaration that all threads share depends on ", tokens_.text(i),
                                       ", a variable of each thread"}));
        }
        for (size_t i = range.begin; i < range.end; ++i)
            if (is_thread_index_word(tokens_.text(i)))
                throw NotSplit("a declaration that all threads share depends on the thread's index");
        append(out_, {line(range.begin), unevaluated(range), tokens_.is(range.end - 1, ";") ? "\n" : ";\n"});
        return;
    }
    check_constructors(declaration, range);
    for (const Declarator& declarator : declaration.declarators) {
        const Variable& variable = body_.variables()[static_cast<size_t>(declarator.variable)];
        const Range declarator_range{declarator.name,
                                     std::max({declarator.name + 1, declarator.initial.end, declarator.range.end})};
        if (is_uniform(variable)) {
            append(out_, {line(declarator.name),
                          plain_declaration(variable, block_name(variable), block_text(declarator.initial)), "\n"});
            continue;
        }
        const std::string initial =
            has_collective(declarator.initial) ? exchange(declarator.initial, region, place) : text(declarator.initial);
        if (variable.recomputed) continue;
        if (!variable.per_thread) {
            append(region.text,
                   {line(declarator.name), plain_declaration(variable, variable.name, initial), lasting(variable)});
        } else {
            append(out_, {line(declarator.name), storage(variable)});
            append(region.text, {line(declarator.name), initialise(variable, initial)});
        }
        region.mentions.push_back(declarator_range);
    }
}

// The block knows its parameters under names of its own; threads that change theirs have one each.
void SplitWriter::declare_parameters() {
    for (const Variable& variable : body_.variables()) {
        if (variable.kind != Variable::Parameter) continue;
        if (is_uniform(variable))
            append(out_,
                   {"auto& ", block_name(variable), " = ", variable.name, ";\n(void)", block_name(variable), ";\n"});
        if (!variable.per_thread || planning_) continue;
        out_ += storage(variable);
        thread_loop({}, {}, concat({array_name(variable), ".value[cuda_shim_t] = ", variable.name, ";"}));
    }
}

}  // namespace cuda_shim
