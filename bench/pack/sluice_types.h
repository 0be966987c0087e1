//===- sluice_types.h - Layouts as Sluice's datatypes -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constructors of layouts.h on top of the classes of namespace farc.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_SLUICE_TYPES_H
#define SLUICE_BENCH_PACK_SLUICE_TYPES_H

#include "layouts.h"

#include "sluice/Pack/Datatype.h"

namespace bench {

/// Owns every type it makes.
class SluiceTypes {
public:
  using Type = farc::Datatype *;

  Type basic(Basic which) {
    using P = farc::PrimitiveDatatype;
    const P::PrimitiveType types[] = {P::BYTE, P::CHAR,  P::SHORT,
                                      P::INT,  P::FLOAT, P::DOUBLE};
    return keep<P>(types[static_cast<int>(which)]);
  }
  Type contiguous(int count, Type type) {
    return keep<farc::ContiguousDatatype>(count, type);
  }
  Type vector(int count, int length, int stride, Type type) {
    return keep<farc::VectorDatatype>(count, length, stride, type);
  }
  Type hvector(int count, int length, int64_t stride, Type type) {
    return keep<farc::HVectorDatatype>(count, length, stride, type);
  }
  Type indexedBlock(int length, const std::vector<int> &places, Type type) {
    return keep<farc::IndexedBlockDatatype>(places.size(), length,
                                            places.data(), type);
  }
  Type structure(const std::vector<Field<Type>> &fields) {
    std::vector<int64_t> lengths, displacements;
    std::vector<Type> types;
    for (const Field<Type> &field : fields) {
      lengths.push_back(field.length);
      displacements.push_back(field.displacement);
      types.push_back(field.type);
    }
    return keep<farc::StructDatatype>(fields.size(), lengths.data(),
                                      displacements.data(), types.data());
  }
  Type resized(Type type, int64_t low, int64_t extent) {
    return keep<farc::ResizedDatatype>(type, low, extent);
  }
  template <size_t N>
  Type subarray(const std::array<int, N> &sizes,
                const std::array<int, N> &parts,
                const std::array<int, N> &starts, Type type) {
    const auto wide = [](const std::array<int, N> &narrow) {
      return std::vector<int64_t>(narrow.begin(), narrow.end());
    };
    return keep<farc::SubarrayDatatype>(N, wide(sizes).data(),
                                        wide(parts).data(), wide(starts).data(),
                                        farc::ORDER_C, type);
  }

  /// Frees all types.
  void forget() { made.clear(); }

private:
  template <class Class, class... Arguments> Type keep(Arguments... arguments) {
    made.push_back(std::make_unique<Class>(arguments...));
    return made.back().get();
  }

  std::vector<std::unique_ptr<farc::Datatype>> made;
};

} // namespace bench

#endif // SLUICE_BENCH_PACK_SLUICE_TYPES_H
