"""Mutations of statements and values: the code that changes a variable is hidden, and does the same."""

from __future__ import annotations

from collections.abc import Iterator

from tests.hip_on_host.mutations.edits import (
    PLAIN,
    Edit,
    Mutation,
    Site,
    is_bit_field,
    jumps_out,
    makes_objects,
    one_piece,
    pure,
)
from tests.hip_on_host.mutations.tree import Node


def left_sides(site: Site) -> Iterator[Mutation]:
    """Variables that are assigned stand in parentheses, behind commas, in conditionals, behind addresses."""
    changed = [node.children[0] for node in site.assignments()]
    changed += [
        node.children[0]
        for node in site.nodes
        if node.kind == "UnaryOperator" and node.raw.get("opcode") in {"++", "--"}
    ]
    for left in changed:
        if not left.placed or not one_piece(site.of(left)):
            continue
        text = site.of(left)
        forms = [f"({text})", f"(({text}))"]
        if left.type in PLAIN and not is_bit_field(left):
            forms += [f"(*&({text}))", f"(0, {text})", f"static_cast<{left.type}&>({text})", f"(&({text}))[0]"]
            if pure(left):
                forms += [f"(true ? {text} : {text})", f"(threadIdx.x < 4096 ? {text} : {text})"]
        yield Mutation("left side", (Edit(left.begin, left.end, site.random.choice(forms)),))


def calls_for_assignments(site: Site) -> Iterator[Mutation]:
    """Assignments are made by functions, functors, operators, destructors, lambdas and pointers to functions."""
    for node in site.assignments():
        left, right = node.children[0], node.children[1]
        if not (left.placed and right.placed and node.parent and node.parent.kind == "CompoundStmt"):
            continue
        plain = left.type in PLAIN and right.type in PLAIN and not is_bit_field(left)
        safe = left.bare().kind == "DeclRefExpr" or (pure(left) and pure(right))
        if not (plain and safe and one_piece(site.of(node))):
            continue
        a, b, operator, kind, name = site.of(left), site.of(right), str(node.raw["opcode"]), left.type, site.name("set")
        both = "template <class A, class B> __device__"
        forms = [
            (f"{both} void {name}(A& a, const B& b) {{ a {operator} b; }}", f"{name}({a}, {b})"),
            (f"struct {name} {{ {both} void operator()(A& a, B b) const {{ a {operator} b; }} }};", f"{name}()({a}, {b})"),
            (f"struct {name} {{ {both} static void by(A* a, B b) {{ *a {operator} b; }} }};", f"{name}::by(&{a}, {b})"),
            (f"struct {name} {{ {kind}& r; template <class B> __device__ {name}& operator<<(B b) {{ r {operator} b; return *this; }} }};", f"{name}{{{a}}} << ({b})"),
            (f"struct {name} {{ template <class A, class B> __device__ {name}(A& a, B b) {{ a {operator} b; }} }};", f"{name}({a}, {b})"),
            (f"struct {name} {{ {kind}& r; __device__ operator {kind}&() {{ return r; }} }};", f"static_cast<{kind}&>({name}{{{a}}}) {operator} {b}"),
            ("", f"[&] {{ {a} {operator} {b}; }}()"),
            ("", f"[&](auto given) {{ {a} {operator} given; }}({b})"),
            ("", f"[](auto& a, auto b) {{ a {operator} b; }}({a}, {b})"),
            (f"__device__ void {name}({kind}& a, {right.type} b) {{ a {operator} b; }}", f"(true ? &{name} : nullptr)({a}, {b})"),
        ]  # fmt: skip
        if operator == "=":
            held = f"struct {name} {{ {kind}& r; {kind} v; __device__ {name}({kind}& a, {kind} b) : r(a), v(b) {{}} __device__ ~{name}() {{ r = v; }} }};"
            # In a lambda: a temporary goes at the end of the whole expression, which a comma may make a longer one.
            forms.append((held, f"[&] {{ (void){name}({a}, {b}); }}()"))
        elif left.bare().kind == "DeclRefExpr":
            forms.append(("", f"{a} = {a} {operator[:-1]} ({b})"))
        before, text = site.random.choice(forms)
        yield Mutation("assigned by a call", (Edit(node.begin, node.end, text),), before)


def macros(site: Site) -> Iterator[Mutation]:
    """Statements, parts of them and values are written by macros."""
    for node in site.expression_statements():
        text, name = " ".join(site.of(node).split()), site.name("STATEMENT")
        before, written = site.random.choice(
            [
                (f"#define {name} {text}", name),
                (f"#define {name}(...) __VA_ARGS__", f"{name}({text})"),
                (f"#define {name}(...) do {{ __VA_ARGS__; }} while (0)", f"{name}({text})"),
                (f"#define {name} [&] {{ {text}; }}()", name),
            ]
        )
        yield Mutation("macro", (Edit(node.begin, node.end, written),), before)
    for node in site.assignments():
        left, right = node.children[0], node.children[1]
        if left.placed and right.placed and one_piece(site.of(node)):
            name, operator = site.name("ASSIGN"), node.raw["opcode"]
            text = f"{name}({_one_argument(site.of(left))}, {_one_argument(site.of(right))})"
            yield Mutation("macro", (Edit(node.begin, node.end, text),), f"#define {name}(a, b) a {operator} b")


def _one_argument(text: str) -> str:
    return f"({text})" if "," in text else text


def lambdas(site: Site) -> Iterator[Mutation]:
    """Statements run in lambdas, generic ones too, that are called at once or have a name."""
    for node in site.nodes:
        whole = node.kind in {"IfStmt", "ForStmt", "WhileStmt", "DoStmt", "CompoundStmt", "SwitchStmt"}
        if not (whole and node.parent and node.parent.kind == "CompoundStmt") or jumps_out(node):
            continue
        end = site.statement_end(node) if node.kind == "DoStmt" else node.end
        text = site.text[node.begin : end]
        if end < 0 or not one_piece(text) or "__shared__" in text:
            continue
        yield Mutation("statement in a lambda", (Edit(node.begin, end, _called(site, text)),))
    for node in site.expression_statements():
        end = site.statement_end(node)
        yield Mutation("statement in a lambda", (Edit(node.begin, end, _called(site, site.text[node.begin : end])),))


def _called(site: Site, text: str) -> str:
    name = site.name("part")
    return site.random.choice(
        [
            f"[&] {{ {text} }}();",
            f"[&](auto) {{ {text} }}(0);",
            f"{{ auto {name} = [&]() {{ {text} }}; {name}(); }}",
            f"{{ const auto& {name} = [&]() {{ {text} }}; {name}(); }}",
            f"[&] {{ [&] {{ {text} }}(); }}();",
        ]
    )


def commas(site: Site) -> Iterator[Mutation]:
    """Two statements become one with a comma."""
    statements = site.expression_statements()
    places = {id(node) for node in statements}
    for node in statements:
        assert node.parent
        around = node.parent.children
        at = next(place for place, one in enumerate(around) if one is node)
        if at + 1 < len(around) and id(around[at + 1]) in places:
            other = around[at + 1]
            end = site.statement_end(node)
            if one_piece(site.text[end : other.begin]) and not makes_objects(node):
                yield Mutation("comma", (Edit(node.begin, other.end, f"(void)({site.of(node)}), {site.of(other)}"),))


def attributes(site: Site) -> Iterator[Mutation]:
    """[[likely]] and [[maybe_unused]] stand where they may."""
    for node in site.nodes:
        if node.kind == "IfStmt" and not node.raw.get("hasVar") and not node.raw.get("hasInit"):
            branch = node.children[1]
            if any(child.kind == "AttributedStmt" for child in node.children):
                continue
            if branch.placed and branch.kind not in {"DeclStmt", "NullStmt"}:
                word = site.random.choice(["[[likely]]", "[[unlikely]]"])
                yield Mutation("attribute", (Edit(branch.begin, branch.begin, word + " "),))
    for statement, _ in site.declarations():
        yield Mutation("attribute", (Edit(statement.begin, statement.begin, "[[maybe_unused]] "),))


def other_conditions(site: Site) -> Iterator[Mutation]:
    """if becomes &&, ||, ?: or switch."""
    for node in site.nodes:
        if node.kind != "IfStmt" or node.raw.get("hasVar") or node.raw.get("hasInit") or node.raw.get("isConstexpr"):
            continue
        condition, then = node.children[0], node.children[1]
        if not (condition.placed and then.placed and node.parent and node.parent.kind == "CompoundStmt"):
            continue
        c = site.of(condition)
        inner = then.children[0] if then.kind == "CompoundStmt" and len(then.children) == 1 else then
        end = site.statement_end(inner)
        if inner.kind in {"BinaryOperator", "CompoundAssignOperator", "CallExpr", "UnaryOperator"} and end > 0:
            e = site.of(inner)
            if not node.raw.get("hasElse") and one_piece(site.text[node.begin : node.end]):
                text = site.random.choice(
                    [
                        f"({c}) && ((void)({e}), true);",
                        f"!({c}) || ((void)({e}), true);",
                        f"({c}) ? (void)({e}) : (void)0;",
                    ]
                )
                yield Mutation("condition", (Edit(node.begin, max(node.end, end), text),))
        if then.kind == "CompoundStmt" and not node.raw.get("hasElse") and not jumps_out(then):
            head = site.text[node.begin : condition.begin]
            if head.replace(" ", "") == "if(":
                edits = (
                    Edit(node.begin, then.begin, f"switch (({c}) ? 1 : 0) {{ case 1: "),
                    Edit(then.end, then.end, " }"),
                )
                yield Mutation("condition", edits)


def loops(site: Site) -> Iterator[Mutation]:
    """for becomes while or do-while with a guard, while becomes for."""
    for node in site.nodes:
        if not (node.parent and node.parent.kind == "CompoundStmt") or not node.children:
            continue
        before = site.text[max(0, node.begin - 60) : node.begin]
        body = node.children[-1]
        if (
            "pragma" in before
            or "Pragma" in before
            or not body.placed
            or not one_piece(site.text[node.begin : node.end])
        ):
            continue
        head = site.text[node.begin : body.begin]
        end = body.end if body.kind == "CompoundStmt" else site.statement_end(body)
        if end < 0 or body.kind in {"ForStmt", "WhileStmt", "DoStmt", "IfStmt", "SwitchStmt"}:
            continue
        inside = site.text[body.begin : end]
        if node.kind == "WhileStmt" and not node.raw.get("hasVar") and node.children[0].placed:
            c = site.of(node.children[0])
            forms = [f"for (; {c};) {inside}", f"for (;;) {{ if (!({c})) break; {inside} }}"]
            forms += [f"if ({c}) do {inside} while ({c});", f"for (bool on = {c}; on; on = ({c})) {inside}"]
            if "on" in site.words(node):
                forms.pop()
            yield Mutation("loop", (Edit(node.begin, end, site.random.choice(forms)),))
        if node.kind == "ForStmt" and not _goes_on(body):
            parts = _header(head)
            if parts:
                first, c, step = parts
                c = c.strip() or "true"
                loop = site.random.choice(
                    [
                        f"while ({c}) {{ {inside} {step}; }}",
                        f"if ({c}) do {{ {inside} {step}; }} while ({c});",
                        f"for (;;) {{ if ({c}) {{}} else break; {inside} {step}; }}",
                        f"for (;; {step}) {{ if (!({c})) break; {inside} }}",
                    ]
                )
                yield Mutation("loop", (Edit(node.begin, end, f"{{ {first}; {loop} }}"),))


def _header(head: str) -> tuple[str, str, str] | None:
    """The three parts of `for (…; …; …)`."""
    inner = head.strip()
    if not (inner.startswith("for") and inner.endswith(")") and inner.count(";") == 2):
        return None
    first, condition, step = inner[inner.index("(") + 1 : -1].split(";")
    return first.strip(), condition, step.strip()


def _goes_on(body: Node) -> bool:
    """Return whether a body has a continue of its own."""
    if body.kind == "ContinueStmt":
        return True
    if body.kind in {"ForStmt", "WhileStmt", "DoStmt", "LambdaExpr", "CXXForRangeStmt"}:
        return False
    return any(_goes_on(child) for child in body.children)


STATEMENTS = (left_sides, calls_for_assignments, macros, lambdas, commas, attributes, other_conditions, loops)
