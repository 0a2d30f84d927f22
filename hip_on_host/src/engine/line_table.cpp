#include "engine/line_table.h"

#include <algorithm>

#include "engine/dwarf_reader.h"

namespace cuda_shim {
namespace {

constexpr unsigned kOldestVersion = 2, kNewestVersion = 4;

enum StandardOpcode {
    kExtended = 0,
    kCopy = 1,
    kAdvanceAddress = 2,
    kAdvanceLine = 3,
    kSetFile = 4,
    kAddConstantAddress = 8,
    kFixedAdvanceAddress = 9,
};
enum ExtendedOpcode { kEndSequence = 1, kSetAddress = 2 };

// Our own headers are named so by the compiler's flags (kernel_compiler/compilation.cpp), as are texts without a file;
// the C++ library's headers are with the system or the compiler.
bool is_library_file(const std::string& file) {
    return file.empty() || file[0] == '<' || file.compare(0, 5, "/usr/") == 0 ||
           file.find("/c++/") != std::string::npos || file.find("/libcxx/") != std::string::npos;
}

std::string join(const std::string& folder, const std::string& name) {
    return folder.empty() || name.empty() || name[0] == '/' || name[0] == '<' ? name : folder + "/" + name;
}

}  // namespace

// One unit's header, and its instructions.
struct LineTable::Program {
    explicit Program(const char* begin, const char* end) : body(begin, end) {}

    bool read_header(std::vector<std::string>& files);

    DwarfReader body;
    unsigned char minimum_length = 1, line_range = 1, first_special = 10;
    signed char line_base = 0;
    std::vector<unsigned char> operand_counts;
    uint32_t first_file = 0;  // index in files_ of this unit's first file
};

bool LineTable::Program::read_header(std::vector<std::string>& files) {
    const auto version = body.fixed<uint16_t>();
    if (version < kOldestVersion || version > kNewestVersion) return false;
    const auto header_bytes = body.fixed<uint32_t>();
    const char* const instructions = body.position() + header_bytes;
    minimum_length = body.fixed<unsigned char>();
    if (version >= 4) body.fixed<unsigned char>();  // operations per instruction: one, on our machines
    body.fixed<unsigned char>();                    // is_stmt at the start
    line_base = body.fixed<signed char>();
    line_range = body.fixed<unsigned char>();
    first_special = body.fixed<unsigned char>();
    for (unsigned opcode = 1; opcode < first_special; opcode++) operand_counts.push_back(body.fixed<unsigned char>());
    std::vector<std::string> folders(1);  // the first is the compiler's working folder, which is not recorded
    for (std::string folder = body.text(); !folder.empty(); folder = body.text()) folders.push_back(folder);
    first_file = static_cast<uint32_t>(files.size());
    files.emplace_back();  // files count from one
    for (std::string name = body.text(); !name.empty(); name = body.text()) {
        const uint64_t folder = body.unsigned_number();
        body.unsigned_number();  // its time
        body.unsigned_number();  // its length
        files.push_back(join(folder < folders.size() ? folders[folder] : "", name));
    }
    if (!body.good() || line_range == 0) return false;
    body.move_to(instructions);
    return true;
}

LineTable::LineTable(const char* section, size_t bytes) {
    const char* const end = section + bytes;
    for (const char* at = section; static_cast<size_t>(end - at) > sizeof(uint32_t);) {
        uint32_t length;
        memcpy(&length, at, sizeof length);
        at += sizeof length;
        if (length > static_cast<size_t>(end - at)) break;  // damaged, or larger than 4 GiB
        Program program(at, at + length);
        if (program.read_header(files_)) read_program(program);
        at += length;
    }
    for (size_t i = 0; i < rows_.size(); i++) rows_[i].order = static_cast<uint32_t>(i);
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
        if (a.address != b.address) return a.address < b.address;
        return a.ends != b.ends ? a.ends : a.order < b.order;
    });
}

void LineTable::read_program(Program& program) {
    DwarfReader& body = program.body;
    const Row start{0, program.first_file + 1, 1, false, 0};
    Row row = start;
    auto advance_line = [&](int64_t by) { row.line = static_cast<uint32_t>(row.line + by); };
    auto advance_special = [&](unsigned adjusted) {
        row.address += uint64_t{program.minimum_length} * (adjusted / program.line_range);
    };
    while (!body.at_end() && body.good()) {
        const unsigned opcode = body.fixed<unsigned char>();
        if (opcode >= program.first_special) {
            const unsigned adjusted = opcode - program.first_special;
            advance_special(adjusted);
            advance_line(program.line_base + static_cast<int>(adjusted % program.line_range));
            rows_.push_back(row);
            continue;
        }
        switch (opcode) {
            case kExtended: {
                const uint64_t length = body.unsigned_number();
                const char* const behind = body.position() + length;
                const auto kind = body.fixed<unsigned char>();
                if (kind == kSetAddress) row.address = body.fixed<uint64_t>();
                if (kind == kEndSequence) {
                    row.ends = true;
                    rows_.push_back(row);
                    row = start;
                }
                if (!body.good()) return;
                body.move_to(behind);
                break;
            }
            case kCopy:
                rows_.push_back(row);
                break;
            case kAdvanceAddress:
                row.address += program.minimum_length * body.unsigned_number();
                break;
            case kAdvanceLine:
                advance_line(body.signed_number());
                break;
            case kSetFile:
                row.file = program.first_file + static_cast<uint32_t>(body.unsigned_number());
                break;
            case kAddConstantAddress:
                advance_special(255 - program.first_special);
                break;
            case kFixedAdvanceAddress:
                row.address += body.fixed<uint16_t>();
                break;
            default:
                for (unsigned i = 0; i < program.operand_counts[opcode - 1]; i++) body.unsigned_number();
        }
    }
}

// Index of the row that covers the address; rows_.size() when none does.
size_t LineTable::row_before(uint64_t address) const {
    auto after = std::upper_bound(rows_.begin(), rows_.end(), address,
                                  [](uint64_t value, const Row& row) { return value < row.address; });
    if (after == rows_.begin() || std::prev(after)->ends) return rows_.size();
    return static_cast<size_t>(after - rows_.begin()) - 1;
}

bool LineTable::names_program(const Row& row) const {
    return row.line != 0 && row.file < files_.size() && !is_library_file(files_[row.file]);
}

SourceLine LineTable::find(uint64_t address, uint64_t function) const {
    for (size_t i = row_before(address); i < rows_.size() && rows_[i].address >= function && !rows_[i].ends; i--) {
        if (names_program(rows_[i])) return {files_[rows_[i].file], rows_[i].line};
        if (i == 0) break;
    }
    return {};
}

bool LineTable::is_of_program(uint64_t address) const {
    const size_t i = row_before(address);
    return i < rows_.size() && names_program(rows_[i]);
}

bool LineTable::is_from_header(uint64_t address, const char* part) const {
    const size_t i = row_before(address);
    if (i >= rows_.size() || rows_[i].file >= files_.size()) return false;
    const std::string& file = files_[rows_[i].file];
    return file[0] == '<' && file.find(part) != std::string::npos;
}

}  // namespace cuda_shim
