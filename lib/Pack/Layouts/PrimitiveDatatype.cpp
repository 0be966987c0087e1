//===- PrimitiveDatatype.cpp - The leaves of data layouts -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table contains the text name, size and alignment of each basic type.
// Fortran's types are those of gfortran without options that change kinds.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/PrimitiveDatatype.h"
#include "DatatypeArithmetic.h"

#include <complex>

using namespace farc;

namespace {
struct PrimitiveInfo {
  const char *name;
  int64_t size;
  int64_t alignment;
};

template <typename CType> constexpr PrimitiveInfo infoOf(const char *name) {
  return {name, sizeof(CType), alignof(CType)};
}

/// In the order of PrimitiveType.
constexpr PrimitiveInfo primitives[] = {
    {"byte", 1, 1},
    infoOf<char>("char"),
    infoOf<double>("double"),
    infoOf<float>("float"),
    infoOf<int>("int"),
    infoOf<signed char>("signed_char"),
    infoOf<unsigned char>("unsigned_char"),
    infoOf<wchar_t>("wchar"),
    infoOf<short>("short"),
    infoOf<unsigned short>("unsigned_short"),
    infoOf<unsigned>("unsigned"),
    infoOf<long>("long"),
    infoOf<unsigned long>("unsigned_long"),
    infoOf<long long>("long_long"),
    infoOf<unsigned long long>("unsigned_long_long"),
    infoOf<long double>("long_double"),
    infoOf<bool>("bool"),
    infoOf<int8_t>("int8"),
    infoOf<int16_t>("int16"),
    infoOf<int32_t>("int32"),
    infoOf<int64_t>("int64"),
    infoOf<uint8_t>("uint8"),
    infoOf<uint16_t>("uint16"),
    infoOf<uint32_t>("uint32"),
    infoOf<uint64_t>("uint64"),
    infoOf<intptr_t>("aint"),
    infoOf<int64_t>("count"),
    infoOf<int64_t>("offset"),
    infoOf<std::complex<float>>("float_complex"),
    infoOf<std::complex<double>>("double_complex"),
    infoOf<std::complex<long double>>("long_double_complex"),
    {"packed", 1, 1},
    {"fortran_integer", 4, 4},
    {"fortran_real", 4, 4},
    {"fortran_double_precision", 8, 8},
    {"fortran_complex", 8, 4},
    {"fortran_double_complex", 16, 8},
    {"fortran_logical", 4, 4},
    {"fortran_character", 1, 1},
    {"integer1", 1, 1},
    {"integer2", 2, 2},
    {"integer4", 4, 4},
    {"integer8", 8, 8},
    {"integer16", 16, 16},
    {"real2", 2, 2},
    {"real4", 4, 4},
    {"real8", 8, 8},
    {"real16", 16, 16},
    {"complex8", 8, 4},
    {"complex16", 16, 8},
    {"complex32", 32, 16},
};
static_assert(std::size(primitives) == PrimitiveDatatype::PrimitiveTypeCount);
} // namespace

PrimitiveDatatype::PrimitiveDatatype(PrimitiveType type) : type(type) {
  if (int(type) < 0 || int(type) >= PrimitiveTypeCount)
    Arithmetic("primitive")
        .impossible("there is no basic type ", int(type),
                    "; they go from 0 to ", PrimitiveTypeCount - 1);
  bounds.size = primitives[type].size;
  bounds.upper = bounds.size;
  bounds.trueUpper = bounds.size;
  bounds.alignment = primitives[type].alignment;
}

const char *PrimitiveDatatype::getName(PrimitiveType type) {
  return primitives[PrimitiveDatatype(type).type].name;
}

std::optional<PrimitiveDatatype::PrimitiveType>
PrimitiveDatatype::getType(std::string_view name) {
  for (int i = 0; i != PrimitiveTypeCount; ++i)
    if (name == primitives[i].name)
      return PrimitiveType(i);
  return std::nullopt;
}

PrimitiveDatatype *PrimitiveDatatype::clone() const {
  return new PrimitiveDatatype(*this);
}

Envelope PrimitiveDatatype::getEnvelope() const { return {PRIMITIVE, 0, 0, 0}; }

std::string PrimitiveDatatype::toString(bool) const {
  return primitives[type].name;
}

sluice::pack::PlacedForm PrimitiveDatatype::normalForm() const {
  return {0, sluice::pack::blockForm(bounds.size)};
}

void PrimitiveDatatype::forEachElement(int64_t offset,
                                       const ElementVisitor &visit) const {
  visit(offset, *this, 1);
}
