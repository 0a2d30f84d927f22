// Where threads of a program may wait for others without a barrier that their kernel's text shows: in loops whose end
// hangs on memory that others write, and in functions that are reached by their address.
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
    // `expressions`: name expressions, which name functions too. `linked_with_others`: functions come from elsewhere.
    Waiting(const TranslationUnit& unit, const std::vector<std::string>& expressions, bool linked_with_others);

    // May threads of the kernel wait where no barrier is seen?
    bool may_wait(const FunctionDeclaration& kernel) const;
    // Where each round is to be counted.
    const std::vector<SpinningPlace>& spinning_places() const { return places_; }
    // May any kernel of the program?
    bool anything_may_wait() const { return waits_unseen_ || !places_.empty(); }

private:
    struct Loop;

    void find_volatile_names();
    void find_looking_functions();
    void find_places(const FunctionDeclaration& function);
    void find_spinning_functions();
    bool waits_unseen(const std::vector<std::string>& expressions, bool linked_with_others) const;
    bool is_called_only(const std::string& name, const std::vector<std::string>& expressions) const;

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
    bool waits_unseen_ = false;
};

}  // namespace cuda_shim
