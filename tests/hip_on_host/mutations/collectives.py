"""Mutations of barriers and warp operations: the code that calls them is not a call of their name."""

from __future__ import annotations

from collections.abc import Iterator

from tests.hip_on_host.mutations.edits import Edit, Mutation, Site, one_piece

_BARRIERS = {"__syncthreads", "__syncwarp"}
_VALUES = {
    "__shfl_sync", "__shfl_xor_sync", "__shfl_up_sync", "__shfl_down_sync", "__ballot_sync", "__any_sync", "__all_sync",
    "__syncthreads_count", "__syncthreads_or", "__syncthreads_and", "__reduce_add_sync", "__reduce_max_sync", "__match_any_sync",
}  # fmt: skip


def barriers(site: Site) -> Iterator[Mutation]:
    """Barriers stand in constructors, destructors, operators, conversions, methods, lambdas, pointers and templates."""
    for node in site.expression_statements():
        text = "".join(site.of(node).split())
        if text.removesuffix("()") not in _BARRIERS or not text.endswith("()"):
            continue
        name = site.name("Meet")
        # __syncthreads is known to NVIDIA's compiler alone, and has no address there.
        by_address = [("", f"(*&{text.removesuffix('()')})()")] if text.startswith("__syncwarp") else []
        before, written = site.random.choice(
            [
                (f"struct {name} {{ __device__ {name}() {{ {text}; }} }};", f"{name}()"),
                (f"struct {name} {{ __device__ {name}() {{ {text}; }} }};", f"{{ {name} made; }}"),
                (f"struct {name} {{ __device__ ~{name}() {{ {text}; }} }};", f"{{ {name} made; }}"),
                (f"struct {name} {{ __device__ ~{name}() {{ {text}; }} }};", f"[] {{ (void){name}{{}}; }}()"),
                (f"struct {name} {{ __device__ int operator+(int v) const {{ {text}; return v; }} }};", f"(void)({name}{{}} + 1)"),
                (f"struct {name} {{ __device__ operator int() const {{ {text}; return 1; }} }};", f"(void)static_cast<int>({name}{{}})"),
                (f"struct {name} {{ __device__ void operator()() const {{ {text}; }} }};", f"{name}()()"),
                (f"struct {name} {{ __device__ static void wait() {{ {text}; }} }};", f"{name}::wait()"),
                (f"struct {name} {{ __device__ void wait() {{ {text}; }} }};", f"{name}().wait()"),
                (f"__device__ void {name}() {{ {text}; }}", f"{name}()"),
                (f"__device__ void {name}() {{ {text}; }}", f"{{ void (*wait)() = {name}; wait(); }}"),
                (f"__device__ void {name}() {{ {text}; }} template <void (*wait)()> __device__ void by_{name}() {{ wait(); }}", f"by_{name}<{name}>()"),
                (f"struct {name} {{ __device__ void operator()() const {{ {text}; }} }}; template <class W> __device__ void by_{name}(W w) {{ w(); }}", f"by_{name}({name}())"),
                (f"#define {name} {text}", name),
                (f"#define {name}() {text}", f"{name}()"),
                ("", f"[] {{ {text}; }}()"),
                ("", f"[](auto) {{ {text}; }}(1)"),
                ("", f"{{ auto wait = [&] {{ {text}; }}; wait(); }}"),
                ("", f"({text}, (void)0)"),
                ("", f"(0, {text})"),
                ("", f"blockDim.x > 0 ? {text} : (void)0"),
                ("", f"(void)(blockDim.x > 0 && ({text}, true))"),
                ("", f"for (int once = 0; once < 1; ++once, {text}) {{}}"),
                ("", f"do {text}; while (0)"),
                *by_address,
            ]
        )  # fmt: skip
        end = site.statement_end(node)
        tail = "" if written.endswith("}") else ";"
        yield Mutation("barrier", (Edit(node.begin, end, written + tail),), before)


def values(site: Site) -> Iterator[Mutation]:
    """Warp operations that give a value stand in functions, lambdas, macros, operators, commas."""
    for node in site.nodes:
        if node.kind != "CallExpr" or not one_piece(site.of(node)):
            continue
        called = site.of(node).split("(")[0].strip()
        if called not in _VALUES or not all(child.placed for child in node.children[1:]):
            continue
        text = site.of(node)
        given = text[text.index("(") + 1 : -1]
        name = site.name("hidden")
        forms = [
            (f"template <class... A> __device__ auto {name}(A... a) {{ return {called}(a...); }}", f"{name}({given})"),
            (
                f"struct {name} {{ template <class... A> __device__ auto operator()(A... a) const {{ return {called}(a...); }} }};",
                f"{name}()({given})",
            ),
            (
                f"struct {name} {{ template <class... A> __device__ static auto of(A... a) {{ return {called}(a...); }} }};",
                f"{name}::of({given})",
            ),
            (f"#define {name}(...) {called}(__VA_ARGS__)", f"{name}({given})"),
            (f"#define {name} {called}", f"{name}({given})"),
            ("", f"[&] {{ return {text}; }}()"),
            ("", f"[](auto... a) {{ return {called}(a...); }}({given})"),
            ("", f"(0, {text})"),
            ("", f"(blockDim.x > 0 ? {text} : 0)"),
            ("", f"::{text}"),
        ]
        if node.type in {"int", "unsigned int", "float"}:
            held = f"struct {name} {{ {node.type} v; template <class... A> __device__ explicit {name}(A... a) : v({called}(a...)) {{}} }};"
            forms.append((held, f"{name}({given}).v"))
            cast = (
                held.replace("explicit ", "").removesuffix("};")
                + f"__device__ operator {node.type}() const {{ return v; }} }};"
            )
            forms.append((cast, f"static_cast<{node.type}>({name}({given}))"))
        before, written = site.random.choice(forms)
        yield Mutation("warp operation", (Edit(node.begin, node.end, written),), before)


COLLECTIVES = (barriers, values)
