// The assertions of device code, which end the launch and not the process.
#undef assert
#ifdef NDEBUG
#define assert(expression) ((void)0)
#else
#define assert(expression) CUDA_SHIM_ASSERT(expression, #expression)
#endif
