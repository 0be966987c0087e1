//===- PrimitiveDatatype.h - The leaves of data layouts -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All basic types of MPI 3.1. Packing copies their bytes; the exact type
// matters for external32, for the alignment of structs, and for readers.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_PRIMITIVEDATATYPE_H
#define SLUICE_PACK_PRIMITIVEDATATYPE_H

#include "sluice/Pack/DatatypeBase.h"

#include <optional>
#include <string_view>

namespace farc {

/// A basic type: a leaf of other types.
class PrimitiveDatatype : public BuiltinDatatype {
public:
  /// All basic types of MPI 3.1, C's and Fortran's.
  enum PrimitiveType : int {
    BYTE,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    SIGNED_CHAR,
    UNSIGNED_CHAR,
    WCHAR,
    SHORT,
    UNSIGNED_SHORT,
    UNSIGNED,
    LONG,
    UNSIGNED_LONG,
    LONG_LONG,
    UNSIGNED_LONG_LONG,
    LONG_DOUBLE,
    C_BOOL,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    AINT,
    COUNT,
    OFFSET,
    C_FLOAT_COMPLEX,
    C_DOUBLE_COMPLEX,
    C_LONG_DOUBLE_COMPLEX,
    PACKED,
    FORTRAN_INTEGER,
    FORTRAN_REAL,
    FORTRAN_DOUBLE_PRECISION,
    FORTRAN_COMPLEX,
    FORTRAN_DOUBLE_COMPLEX,
    FORTRAN_LOGICAL,
    FORTRAN_CHARACTER,
    INTEGER1,
    INTEGER2,
    INTEGER4,
    INTEGER8,
    INTEGER16,
    REAL2,
    REAL4,
    REAL8,
    REAL16,
    COMPLEX8,
    COMPLEX16,
    COMPLEX32
  };
  /// The number of basic types; they count from 0.
  static constexpr int PrimitiveTypeCount = COMPLEX32 + 1;

  /// Throws Error if `type` is not a basic type.
  explicit PrimitiveDatatype(PrimitiveType type);
  /// An uncommitted copy; shares immutable parts.
  PrimitiveDatatype(const PrimitiveDatatype &other) = default;

  /// The basic type.
  PrimitiveType getType() const { return type; }
  /// Its name in the textual form, e.g. "unsigned_long".
  static const char *getName(PrimitiveType type);
  /// The type with that name.
  static std::optional<PrimitiveType> getType(std::string_view name);

  PrimitiveDatatype *clone() const override;
  DatatypeName getDatatypeName() const override { return PRIMITIVE; }
  Envelope getEnvelope() const override;
  std::string toString(bool summary = false) const override;
  sluice::pack::PlacedForm normalForm() const override;
  void forEachElement(int64_t offset,
                      const ElementVisitor &visit) const override;

private:
  PrimitiveType type;
};

} // namespace farc

#endif // SLUICE_PACK_PRIMITIVEDATATYPE_H
