#include "check.h"

int main(int argc, char** argv) { return run_cases(argc, argv); }
