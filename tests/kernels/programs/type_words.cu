struct A { A(int); explicit A(float*); };
struct B : A { operator double() const; };
struct Moved { Moved(Moved&&) = default; Moved(const Moved&) = delete; };
struct Abstract { virtual void f() = 0; };
enum E { e };
enum class Scoped { s };
typedef int Function(int);
typedef int Array[3];
template <class X, class Y> constexpr bool becomes = __is_convertible_to(X, Y);
static_assert(becomes<int, A> && !becomes<float*, A> && becomes<B, A> && becomes<B, double> && !becomes<A, B>, "");
static_assert(becomes<B*, A*> && !becomes<A*, B*> && becomes<int*, const void*> && !becomes<const int*, int*>, "");
static_assert(becomes<Moved, Moved> && !becomes<Moved&, Moved> && !becomes<const Moved, Moved>, "");
static_assert(becomes<Moved, Moved&&> && !becomes<Moved, Moved&> && becomes<Moved, const Moved&>, "");
static_assert(becomes<void, void> && becomes<const void, void>, "");
static_assert(!becomes<int, void> && !becomes<void, int> && !becomes<void, void*>, "");
static_assert(becomes<Function, Function*> && becomes<Function, int (*)(int)> && !becomes<Function, Function>, "");
static_assert(becomes<Array, int*> && becomes<Array, const int*> && !becomes<Array, Array> && !becomes<Array, float*>, "");
static_assert(!becomes<int, Abstract> && !becomes<Abstract, Abstract> && becomes<Abstract&, Abstract&>, "");
static_assert(becomes<E, int> && !becomes<Scoped, int> && !becomes<int, E> && becomes<int*, bool>, "");
static_assert(becomes<int, const int> && becomes<int&, int> && !becomes<int, int&> && becomes<int, int&&>, "");
static_assert(becomes<decltype(nullptr), int*> && !becomes<int, int*>, "");

struct Loud { ~Loud() noexcept(false); };
struct Closed { private: ~Closed(); };
struct Gone { ~Gone() = delete; };
struct Holds { Loud loud; };
template <class X> constexpr bool quiet = __is_nothrow_destructible(X);
static_assert(quiet<int> && quiet<int*> && quiet<E> && quiet<A> && quiet<const A> && quiet<int[2]> && quiet<A[2][3]>, "");
static_assert(quiet<int&> && quiet<Loud&> && quiet<Gone&&>, "");
static_assert(!quiet<Loud> && !quiet<Loud[2]> && !quiet<Holds> && !quiet<Closed> && !quiet<Gone> && !quiet<Gone[2]>, "");
static_assert(!quiet<void> && !quiet<Function> && !quiet<int[]>, "");

static_assert(__is_nothrow_assignable(int&, int) && !__is_nothrow_assignable(int, int), "");
static_assert(__is_nothrow_constructible(A, const A&) && !__is_nothrow_constructible(A, int), "");
extern "C" __global__ void words(int* x) { x[0] = becomes<int, A>; }
