#include "common/setting_reader.h"

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

#include "common/setting_names.h"
#include "common/word_list.h"

namespace cuda_shim {
namespace {

constexpr char kWhiteSpace[] = " \t\n\r\f\v";

// The variable without the white space around it; "" when it is unset.
std::string value_in_environment(const SettingRow& row) {
    const char* value = getenv(row.variable);
    const std::string text = value ? value : "";
    const size_t first = text.find_first_not_of(kWhiteSpace);
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kWhiteSpace) + 1 - first);
}

void report_refused(const SettingRow& row) {
    fprintf(stderr, "cuda_shim: %s=%s is not allowed; use %s; the default is used\n",
            name_of_setting(row.variable).c_str(), getenv(row.variable), row.allowed);
}

// Changes ASCII letters alone, independent of the program's locale.
std::string in_lower_case(std::string text) {
    for (char& letter : text) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return text;
}

bool is_digits(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

template <size_t count>
bool is_one_of(const std::string& word, const char* const (&words)[count]) {
    return std::find(words, words + count, word) != words + count;
}

// False where the word is neither for yes nor for no.
bool read_boolean(const std::string& text, bool& value) {
    const std::string word = in_lower_case(text);
    if (!is_one_of(word, kWordsForYes) && !is_one_of(word, kWordsForNo)) return false;
    value = is_one_of(word, kWordsForYes);
    return true;
}

// The choice that a word stands for; "" where it stands for none.
std::string choice_for(const SettingRow& row, const std::string& word) {
    std::string choice;
    any_word(row.choices, [&](std::string_view entry) {
        const size_t equals = entry.find('=');
        if (entry.substr(0, equals) != word) return false;
        choice = equals == std::string_view::npos ? entry : entry.substr(equals + 1);
        return true;
    });
    return choice;
}

// Digits with at most one point among them. strtod alone would read the point of the program's locale.
bool read_decimal(const std::string& text, double& value) {
    std::string digits = text;
    const size_t point = digits.find('.');
    if (point != std::string::npos) digits.erase(point, 1);
    if (!is_digits(digits)) return false;
    static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
    value = strtod_l(text.c_str(), nullptr, c_locale);
    return true;
}

// "x", "x,y" or "x,y,z"; missing ones are zero.
bool read_grid_index(const std::string& text, uint32_t (&index)[3]) {
    size_t begin = 0;
    for (uint32_t& axis : index) {
        const size_t end = std::min(text.find(',', begin), text.size());
        const std::string number = text.substr(begin, end - begin);
        double value = 0;
        if (!is_digits(number) || !read_decimal(number, value) || value > UINT32_MAX) return false;
        axis = static_cast<uint32_t>(value);
        if (end == text.size()) return true;
        begin = end + 1;
    }
    return false;
}

// "[kernel:]block:thread".
bool read_followed(const std::string& text, FollowedThread& followed) {
    const size_t last = text.rfind(':');
    if (last == std::string::npos) return false;
    const std::string place = text.substr(0, last);
    const size_t before = place.rfind(':');
    if (before != std::string::npos) followed.kernel = place.substr(0, before);
    followed.any = read_grid_index(place.substr(before == std::string::npos ? 0 : before + 1), followed.block) &&
                   read_grid_index(text.substr(last + 1), followed.thread);
    return followed.any;
}

}  // namespace

void read_setting(const SettingRow& row, bool& value) {
    const std::string text = value_in_environment(row);
    if (!text.empty() && !read_boolean(text, value)) report_refused(row);
}

void read_setting(const SettingRow& row, int& value) {
    const std::string text = value_in_environment(row);
    if (text.empty()) return;
    double number = 0;
    bool allowed = is_digits(text) && read_decimal(text, number) && number <= INT_MAX;
    if (allowed && *row.choices) {
        allowed = has_word(row.choices, std::to_string(static_cast<int>(number)));
    } else if (allowed) {
        allowed = number >= row.lowest && number <= row.highest;
    }
    if (!allowed) return report_refused(row);
    value = static_cast<int>(number);
}

void read_setting(const SettingRow& row, double& value) {
    const std::string text = value_in_environment(row);
    if (text.empty()) return;
    double number = 0;
    if (!read_decimal(text, number) || number < row.lowest || number > row.highest) return report_refused(row);
    value = number;
}

void read_setting(const SettingRow& row, std::string& value) {
    const std::string text = value_in_environment(row);
    if (text.empty()) return;
    bool yes = false;
    if (row.kind == SettingKind::Choice) {
        const std::string choice = choice_for(row, in_lower_case(text));
        if (choice.empty()) return report_refused(row);
        value = choice;
    } else if (row.kind == SettingKind::File && read_boolean(text, yes)) {
        value = yes ? "1" : "";
    } else {
        value = text;
    }
}

void read_setting(const SettingRow& row, FollowedThread& value) {
    const std::string text = value_in_environment(row);
    FollowedThread followed;
    if (text.empty()) return;
    if (!read_followed(text, followed)) return report_refused(row);
    value = followed;
}

void read_settings(SettingValues& values) {
    for_each_setting(values, [](const SettingRow& row, auto& value) { read_setting(row, value); });
}

}  // namespace cuda_shim
