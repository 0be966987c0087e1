//===- Reflect.h - Layouts of C++ types by reflection ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice::layoutOf<Particle>()` is the layout of a struct with all its fields,
// nested structs and arrays, without its padding: the data that is sent when
// particles are packed. Needs only C++20, this header and libSluicePack.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_REFLECT_H
#define SLUICE_PACK_REFLECT_H

#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/ReflectFields.h"

#include <array>
#include <complex>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

/// The layout of `T` for types that layoutOf cannot inspect. Specialise it with
/// `static std::unique_ptr<farc::Datatype> layout();`, by hand or with
/// SLUICE_LAYOUT. A class with private members makes `sluice::LayoutTrait<T>`
/// its friend.
template <typename T> struct LayoutTrait {};

/// The layout of `T`, not committed: its extent is sizeof(T). `T` is
///   * an arithmetic type, an enumeration, std::byte or std::complex,
///   * an array or std::array of such types,
///   * an aggregate of them without base classes, or
///   * a type with a LayoutTrait.
template <typename T> std::unique_ptr<farc::Datatype> layoutOf();

namespace reflect {

/// Whether a type is a std::array.
template <typename> inline constexpr bool isStdArray = false;
template <typename Element, std::size_t Size>
inline constexpr bool isStdArray<std::array<Element, Size>> = true;

template <typename T>
concept HasTrait = requires {
  { LayoutTrait<T>::layout() } -> std::same_as<std::unique_ptr<farc::Datatype>>;
};

/// Memory for the fields of a `T`; the fields are never read.
template <typename T> union Unbuilt {
  Unbuilt() {}
  ~Unbuilt() {}
  /// The active member.
  char none;
  /// Never active.
  T object;
};

/// The basic type of `T`; negative if there is none.
template <typename T> constexpr int primitiveOf() {
  using P = farc::PrimitiveDatatype;
  if constexpr (std::is_same_v<T, bool>)
    return P::C_BOOL;
  else if constexpr (std::is_same_v<T, char>)
    return P::CHAR;
  else if constexpr (std::is_same_v<T, signed char>)
    return P::SIGNED_CHAR;
  else if constexpr (std::is_same_v<T, unsigned char> ||
                     std::is_same_v<T, char8_t>)
    return P::UNSIGNED_CHAR;
  else if constexpr (std::is_same_v<T, wchar_t>)
    return P::WCHAR;
  else if constexpr (std::is_same_v<T, char16_t>)
    return P::UINT16;
  else if constexpr (std::is_same_v<T, char32_t>)
    return P::UINT32;
  else if constexpr (std::is_same_v<T, short>)
    return P::SHORT;
  else if constexpr (std::is_same_v<T, unsigned short>)
    return P::UNSIGNED_SHORT;
  else if constexpr (std::is_same_v<T, int>)
    return P::INT;
  else if constexpr (std::is_same_v<T, unsigned>)
    return P::UNSIGNED;
  else if constexpr (std::is_same_v<T, long>)
    return P::LONG;
  else if constexpr (std::is_same_v<T, unsigned long>)
    return P::UNSIGNED_LONG;
  else if constexpr (std::is_same_v<T, long long>)
    return P::LONG_LONG;
  else if constexpr (std::is_same_v<T, unsigned long long>)
    return P::UNSIGNED_LONG_LONG;
  else if constexpr (std::is_same_v<T, float>)
    return P::FLOAT;
  else if constexpr (std::is_same_v<T, double>)
    return P::DOUBLE;
  else if constexpr (std::is_same_v<T, long double>)
    return P::LONG_DOUBLE;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return P::C_FLOAT_COMPLEX;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return P::C_DOUBLE_COMPLEX;
  else if constexpr (std::is_same_v<T, std::complex<long double>>)
    return P::C_LONG_DOUBLE_COMPLEX;
  else
    return -1;
}

/// Whether `T` is one of MPI's basic types.
template <typename T> inline constexpr bool isBasic = primitiveOf<T>() >= 0;

/// The layout of a basic type.
template <typename T> std::unique_ptr<farc::Datatype> primitiveLayout() {
  return std::make_unique<farc::PrimitiveDatatype>(
      farc::PrimitiveDatatype::PrimitiveType(primitiveOf<T>()));
}

/// The layout of an array of `size` elements.
template <typename Element>
std::unique_ptr<farc::Datatype> arrayLayout(std::size_t size) {
  return std::make_unique<farc::ContiguousDatatype>(int64_t(size),
                                                    layoutOf<Element>().get());
}

/// Collects the fields of an object and makes a layout of them.
class FieldList {
public:
  /// An empty list of fields of `object`.
  explicit FieldList(const void *object)
      : begin(static_cast<const std::byte *>(object)) {}

  /// Adds a field of the object at its offset.
  template <typename Object, typename Field> void add(Field &field) {
    static_assert(alignof(Field) <= alignof(Object),
                  "layoutOf: a field of a packed struct may not be aligned, "
                  "and has no reference; specialise sluice::LayoutTrait with "
                  "offsetof");
    auto place = reinterpret_cast<const std::byte *>(std::addressof(field));
    displacements.push_back(place - begin);
    owners.push_back(layoutOf<Field>());
  }

  /// The layout of an object of `size` bytes with these fields.
  std::unique_ptr<farc::Datatype> layout(std::size_t size) const {
    std::vector<int64_t> lengths(owners.size(), 1);
    std::vector<const farc::Datatype *> types;
    for (const std::unique_ptr<farc::Datatype> &owner : owners)
      types.push_back(owner.get());
    auto fields = std::make_unique<farc::StructDatatype>(
        int64_t(owners.size()), lengths.data(), displacements.data(),
        types.data());
    if (fields->getLowerBound() == 0 &&
        fields->getUpperBound() == int64_t(size))
      return fields;
    return std::make_unique<farc::ResizedDatatype>(fields.get(), 0,
                                                   int64_t(size));
  }

private:
  const std::byte *begin;
  std::vector<int64_t> displacements;
  std::vector<std::unique_ptr<farc::Datatype>> owners;
};

/// The layout of an aggregate, from its fields.
template <typename T> std::unique_ptr<farc::Datatype> aggregateLayout() {
  Unbuilt<T> memory;
  FieldList fields(std::addressof(memory.object));
  auto addAll = [&](auto &...field) { (fields.add<T>(field), ...); };
  using Visited = decltype(visitFields(memory.object, addAll));
  static_assert(!Visited::isPacked,
                "layoutOf: a field of a packed struct may not be aligned, "
                "and has no reference; specialise sluice::LayoutTrait with "
                "offsetof");
  static_assert(Visited::value || Visited::isPacked,
                "layoutOf: a field is a bit-field, which has no address; pack "
                "it as a whole integer, or list the other members with "
                "SLUICE_LAYOUT(Type, member, ...)");
  visitFields(memory.object, addAll);
  return fields.layout(sizeof(T));
}

/// The layout of a `T` with the given pointers to members, which may belong to
/// its base classes.
template <typename T, typename... Members>
std::unique_ptr<farc::Datatype> layoutOfMembers(Members... members) {
  Unbuilt<T> memory;
  FieldList fields(std::addressof(memory.object));
  (fields.add<T>(memory.object.*members), ...);
  return fields.layout(sizeof(T));
}

/// Checks `Condition`; if it fails, the compiler stops with `message` and no
/// further messages hide this one.
#define SLUICE_REQUIRE(condition, message)                                     \
  if constexpr (!(condition)) {                                                \
    static_assert(condition, "layoutOf: " message);                            \
    return nullptr;                                                            \
  } else

/// The same, or a compiler error that explains why there is no layout.
template <typename T> std::unique_ptr<farc::Datatype> classLayout() {
  // clang-format off
  SLUICE_REQUIRE(!std::is_union_v<T>,
                 "which member of a union is in use is not known; specialise "
                 "sluice::LayoutTrait for it")
  SLUICE_REQUIRE(std::is_class_v<T>,
                 "this type is not one of MPI's basic types; specialise "
                 "sluice::LayoutTrait for it")
  SLUICE_REQUIRE(std::is_aggregate_v<T>,
                 "the class is no aggregate; list the members to be packed "
                 "with SLUICE_LAYOUT(Type, member, ...) or specialise "
                 "sluice::LayoutTrait for it")
  SLUICE_REQUIRE(!requires { T{AnyBase<T>()}; },
                 "the aggregate has a base class; list the members to be "
                 "packed with SLUICE_LAYOUT(Type, member, ...)")
  SLUICE_REQUIRE(requires { T{}; },
                 "a field is a reference or has no default constructor; list "
                 "the members to be packed with SLUICE_LAYOUT(Type, member, "
                 "...)")
  SLUICE_REQUIRE(fieldCount<T>() <= MaximumFields,
                 "the aggregate has more than 64 fields; list its members with "
                 "SLUICE_LAYOUT(Type, member, ...), or group them in structs")
  return aggregateLayout<T>();
  // clang-format on
}

/// Whether `T` is an address; addresses are not data that could be packed.
template <typename T>
inline constexpr bool isAddress =
    std::is_pointer_v<T> || std::is_member_pointer_v<T> ||
    std::is_null_pointer_v<T>;

/// The layout of a type without const and volatile.
template <typename T> std::unique_ptr<farc::Datatype> layoutOfPlain() {
  if constexpr (HasTrait<T>)
    return LayoutTrait<T>::layout();
  else if constexpr (std::is_same_v<T, std::byte>)
    return std::make_unique<farc::PrimitiveDatatype>(
        farc::PrimitiveDatatype::BYTE);
  else if constexpr (std::is_enum_v<T>)
    return primitiveLayout<std::underlying_type_t<T>>();
  else if constexpr (isBasic<T>)
    return primitiveLayout<T>();
  else if constexpr (std::is_bounded_array_v<T>)
    return arrayLayout<std::remove_extent_t<T>>(std::extent_v<T>);
  else if constexpr (isStdArray<T>)
    return arrayLayout<typename T::value_type>(std::tuple_size_v<T>);
  else {
    // clang-format off
    SLUICE_REQUIRE(!std::is_reference_v<T>,
                   "a reference has no layout; name the type it refers to")
    SLUICE_REQUIRE(!isAddress<T>,
                   "a pointer means nothing in another process; list the other "
                   "members with SLUICE_LAYOUT(Type, member, ...)")
    SLUICE_REQUIRE(!std::is_unbounded_array_v<T>, "the array has no size")
    SLUICE_REQUIRE(!std::is_void_v<T> && !std::is_function_v<T>,
                   "this type has no objects")
    return classLayout<T>();
    // clang-format on
  }
}

#undef SLUICE_REQUIRE

} // namespace reflect

template <typename T> std::unique_ptr<farc::Datatype> layoutOf() {
  return reflect::layoutOfPlain<std::remove_cv_t<T>>();
}

} // namespace sluice

/// At global scope: the layout of `Type` consists of the listed members (at
/// most 64), in this order: SLUICE_LAYOUT(Particle, position, velocity)
#define SLUICE_LAYOUT(Type, ...)                                               \
  template <> struct sluice::LayoutTrait<Type> {                               \
    static std::unique_ptr<farc::Datatype> layout() {                          \
      using SluiceType = Type;                                                 \
      return sluice::reflect::layoutOfMembers<SluiceType>(                     \
          SLUICE_LAYOUT_EACH(__VA_ARGS__));                                    \
    }                                                                          \
  }

// Puts `&SluiceType::` before each of up to 256 names, by rescanning.
#define SLUICE_LAYOUT_PARENS ()
#define SLUICE_LAYOUT_SCAN(...)                                                \
  SLUICE_LAYOUT_SCAN3(SLUICE_LAYOUT_SCAN3(                                     \
      SLUICE_LAYOUT_SCAN3(SLUICE_LAYOUT_SCAN3(__VA_ARGS__))))
#define SLUICE_LAYOUT_SCAN3(...)                                               \
  SLUICE_LAYOUT_SCAN2(SLUICE_LAYOUT_SCAN2(                                     \
      SLUICE_LAYOUT_SCAN2(SLUICE_LAYOUT_SCAN2(__VA_ARGS__))))
#define SLUICE_LAYOUT_SCAN2(...)                                               \
  SLUICE_LAYOUT_SCAN1(SLUICE_LAYOUT_SCAN1(                                     \
      SLUICE_LAYOUT_SCAN1(SLUICE_LAYOUT_SCAN1(__VA_ARGS__))))
#define SLUICE_LAYOUT_SCAN1(...) __VA_ARGS__
#define SLUICE_LAYOUT_EACH(...)                                                \
  __VA_OPT__(SLUICE_LAYOUT_SCAN(SLUICE_LAYOUT_STEP(__VA_ARGS__)))
#define SLUICE_LAYOUT_STEP(member, ...)                                        \
  &SluiceType::member __VA_OPT__(                                              \
      , SLUICE_LAYOUT_AGAIN SLUICE_LAYOUT_PARENS(__VA_ARGS__))
#define SLUICE_LAYOUT_AGAIN() SLUICE_LAYOUT_STEP

#endif // SLUICE_PACK_REFLECT_H
