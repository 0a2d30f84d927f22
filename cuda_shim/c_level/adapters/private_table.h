// The driver's private tables; private_tables/ has them, behind the functions that they need.
namespace {

int find_table(void* place, const void* identity, const void* caller);

// Inlined, so that the return address is that of the exported function, whose caller a report names.
__attribute__((always_inline)) inline int private_table(void* place, void* identity) {
    return find_table(place, identity, __builtin_return_address(0));
}

}  // namespace
