#include "kernel_compiler/read/translation_unit.h"

#include <algorithm>
#include <array>

#include "kernel_compiler/build/prelude_parts.h"
#include "kernel_compiler/string_utils.h"
#include "kernel_compiler/syntax/call_graph.h"

namespace cuda_shim {
namespace {

// Words that take a parenthesis without being the declared name.
bool is_attribute_word(std::string_view word) {
    static constexpr std::array<std::string_view, 14> words = {
        "__attribute__", "__attribute", "alignas", "__align__",        "__launch_bounds__", "__maxnreg__", "decltype",
        "noexcept",      "__declspec",  "throw",   "__cluster_dims__", "__block_size__",    "explicit",    "requires"};
    return one_of(word, words);
}

// Words that end no declarator: `int (*choose())()` declares a function.
bool is_type_word(std::string_view word) {
    static constexpr std::array<std::string_view, 10> words = {"void", "bool",  "char",   "short",  "int",
                                                               "long", "float", "double", "signed", "unsigned"};
    return one_of(word, words);
}

}  // namespace

size_t behind_default_argument(const TokenStream& tokens, size_t i, size_t end) {
    while (i < end && !tokens.is(i, ",")) {
        const size_t close = tokens.is(i, "<") ? tokens.closing_angle(i, end) : tokens.closing(i);
        i = close != TokenStream::npos && close > i ? close + 1 : i + 1;
    }
    return i;
}

bool is_thread_index_word(std::string_view word) {
    static constexpr std::array<std::string_view, 5> words = {"threadIdx", "__lane_id", "__laneid", "__warp_id",
                                                              "assert"};
    return one_of(word, words) || starts_with(word, "hipThreadIdx_") || is_synchronising_word(word);
}

TranslationUnit::TranslationUnit(std::string source, bool linked_with_others)
    : tokens_(std::move(source)), own_texture_(declares_own_texture(tokens_)), linked_with_others_(linked_with_others) {
    scan_scope(0, tokens_.size());
    judge_device_functions();
}

std::string TranslationUnit::scope_name() const {
    std::string name;
    for (const Scope& scope : scopes_)
        if (!scope.name.empty()) append(name, {scope.name, "::"});
    return name;
}
bool TranslationUnit::in_extern_c() const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
        if (scope->kind == Scope::ExternC || scope->kind == Scope::ExternCxx) return scope->kind == Scope::ExternC;
    return false;
}
bool TranslationUnit::in_class() const {
    return std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& s) { return s.kind == Scope::Class; });
}

bool TranslationUnit::in_class_template() const {
    return std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& s) { return s.is_template; });
}

void TranslationUnit::scan_scope(size_t begin, size_t end) {
    for (size_t i = begin; i < end;) {
        if (tokens_[i].kind == Token::Directive || tokens_.is(i, ";")) {
            ++i;
            continue;
        }
        // `public:` and its like
        if (in_class() && tokens_.is_identifier(i) && tokens_.is(i + 1, ":") && !tokens_.is(i + 1, "::")) {
            i += 2;
            continue;
        }
        const size_t next = scan_declaration(i, end);
        i = next > i ? next : i + 1;
    }
}

// Facts about a declaration while its tokens are read.
struct TranslationUnit::Reading {
    FunctionDeclaration function;
    size_t specifiers = 0;                  // first token behind the template head
    size_t parameters = TokenStream::npos;  // the ( of a parameter list
    bool assigned = false, class_like = false, enumeration = false, pointer = false;

    bool is_function() const { return parameters != TokenStream::npos && !assigned; }
};

// Reads one declaration from `begin`; returns the index behind it.
size_t TranslationUnit::scan_declaration(size_t begin, size_t end) {
    Reading reading;
    size_t i = read_template_head(begin, end, reading.function);
    if (i == TokenStream::npos) return behind_declaration(begin, end);
    reading.specifiers = i;
    for (; i < end; ++i) {
        if (tokens_[i].kind == Token::Directive) continue;
        const std::string_view word = tokens_.text(i);
        if (word == ";") {
            if (reading.is_function())
                finish_function(reading, i + 1);
            else if (reading.function.has_template_parameters)
                record_constants(reading.specifiers, i);
            else
                record_variable(reading.specifiers, i);
            return i + 1;
        }
        if (word == "{") {
            const size_t close = tokens_.closing(i);
            if (close == TokenStream::npos || close >= end) return end;
            if (read_braces(reading, i)) return close + 1;
            i = close;  // an initialiser, or a class: a declarator may follow
        } else if (word == "(" || word == "[") {
            const size_t close = tokens_.closing(i);
            if (close == TokenStream::npos || close >= end) return end;
            // `float (*name)(float)` and `float (&name)[4]` declare a variable.
            reading.pointer = reading.pointer ||
                              (tokens_.is(i + 1, "*") && (tokens_.is(close + 1, "(") || tokens_.is(close + 1, "[")));
            const bool first = word == "(" && i > reading.specifiers && reading.parameters == TokenStream::npos;
            if (first && !reading.assigned && !reading.pointer && !is_attribute_word(tokens_.text(i - 1)))
                reading.parameters = i;
            i = close;
        } else if (word == "<" && i > reading.specifiers && tokens_.is_identifier(i - 1)) {
            const size_t close = tokens_.closing_angle(i, end);
            if (close != TokenStream::npos && !reading.assigned) i = close;
        } else if (word == ":" && reading.is_function()) {
            i = end_of_initialisers(i, end);
        } else if (word == "=" && !tokens_.is(i - 1, "operator")) {
            reading.assigned = reading.assigned || reading.parameters == TokenStream::npos;
        } else if (word == "struct" || word == "class" || word == "union" || word == "enum") {
            reading.class_like = true;
            reading.enumeration = reading.enumeration || word == "enum";
        }
    }
    return end;
}

// The last token of a constructor's initialisers, ` : base<T>(1), member{2}`; the colon itself if there are none.
size_t TranslationUnit::end_of_initialisers(size_t colon, size_t end) const {
    for (size_t i = colon + 1; i < end; ++i) {
        if (tokens_.is(i, ";")) break;
        if (!tokens_.is(i, "(") && !tokens_.is(i, "{")) continue;
        i = tokens_.closing(i);
        if (i == TokenStream::npos || i >= end) break;
        if (tokens_.is(i + 1, "...")) ++i;
        if (!tokens_.is(i + 1, ",")) return i;
    }
    return colon;
}

// Behind a declaration whose template head cannot be read: kernels that follow are kernels all the same.
size_t TranslationUnit::behind_declaration(size_t begin, size_t end) const {
    for (size_t i = begin; i < end; ++i) {
        if (tokens_.is(i, ";")) return i + 1;
        if (!tokens_.is(i, "{") && !tokens_.is(i, "(")) continue;
        const size_t close = tokens_.closing(i);
        if (close == TokenStream::npos || close >= end) return end;
        if (tokens_.is(i, "{")) return close + 1;
        i = close;
    }
    return end;
}

size_t TranslationUnit::read_template_head(size_t begin, size_t end, FunctionDeclaration& function) {
    function.first = begin;
    if (!tokens_.is(begin, "template")) return begin;
    if (!tokens_.is(begin + 1, "<")) {
        function.explicit_instantiation = true;
        return begin + 1;
    }
    const size_t close = tokens_.closing_angle(begin + 1, end, true);
    if (close == TokenStream::npos) return TokenStream::npos;
    function.template_head = tokens_.slice(begin, close + 1);
    function.has_template_parameters = close > begin + 2;
    for (size_t k = begin + 2; k < close; ++k)
        if (tokens_.is_identifier(k) && (tokens_.is(k + 1, ",") || tokens_.is(k + 1, "=") || k + 1 == close))
            function.template_parameters.emplace(tokens_.text(k));
    return close + 1;
}

// Braces end a namespace, a linkage block or a function; true then.
bool TranslationUnit::read_braces(Reading& reading, size_t open) {
    const size_t first = reading.specifiers;
    if (tokens_.is(first, "namespace") || (tokens_.is(first, "inline") && tokens_.is(first + 1, "namespace"))) {
        std::string name;
        for (size_t k = first; k < open; ++k)
            if (!tokens_.is(k, "inline") && !tokens_.is(k, "namespace")) name += tokens_.text(k);
        scan_inside({Scope::Namespace, name, false}, open);
        return true;
    }
    if (tokens_.is(first, "extern") && first + 2 == open && tokens_[first + 1].kind == Token::String) {
        scan_inside({tokens_.is(first + 1, "\"C\"") ? Scope::ExternC : Scope::ExternCxx, "", false}, open);
        return true;
    }
    if (reading.is_function()) {
        reading.function.body_open = open;
        reading.function.body_close = tokens_.closing(open);
        finish_function(reading, tokens_.closing(open) + 1);
        return true;
    }
    if (!reading.class_like || reading.assigned) return false;
    if (reading.enumeration) {
        record_enumerators(open, tokens_.closing(open));
        return false;
    }
    std::string name;
    for (size_t k = first; k < open && !tokens_.is(k, ":"); ++k)
        if (tokens_.is_identifier(k) && !is_attribute_word(tokens_.text(k))) name = tokens_.text(k);
    scan_inside({Scope::Class, name, reading.function.has_template_parameters}, open);
    return false;
}

void TranslationUnit::scan_inside(Scope scope, size_t open) {
    scopes_.push_back(std::move(scope));
    scan_scope(open + 1, tokens_.closing(open));
    scopes_.pop_back();
}

void TranslationUnit::finish_function(Reading& reading, size_t end) {
    reading.function.parameters_open = reading.parameters;
    reading.function.end = end;
    record_function(std::move(reading.function), reading.specifiers);
}

void TranslationUnit::record_function(FunctionDeclaration function, size_t specifiers) {
    function.parameters_close = tokens_.closing(function.parameters_open);
    size_t name = function.parameters_open - 1;
    if (tokens_.is(name, ">")) {  // explicit arguments: walk back to their opening bracket
        int depth = 0;
        size_t open = name;
        for (; open > specifiers; --open) {
            if (tokens_.is(open, ">"))
                ++depth;
            else if (tokens_.is(open, "<") && --depth == 0)
                break;
        }
        if (open <= specifiers) return;
        function.name_arguments = tokens_.slice(open, name + 1);
        name = open - 1;
    }
    function.name = tokens_.text(name);
    function.scope = scope_name();
    function.method = in_class() || tokens_.is(name - 1, "::");
    function.in_template = function.has_template_parameters || in_class_template();
    function.extern_c = in_extern_c();
    for (size_t k = specifiers; k < function.parameters_open; ++k) {
        if (tokens_.is(k, "__global__")) function.kernel = true;
        if (tokens_.is(k, "extern") && tokens_[k + 1].kind == Token::String)
            function.extern_c = tokens_.is(k + 1, "\"C\"");
        if (tokens_.is(k, "operator")) function.name = "operator" + tokens_.slice(k + 1, function.parameters_open);
        if (tokens_.is(k, "__cluster_dims__") && tokens_.is(k + 1, "("))
            function.cluster = tokens_.slice(k + 2, tokens_.closing(k + 1));
        if (tokens_.is(k, "__launch_bounds__") && tokens_.is(k + 1, "(")) {
            size_t comma = k + 2;
            const size_t close = tokens_.closing(k + 1);
            while (comma < close && !tokens_.is(comma, ","))
                comma = tokens_.is(comma, "(") ? tokens_.closing(comma) + 1 : comma + 1;
            function.launch_bounds = tokens_.slice(k + 2, comma);
        }
    }
    functions_.push_back(std::move(function));
}

// texture<float, 2>, or a name that was given to such a type before.
bool TranslationUnit::is_texture_type(size_t token) const {
    if (tokens_.is(token, "texture")) return tokens_.is(token + 1, "<") && !own_texture_;
    return texture_types_.count(std::string(tokens_.text(token))) != 0;
}

// `typedef texture<float, 2> Image;` or `using Image = texture<float, 2>;`
void TranslationUnit::record_texture_type(size_t begin, size_t end) {
    const bool alias = tokens_.is(begin, "using");
    const size_t type = begin + (alias ? 3 : 1);
    if (type < end && is_texture_type(type)) texture_types_.emplace(tokens_.text(alias ? begin + 1 : end - 1));
}

void TranslationUnit::record_variable(size_t begin, size_t end) {
    VariableDeclaration variable;
    if (tokens_.is(begin, "typedef") || tokens_.is(begin, "using")) return record_texture_type(begin, end);
    bool device = false, shared = false;
    for (size_t k = begin; k < end && !tokens_.is(k, "=") && !tokens_.is(k, "{"); ++k) {
        const std::string_view word = tokens_.text(k);
        if (word == "__constant__")
            variable.kind = VariableDeclaration::Constant, device = true;
        else if (word == "__managed__")
            variable.kind = VariableDeclaration::Managed, device = true;
        else if (word == "__device__")
            device = true;
        else if (word == "__shared__")
            shared = true;
        else if (is_texture_type(k))  // needs no qualifier
            variable.kind = VariableDeclaration::TextureReference, device = true;
        else if (word == "extern" && tokens_[k + 1].kind == Token::String)
            variable.linkage = k + 1;
        else if (word == "extern")
            variable.external = k;
        else if (word == "const")
            variable.constant = true;
        else if (word == "friend" || word == "static_assert")
            return;
    }
    if (!shared) record_constants(begin, end);
    if (!(device || shared) || in_class()) return;
    variable.scope = scope_name();
    variable.end = end;
    variable.extern_c = in_extern_c();
    if (variable.linkage != TokenStream::npos) variable.extern_c = tokens_.is(variable.linkage, "\"C\"");
    // Each declarator's name is the last identifier before its array bounds, initialiser or comma.
    size_t name = TokenStream::npos, declarator_end = 0;
    int type_words = -1;  // identifiers behind `struct` or its like: one at most in `struct Pair {...} pair`
    for (size_t k = begin; k <= end; ++k) {
        const bool ends = k == end || tokens_.is(k, ",");
        if (tokens_.is(k, "struct") || tokens_.is(k, "class") || tokens_.is(k, "union") || tokens_.is(k, "enum")) {
            type_words = 0;
        } else if ((type_words == 0 || type_words == 1) && tokens_.is(k, "{")) {
            k = tokens_.closing(k);
            name = TokenStream::npos;
            type_words = -1;
        } else if (tokens_.is(k, "[") && tokens_.is(k + 1, "[") && tokens_.closing(k) != TokenStream::npos) {
            k = tokens_.closing(k);  // [[maybe_unused]]
            declarator_end = k + 1;
        } else if (ends || tokens_.is(k, "=") || tokens_.is(k, "[") || tokens_.is(k, "{")) {
            variable.declarator_end = declarator_end;
            while (tokens_.is(variable.declarator_end, "["))
                variable.declarator_end = tokens_.closing(variable.declarator_end) + 1;
            variable.initialised = false;
            variable.unsized = tokens_.is(k, "[") && tokens_.is(k + 1, "]");
            while (k < end && !tokens_.is(k, ",")) {
                variable.initialised = variable.initialised || tokens_.is(k, "=") || tokens_.is(k, "{");
                k = tokens_.behind(k);
            }
            if (name != TokenStream::npos && !is_type_word(tokens_.text(name))) {
                variable.name = tokens_.text(name);
                (shared ? shared_variables_ : variables_).push_back(variable);
            }
            name = TokenStream::npos;
        } else if (tokens_.is(k, "(") && tokens_.closing(k) != TokenStream::npos) {
            // A pointer's name is inside; otherwise it is an attribute's, or a constructor's. An array of pointers has
            // its bounds behind the name: `(*table[2])(int)`.
            size_t last = tokens_.closing(k) - 1;
            while (tokens_.is(last, "]") && tokens_.closing(last) > k) last = tokens_.closing(last) - 1;
            const bool is_pointer = tokens_.is(k + 1, "*") && tokens_.is_identifier(last);
            if (is_pointer) name = last;
            k = tokens_.closing(k);
            if (is_pointer && tokens_.is(k + 1, "(")) k = tokens_.closing(k + 1);
            if (is_pointer) declarator_end = k + 1;
        } else if (tokens_.is(k, "<")) {
            const size_t close = tokens_.closing_angle(k, end);
            if (close != TokenStream::npos) k = close;
        } else if (tokens_.is_identifier(k) && is_attribute_word(tokens_.text(k)) && tokens_.is(k + 1, "(")) {
            k = tokens_.closing(k + 1);
        } else if (tokens_.is_identifier(k)) {
            name = k;
            declarator_end = k + 1;
            if (type_words >= 0 && !is_attribute_word(tokens_.text(k)) && !tokens_.is(k, "__device__")) ++type_words;
        }
    }
}

void TranslationUnit::record_constants(size_t begin, size_t end) {
    bool constant = false;
    for (size_t k = begin; k + 1 < end; ++k) {
        const std::string_view word = tokens_.text(k);
        if (word == "__constant__" || word == "__device__" || word == "volatile" || word == "*") return;
        if (word == "constexpr" || word == "const") constant = true;
        if (constant && tokens_.is_identifier(k) && (tokens_.is(k + 1, "=") || tokens_.is(k + 1, "{")))
            constants_.emplace(word);
        if (word == "=" || word == "{") return;
    }
}

void TranslationUnit::record_enumerators(size_t open, size_t close) {
    for (size_t k = open + 1; k < close; ++k)
        if (tokens_.is_identifier(k) && (tokens_.is(k - 1, "{") || tokens_.is(k - 1, ",")))
            constants_.emplace(tokens_.text(k));
}

bool TranslationUnit::is_constant_memory(const std::string& name) const {
    return std::any_of(variables_.begin(), variables_.end(), [&](const VariableDeclaration& variable) {
        return variable.kind == VariableDeclaration::Constant && variable.name == name;
    });
}

bool TranslationUnit::may_synchronise() const {
    for (size_t i = 0; i < tokens_.size(); ++i)
        if (tokens_.is_identifier(i) && is_synchronising_word(tokens_.text(i))) return true;
    return uses_waiting_functions();
}

bool TranslationUnit::uses_waiting_functions() const {
    for (size_t i = 0; i < tokens_.size(); ++i)
        if (tokens_[i].kind == Token::Directive && (tokens_.text(i).find("groups") != std::string_view::npos ||
                                                    tokens_.text(i).find("<mma.h>") != std::string_view::npos))
            return true;
    return linked_with_others_;  // functions of other programs may do anything
}

bool TranslationUnit::may_wrap_indices() const {
    static constexpr std::array<std::string_view, 12> words = {
        "&", "&=", "%", "%=", "char", "short", "uchar", "ushort", "int8_t", "int16_t", "uint8_t", "uint16_t"};
    for (size_t i = 0; i < tokens_.size(); ++i)
        if (one_of(tokens_.text(i), words)) return true;
    return false;
}

void TranslationUnit::judge_device_functions() {
    const auto in_kernel = [&](size_t token) {
        return std::any_of(functions_.begin(), functions_.end(), [&](const FunctionDeclaration& function) {
            return function.kernel && function.defined() && token > function.body_open && token < function.body_close;
        });
    };
    for (size_t i = 0; i < tokens_.size() && !device_reads_thread_index_; ++i)
        device_reads_thread_index_ = tokens_.is_identifier(i) && is_thread_index_word(tokens_.text(i)) && !in_kernel(i);
}

}  // namespace cuda_shim
