"""Mutations of variables and whole functions: other forms of initialisation, wrappers, aliases, hiding names, other places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.hip_on_host.mutations.edits import PLAIN, Edit, Mutation, Site, one_piece
from tests.hip_on_host.mutations.tree import Node


def initialisations(site: Site) -> Iterator[Mutation]:
    """`T x = v` becomes `T x(v)`, `T x{v}`, `auto x = T(v)`, an assignment, or the value of an object."""
    for statement, variable in site.declarations():
        value = site.initialiser(variable)
        if value is None:
            continue
        kind, name, v = variable.type, variable.name, site.of(value)
        own = site.name("Value")
        struct = f"struct {own} {{ {kind} v; __device__ operator {kind}() const {{ return v; }} }};"
        before, text = site.random.choice(
            [
                ("", f"{kind} {name}(({v}));"),
                ("", f"{kind} {name}{{static_cast<{kind}>({v})}};"),
                ("", f"{kind} {name} = {{static_cast<{kind}>({v})}};"),
                ("", f"auto {name} = static_cast<{kind}>({v});"),
                ("", f"auto {name}{{({kind})({v})}};"),
                ("", f"decltype({kind}()) {name} = {v};"),
                ("", f"{kind} {name}; {name} = {v};"),
                ("", f"{kind} {name}; ({name}) = {v};"),
                ("", f"{kind} {name} = [&]() -> {kind} {{ return {v}; }}();"),
                (struct, f"{kind} {name} = {own}{{static_cast<{kind}>({v})}};"),
                (f"#define {own}(...) = __VA_ARGS__", f"{kind} {name} {own}({v});"),
                (f"typedef {kind} {own};", f"{own} {name} = {v};"),
                (f"#define {own} {kind}", f"{own} {name} = {v};"),
                (f"template <class T> struct {own} {{ using type = T; }};", f"{own}<{kind}>::type {name} = {v};"),
            ]
        )
        yield Mutation("initialisation", (Edit(statement.begin, statement.end, text),), before)


def wrappers(site: Site) -> Iterator[Mutation]:
    """A variable is in a struct, a union or an array, under a reference or a name of a member."""
    for statement, variable in site.declarations():
        value = site.initialiser(variable)
        kind, name, box = variable.type, variable.name, site.name("box")
        if value is None:
            continue
        v = f"static_cast<{kind}>({site.of(value)})"
        forms = [
            ("", f"struct {{ {kind} v; }} {box} = {{{v}}}; {kind}& {name} = {box}.v;"),
            ("", f"union {{ {kind} v; char bytes[sizeof({kind})]; }} {box}; {box}.v = {v}; {kind}& {name} = {box}.v;"),
            ("", f"struct {{ char c; {kind} v[2]; }} {box}; auto& {name} = {box}.v[1]; {name} = {v};"),
            ("", f"{kind} {box}[3]; {kind}& {name}({box}[1]); {name} = {v};"),
            (f"struct {box}_t {{ {kind} v; __device__ explicit {box}_t({kind} x) : v(x) {{}} __device__ {kind}& get() {{ return v; }} }};",
             f"{box}_t {box}({v}); {kind}& {name} = {box}.get();"),
            ("", f"{kind} {box} = {v}; decltype(auto) {name} = ({box});"),
        ]  # fmt: skip
        if not site.kinds & {"LambdaExpr"}:
            forms.append((f"struct {box}_t {{ {kind} v; int w; }};", f"auto [{name}, {box}] = {box}_t{{{v}, 1}};"))
        before, text = site.random.choice(forms)
        if any(node.kind == "GotoStmt" for node in site.nodes):
            continue
        yield Mutation("wrapped variable", (Edit(statement.begin, statement.end, text),), before)
    yield from _members(site)


def _members(site: Site) -> Iterator[Mutation]:
    """Every use of a variable names a member instead."""
    for statement, variable in site.declarations():
        value = site.initialiser(variable)
        if value is None or site.kinds & {"LambdaExpr"}:
            continue
        own, at = variable.raw["id"], variable.name
        uses = [
            node for node in site.body.walk() if node.kind == "DeclRefExpr" and node.raw["referencedDecl"]["id"] == own
        ]
        unseen = len(re.findall(rf"\b{at}\b", site.of(site.body))) - len(uses)
        if unseen != 1 or not all(use.placed for use in uses):
            continue  # a macro uses it, or another variable has its name
        kind, box = variable.type, site.name("own")
        word = site.random.choice(["struct", "union"])
        first = Edit(statement.begin, statement.end, f"{word} {{ {kind} v; }} {box}; {box}.v = {site.of(value)};")
        if any(first.begin <= use.begin < first.end for use in uses):
            continue
        yield Mutation("member", (first, *(Edit(use.begin, use.end, f"{box}.v") for use in uses)))


def aliases(site: Site) -> Iterator[Mutation]:
    """A variable is changed through a reference or a pointer, for one statement or for the rest of its scope."""
    for node in site.assignments():
        left, right = node.children[0].bare(), node.children[1]
        end = site.statement_end(node)
        plain = left.kind == "DeclRefExpr" and left.placed and left.type in PLAIN and right.placed
        if (
            not plain
            or end < 0
            or not node.parent
            or node.parent.kind != "CompoundStmt"
            or not one_piece(site.of(node))
        ):
            continue
        kind, x, other, operator = left.type, site.of(left), site.name("alias"), node.raw["opcode"]
        right_text = site.of(right)
        text = site.random.choice(
            [
                f"{{ {kind}& {other} = {x}; {other} {operator} {right_text}; }}",
                f"{{ {kind}* {other} = &{x}; *{other} {operator} {right_text}; }}",
                f"{{ auto&& {other} = {x}; {other} {operator} {right_text}; }}",
                f"{{ {kind}* {other}[] = {{&{x}}}; *{other}[0] {operator} {right_text}; }}",
                f"{{ struct {{ {kind}* p; }} {other} = {{&{x}}}; *{other}.p {operator} {right_text}; }}",
                f"{{ const {kind}& {other} = {x}; const_cast<{kind}&>({other}) {operator} {right_text}; }}",
                f"{{ void* {other} = &{x}; *static_cast<{kind}*>({other}) {operator} {right_text}; }}",
            ]
        )
        yield Mutation("alias", (Edit(node.begin, end, text),))
    for statement, variable in site.declarations():
        assert statement.parent
        uses = [
            node.children[0].bare() for node in statement.parent.walk()
            if node.kind in {"BinaryOperator", "CompoundAssignOperator"} and str(node.raw.get("opcode", "")).endswith("=")
            and node.raw["opcode"] not in {"==", "!=", "<=", ">="} and not site.has_lambda_above(node)
        ]  # fmt: skip
        uses = [
            use for use in uses if use.kind == "DeclRefExpr" and use.raw["referencedDecl"]["id"] == variable.raw["id"]
        ]
        if not uses or not all(use.placed and use.begin > statement.end for use in uses) or "GotoStmt" in site.kinds:
            continue
        kind, other, x = variable.type, site.name("same"), variable.name
        declared, used = site.random.choice(
            [
                (f"{kind}& {other} = {x};", other),
                (f"{kind}* const {other} = &{x};", f"(*{other})"),
                (f"auto {other} = &{x};", f"{other}[0]"),
                (f"struct {{ {kind}* p; }} {other} = {{&{x}}};", f"*{other}.p"),
            ]
        )
        edits = (Edit(statement.end, statement.end, " " + declared), *(Edit(use.begin, use.end, used) for use in uses))
        yield Mutation("lasting alias", edits)


def hidden_names(site: Site) -> Iterator[Mutation]:
    """A statement stands in a scope with variables that have the names of others, of functions, of built-ins."""
    names = {node.name for node in site.body.walk() if node.kind in {"VarDecl", "ParmVarDecl"} and node.name}
    names |= {node.name for node in site.function.children if node.kind == "ParmVarDecl" and node.name}
    for node in site.expression_statements():
        words = site.words(node)
        # An object-like macro of the program may use any name; then no name is free.
        if any(word.isupper() and len(word) > 1 for word in words):
            continue
        free = sorted((names | {"min", "max", "own", "blockDim", "warpSize"}) - words)
        hiding = site.random.choice(free)
        if hiding in {"blockDim", "warpSize"} and not _only_plain_calls(node):
            continue
        end = site.statement_end(node)
        text = site.text[node.begin : end]
        form = site.random.choice(
            [
                f"{{ int {hiding} = 3; (void){hiding}; {text} }}",
                f"{{ float {hiding} = 0.5f + threadIdx.x; {hiding} += 1; {text} }}",
                f"for (unsigned {hiding} = 0; {hiding} < 1; ++{hiding}) {{ {text} }}",
                f"if (unsigned {hiding} = threadIdx.x + 1) {{ {text} }}",
                f"{{ struct {hiding} {{ int v; }}; {text} }}",
                f"[&, {hiding} = 1] {{ (void){hiding}; {text} }}();",
            ]
        )
        yield Mutation("hidden name", (Edit(node.begin, end, form),))


def _only_plain_calls(node: Node) -> bool:
    """Return whether the code below has no call, which a macro could write."""
    return not any(one.kind == "CallExpr" for one in node.walk())


def other_places(site: Site) -> Iterator[Mutation]:
    """The kernel's body stands in a template, a namespace, a method or a lambda."""
    function, body = site.function, site.body
    if function.kind != "FunctionDecl" or function.type.split("(")[0].strip() != "void" or not function.parent:
        return
    if any(node.kind == "FunctionDecl" for node in body.walk()):  # in a namespace it would declare another one
        return
    if function.parent.kind != "LinkageSpecDecl" or not one_piece(site.text[body.begin - 200 : body.begin]):
        return
    head = re.compile(rf"\b{re.escape(function.name)}\s*(\(.*\))\s*$", re.DOTALL).search(
        site.text, function.begin if function.begin >= 0 else 0, body.begin
    )
    parameters = [child.name for child in function.children if child.kind == "ParmVarDecl"]
    if not head or not all(parameters):
        return
    inner, given, name = head[1], ", ".join(parameters), site.name("body")
    before, call = site.random.choice(
        [
            (f"template <int> __device__ void {name}{inner}", f"{name}<3>({given});"),
            (f"template <class T> __device__ void {name}{inner}", f"{name}<int>({given});"),
            (f"namespace {name}_ns {{ namespace inner {{ __device__ void {name}{inner}", f"{name}_ns::inner::{name}({given});"),
            (f"struct {name} {{ __device__ void operator()(){{}} __device__ void operator(){inner}", f"{name}()({given});"),
            (f"struct {name} {{ __device__ static void run{inner}", f"{name}::run({given});"),
            (f"static __device__ __forceinline__ void {name}{inner}", f"return {name}({given});"),
        ]
    )  # fmt: skip
    closing = "}}" if "inner {" in before else "};" if before.startswith("struct") else ""
    whole = f"{before} {site.of(body)} {closing}"
    yield Mutation("body elsewhere", (Edit(body.begin, body.end, f"{{ {call} }}"),), whole)


DECLARATIONS = (initialisations, wrappers, aliases, hidden_names, other_places)
