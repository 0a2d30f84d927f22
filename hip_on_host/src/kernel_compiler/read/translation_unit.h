// The declarations of a program at namespace scope: its kernels, device functions and variables, and the functions that
// synchronise threads.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "kernel_compiler/read/lexer.h"

namespace cuda_shim {

struct FunctionDeclaration {
    std::string scope;           // enclosing namespaces, "a::b::", without unnamed ones
    std::string name;            // without template arguments
    std::string name_arguments;  // "<int, 4>" of an explicit specialisation or instantiation, else empty
    std::string template_head;   // "template <class T>", else empty
    std::set<std::string> template_parameters;
    bool has_template_parameters = false;  // false for "template <>", a full specialisation
    bool kernel = false;
    bool extern_c = false;
    bool explicit_instantiation = false;
    bool method = false;
    bool in_template = false;    // a template itself, or a member of a class template
    size_t first = 0;            // first token of the declaration
    size_t parameters_open = 0;  // the ( before the parameters
    size_t parameters_close = 0;
    size_t body_open = TokenStream::npos;  // the { of the body; npos in a mere declaration
    size_t body_close = TokenStream::npos;
    size_t end = 0;             // behind the declaration's last token
    std::string launch_bounds;  // the first argument of __launch_bounds__, else empty
    std::string cluster;        // the arguments of __cluster_dims__, else empty

    bool defined() const { return body_open != TokenStream::npos; }
    bool is_template() const { return has_template_parameters; }
};

struct VariableDeclaration {
    std::string scope;
    std::string name;
    enum Kind { Device, Constant, Managed, TextureReference } kind = Device;
    size_t external = TokenStream::npos;  // the token `extern` of a declaration without a linkage of its own
    // The token "C" of an `extern "C"` without braces, and the declaration's semicolon.
    size_t linkage = TokenStream::npos;
    size_t end = 0;
    size_t declarator_end = 0;  // behind the declarator's last token: the name, or the bounds of an array
    bool extern_c = false;
    bool initialised = false;
    bool constant = false;  // const
    bool unsized = false;   // an array without its first bound
};

class TranslationUnit {
public:
    // `linked_with_others`: functions that are only declared are another program's, and may do anything.
    explicit TranslationUnit(std::string source, bool linked_with_others = false);

    const TokenStream& tokens() const { return tokens_; }
    const std::vector<FunctionDeclaration>& functions() const { return functions_; }
    const std::vector<VariableDeclaration>& variables() const { return variables_; }
    // Shared variables of namespace scope.
    const std::vector<VariableDeclaration>& shared_variables() const { return shared_variables_; }
    // Names of constants known while compiling (constexpr and const variables of namespace scope, enumerators):
    // the same for every thread.
    const std::set<std::string>& constants() const { return constants_; }
    // Is this the name of a __constant__ variable? No kernel changes it.
    bool is_constant_memory(const std::string& name) const;

    // Has the program any word by which threads wait for each other, wherever?
    bool may_synchronise() const;
    // May it call functions that wait, of which it has no text? Those of headers of ours and of other programs.
    bool uses_waiting_functions() const;
    // Might an index go round: x & 3, x % 4, (unsigned char)x? Some compilers' vectorisers misread those.
    bool may_wrap_indices() const;
    // Is threadIdx or its like read anywhere but in kernels?
    bool device_functions_read_thread_index() const { return device_reads_thread_index_; }

private:
    struct Scope {
        enum Kind { Namespace, ExternC, ExternCxx, Class } kind;
        std::string name;
        bool is_template = false;
    };
    void scan_scope(size_t begin, size_t end);
    struct Reading;
    size_t scan_declaration(size_t begin, size_t end);
    size_t read_template_head(size_t begin, size_t end, FunctionDeclaration& function);
    size_t behind_declaration(size_t begin, size_t end) const;
    size_t end_of_initialisers(size_t colon, size_t end) const;
    bool read_braces(Reading& reading, size_t open);
    void scan_inside(Scope scope, size_t open);
    void finish_function(Reading& reading, size_t end);
    void record_function(FunctionDeclaration function, size_t specifiers_end);
    void record_variable(size_t begin, size_t end);
    bool is_texture_type(size_t token) const;
    void record_texture_type(size_t begin, size_t end);
    void record_constants(size_t begin, size_t end);
    void record_enumerators(size_t open, size_t close);
    std::string scope_name() const;
    bool in_extern_c() const;
    bool in_class() const;
    bool in_class_template() const;
    void judge_device_functions();

    TokenStream tokens_;
    bool own_texture_;  // `texture` is a class of the program's
    std::vector<Scope> scopes_;
    std::vector<FunctionDeclaration> functions_;
    std::vector<VariableDeclaration> variables_, shared_variables_;
    std::set<std::string> texture_types_;  // names that a typedef or `using` gave to a texture<>
    std::set<std::string> constants_;
    const bool linked_with_others_;
    bool device_reads_thread_index_ = false;
};

// Behind the default argument whose tokens begin at `i`: the index of the comma or of the parenthesis at `end`.
size_t behind_default_argument(const TokenStream& tokens, size_t i, size_t end);

// Does this word stand for the running thread's index (threadIdx and words derived from it)?
bool is_thread_index_word(std::string_view word);

}  // namespace cuda_shim
