// A function that jumps to the one with that number in the table of the whole library, with all registers as they are.
//
// This file is included by the text that cuda_shim/c_level/source.py writes for each of NVIDIA's libraries.
#if defined(__x86_64__)
#define TRAMPOLINE(name, number)                                  \
    __asm__(".text\n.balign 16\n.globl " #name                    \
            "\n"                                                  \
            ".type " #name ", @function\n" #name                  \
            ":\n"                                                 \
            "    endbr64\n"                                       \
            "    movq cuda_shim_functions@GOTPCREL(%rip), %r11\n" \
            "    jmpq *8*" #number                                \
            "(%r11)\n"                                            \
            ".size " #name ", .-" #name "\n");
#elif defined(__aarch64__)
#define TRAMPOLINE(name, number)                                  \
    __asm__(".text\n.balign 16\n.globl " #name                    \
            "\n"                                                  \
            ".type " #name ", %function\n" #name                  \
            ":\n"                                                 \
            "    hint #34\n" /* bti c */                          \
            "    adrp x16, :got:cuda_shim_functions\n"            \
            "    ldr x16, [x16, :got_lo12:cuda_shim_functions]\n" \
            "    ldr x16, [x16, #8*" #number                      \
            "]\n"                                                 \
            "    br x16\n"                                        \
            ".size " #name ", .-" #name "\n");
#else
#error "the jump to another library's function is written for x86-64 and aarch64"
#endif
