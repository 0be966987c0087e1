//===- mpi_types.h - Layouts as MPI's datatypes -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constructors of layouts.h on top of MPI's.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_MPI_TYPES_H
#define SLUICE_BENCH_PACK_MPI_TYPES_H

#include "layouts.h"

#include <mpi.h>

namespace bench {

/// Owns every type it makes.
class MpiTypes {
public:
  using Type = MPI_Datatype;

  MpiTypes() = default;
  MpiTypes(const MpiTypes &) = delete;
  MpiTypes &operator=(const MpiTypes &) = delete;
  ~MpiTypes() { forget(); }

  /// Frees all types.
  void forget() {
    for (Type &type : made)
      MPI_Type_free(&type);
    made.clear();
  }

  Type basic(Basic which) {
    const Type types[] = {MPI_BYTE, MPI_CHAR,  MPI_SHORT,
                          MPI_INT,  MPI_FLOAT, MPI_DOUBLE};
    return types[static_cast<int>(which)];
  }
  Type contiguous(int count, Type type) {
    return keep([&](Type *out) { MPI_Type_contiguous(count, type, out); });
  }
  Type vector(int count, int length, int stride, Type type) {
    return keep(
        [&](Type *out) { MPI_Type_vector(count, length, stride, type, out); });
  }
  Type hvector(int count, int length, int64_t stride, Type type) {
    return keep([&](Type *out) {
      MPI_Type_create_hvector(count, length, stride, type, out);
    });
  }
  Type indexedBlock(int length, const std::vector<int> &places, Type type) {
    return keep([&](Type *out) {
      MPI_Type_create_indexed_block(static_cast<int>(places.size()), length,
                                    places.data(), type, out);
    });
  }
  Type structure(const std::vector<Field<Type>> &fields) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> displacements;
    std::vector<Type> types;
    for (const Field<Type> &field : fields) {
      lengths.push_back(field.length);
      displacements.push_back(field.displacement);
      types.push_back(field.type);
    }
    return keep([&](Type *out) {
      MPI_Type_create_struct(static_cast<int>(fields.size()), lengths.data(),
                             displacements.data(), types.data(), out);
    });
  }
  Type resized(Type type, int64_t low, int64_t extent) {
    return keep(
        [&](Type *out) { MPI_Type_create_resized(type, low, extent, out); });
  }
  template <size_t N>
  Type subarray(const std::array<int, N> &sizes,
                const std::array<int, N> &parts,
                const std::array<int, N> &starts, Type type) {
    return keep([&](Type *out) {
      MPI_Type_create_subarray(N, sizes.data(), parts.data(), starts.data(),
                               MPI_ORDER_C, type, out);
    });
  }

private:
  template <class Make> Type keep(const Make &make) {
    made.push_back(MPI_DATATYPE_NULL);
    make(&made.back());
    return made.back();
  }

  std::vector<Type> made;
};

} // namespace bench

#endif // SLUICE_BENCH_PACK_MPI_TYPES_H
