//===- BasicTypes.cpp - MPI's names of the basic types --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps the basic types of lib/Pack to those of MPI.
//
//===----------------------------------------------------------------------===//

#include "TypeTrees.h"

using namespace sluice::player;
using farc::PrimitiveDatatype;

MPI_Datatype sluice::player::basicType(PrimitiveDatatype::PrimitiveType type) {
  switch (type) {
  case PrimitiveDatatype::BYTE:
    return MPI_BYTE;
  case PrimitiveDatatype::CHAR:
    return MPI_CHAR;
  case PrimitiveDatatype::DOUBLE:
    return MPI_DOUBLE;
  case PrimitiveDatatype::FLOAT:
    return MPI_FLOAT;
  case PrimitiveDatatype::INT:
    return MPI_INT;
  case PrimitiveDatatype::SIGNED_CHAR:
    return MPI_SIGNED_CHAR;
  case PrimitiveDatatype::UNSIGNED_CHAR:
    return MPI_UNSIGNED_CHAR;
  case PrimitiveDatatype::WCHAR:
    return MPI_WCHAR;
  case PrimitiveDatatype::SHORT:
    return MPI_SHORT;
  case PrimitiveDatatype::UNSIGNED_SHORT:
    return MPI_UNSIGNED_SHORT;
  case PrimitiveDatatype::UNSIGNED:
    return MPI_UNSIGNED;
  case PrimitiveDatatype::LONG:
    return MPI_LONG;
  case PrimitiveDatatype::UNSIGNED_LONG:
    return MPI_UNSIGNED_LONG;
  case PrimitiveDatatype::LONG_LONG:
    return MPI_LONG_LONG;
  case PrimitiveDatatype::UNSIGNED_LONG_LONG:
    return MPI_UNSIGNED_LONG_LONG;
  case PrimitiveDatatype::LONG_DOUBLE:
    return MPI_LONG_DOUBLE;
  case PrimitiveDatatype::C_BOOL:
    return MPI_C_BOOL;
  case PrimitiveDatatype::INT8:
    return MPI_INT8_T;
  case PrimitiveDatatype::INT16:
    return MPI_INT16_T;
  case PrimitiveDatatype::INT32:
    return MPI_INT32_T;
  case PrimitiveDatatype::INT64:
    return MPI_INT64_T;
  case PrimitiveDatatype::UINT8:
    return MPI_UINT8_T;
  case PrimitiveDatatype::UINT16:
    return MPI_UINT16_T;
  case PrimitiveDatatype::UINT32:
    return MPI_UINT32_T;
  case PrimitiveDatatype::UINT64:
    return MPI_UINT64_T;
  case PrimitiveDatatype::AINT:
    return MPI_AINT;
  case PrimitiveDatatype::COUNT:
    return MPI_COUNT;
  case PrimitiveDatatype::OFFSET:
    return MPI_OFFSET;
  case PrimitiveDatatype::C_FLOAT_COMPLEX:
    return MPI_C_FLOAT_COMPLEX;
  case PrimitiveDatatype::C_DOUBLE_COMPLEX:
    return MPI_C_DOUBLE_COMPLEX;
  case PrimitiveDatatype::C_LONG_DOUBLE_COMPLEX:
    return MPI_C_LONG_DOUBLE_COMPLEX;
  case PrimitiveDatatype::PACKED:
    return MPI_PACKED;
  case PrimitiveDatatype::FORTRAN_INTEGER:
    return MPI_INTEGER;
  case PrimitiveDatatype::FORTRAN_REAL:
    return MPI_REAL;
  case PrimitiveDatatype::FORTRAN_DOUBLE_PRECISION:
    return MPI_DOUBLE_PRECISION;
  case PrimitiveDatatype::FORTRAN_COMPLEX:
    return MPI_COMPLEX;
  case PrimitiveDatatype::FORTRAN_DOUBLE_COMPLEX:
    return MPI_DOUBLE_COMPLEX;
  case PrimitiveDatatype::FORTRAN_LOGICAL:
    return MPI_LOGICAL;
  case PrimitiveDatatype::FORTRAN_CHARACTER:
    return MPI_CHARACTER;
  case PrimitiveDatatype::INTEGER1:
    return MPI_INTEGER1;
  case PrimitiveDatatype::INTEGER2:
    return MPI_INTEGER2;
  case PrimitiveDatatype::INTEGER4:
    return MPI_INTEGER4;
  case PrimitiveDatatype::INTEGER8:
    return MPI_INTEGER8;
  case PrimitiveDatatype::REAL4:
    return MPI_REAL4;
  case PrimitiveDatatype::REAL8:
    return MPI_REAL8;
  case PrimitiveDatatype::COMPLEX8:
    return MPI_COMPLEX8;
  case PrimitiveDatatype::COMPLEX16:
    return MPI_COMPLEX16;
    // MPI makes these optional.
#ifdef MPI_INTEGER16
  case PrimitiveDatatype::INTEGER16:
    return MPI_INTEGER16;
#endif
#ifdef MPI_REAL2
  case PrimitiveDatatype::REAL2:
    return MPI_REAL2;
#endif
#ifdef MPI_REAL16
  case PrimitiveDatatype::REAL16:
    return MPI_REAL16;
#endif
#ifdef MPI_COMPLEX32
  case PrimitiveDatatype::COMPLEX32:
    return MPI_COMPLEX32;
#endif
  default:
    return MPI_DATATYPE_NULL;
  }
  return MPI_DATATYPE_NULL;
}
