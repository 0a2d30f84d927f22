// Prints for each text of the standard input, behind which there is a zero byte, 1 if it may use a macro and 0 if not, on a
// line of its own. The arguments are the options that define macros.
#include <stdio.h>

#include <string>
#include <vector>

#include "kernel_compiler/read/macro_use.h"

int main(int count, char** arguments) {
    const std::vector<std::string> options(arguments + 1, arguments + count);
    std::string text;
    for (int c = getchar(); c != EOF; c = getchar()) {
        if (c != '\0') {
            text += static_cast<char>(c);
            continue;
        }
        puts(cuda_shim::may_use_macros(text, options) ? "1" : "0");
        text.clear();
    }
}
