// The driver's private tables of functions, for which NVIDIA's runtime asks where it is linked into a program.
namespace {

// The numbers below one. (The library is built without C++'s standard headers, which zig's driver hides then.)
template <size_t... numbers>
struct Numbers {};
template <size_t end, size_t... behind>
struct NumbersBelow : NumbersBelow<end - 1, end - 1, behind...> {};
template <size_t... all>
struct NumbersBelow<0, all...> {
    using type = Numbers<all...>;
};

enum TableNumber : size_t {
    runtime_table,
    tools_storage_table,
    tools_hooks_table,
    context_storage_table,
    context_creation_table,
    devices_table,
    driver_check_table,
    context_checks_table,
    contexts_table,
    number_of_tables
};

constexpr const char* table_names[number_of_tables] = {
    "CUDART_INTERFACE",      "TOOLS_TLS",         "TOOLS_RUNTIME_CALLBACK_HOOKS",
    "CONTEXT_LOCAL_STORAGE", "CTX_CREATE_BYPASS", "DEVICE_EXTENDED",
    "INTEGRITY_CHECK",       "CONTEXT_CHECKS",    "CONTEXTS"};

// A function that is not known.
template <TableNumber table, size_t place>
int refuse() {
    char text[256];
    snprintf(text, sizeof text,
             "NVIDIA's runtime, which is linked into a library of this program, calls function %zu of the driver's "
             "private table %s, which is not known: it returns CUDA_ERROR_NOT_SUPPORTED",
             place, table_names[table]);
    report(text);
    return not_supported;
}

// A table's size in bytes, and behind it the functions, all of which refuse at first.
template <TableNumber table, size_t words>
class Table {
public:
    Table() : Table(typename NumbersBelow<words>::type()) {
        entries[0] = reinterpret_cast<const void*>(sizeof entries);
    }

    template <typename Function>
    Table& with(size_t place, Function* function) {
        entries[place] = reinterpret_cast<const void*>(function);
        return *this;
    }

    Table& without(size_t place) {
        entries[place] = nullptr;
        return *this;
    }

    const void* entries[words];

private:
    template <size_t... places>
    explicit Table(Numbers<places...>) : entries{reinterpret_cast<const void*>(&refuse<table, places>)...} {}
};

// The numbers of words are those of the driver of CUDA 13.0.
const auto runtime_interface = Table<runtime_table, 13>()
                                   .with(1, load_module)
                                   .with(2, primary_context)
                                   .with(6, load_module_with_options)
                                   .with(7, ignore)
                                   .with(8, load_fat_binary)
                                   .without(10)
                                   .with(12, load_compilers);
const auto tools_storage = Table<tools_storage_table, 3>().with(2, current_context_of_tools);
const auto tools_hooks = Table<tools_hooks_table, 7>().with(2, get_hooks).with(6, get_switches);
// Without its size, and with a null behind the functions.
const auto values_of_contexts =
    Table<context_storage_table, 4>().with(0, put_value).with(1, remove_value).with(2, get_value).without(3);
const auto context_creation = Table<context_creation_table, 2>().with(1, create_context);
const auto devices = Table<devices_table, 31>().without(30);
#ifdef CUDA_SHIM_HAS_DRIVER_CHECK
int check_driver(uint32_t runtime_version, uint64_t seconds, uint64_t (*answer)[2]);
const auto driver_checks = Table<driver_check_table, 3>().with(1, check_driver);
#else
const auto driver_checks = Table<driver_check_table, 3>();
#endif
const auto context_checks = Table<context_checks_table, 15>().with(2, check_context).with(3, check_process);

const auto contexts = Table<contexts_table, 95>().with(3, device_of_context).with(4, number_of_context);

#ifdef CUDA_SHIM_HAS_DRIVER_CHECK
int check_driver(uint32_t runtime_version, uint64_t seconds, uint64_t (*answer)[2]) {
    int driver_version = 0;
    const int status = cuDriverGetVersion(&driver_version);
    if (status != success) return status;
    const CheckedProcess process = {static_cast<uint32_t>(driver_version),
                                    runtime_version,
                                    static_cast<uint32_t>(getpid()),
                                    static_cast<uint32_t>(pthread_self()),
                                    runtime_interface.entries,
                                    driver_checks.entries,
                                    driver_checks.entries[1],
                                    seconds};
    return answer_check(process, *answer);
}
constexpr uint64_t has_driver_check = 1;
#else
constexpr uint64_t has_driver_check = 0;
#endif

struct PrivateTable {
    uint8_t identity[16];
    const void* const* entries;
};

const PrivateTable private_tables[number_of_tables] = {
    {{0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9},
     runtime_interface.entries},
    {{0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec, 0xdc},
     tools_storage.entries},
    {{0xa0, 0x94, 0x79, 0x8c, 0x2e, 0x74, 0x2e, 0x74, 0x93, 0xf2, 0x08, 0x00, 0x20, 0x0c, 0x0a, 0x66},
     tools_hooks.entries},
    {{0xc6, 0x93, 0x33, 0x6e, 0x11, 0x21, 0xdf, 0x11, 0xa8, 0xc3, 0x68, 0xf3, 0x55, 0xd8, 0x95, 0x93},
     values_of_contexts.entries},
    {{0x0c, 0xa5, 0x0b, 0x8c, 0x10, 0x04, 0x92, 0x9a, 0x89, 0xa7, 0xd0, 0xdf, 0x10, 0xe7, 0x72, 0x86},
     context_creation.entries},
    {{0xb1, 0x05, 0x41, 0xe1, 0xf7, 0xc7, 0xc7, 0x4a, 0x9f, 0x64, 0xf2, 0x23, 0xbe, 0x99, 0xf1, 0xe2}, devices.entries},
    {{0xd4, 0x08, 0x20, 0x55, 0xbd, 0xe6, 0x70, 0x4b, 0x8d, 0x34, 0xba, 0x12, 0x3c, 0x66, 0xe1, 0xf2},
     driver_checks.entries},
    {{0x26, 0x3e, 0x88, 0x60, 0x7c, 0xd2, 0x61, 0x43, 0x92, 0xf6, 0xbb, 0xd5, 0x00, 0x6d, 0xfa, 0x7e},
     context_checks.entries},
    {{0x21, 0x31, 0x8c, 0x60, 0x97, 0x14, 0x32, 0x48, 0x8c, 0xa6, 0x41, 0xff, 0x73, 0x24, 0xc8, 0xf2},
     contexts.entries}};

// The runtime asks for this table before cuInit, and goes on without it.
constexpr uint8_t optional_table[16] = {0xf8, 0xcf, 0xf9, 0x51, 0x21, 0x46, 0x8b, 0x4e,
                                        0xb9, 0xe2, 0xfb, 0x46, 0x9e, 0x7c, 0x0d, 0xd9};

void report_unknown_table(const uint8_t* identity, const void* caller) {
    Dl_info file{};
    char name[33], text[PATH_MAX + 256];
    for (int i = 0; i < 16; ++i) snprintf(name + 2 * i, 3, "%02X", identity[i]);
    const bool found = dladdr(caller, &file) && file.dli_fname;
    snprintf(
        text, sizeof text,
        "cuGetExportTable: %s asks for the driver's private table {%.8s-%.4s-%.4s-%.4s-%.12s}, which is not known: "
        "it returns CUDA_ERROR_INVALID_VALUE",
        found ? file.dli_fname : "a program", name, name + 8, name + 12, name + 16, name + 20);
    report(text);
}

int find_table(void* place, const void* identity, const void* caller) {
    if (!place || !identity) return invalid_value;
    for (const PrivateTable& table : private_tables) {
        if (memcmp(table.identity, identity, sizeof table.identity) == 0) {
            const bool is_check = &table == &private_tables[driver_check_table];
            if (is_check && answer_of_python(may_answer_check, &has_driver_check, 0, 0) == 0) return invalid_value;
            memcpy(place, &table.entries, sizeof table.entries);
            return success;
        }
    }
    if (memcmp(optional_table, identity, sizeof optional_table) != 0)
        report_unknown_table(static_cast<const uint8_t*>(identity), caller);
    return invalid_value;
}

}  // namespace
