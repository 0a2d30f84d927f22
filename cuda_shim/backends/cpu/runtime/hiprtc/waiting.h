// Where threads of a program may wait for others without a barrier: in loops whose end depends on memory that others
// write.
//
// Told from tokens, and too often rather than too seldom: where a kernel is wrongly said to wait, each of its threads
// has to be looked at when it is done, and its loops count their rounds.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hiprtc/translation_unit.h"

namespace cuda_shim {

// What a loop repeats: tokens [begin, end) of a statement. Or, with nothing between them, what stands behind a label
// that is jumped back to.
struct SpinningPlace {
    size_t begin, end;
};

class Waiting {
public:
    explicit Waiting(const TranslationUnit& unit);

    // May threads of the kernel wait in a loop?
    bool may_wait(const FunctionDeclaration& kernel) const;
    // Where each round is to be counted.
    const std::vector<SpinningPlace>& spinning_places() const { return places_; }

private:
    struct Loop;

    void find_volatile_names();
    void find_looking_functions();
    void find_places(const FunctionDeclaration& function);
    void find_spinning_functions();

    Loop read_loop(size_t keyword) const;
    bool spins(const Loop& loop) const;
    bool is_retry(const Loop& loop) const;
    bool looks(size_t begin, size_t end) const;
    bool looks_at(size_t token) const;
    bool is_volatile_name(size_t token) const;
    bool mentions(size_t begin, size_t end, const std::set<std::string>& names) const;
    size_t assigned_until(size_t token, size_t end) const;

    const TranslationUnit& unit_;
    const TokenStream& tokens_;
    std::vector<SpinningPlace> places_;
    // Of variables and types that are, or lead to what is, volatile; with the tokens that a name means it for.
    std::multimap<std::string, SpinningPlace> volatile_names_;
    std::set<std::string> looking_;   // functions that look at memory which others write
    std::set<std::string> spinning_;  // functions that have such a place, or call one that has
    bool every_call_may_spin_ = false;
};

}  // namespace cuda_shim
