// thrust/detail/config/namespace.h: the macros with which libraries open and close thrust's namespace for own parts.
#pragma once
#define THRUST_NS_QUALIFIER ::thrust
#define THRUST_NAMESPACE_BEGIN namespace thrust {
#define THRUST_NAMESPACE_END }
