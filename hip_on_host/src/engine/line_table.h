// Maps machine instructions to source lines by the line programs (DWARF 2 to 4) of a shared object.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_shim {

struct SourceLine {
    std::string file;  // as the compiler was given it; with its folder when it has one
    unsigned line = 0;

    bool is_known() const { return line != 0; }
};

class LineTable {
public:
    // Reads a .debug_line section. Units that are damaged, or of an unknown version, are left out.
    LineTable(const char* section, size_t bytes);

    // The line of the instruction at `address` (an address of the object, not of the process), made in a function that
    // starts at `function`. Code of this runtime's own headers is inlined into a program's lines: then it is the line
    // of the program before it. Unknown when the whole function is of such headers.
    SourceLine find(uint64_t address, uint64_t function) const;
    // True if the instruction is made from the program's own text.
    bool is_of_program(uint64_t address) const;
    // True if the instruction is made from one of our own headers whose path contains `part`.
    bool is_from_header(uint64_t address, const char* part) const;

private:
    struct Row {
        uint64_t address;
        uint32_t file;  // in files_
        uint32_t line;
        bool ends;       // first address behind a run of instructions
        uint32_t order;  // of equal addresses the later row counts, and where one run ends another may begin
    };
    struct Program;

    void read_program(Program& program);
    size_t row_before(uint64_t address) const;
    bool names_program(const Row& row) const;

    std::vector<std::string> files_;
    std::vector<Row> rows_;  // by address
};

}  // namespace cuda_shim
