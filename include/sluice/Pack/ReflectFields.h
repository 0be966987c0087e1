//===- ReflectFields.h - The fields of an aggregate, one by one -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++20 cannot list the fields of a class. But they can be counted (how many
// empty braces initialise the class?) and then all be named in a structured
// binding of that many names. Both need code for every possible number.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_REFLECTFIELDS_H
#define SLUICE_PACK_REFLECTFIELDS_H

#include <cstddef>
#include <type_traits>

namespace sluice::reflect {

/// The maximum number of fields of an aggregate.
inline constexpr std::size_t MaximumFields = 64;

/// Converts only to the base classes of `T`.
template <typename T> struct AnyBase {
  /// Only declared; used to test initialisation.
  template <typename Base>
  requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>) constexpr
  operator Base() const;
};

// clang-format off
#define SLUICE_NAMES_1 f1
#define SLUICE_NAMES_2 SLUICE_NAMES_1, f2
#define SLUICE_NAMES_3 SLUICE_NAMES_2, f3
#define SLUICE_NAMES_4 SLUICE_NAMES_3, f4
#define SLUICE_NAMES_5 SLUICE_NAMES_4, f5
#define SLUICE_NAMES_6 SLUICE_NAMES_5, f6
#define SLUICE_NAMES_7 SLUICE_NAMES_6, f7
#define SLUICE_NAMES_8 SLUICE_NAMES_7, f8
#define SLUICE_NAMES_9 SLUICE_NAMES_8, f9
#define SLUICE_NAMES_10 SLUICE_NAMES_9, f10
#define SLUICE_NAMES_11 SLUICE_NAMES_10, f11
#define SLUICE_NAMES_12 SLUICE_NAMES_11, f12
#define SLUICE_NAMES_13 SLUICE_NAMES_12, f13
#define SLUICE_NAMES_14 SLUICE_NAMES_13, f14
#define SLUICE_NAMES_15 SLUICE_NAMES_14, f15
#define SLUICE_NAMES_16 SLUICE_NAMES_15, f16
#define SLUICE_NAMES_17 SLUICE_NAMES_16, f17
#define SLUICE_NAMES_18 SLUICE_NAMES_17, f18
#define SLUICE_NAMES_19 SLUICE_NAMES_18, f19
#define SLUICE_NAMES_20 SLUICE_NAMES_19, f20
#define SLUICE_NAMES_21 SLUICE_NAMES_20, f21
#define SLUICE_NAMES_22 SLUICE_NAMES_21, f22
#define SLUICE_NAMES_23 SLUICE_NAMES_22, f23
#define SLUICE_NAMES_24 SLUICE_NAMES_23, f24
#define SLUICE_NAMES_25 SLUICE_NAMES_24, f25
#define SLUICE_NAMES_26 SLUICE_NAMES_25, f26
#define SLUICE_NAMES_27 SLUICE_NAMES_26, f27
#define SLUICE_NAMES_28 SLUICE_NAMES_27, f28
#define SLUICE_NAMES_29 SLUICE_NAMES_28, f29
#define SLUICE_NAMES_30 SLUICE_NAMES_29, f30
#define SLUICE_NAMES_31 SLUICE_NAMES_30, f31
#define SLUICE_NAMES_32 SLUICE_NAMES_31, f32
#define SLUICE_NAMES_33 SLUICE_NAMES_32, f33
#define SLUICE_NAMES_34 SLUICE_NAMES_33, f34
#define SLUICE_NAMES_35 SLUICE_NAMES_34, f35
#define SLUICE_NAMES_36 SLUICE_NAMES_35, f36
#define SLUICE_NAMES_37 SLUICE_NAMES_36, f37
#define SLUICE_NAMES_38 SLUICE_NAMES_37, f38
#define SLUICE_NAMES_39 SLUICE_NAMES_38, f39
#define SLUICE_NAMES_40 SLUICE_NAMES_39, f40
#define SLUICE_NAMES_41 SLUICE_NAMES_40, f41
#define SLUICE_NAMES_42 SLUICE_NAMES_41, f42
#define SLUICE_NAMES_43 SLUICE_NAMES_42, f43
#define SLUICE_NAMES_44 SLUICE_NAMES_43, f44
#define SLUICE_NAMES_45 SLUICE_NAMES_44, f45
#define SLUICE_NAMES_46 SLUICE_NAMES_45, f46
#define SLUICE_NAMES_47 SLUICE_NAMES_46, f47
#define SLUICE_NAMES_48 SLUICE_NAMES_47, f48
#define SLUICE_NAMES_49 SLUICE_NAMES_48, f49
#define SLUICE_NAMES_50 SLUICE_NAMES_49, f50
#define SLUICE_NAMES_51 SLUICE_NAMES_50, f51
#define SLUICE_NAMES_52 SLUICE_NAMES_51, f52
#define SLUICE_NAMES_53 SLUICE_NAMES_52, f53
#define SLUICE_NAMES_54 SLUICE_NAMES_53, f54
#define SLUICE_NAMES_55 SLUICE_NAMES_54, f55
#define SLUICE_NAMES_56 SLUICE_NAMES_55, f56
#define SLUICE_NAMES_57 SLUICE_NAMES_56, f57
#define SLUICE_NAMES_58 SLUICE_NAMES_57, f58
#define SLUICE_NAMES_59 SLUICE_NAMES_58, f59
#define SLUICE_NAMES_60 SLUICE_NAMES_59, f60
#define SLUICE_NAMES_61 SLUICE_NAMES_60, f61
#define SLUICE_NAMES_62 SLUICE_NAMES_61, f62
#define SLUICE_NAMES_63 SLUICE_NAMES_62, f63
#define SLUICE_NAMES_64 SLUICE_NAMES_63, f64

#define SLUICE_BRACES_1 {}
#define SLUICE_BRACES_2 SLUICE_BRACES_1, {}
#define SLUICE_BRACES_3 SLUICE_BRACES_2, {}
#define SLUICE_BRACES_4 SLUICE_BRACES_3, {}
#define SLUICE_BRACES_5 SLUICE_BRACES_4, {}
#define SLUICE_BRACES_6 SLUICE_BRACES_5, {}
#define SLUICE_BRACES_7 SLUICE_BRACES_6, {}
#define SLUICE_BRACES_8 SLUICE_BRACES_7, {}
#define SLUICE_BRACES_9 SLUICE_BRACES_8, {}
#define SLUICE_BRACES_10 SLUICE_BRACES_9, {}
#define SLUICE_BRACES_11 SLUICE_BRACES_10, {}
#define SLUICE_BRACES_12 SLUICE_BRACES_11, {}
#define SLUICE_BRACES_13 SLUICE_BRACES_12, {}
#define SLUICE_BRACES_14 SLUICE_BRACES_13, {}
#define SLUICE_BRACES_15 SLUICE_BRACES_14, {}
#define SLUICE_BRACES_16 SLUICE_BRACES_15, {}
#define SLUICE_BRACES_17 SLUICE_BRACES_16, {}
#define SLUICE_BRACES_18 SLUICE_BRACES_17, {}
#define SLUICE_BRACES_19 SLUICE_BRACES_18, {}
#define SLUICE_BRACES_20 SLUICE_BRACES_19, {}
#define SLUICE_BRACES_21 SLUICE_BRACES_20, {}
#define SLUICE_BRACES_22 SLUICE_BRACES_21, {}
#define SLUICE_BRACES_23 SLUICE_BRACES_22, {}
#define SLUICE_BRACES_24 SLUICE_BRACES_23, {}
#define SLUICE_BRACES_25 SLUICE_BRACES_24, {}
#define SLUICE_BRACES_26 SLUICE_BRACES_25, {}
#define SLUICE_BRACES_27 SLUICE_BRACES_26, {}
#define SLUICE_BRACES_28 SLUICE_BRACES_27, {}
#define SLUICE_BRACES_29 SLUICE_BRACES_28, {}
#define SLUICE_BRACES_30 SLUICE_BRACES_29, {}
#define SLUICE_BRACES_31 SLUICE_BRACES_30, {}
#define SLUICE_BRACES_32 SLUICE_BRACES_31, {}
#define SLUICE_BRACES_33 SLUICE_BRACES_32, {}
#define SLUICE_BRACES_34 SLUICE_BRACES_33, {}
#define SLUICE_BRACES_35 SLUICE_BRACES_34, {}
#define SLUICE_BRACES_36 SLUICE_BRACES_35, {}
#define SLUICE_BRACES_37 SLUICE_BRACES_36, {}
#define SLUICE_BRACES_38 SLUICE_BRACES_37, {}
#define SLUICE_BRACES_39 SLUICE_BRACES_38, {}
#define SLUICE_BRACES_40 SLUICE_BRACES_39, {}
#define SLUICE_BRACES_41 SLUICE_BRACES_40, {}
#define SLUICE_BRACES_42 SLUICE_BRACES_41, {}
#define SLUICE_BRACES_43 SLUICE_BRACES_42, {}
#define SLUICE_BRACES_44 SLUICE_BRACES_43, {}
#define SLUICE_BRACES_45 SLUICE_BRACES_44, {}
#define SLUICE_BRACES_46 SLUICE_BRACES_45, {}
#define SLUICE_BRACES_47 SLUICE_BRACES_46, {}
#define SLUICE_BRACES_48 SLUICE_BRACES_47, {}
#define SLUICE_BRACES_49 SLUICE_BRACES_48, {}
#define SLUICE_BRACES_50 SLUICE_BRACES_49, {}
#define SLUICE_BRACES_51 SLUICE_BRACES_50, {}
#define SLUICE_BRACES_52 SLUICE_BRACES_51, {}
#define SLUICE_BRACES_53 SLUICE_BRACES_52, {}
#define SLUICE_BRACES_54 SLUICE_BRACES_53, {}
#define SLUICE_BRACES_55 SLUICE_BRACES_54, {}
#define SLUICE_BRACES_56 SLUICE_BRACES_55, {}
#define SLUICE_BRACES_57 SLUICE_BRACES_56, {}
#define SLUICE_BRACES_58 SLUICE_BRACES_57, {}
#define SLUICE_BRACES_59 SLUICE_BRACES_58, {}
#define SLUICE_BRACES_60 SLUICE_BRACES_59, {}
#define SLUICE_BRACES_61 SLUICE_BRACES_60, {}
#define SLUICE_BRACES_62 SLUICE_BRACES_61, {}
#define SLUICE_BRACES_63 SLUICE_BRACES_62, {}
#define SLUICE_BRACES_64 SLUICE_BRACES_63, {}
#define SLUICE_BRACES_65 SLUICE_BRACES_64, {}
// clang-format on

/// Whether `T{{}, {}, ...}` with `Count` pairs of braces is valid.
template <typename T, std::size_t Count> constexpr bool takesBraces() {
  if constexpr (Count == 0)
    return requires { T{}; };
#define SLUICE_CASE(n)                                                         \
  if constexpr (Count == n)                                                    \
    return requires { T{SLUICE_BRACES_##n}; };
  // clang-format off
  SLUICE_CASE(1) SLUICE_CASE(2) SLUICE_CASE(3) SLUICE_CASE(4) SLUICE_CASE(5)
  SLUICE_CASE(6) SLUICE_CASE(7) SLUICE_CASE(8) SLUICE_CASE(9) SLUICE_CASE(10)
  SLUICE_CASE(11) SLUICE_CASE(12) SLUICE_CASE(13) SLUICE_CASE(14)
  SLUICE_CASE(15) SLUICE_CASE(16) SLUICE_CASE(17) SLUICE_CASE(18)
  SLUICE_CASE(19) SLUICE_CASE(20) SLUICE_CASE(21) SLUICE_CASE(22)
  SLUICE_CASE(23) SLUICE_CASE(24) SLUICE_CASE(25) SLUICE_CASE(26)
  SLUICE_CASE(27) SLUICE_CASE(28) SLUICE_CASE(29) SLUICE_CASE(30)
  SLUICE_CASE(31) SLUICE_CASE(32) SLUICE_CASE(33) SLUICE_CASE(34)
  SLUICE_CASE(35) SLUICE_CASE(36) SLUICE_CASE(37) SLUICE_CASE(38)
  SLUICE_CASE(39) SLUICE_CASE(40) SLUICE_CASE(41) SLUICE_CASE(42)
  SLUICE_CASE(43) SLUICE_CASE(44) SLUICE_CASE(45) SLUICE_CASE(46)
  SLUICE_CASE(47) SLUICE_CASE(48) SLUICE_CASE(49) SLUICE_CASE(50)
  SLUICE_CASE(51) SLUICE_CASE(52) SLUICE_CASE(53) SLUICE_CASE(54)
  SLUICE_CASE(55) SLUICE_CASE(56) SLUICE_CASE(57) SLUICE_CASE(58)
  SLUICE_CASE(59) SLUICE_CASE(60) SLUICE_CASE(61) SLUICE_CASE(62)
  SLUICE_CASE(63) SLUICE_CASE(64) SLUICE_CASE(65)
  // clang-format on
#undef SLUICE_CASE
}

/// The number of fields that braces initialise; MaximumFields + 1 means more.
template <typename T, std::size_t Count = MaximumFields + 1>
constexpr std::size_t fieldCount() {
  if constexpr (Count == 0 || takesBraces<T, Count>())
    return Count;
  else
    return fieldCount<T, Count - 1>();
}

/// The alignment of a field, or of the elements of an array, given the type of
/// its copy.
template <typename Copy> constexpr std::size_t alignmentOf() {
  using Element = std::remove_pointer_t<Copy>;
  if constexpr (std::is_object_v<Element>)
    return alignof(Element);
  else
    return 1;
}

/// Fields to which references can be bound.
struct Bindable : std::true_type {
  /// The fields may have a smaller alignment than their types.
  static constexpr bool isPacked = false;
};
/// Some fields cannot have references: bit-fields and, for gcc, fields of
/// packed structs.
template <bool Packed> struct Unbindable : std::false_type {
  /// The fields may have a smaller alignment than their types.
  static constexpr bool isPacked = Packed;
};
/// Classifies the fields of a `T` that cannot have references; never called.
template <typename T, typename... Copies>
Unbindable<(... || (alignmentOf<Copies>() > alignof(T)))> unbindable(Copies...);

/// Calls `visit` with references to all fields of `object`; reads nothing. The
/// result says whether this is possible, and if not, why.
template <typename T, typename Visit>
constexpr auto visitFields(T &object, Visit &&visit) {
  constexpr std::size_t count = fieldCount<T>();
  if constexpr (count == 0) {
    visit();
    return Bindable();
  }
#define SLUICE_CASE(n)                                                         \
  if constexpr (count == n) {                                                  \
    auto &[SLUICE_NAMES_##n] = object;                                         \
    if constexpr (requires { visit(SLUICE_NAMES_##n); }) {                     \
      visit(SLUICE_NAMES_##n);                                                 \
      return Bindable();                                                       \
    } else if constexpr (requires { unbindable<T>(SLUICE_NAMES_##n); }) {      \
      return decltype(unbindable<T>(SLUICE_NAMES_##n))();                      \
    } else {                                                                   \
      return Unbindable<false>();                                              \
    }                                                                          \
  }
  // clang-format off
  SLUICE_CASE(1) SLUICE_CASE(2) SLUICE_CASE(3) SLUICE_CASE(4) SLUICE_CASE(5)
  SLUICE_CASE(6) SLUICE_CASE(7) SLUICE_CASE(8) SLUICE_CASE(9) SLUICE_CASE(10)
  SLUICE_CASE(11) SLUICE_CASE(12) SLUICE_CASE(13) SLUICE_CASE(14)
  SLUICE_CASE(15) SLUICE_CASE(16) SLUICE_CASE(17) SLUICE_CASE(18)
  SLUICE_CASE(19) SLUICE_CASE(20) SLUICE_CASE(21) SLUICE_CASE(22)
  SLUICE_CASE(23) SLUICE_CASE(24) SLUICE_CASE(25) SLUICE_CASE(26)
  SLUICE_CASE(27) SLUICE_CASE(28) SLUICE_CASE(29) SLUICE_CASE(30)
  SLUICE_CASE(31) SLUICE_CASE(32) SLUICE_CASE(33) SLUICE_CASE(34)
  SLUICE_CASE(35) SLUICE_CASE(36) SLUICE_CASE(37) SLUICE_CASE(38)
  SLUICE_CASE(39) SLUICE_CASE(40) SLUICE_CASE(41) SLUICE_CASE(42)
  SLUICE_CASE(43) SLUICE_CASE(44) SLUICE_CASE(45) SLUICE_CASE(46)
  SLUICE_CASE(47) SLUICE_CASE(48) SLUICE_CASE(49) SLUICE_CASE(50)
  SLUICE_CASE(51) SLUICE_CASE(52) SLUICE_CASE(53) SLUICE_CASE(54)
  SLUICE_CASE(55) SLUICE_CASE(56) SLUICE_CASE(57) SLUICE_CASE(58)
  SLUICE_CASE(59) SLUICE_CASE(60) SLUICE_CASE(61) SLUICE_CASE(62)
  SLUICE_CASE(63) SLUICE_CASE(64)
  // clang-format on
#undef SLUICE_CASE
}

// clang-format off
#undef SLUICE_NAMES_1
#undef SLUICE_NAMES_2
#undef SLUICE_NAMES_3
#undef SLUICE_NAMES_4
#undef SLUICE_NAMES_5
#undef SLUICE_NAMES_6
#undef SLUICE_NAMES_7
#undef SLUICE_NAMES_8
#undef SLUICE_NAMES_9
#undef SLUICE_NAMES_10
#undef SLUICE_NAMES_11
#undef SLUICE_NAMES_12
#undef SLUICE_NAMES_13
#undef SLUICE_NAMES_14
#undef SLUICE_NAMES_15
#undef SLUICE_NAMES_16
#undef SLUICE_NAMES_17
#undef SLUICE_NAMES_18
#undef SLUICE_NAMES_19
#undef SLUICE_NAMES_20
#undef SLUICE_NAMES_21
#undef SLUICE_NAMES_22
#undef SLUICE_NAMES_23
#undef SLUICE_NAMES_24
#undef SLUICE_NAMES_25
#undef SLUICE_NAMES_26
#undef SLUICE_NAMES_27
#undef SLUICE_NAMES_28
#undef SLUICE_NAMES_29
#undef SLUICE_NAMES_30
#undef SLUICE_NAMES_31
#undef SLUICE_NAMES_32
#undef SLUICE_NAMES_33
#undef SLUICE_NAMES_34
#undef SLUICE_NAMES_35
#undef SLUICE_NAMES_36
#undef SLUICE_NAMES_37
#undef SLUICE_NAMES_38
#undef SLUICE_NAMES_39
#undef SLUICE_NAMES_40
#undef SLUICE_NAMES_41
#undef SLUICE_NAMES_42
#undef SLUICE_NAMES_43
#undef SLUICE_NAMES_44
#undef SLUICE_NAMES_45
#undef SLUICE_NAMES_46
#undef SLUICE_NAMES_47
#undef SLUICE_NAMES_48
#undef SLUICE_NAMES_49
#undef SLUICE_NAMES_50
#undef SLUICE_NAMES_51
#undef SLUICE_NAMES_52
#undef SLUICE_NAMES_53
#undef SLUICE_NAMES_54
#undef SLUICE_NAMES_55
#undef SLUICE_NAMES_56
#undef SLUICE_NAMES_57
#undef SLUICE_NAMES_58
#undef SLUICE_NAMES_59
#undef SLUICE_NAMES_60
#undef SLUICE_NAMES_61
#undef SLUICE_NAMES_62
#undef SLUICE_NAMES_63
#undef SLUICE_NAMES_64
#undef SLUICE_BRACES_1
#undef SLUICE_BRACES_2
#undef SLUICE_BRACES_3
#undef SLUICE_BRACES_4
#undef SLUICE_BRACES_5
#undef SLUICE_BRACES_6
#undef SLUICE_BRACES_7
#undef SLUICE_BRACES_8
#undef SLUICE_BRACES_9
#undef SLUICE_BRACES_10
#undef SLUICE_BRACES_11
#undef SLUICE_BRACES_12
#undef SLUICE_BRACES_13
#undef SLUICE_BRACES_14
#undef SLUICE_BRACES_15
#undef SLUICE_BRACES_16
#undef SLUICE_BRACES_17
#undef SLUICE_BRACES_18
#undef SLUICE_BRACES_19
#undef SLUICE_BRACES_20
#undef SLUICE_BRACES_21
#undef SLUICE_BRACES_22
#undef SLUICE_BRACES_23
#undef SLUICE_BRACES_24
#undef SLUICE_BRACES_25
#undef SLUICE_BRACES_26
#undef SLUICE_BRACES_27
#undef SLUICE_BRACES_28
#undef SLUICE_BRACES_29
#undef SLUICE_BRACES_30
#undef SLUICE_BRACES_31
#undef SLUICE_BRACES_32
#undef SLUICE_BRACES_33
#undef SLUICE_BRACES_34
#undef SLUICE_BRACES_35
#undef SLUICE_BRACES_36
#undef SLUICE_BRACES_37
#undef SLUICE_BRACES_38
#undef SLUICE_BRACES_39
#undef SLUICE_BRACES_40
#undef SLUICE_BRACES_41
#undef SLUICE_BRACES_42
#undef SLUICE_BRACES_43
#undef SLUICE_BRACES_44
#undef SLUICE_BRACES_45
#undef SLUICE_BRACES_46
#undef SLUICE_BRACES_47
#undef SLUICE_BRACES_48
#undef SLUICE_BRACES_49
#undef SLUICE_BRACES_50
#undef SLUICE_BRACES_51
#undef SLUICE_BRACES_52
#undef SLUICE_BRACES_53
#undef SLUICE_BRACES_54
#undef SLUICE_BRACES_55
#undef SLUICE_BRACES_56
#undef SLUICE_BRACES_57
#undef SLUICE_BRACES_58
#undef SLUICE_BRACES_59
#undef SLUICE_BRACES_60
#undef SLUICE_BRACES_61
#undef SLUICE_BRACES_62
#undef SLUICE_BRACES_63
#undef SLUICE_BRACES_64
#undef SLUICE_BRACES_65
// clang-format on

} // namespace sluice::reflect

#endif // SLUICE_PACK_REFLECTFIELDS_H
