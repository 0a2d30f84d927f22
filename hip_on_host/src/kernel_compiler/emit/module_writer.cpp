#include "kernel_compiler/emit/module_writer.h"

#include <algorithm>
#include <map>

#include "kernel_compiler/emit/kernel_parameters.h"
#include "kernel_compiler/emit/lowered_form.h"
#include "kernel_compiler/emit/name_expression.h"
#include "kernel_compiler/read/preprocess.h"
#include "kernel_compiler/analyse/spin_waits.h"
#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/emit/symbol_labels.h"
#include "kernel_compiler/emit/variable_definitions.h"

namespace cuda_shim {
namespace {

struct SymbolEntry {
    std::string source_name;
    std::string address;           // the expression whose address it is, with its &
    std::string lowered_function;  // the expression of its lowered function, or empty
    LoweredForm::Kind form = LoweredForm::AsWritten;
    const char* kind = "CUDA_SHIM_SYMBOL_KERNEL";
    bool has_barriers = false;
    bool may_wait = false;
    bool overloaded = false;  // the program has several kernels of this name
    std::string reason;
    std::string parameter_names;
    std::string launch_bounds;
    std::string cluster;
    std::string unmangled;  // the name of a function with C linkage, else empty
    std::string line_name;  // the file that compilers name in errors of this entry
};

const char* describe_form(const SymbolEntry& entry) {
    switch (entry.form) {
        case LoweredForm::Split:
            return "loops, split at the barriers";
        case LoweredForm::Run:
            return "loops over the threads of many blocks";
        case LoweredForm::Loop:
            return "a loop over the threads";
        default:
            return entry.has_barriers ? "fibres"
                   : entry.may_wait   ? "one thread after the other, fibres where one waits"
                                      : "one thread after the other";
    }
}

std::string quoted(const std::string& text) { return concat({"\"", escape_for_literal(text), "\""}); }

struct LoweredKernel {
    const FunctionDeclaration* kernel;
    LoweredForm form;
    bool may_wait;
};

class ModuleWriter {
public:
    ModuleWriter(const ParsedProgram& program, const ParsedProgram& rewritten, const ModuleRequest& request)
        : program_(program),
          unit_(program.unit),
          tokens_(unit_.tokens()),
          request_(request),
          rewritten_program_(rewritten),
          lines_(rewritten.unit.tokens(), request.program_name),
          spin_waits_(unit_, program.syntax) {
        for (const FunctionDeclaration& function : unit_.functions())
            if (function.kernel && function.defined() && !function.is_template())
                ++definitions_[function.scope + function.name];
    }

    ModuleText write() {
        ModuleText result;
        result.unmangled_functions = label_symbols(unit_, edits_);
        choose_forms();
        count_iterations();
        list_variables();
        list_expressions();
        mark_fallbacks();
        if (request_.memory_use) request_.memory_use->add_sizes(edits_);
        restore_includes();
        result.text = concat({"#line 1 \"", escape_for_literal(request_.program_name), "\"\n",
                              edits_.apply(tokens_.source()), symbol_table()});
        for (const SymbolEntry& entry : entries_) result.unmangled_entries.push_back(entry.unmangled);
        result.expression_entries = expression_entries_;
        result.rewritten = rewritten_;
        result.notes = notes_;
        result.unparsed_kernel = unparsed_kernel_;
        return result;
    }

private:
    void choose_forms() {
        for (const FunctionDeclaration& function : unit_.functions()) {
            if (!function.kernel || function.method) continue;
            if (function.explicit_instantiation) {
                // May not be called inline, as kernels are; its entry instantiates it.
                edits_.replace(tokens_[function.first].begin, tokens_[function.end - 1].end, "");
                instantiations_.push_back(&function);
            } else if (function.defined()) {
                lower_kernel(function);
            }
        }
        for (const FunctionDeclaration* function : instantiations_) list_instantiation(*function);
    }

    // Kernels whose own functions only stand in for a lowered form are compiled for their size, which takes less time.
    void mark_fallbacks() {
        if (any_kernel_runs_as_written_) return;
        for (const auto& [name, lowered] : lowered_) {
            if (lowered.form.kind == LoweredForm::AsWritten || run_as_written_.count(name)) continue;
            const FunctionDeclaration& kernel = *lowered.kernel;
            for (size_t i = kernel.first; i < kernel.parameters_open; ++i)
                if (tokens_.is(i, "__global__")) edits_.insert(tokens_[i].begin, "CUDA_SHIM_SELDOM ");
        }
    }

    // Counts the rounds of loops that may wait. Rewritten kernels have no such loops, nor call functions that do.
    void count_iterations() {
        for (const CountedIteration& iteration : spin_waits_.iterations()) {
            if (!iteration.statement) {
                edits_.insert(tokens_[iteration.token].end, " cuda_shim_round();");
                continue;
            }
            size_t before = iteration.token - 1;
            while (tokens_[before].kind == Token::Directive) --before;  // a pragma belongs to the statement
            edits_.insert(tokens_[before].end, " if (cuda_shim_round(), false) ; else ");
        }
    }

    // A function pointer or a virtual method may lead to code that waits, where anything in the program does. Without a
    // syntax tree, all kernels wait then (WordReachability).
    bool may_call_waiting_code(const FunctionDeclaration& kernel) const {
        if (!program_.syntax) return false;
        const bool any_waits = unit_.may_synchronise() || !spin_waits_.iterations().empty();
        return any_waits && has_open_calls(program_, kernel);
    }

    // Threads run one after the other through such a kernel's loop where no Clang has read it. Where they share the
    // elements of an array by turns, each touches every line of memory.
    bool has_loop(const FunctionDeclaration& kernel) const {
        for (size_t i = kernel.body_open; i < kernel.body_close; ++i)
            if (tokens_.is(i, "for") || tokens_.is(i, "while") || tokens_.is(i, "do")) return true;
        return false;
    }

    void lower_kernel(const FunctionDeclaration& kernel) {
        const bool may_wait = spin_waits_.may_wait(kernel) || may_call_waiting_code(kernel);
        LoweredForm form;
        form.has_barriers = has_barriers(program_, kernel);
        // A full specialisation stays as written, and so does an entry whose name may stand for either it or its
        // template.
        const std::string name = kernel.scope + kernel.name;
        form.reason = !request_.rewrite_kernels         ? "splitting is turned off"
                      : may_wait                        ? "its threads may wait for each other without a barrier"
                      : request_.as_written.count(name) ? request_.as_written.at(name)
                                                        : "a full specialisation";
        if (request_.rewrite_kernels && !may_wait && kernel.name_arguments.empty() && !request_.as_written.count(name))
            form = choose_lowered_form(rewritten_program_, same_in_rewritten(kernel), lines_);
        const auto reason = request_.not_inlined.find(name);
        if (form.kind == LoweredForm::AsWritten && form.has_barriers && reason != request_.not_inlined.end() &&
            starts_with(form.reason, "it calls"))
            form.reason = reason->second;
        if (request_.rewrite_kernels && !program_.syntax &&
            ((form.kind == LoweredForm::AsWritten && form.has_barriers) || has_loop(kernel)))
            unparsed_kernel_ = name;
        if (form.kind != LoweredForm::AsWritten) {
            edits_.insert(tokens_[kernel.body_close].end, form.text);
            rewritten_.push_back(name);
        }
        LoweredKernel lowered{&kernel, std::move(form), may_wait};
        const SymbolEntry entry = kernel_entry(lowered);
        notes_.push_back(
            concat({entry.source_name, ": ", describe_form(entry), entry.reason.empty() ? "" : ": ", entry.reason}));
        if (!kernel.is_template()) add(SymbolEntry(entry));
        lowered_.emplace(name, std::move(lowered));
    }

    // The rewritten program declares the same functions one after the other.
    const FunctionDeclaration& same_in_rewritten(const FunctionDeclaration& kernel) const {
        return rewritten_program_.unit.functions()[static_cast<size_t>(&kernel - unit_.functions().data())];
    }

    void add(SymbolEntry&& entry) { entries_.push_back(std::move(entry)); }

    SymbolEntry kernel_entry(const LoweredKernel& lowered) const {
        const FunctionDeclaration& kernel = *lowered.kernel;
        const std::string name = concat({kernel.scope, kernel.name, kernel.name_arguments});
        SymbolEntry entry;
        entry.source_name = kernel.extern_c ? kernel.scope + name_of_identifier(kernel.name) : name;
        if (kernel.extern_c) entry.unmangled = name_of_identifier(kernel.name);
        entry.address = "&::" + name;
        entry.lowered_function = concat({"&::", kernel.scope, split_name(kernel.name)});
        const auto count = definitions_.find(kernel.scope + kernel.name);
        entry.overloaded = count != definitions_.end() && count->second > 1;
        // The prelude may have functions of the same name, in the global scope.
        const bool has_namesakes = entry.overloaded || (count != definitions_.end() && kernel.scope.empty());
        if (has_namesakes && kernel.name_arguments.empty()) {
            const std::string types = parameter_types(tokens_, kernel);
            entry.address = concat({"static_cast<void (*)", types, ">(", entry.address, ")"});
            const bool none = kernel.parameters_close == kernel.parameters_open + 1 || types == "( void )";
            entry.lowered_function = concat({"static_cast<void (*)(const CudaShimKernelRun*",
                                             none ? ")" : ", " + types.substr(1), ">(", entry.lowered_function, ")"});
        }
        entry.form = lowered.form.kind;
        entry.has_barriers = lowered.form.has_barriers;
        entry.may_wait = lowered.may_wait;
        entry.reason = lowered.form.reason;
        if (!translated_) entry.parameter_names = parameter_names(tokens_, kernel);
        entry.launch_bounds = kernel.launch_bounds;
        entry.cluster = kernel.cluster;
        return entry;
    }

    void list_instantiation(const FunctionDeclaration& function) {
        const std::string name = function.scope + function.name;
        SymbolEntry entry;
        entry.source_name = name + function.name_arguments;
        entry.address = "&::" + entry.source_name;
        if (function.name_arguments.empty())
            entry.address =
                concat({"static_cast<void (*)", parameter_types(tokens_, function), ">(", entry.address, ")"});
        adopt_form(entry, name, function.name_arguments.empty() ? "" : function.name_arguments);
        add(std::move(entry));
    }

    // Gives an entry that names an instantiation the form of its template, where that is beyond doubt.
    void adopt_form(SymbolEntry& entry, const std::string& name, const std::string& arguments) {
        find_form(entry, name, arguments);
        if (entry.form == LoweredForm::AsWritten) run_as_written_.insert(name);
    }

    void find_form(SymbolEntry& entry, const std::string& name, const std::string& arguments) const {
        const auto candidates = lowered_.equal_range(name);
        size_t count = 0;
        for (auto it = candidates.first; it != candidates.second; ++it) {
            ++count;
            entry.has_barriers = entry.has_barriers || it->second.form.has_barriers;
            entry.may_wait = entry.may_wait || it->second.may_wait;
        }
        if (count != 1) {
            entry.reason = "the name stands for several kernels";
            return;
        }
        const auto& [kernel, form, may_wait] = candidates.first->second;
        if (!translated_) entry.parameter_names = parameter_names(tokens_, *kernel);
        entry.launch_bounds = kernel->launch_bounds;
        entry.cluster = kernel->cluster;
        entry.reason = form.reason;
        if (form.kind == LoweredForm::AsWritten) return;
        if (arguments.empty()) {
            entry.reason = "it is named without its template's arguments";
            return;
        }
        entry.form = form.kind;
        entry.lowered_function = concat({"&::", kernel->scope, split_name(kernel->name), arguments});
    }

    void list_variables() {
        VariableDefinitions definitions(unit_, request_, edits_);
        for (const VariableDeclaration& variable : unit_.variables()) {
            if (!definitions.is_defined(variable)) continue;
            SymbolEntry entry;
            const std::string name = name_of_identifier(variable.name);
            if (name != variable.name) entry.unmangled = name;
            entry.source_name = variable.scope + name;
            entry.address = concat({"&::", variable.scope, variable.name});
            entry.kind = symbol_kind(variable);
            add(std::move(entry));
        }
    }

    static const char* symbol_kind(const VariableDeclaration& variable) {
        switch (variable.kind) {
            case VariableDeclaration::Constant:
                return "CUDA_SHIM_SYMBOL_CONSTANT_VARIABLE";
            case VariableDeclaration::Managed:
                return "CUDA_SHIM_SYMBOL_MANAGED_VARIABLE";
            case VariableDeclaration::TextureReference:
                return "CUDA_SHIM_SYMBOL_TEXTURE_REFERENCE";
            default:
                return "CUDA_SHIM_SYMBOL_DEVICE_VARIABLE";
        }
    }

    void list_expressions() {
        for (const std::string& text : request_.name_expressions) {
            const NameExpression expression(text);
            const size_t existing = find_entry(expression);
            if (existing < entries_.size()) {
                expression_entries_.push_back(existing);
                continue;
            }
            SymbolEntry entry;
            entry.source_name = text;
            entry.address =
                "&" + (expression.name.empty() ? expression.arguments : expression.name + expression.arguments);
            if (expression.name.empty()) entry.address = expression.arguments;
            entry.line_name = "name expression " + text;
            entry.kind = "CUDA_SHIM_SYMBOL_DEVICE_VARIABLE";
            bool is_variable = false;
            for (const VariableDeclaration& variable : unit_.variables()) {
                if (variable.name != expression.unqualified()) continue;
                entry.kind = symbol_kind(variable);
                is_variable = true;
            }
            const std::string name = kernel_named(expression);
            if (expression.arguments.empty() && is_unmangled(expression.unqualified()))
                entry.unmangled = expression.unqualified();
            if (!name.empty()) adopt_form(entry, name, expression.arguments);
            if (name.empty() && !is_variable) any_kernel_runs_as_written_ = true;
            if (name.empty()) entry.may_wait = unit_.may_synchronise() || !spin_waits_.iterations().empty();
            expression_entries_.push_back(entries_.size());
            add(std::move(entry));
        }
    }

    // Do all functions of this name have C linkage?
    bool is_unmangled(const std::string& name) const {
        const auto& functions = unit_.functions();
        const auto is_named = [&](const FunctionDeclaration& function) { return function.name == name; };
        return std::any_of(functions.begin(), functions.end(), is_named) &&
               std::all_of(functions.begin(), functions.end(),
                           [&](const auto& function) { return !is_named(function) || function.extern_c; });
    }

    // The entry of the same kernel or variable, which is then not compiled twice; the number of entries where there is
    // none.
    size_t find_entry(const NameExpression& expression) const {
        if (expression.name.empty()) return entries_.size();
        for (size_t i = 0; i < entries_.size(); ++i) {
            const SymbolEntry& entry = entries_[i];
            if (!entry.overloaded && entry.source_name == expression.name && expression.arguments.empty()) return i;
        }
        return entries_.size();
    }

    // The one kernel name (with its namespaces) that the expression can mean; empty when there are none or several.
    std::string kernel_named(const NameExpression& expression) const {
        std::string match;
        for (const auto& [name, form] : lowered_) {
            const bool same =
                name == expression.name ||
                (name.size() > expression.name.size() + 2 &&
                 name.compare(name.size() - expression.name.size() - 2, 2, "::") == 0 &&
                 name.compare(name.size() - expression.name.size(), std::string::npos, expression.name) == 0);
            if (!same || name == match) continue;
            if (!match.empty()) return "";
            match = name;
        }
        return match;
    }

    void restore_includes() {
        const std::string pragma = concat({"#pragma ", kIncludePragma, " "});
        for (size_t i = 0; i < tokens_.size(); ++i)
            if (tokens_[i].kind == Token::Directive && tokens_.text(i).compare(0, pragma.size(), pragma) == 0)
                edits_.replace(tokens_[i].begin, tokens_[i].begin + pragma.size(), "#include ");
    }

    // The number in __launch_bounds__ where it means something outside the kernel, else CUDA's limit.
    std::string max_threads(const SymbolEntry& entry) const {
        if (entry.launch_bounds.empty()) return "1024";
        TokenStream bounds(entry.launch_bounds);
        for (size_t i = 0; i < bounds.size(); ++i)
            if (bounds[i].kind == Token::Identifier && !unit_.constants().count(std::string(bounds.text(i))))
                return "1024";
        return concat({"(unsigned int)(", entry.launch_bounds, ")"});
    }

    // A name expression may ask for a kernel, or not.
    static bool may_be_kernel(const SymbolEntry& entry) {
        return entry.kind == std::string_view("CUDA_SHIM_SYMBOL_KERNEL") || !entry.line_name.empty();
    }

    std::string symbol_facts(size_t index) const {
        const SymbolEntry& entry = entries_[index];
        std::string text = concat({"{\"", escape_for_literal(entry.source_name), "\", cuda_shim_lowered_names[",
                                   std::to_string(index), "], "});
        append(text, {entry.kind, ", ", entry.has_barriers ? "1" : "0", ", ", entry.may_wait ? "1" : "0", ", "});
        const bool kernel = may_be_kernel(entry);
        append(text, {kernel ? quoted(describe_form(entry)) : "nullptr", ", "});
        append(text, {kernel && !entry.reason.empty() ? quoted(entry.reason) : "nullptr", ", "});
        append(text, {quoted(entry.parameter_names), ", ", max_threads(entry), ", "});
        return concat(
            {text, entry.cluster.empty() ? "{}" : concat({"cuda_shim_cluster_dims(", entry.cluster, ")"}), "}"});
    }

    std::string symbol_table() const {
        const std::string count = std::to_string(entries_.size());
        const std::string capacity = std::to_string(std::max<size_t>(entries_.size(), 1));
        std::string symbols, anchors;
        for (size_t i = 0; i < entries_.size(); ++i) {
            const SymbolEntry& entry = entries_[i];
            // A reader of the compiler's errors sees the program's name expression, not this table.
            const std::string line =
                entry.line_name.empty() ? "" : concat({"\n#line 1 \"", escape_for_literal(entry.line_name), "\"\n"});
            const std::string make_symbol = entry.form == LoweredForm::Loop    ? "cuda_shim_loop_symbol<"
                                            : entry.form == LoweredForm::Run   ? "cuda_shim_run_symbol<"
                                            : entry.form == LoweredForm::Split ? "cuda_shim_split_symbol<"
                                            : entry.may_wait                   ? "cuda_shim_watched_symbol<"
                                                                               : "cuda_shim_symbol<";
            const std::string lowered_function =
                entry.form == LoweredForm::AsWritten ? "" : ", " + entry.lowered_function;
            append(symbols,
                   {line, "    ", make_symbol, entry.address, lowered_function, ">(", symbol_facts(i), "),\n"});
            append(anchors, {line, "    &cuda_shim_entry<", std::to_string(i), "u, ", entry.address, ">::anchor,\n"});
        }
        const std::string name_array =
            concat({"cuda_shim_lowered_names[", capacity, "][", std::to_string(request_.name_slot_bytes), "]"});
        const std::string symbol_array = concat({"CudaShimSymbol cuda_shim_symbols[", capacity, "]"});
        const std::string anchor_array = concat({"cuda_shim_anchors[", capacity, "]"});
        std::string text = "\n#line 1 \"<module table>\"\n";
        if (!request_.relocatable)
            append(text, {"extern \"C\" {\nextern char ", name_array, ";\nextern const ", symbol_array,
                          ";\nextern const void* const ", anchor_array, ";\n}\n"});
        // Each of several programs in a module has tables of its own.
        const char* storage = request_.relocatable ? "__attribute__((used)) static " : "";
        // Bytes that are not zero keep the names out of the zeroed section, where nothing could be written into the
        // file.
        append(text, {storage, "char ", name_array, " = {\"?\"};\n"});
        append(text, {storage, "constexpr ", symbol_array, " = {\n", symbols, "};\n"});
        append(text, {storage, "constexpr const void* ", anchor_array, " = {\n", anchors, "};\n"});
        append(text, {"#line 1 \"<module table>\"\n", kernel_list(), "CUDA_SHIM_MODULE(", count, ")\n"});
        return text;
    }

    // The compiler leaves out the name expressions that are variables.
    std::string kernel_list() const {
        std::string text;
        for (size_t i = 0; i < entries_.size(); ++i) {
            const SymbolEntry& entry = entries_[i];
            if (!may_be_kernel(entry)) continue;
            const char* shape = entry.form == LoweredForm::AsWritten ? "\"threads\"" : "\"loop\"";
            append(text, {"CUDA_SHIM_LIST_KERNEL(", std::to_string(i), ", ", quoted(entry.source_name), ", ",
                          quoted(describe_form(entry)), ", ", shape, ", ", quoted(entry.reason), ")\n"});
        }
        return text;
    }

    const ParsedProgram& program_;
    const TranslationUnit& unit_;
    const TokenStream& tokens_;
    const ModuleRequest& request_;
    const ParsedProgram& rewritten_program_;
    const LineMap lines_;
    const SpinWaits spin_waits_;
    TextEdits edits_;
    std::vector<SymbolEntry> entries_;
    std::vector<size_t> expression_entries_;
    std::vector<std::string> notes_;
    std::string unparsed_kernel_;
    std::vector<const FunctionDeclaration*> instantiations_;
    std::map<std::string, int> definitions_;
    std::multimap<std::string, LoweredKernel> lowered_;
    std::set<std::string> run_as_written_;     // kernels that an entry runs as written
    bool any_kernel_runs_as_written_ = false;  // an expression may name any kernel
    const bool translated_ =
        tokens_.source().find("<cuda_shim/ptx_") != std::string::npos;  // its names are no program's
    std::vector<std::string> rewritten_;
};

}  // namespace

ModuleText write_module(const ParsedProgram& program, const ParsedProgram& rewritten, const ModuleRequest& request) {
    return ModuleWriter(program, rewritten, request).write();
}

}  // namespace cuda_shim
