// The kinds of nodes of Clang's syntax tree, as far as the runtime asks.
#pragma once
#include <cstdint>
#include <string_view>

namespace cuda_shim {

enum class NodeKind : uint8_t {
    Absent,  // a place without a child: the missing condition of for (;;)
    Other,   // any kind that is not listed here
    // declarations
    Namespace,
    LinkageSpecification,
    Function,
    Method,
    Constructor,
    Destructor,
    Conversion,
    FunctionTemplate,
    ClassTemplate,
    Record,
    Field,
    Base,  // base of a class: a node of our own, with the type
    Variable,
    Parameter,
    Decomposition,
    Binding,
    TypeName,  // typedef, using x = ...
    Enumeration,
    Enumerator,
    StaticAssert,
    TemplateParameter,
    ConstructorInitialiser,
    TemplateArgument,
    Attribute,
    // statements
    Compound,
    If,
    For,
    RangeFor,
    While,
    Do,
    Switch,
    Case,
    Break,
    Continue,
    Return,
    Jump,  // goto, a label, try, a coroutine's jumps
    Null,
    Declare,
    Attributed,
    Assembly,
    // expressions
    Literal,
    Paren,
    ImplicitCast,
    ValueCast,   // (T)x, static_cast<T>(x), T(x)
    ForcedCast,  // reinterpret_cast, const_cast
    Unary,
    Binary,
    CompoundAssign,
    Conditional,
    Subscript,
    Member,
    Reference,
    Call,
    MethodCall,
    OperatorCall,
    Construct,
    BindTemporary,
    MaterialiseTemporary,
    WithCleanups,
    InitList,
    ValueInitialise,
    Lambda,
    Atomic,  // a built-in of the compiler: __atomic_load_n(p, order)
    Sizeof,
    TypeTrait,
    Constant,
    SubstitutedParameter,
    DefaultArgument,
    This,
    StatementExpression,  // ({ int a = 1; a; })
    OmittedOperand,       // a ?: b
    LabelAddress,         // &&label
    Dependent,            // left open by a template until its arguments are known
};

// The kind of a node that Clang names "BinaryOperator", "CXXForRangeStmt" and the like.
NodeKind node_kind(std::string_view name);

bool is_loop(NodeKind kind);

}  // namespace cuda_shim
