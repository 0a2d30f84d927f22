// NVRTC's macros about the language. A program's own conditions meet them; host headers test their own compiler's
// (`__cpp_rtti` under -fno-rtti), so these are defined only where none is read.
// Written by `python -m tests.kernels.world`.
#pragma once

// In every release.
#define __EDG__ 1
#define __EXCEPTIONS 1
#define __cpp_aggregate_bases 201603L
#define __cpp_aggregate_nsdmi 201304L
#define __cpp_alias_templates 200704L
#define __cpp_aligned_new 201606L
#define __cpp_attributes 200809L
#define __cpp_binary_literals 201304L
#define __cpp_capture_star_this 201603L
#define __cpp_decltype 200707L
#define __cpp_decltype_auto 201304L
#define __cpp_delegating_constructors 200604L
#define __cpp_enumerator_attributes 201411L
#define __cpp_exceptions 199711L
#define __cpp_fold_expressions 201603L
#define __cpp_guaranteed_copy_elision 201606L
#define __cpp_hex_float 201603L
#define __cpp_if_constexpr 201606L
#define __cpp_inheriting_constructors 201511L
#define __cpp_initializer_lists 200806L
#define __cpp_inline_variables 201606L
#define __cpp_lambdas 200907L
#define __cpp_namespace_attributes 201411L
#define __cpp_nested_namespace_definitions 201411L
#define __cpp_noexcept_function_type 201510L
#define __cpp_nontype_template_parameter_auto 201606L
#define __cpp_nsdmi 200809L
#define __cpp_range_based_for 201603L
#define __cpp_raw_strings 200710L
#define __cpp_ref_qualifiers 200710L
#define __cpp_return_type_deduction 201304L
#define __cpp_rtti 199711L
#define __cpp_rvalue_references 200610L
#define __cpp_sized_deallocation 201309L
#define __cpp_static_assert 201411L
#define __cpp_structured_bindings 201606L
#define __cpp_template_template_args 201611L
#define __cpp_threadsafe_static_init 200806L
#define __cpp_unicode_characters 200704L
#define __cpp_unicode_literals 200710L
#define __cpp_user_defined_literals 200809L
#define __cpp_variable_templates 201304L
#define __cpp_variadic_templates 200704L
#define __cpp_variadic_using 201611L

#if CUDA_SHIM_CUDA < 12000 || (CUDA_SHIM_CUDA / 1000 == 12 && __cplusplus <= 201703) || (CUDA_SHIM_CUDA >= 13000 && __cplusplus <= 201703)
#define __cpp_constexpr 201603L
#define __cpp_deduction_guides 201703L
#define __cpp_generic_lambdas 201304L
#define __cpp_init_captures 201304L
#define __cpp_nontype_template_args 201411L
#endif

#if CUDA_SHIM_CUDA / 1000 == 12
#define __EDG_VERSION__ 606
#endif

#if (CUDA_SHIM_CUDA / 1000 == 12 && __cplusplus > 201703) || (CUDA_SHIM_CUDA >= 13000 && __cplusplus > 201703)
#define __cpp_aggregate_paren_init 201902L
#define __cpp_concepts 202002L
#define __cpp_conditional_explicit 201806L
#define __cpp_constexpr 201907L
#define __cpp_constexpr_dynamic_alloc 201907L
#define __cpp_constinit 201907L
#define __cpp_deduction_guides 201907L
#define __cpp_designated_initializers 201707L
#define __cpp_generic_lambdas 201707L
#define __cpp_impl_destroying_delete 201806L
#define __cpp_impl_three_way_comparison 201907L
#define __cpp_init_captures 201803L
#define __cpp_nontype_template_args 201911L
#define __cpp_using_enum 201907L
#endif

#if CUDA_SHIM_CUDA >= 13000
#define __EDG_VERSION__ 608
#define __cpp_digit_separators 201309L
#endif

#if CUDA_SHIM_CUDA < 12000
#define __EDG_VERSION__ 603
#endif

#if (CUDA_SHIM_CUDA / 1000 == 12 && __cplusplus > 201703)
#define __cpp_char8_t 201811L
#define __cpp_consteval 201811L
#endif

#if (CUDA_SHIM_CUDA >= 13000 && __cplusplus > 201703)
#define __cpp_char8_t 202207L
#define __cpp_consteval 202211L
#define __cpp_constexpr_in_decltype 201711L
#endif
