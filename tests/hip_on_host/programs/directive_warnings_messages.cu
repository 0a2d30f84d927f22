#define TEXT(x) #x
#pragma message "hello there"
  #pragma message("in " "two " TEXT(macro))
_Pragma("message(\"by operator\")")
#if 0
#pragma message "unseen"
#endif
#pragma message "a \"quoted\" \x41\102\tword"
__global__ void k(int* x) {
#pragma message("")
    *x = 1;
}
