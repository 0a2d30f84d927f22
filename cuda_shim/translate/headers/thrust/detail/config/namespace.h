// thrust/detail/config/namespace.h: what libraries with parts of their own in thrust's namespace begin and end them with.
#pragma once
#define THRUST_NS_QUALIFIER ::thrust
#define THRUST_NAMESPACE_BEGIN namespace thrust {
#define THRUST_NAMESPACE_END }
