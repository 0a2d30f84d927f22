// Reads JSON from one end to the other, for documents too large to build a tree of values from.
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string_view>

namespace cuda_shim {

class JsonError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A cursor. Each call takes one value; throws JsonError where the text is something else.
class JsonReader {
public:
    explicit JsonReader(std::string_view text) : text_(text) {}

    // Calls read(key) for every member; it has to take the member's value.
    template <class Read>
    void object(const Read& read) {
        if (!opens('{', '}')) return;
        do {
            const std::string_view key = string();
            expect(':');
            read(key);
        } while (continues('}'));
    }
    // Calls read() for every element; it has to take the element.
    template <class Read>
    void array(const Read& read) {
        if (!opens('[', ']')) return;
        do {
            read();
        } while (continues(']'));
    }
    // As it stands between its quotes: escapes are not resolved.
    std::string_view string();
    size_t number();
    bool boolean();
    void skip();

private:
    char peek();
    void expect(char c);
    bool opens(char open, char close);
    bool continues(char close);
    std::string_view word();

    std::string_view text_;
    size_t at_ = 0;
};

}  // namespace cuda_shim
