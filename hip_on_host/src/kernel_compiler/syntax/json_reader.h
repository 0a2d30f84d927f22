// Reads JSON from one end to the other, for documents too large to build a tree of values from.
#pragma once
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cuda_shim {

class JsonError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A cursor. Each call takes one value; throws JsonError where the text is something else. Text that was taken is
// forgotten, so that it never has to be there as a whole.
class JsonReader {
public:
    // `more` puts text behind the one that it is given, false when there is no more.
    explicit JsonReader(std::function<bool(std::string&)> read_chunk) : read_chunk_(std::move(read_chunk)) {}

    // Calls read(key) for every member; it has to take the member's value. The key is there until it does.
    template <class Read>
    void object(const Read& read) {
        if (!opens('{', '}')) return;
        do {
            string();
            expect(':');
            read(last());
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
    // As it stands between its quotes: escapes are not resolved. It is there until the next string or word is taken.
    std::string_view string();
    size_t number();
    bool boolean();
    // A string, a number or a word, as it stands.
    std::string_view scalar() { return peek() == '"' ? string() : word(); }
    void skip();

private:
    char peek();
    void expect(char c);
    bool opens(char open, char close);
    bool continues(char close);
    std::string_view word();

    // The string or word that was taken last.
    std::string_view last() const { return std::string_view(text_).substr(last_, length_); }
    bool refill();

    const std::function<bool(std::string&)> read_chunk_;
    std::string text_;  // from the beginning of the string that was taken last
    size_t at_ = 0, last_ = 0, length_ = 0;
};

}  // namespace cuda_shim
