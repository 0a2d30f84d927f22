#include "kernel_compiler/module_writer.h"

#include <algorithm>
#include <map>

#include "kernel_compiler/lowered_form.h"
#include "kernel_compiler/preprocess.h"
#include "kernel_compiler/waiting.h"
#include "kernel_compiler/words.h"

namespace cuda_shim {
namespace {

struct Row {
    std::string source_name;
    std::string address;  // the expression whose address it is, with its &
    std::string split;    // of its further function, or empty
    LoweredForm::Kind form = LoweredForm::AsWritten;
    const char* kind = "CUDA_SHIM_SYMBOL_KERNEL";
    bool has_barriers = false;
    bool may_wait = false;
    std::string reason;
    std::string launch_bounds;
    std::string cluster;
    std::string line_name;  // the file that compilers name in errors of this row
};

const char* form_in_words(const Row& row) {
    switch (row.form) {
        case LoweredForm::Split:
            return "loops, split at the barriers";
        case LoweredForm::Run:
            return "loops over the threads of many blocks";
        case LoweredForm::Loop:
            return "a loop over the threads";
        default:
            return row.has_barriers ? "fibres"
                   : row.may_wait   ? "one thread after the other, fibres where one waits"
                                    : "one thread after the other";
    }
}

std::string quoted(const std::string& text) { return concat({"\"", escape_for_literal(text), "\""}); }

std::string without_blanks(const std::string& text) {
    std::string result;
    for (char c : text)
        if (c != ' ' && c != '\t' && c != '\n') result += c;
    return result;
}

// "(float* x, int n)" of a declaration, without default arguments: as good as a list of types.
std::string parameter_types(const TokenStream& tokens, const FunctionDeclaration& function) {
    std::string text;
    for (size_t i = function.parameters_open; i <= function.parameters_close; ++i) {
        if (tokens.is(i, "=")) {
            while (i < function.parameters_close && !tokens.is(i, ","))
                i = tokens.closing(i) != TokenStream::npos && tokens.closing(i) > i ? tokens.closing(i) + 1 : i + 1;
        }
        if (!text.empty()) text += ' ';
        text += tokens.text(i);
    }
    return text;
}

// A name expression without its & and the blanks around it, in two parts: "ns::scale" and "<float, 128>".
struct NameExpression {
    std::string name, arguments;

    explicit NameExpression(const std::string& text) {
        const size_t begin = text.find_first_not_of(" \t&");
        std::string rest = begin == std::string::npos ? "" : text.substr(begin);
        const size_t angle = rest.find('<');
        name = without_blanks(rest.substr(0, angle));
        if (angle != std::string::npos) arguments = rest.substr(angle);
        if (name.compare(0, 2, "::") == 0) name.erase(0, 2);
        if (name.empty() || name[0] == '(' ||
            name == "static_cast") {  // a cast picks an overload: nothing to take apart
            name.clear();
            arguments = rest;
        }
    }
    std::string unqualified() const {
        return name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
    }
    std::string qualifier() const { return name.substr(0, name.size() - unqualified().size()); }
};

struct PlacedKernel {
    const FunctionDeclaration* kernel;
    LoweredForm form;
    bool may_wait;
};

class ModuleWriter {
public:
    ModuleWriter(const ReadProgram& program, const ReadProgram& rewritten, const ModuleRequest& request)
        : program_(program),
          unit_(program.unit),
          tokens_(unit_.tokens()),
          request_(request),
          rewritten_program_(rewritten),
          lines_(rewritten.unit.tokens(), request.program_name),
          waiting_(unit_, program.syntax) {
        for (const FunctionDeclaration& function : unit_.functions())
            if (function.kernel && function.defined() && !function.is_template())
                ++definitions_[function.scope + function.name];
    }

    ModuleText write() {
        choose_forms();
        count_rounds();
        list_variables();
        list_expressions();
        restore_includes();
        ModuleText result;
        result.text = concat(
            {"#line 1 \"", escape_for_literal(request_.program_name), "\"\n", edits_.apply(tokens_.source()), table()});
        result.rows = rows_.size();
        result.expression_rows = expression_rows_;
        result.rewritten = rewritten_;
        result.notes = notes_;
        result.unread = unread_;
        return result;
    }

private:
    void choose_forms() {
        for (const FunctionDeclaration& function : unit_.functions()) {
            if (!function.kernel || function.method) continue;
            if (function.explicit_instantiation) {
                // May not be called inline, as kernels are; its row instantiates it.
                edits_.replace(tokens_[function.first].begin, tokens_[function.end - 1].end, "");
                instantiations_.push_back(&function);
            } else if (function.defined()) {
                place(function);
            }
        }
        for (const FunctionDeclaration* function : instantiations_) list_instantiation(*function);
    }

    // Counts the rounds of loops that may wait. Rewritten kernels have no such loops, nor call functions that do.
    void count_rounds() {
        for (const CountedRound& round : waiting_.rounds()) {
            if (!round.statement) {
                edits_.insert(tokens_[round.token].end, " cuda_shim_round();");
                continue;
            }
            size_t before = round.token - 1;
            while (tokens_[before].kind == Token::Directive) --before;  // a pragma belongs to the statement
            edits_.insert(tokens_[before].end, " if (cuda_shim_round(), false) ; else ");
        }
    }

    // A function pointer or a virtual method may lead to code that waits, where anything in the program does. Without a
    // syntax tree, all kernels wait then (WordsReached).
    bool calls_unknown(const FunctionDeclaration& kernel) const {
        if (!program_.syntax) return false;
        const bool any_waits = unit_.may_synchronise() || !waiting_.rounds().empty();
        return any_waits && has_open_calls(program_, kernel);
    }

    // Threads run one after the other through such a kernel's loop where no Clang has read it. Where they share the
    // elements of an array by turns, each touches every line of memory.
    bool has_loop(const FunctionDeclaration& kernel) const {
        for (size_t i = kernel.body_open; i < kernel.body_close; ++i)
            if (tokens_.is(i, "for") || tokens_.is(i, "while") || tokens_.is(i, "do")) return true;
        return false;
    }

    void place(const FunctionDeclaration& kernel) {
        const bool may_wait = waiting_.may_wait(kernel) || calls_unknown(kernel);
        LoweredForm form;
        form.has_barriers = has_barriers(program_, kernel);
        // A full specialisation stays as written, and so does a row whose name may stand for either it or its template.
        const std::string name = kernel.scope + kernel.name;
        form.reason = !request_.rewrite_kernels         ? "splitting is turned off"
                      : may_wait                        ? "its threads may wait for each other where no barrier is seen"
                      : request_.as_written.count(name) ? "what it was rewritten into does not compile"
                                                        : "a full specialisation";
        if (request_.rewrite_kernels && !may_wait && kernel.name_arguments.empty() && !request_.as_written.count(name))
            form = choose_lowered_form(rewritten_program_, same_in_rewritten(kernel), lines_);
        const auto left = request_.calls_left.find(name);
        if (form.kind == LoweredForm::AsWritten && form.has_barriers && left != request_.calls_left.end() &&
            starts_with(form.reason, "it calls"))
            form.reason = left->second;
        if (request_.rewrite_kernels && !program_.syntax &&
            ((form.kind == LoweredForm::AsWritten && form.has_barriers) || has_loop(kernel)))
            unread_ = name;
        if (form.kind != LoweredForm::AsWritten) {
            edits_.insert(tokens_[kernel.body_close].end, form.text);
            rewritten_.push_back(name);
        }
        PlacedKernel placed{&kernel, std::move(form), may_wait};
        const Row row = kernel_row(placed);
        notes_.push_back(
            concat({row.source_name, ": ", form_in_words(row), row.reason.empty() ? "" : ": ", row.reason}));
        if (!kernel.is_template()) add(Row(row));
        forms_.emplace(name, std::move(placed));
    }

    // The rewritten program declares the same functions one after the other.
    const FunctionDeclaration& same_in_rewritten(const FunctionDeclaration& kernel) const {
        return rewritten_program_.unit.functions()[static_cast<size_t>(&kernel - unit_.functions().data())];
    }

    void add(Row&& row) { rows_.push_back(std::move(row)); }

    Row kernel_row(const PlacedKernel& placed) const {
        const FunctionDeclaration& kernel = *placed.kernel;
        const std::string name = concat({kernel.scope, kernel.name, kernel.name_arguments});
        Row row;
        row.source_name = name;
        row.address = "&::" + name;
        row.split = concat({"&::", kernel.scope, split_name(kernel.name)});
        const auto count = definitions_.find(kernel.scope + kernel.name);
        if (count != definitions_.end() && count->second > 1 && kernel.name_arguments.empty()) {
            const std::string types = parameter_types(tokens_, kernel);
            row.address = concat({"static_cast<void (*)", types, ">(", row.address, ")"});
            const bool none = kernel.parameters_close == kernel.parameters_open + 1 || types == "( void )";
            row.split = concat({"static_cast<void (*)(const CudaShimKernelRun*", none ? ")" : ", " + types.substr(1),
                                ">(", row.split, ")"});
        }
        row.form = placed.form.kind;
        row.has_barriers = placed.form.has_barriers;
        row.may_wait = placed.may_wait;
        row.reason = placed.form.reason;
        row.launch_bounds = kernel.launch_bounds;
        row.cluster = kernel.cluster;
        return row;
    }

    void list_instantiation(const FunctionDeclaration& function) {
        const std::string name = function.scope + function.name;
        Row row;
        row.source_name = name + function.name_arguments;
        row.address = "&::" + row.source_name;
        if (function.name_arguments.empty())
            row.address = concat({"static_cast<void (*)", parameter_types(tokens_, function), ">(", row.address, ")"});
        adopt_form(row, name, function.name_arguments.empty() ? "" : function.name_arguments);
        add(std::move(row));
    }

    // Gives a row that names an instantiation the form of its template, where that is beyond doubt.
    void adopt_form(Row& row, const std::string& name, const std::string& arguments) {
        const auto range = forms_.equal_range(name);
        size_t candidates = 0;
        for (auto it = range.first; it != range.second; ++it) {
            ++candidates;
            row.has_barriers = row.has_barriers || it->second.form.has_barriers;
            row.may_wait = row.may_wait || it->second.may_wait;
        }
        if (candidates != 1) {
            row.reason = "the name stands for several kernels";
            return;
        }
        const auto& [kernel, form, may_wait] = range.first->second;
        row.launch_bounds = kernel->launch_bounds;
        row.cluster = kernel->cluster;
        row.reason = form.reason;
        if (form.kind == LoweredForm::AsWritten) return;
        if (arguments.empty()) {
            row.reason = "it is named without its template's arguments";
            return;
        }
        row.form = form.kind;
        row.split = concat({"&::", kernel->scope, split_name(kernel->name), arguments});
    }

    void list_variables() {
        for (const VariableDeclaration& variable : unit_.variables()) {
            if (!is_defined(variable)) continue;
            Row row;
            row.source_name = variable.scope + variable.name;
            row.address = "&::" + row.source_name;
            row.kind = symbol_kind(variable);
            add(std::move(row));
        }
    }

    // In C++, `extern "C"` without braces only declares a variable without an initialiser. In CUDA it does so where
    // programs are linked; elsewhere the variable is there.
    bool is_defined(const VariableDeclaration& variable) {
        if (variable.is_extern) return false;
        if (variable.linkage == TokenStream::npos || variable.initialised) return true;
        if (request_.relocatable) return false;
        if (bracketed_.insert(variable.linkage).second) {  // several variables may share a declaration
            edits_.insert(tokens_[variable.linkage].end, " {");
            edits_.insert(tokens_[variable.end].end, " }");
        }
        return true;
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
            const size_t existing = find_row(expression);
            if (existing < rows_.size()) {
                expression_rows_.push_back(existing);
                continue;
            }
            Row row;
            row.source_name = text;
            row.address =
                "&" + (expression.name.empty() ? expression.arguments : expression.name + expression.arguments);
            if (expression.name.empty()) row.address = expression.arguments;
            row.line_name = "name expression " + text;
            row.kind = "CUDA_SHIM_SYMBOL_DEVICE_VARIABLE";
            for (const VariableDeclaration& variable : unit_.variables())
                if (variable.name == expression.unqualified()) row.kind = symbol_kind(variable);
            const std::string name = kernel_named(expression);
            if (!name.empty()) adopt_form(row, name, expression.arguments);
            if (name.empty()) row.may_wait = unit_.may_synchronise() || !waiting_.rounds().empty();
            expression_rows_.push_back(rows_.size());
            add(std::move(row));
        }
    }

    // A row that is there for the same kernel or variable already: not compiled twice.
    size_t find_row(const NameExpression& expression) const {
        if (expression.name.empty()) return rows_.size();
        for (size_t i = 0; i < rows_.size(); ++i) {
            const bool overloaded = rows_[i].address.compare(0, 3, "&::") != 0;
            if (!overloaded && rows_[i].source_name == expression.name && expression.arguments.empty()) return i;
        }
        return rows_.size();
    }

    // The one kernel name (with its namespaces) that the expression can mean; empty when there are none or several.
    std::string kernel_named(const NameExpression& expression) const {
        std::string found;
        for (const auto& [name, form] : forms_) {
            const bool same =
                name == expression.name ||
                (name.size() > expression.name.size() + 2 &&
                 name.compare(name.size() - expression.name.size() - 2, 2, "::") == 0 &&
                 name.compare(name.size() - expression.name.size(), std::string::npos, expression.name) == 0);
            if (!same || name == found) continue;
            if (!found.empty()) return "";
            found = name;
        }
        return found;
    }

    void restore_includes() {
        const std::string pragma = concat({"#pragma ", kIncludePragma, " "});
        for (size_t i = 0; i < tokens_.size(); ++i)
            if (tokens_[i].kind == Token::Directive && tokens_.text(i).compare(0, pragma.size(), pragma) == 0)
                edits_.replace(tokens_[i].begin, tokens_[i].begin + pragma.size(), "#include ");
    }

    // The number in __launch_bounds__ where it means something outside the kernel, else CUDA's limit.
    std::string most_threads(const Row& row) const {
        if (row.launch_bounds.empty()) return "1024";
        TokenStream bounds(row.launch_bounds);
        for (size_t i = 0; i < bounds.size(); ++i)
            if (bounds[i].kind == Token::Identifier && !unit_.constants().count(std::string(bounds.text(i))))
                return "1024";
        return concat({"(unsigned int)(", row.launch_bounds, ")"});
    }

    std::string facts(size_t index) const {
        const Row& row = rows_[index];
        std::string text = concat(
            {"{\"", escape_for_literal(row.source_name), "\", cuda_shim_lowered_names[", std::to_string(index), "], "});
        append(text, {row.kind, ", ", row.has_barriers ? "1" : "0", ", ", row.may_wait ? "1" : "0", ", "});
        // A name expression may ask for a kernel, or not.
        const bool kernel = row.kind == std::string_view("CUDA_SHIM_SYMBOL_KERNEL") || !row.line_name.empty();
        append(text, {kernel ? quoted(form_in_words(row)) : "nullptr", ", "});
        append(text, {kernel && !row.reason.empty() ? quoted(row.reason) : "nullptr", ", "});
        append(text, {most_threads(row), ", "});
        return concat({text, row.cluster.empty() ? "{}" : concat({"cuda_shim_cluster_dims(", row.cluster, ")"}), "}"});
    }

    std::string table() const {
        const std::string count = std::to_string(rows_.size());
        const std::string room = std::to_string(std::max<size_t>(rows_.size(), 1));
        std::string symbols, anchors;
        for (size_t i = 0; i < rows_.size(); ++i) {
            const Row& row = rows_[i];
            // A reader of the compiler's errors sees the program's name expression, not this table.
            const std::string line =
                row.line_name.empty() ? "" : concat({"\n#line 1 \"", escape_for_literal(row.line_name), "\"\n"});
            const std::string maker = row.form == LoweredForm::Loop    ? "cuda_shim_loop_symbol<"
                                      : row.form == LoweredForm::Run   ? "cuda_shim_run_symbol<"
                                      : row.form == LoweredForm::Split ? "cuda_shim_split_symbol<"
                                      : row.may_wait                   ? "cuda_shim_watched_symbol<"
                                                                       : "cuda_shim_symbol<";
            const std::string split = row.form == LoweredForm::AsWritten ? "" : ", " + row.split;
            append(symbols, {line, "    ", maker, row.address, split, ">(", facts(i), "),\n"});
            append(anchors, {line, "    &cuda_shim_row<", std::to_string(i), "u, ", row.address, ">::anchor,\n"});
        }
        const std::string names =
            concat({"cuda_shim_lowered_names[", room, "][", std::to_string(request_.name_slot_bytes), "]"});
        const std::string rows = concat({"CudaShimSymbol cuda_shim_symbols[", room, "]"});
        const std::string places = concat({"cuda_shim_anchors[", room, "]"});
        std::string text = "\n#line 1 \"<module table>\"\n";
        if (!request_.relocatable)
            append(text, {"extern \"C\" {\nextern char ", names, ";\nextern const ", rows,
                          ";\nextern const void* const ", places, ";\n}\n"});
        // Each of several programs in a module has tables of its own.
        const char* own = request_.relocatable ? "__attribute__((used)) static " : "";
        // Bytes that are not zero keep the names out of the zeroed section, where nothing could be written into the
        // file.
        append(text, {own, "char ", names, " = {\"?\"};\n"});
        append(text, {own, "constexpr ", rows, " = {\n", symbols, "};\n"});
        append(text, {own, "constexpr const void* ", places, " = {\n", anchors, "};\n"});
        append(text, {"#line 1 \"<module table>\"\nCUDA_SHIM_MODULE(", count, ")\n"});
        return text;
    }

    const ReadProgram& program_;
    const TranslationUnit& unit_;
    const TokenStream& tokens_;
    const ModuleRequest& request_;
    const ReadProgram& rewritten_program_;
    const LineMap lines_;
    const Waiting waiting_;
    TextEdits edits_;
    std::vector<Row> rows_;
    std::vector<size_t> expression_rows_;
    std::vector<std::string> notes_;
    std::string unread_;
    std::set<size_t> bracketed_;  // linkage tokens of declarations that were given braces
    std::vector<const FunctionDeclaration*> instantiations_;
    std::map<std::string, int> definitions_;
    std::multimap<std::string, PlacedKernel> forms_;
    std::vector<std::string> rewritten_;
};

}  // namespace

ModuleText write_module(const ReadProgram& program, const ReadProgram& rewritten, const ModuleRequest& request) {
    return ModuleWriter(program, rewritten, request).write();
}

std::string ask_for_instantiations(const std::vector<std::string>& name_expressions) {
    std::string text;
    for (size_t i = 0; i < name_expressions.size(); ++i) {
        const NameExpression expression(name_expressions[i]);
        if (expression.arguments.empty() || expression.name.empty()) continue;
        append(text, {"__attribute__((unused)) static auto* const cuda_shim_asked_", std::to_string(i),
                      " = &::", expression.name, expression.arguments, ";\n"});
    }
    return text;
}

}  // namespace cuda_shim
