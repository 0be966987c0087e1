//===- HalidePart.h - Parts of regions as buffers of Halide -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For functions of tasks over regions, in C++, that call functions which Halide
// has compiled. A field of a part is a buffer. Halide's dimension k is
// dimension N - 1 - k of the root, and coordinates are those of the root:
//
//   using namespace sluice::halide;
//
//   extern "C" int blur(PartBuffer *from, PartBuffer *to);
//
//   void smooth(const SluiceTask *, const double *halos_x,
//               const SluiceDomain *halos, double *blocks_y,
//               const SluiceDomain *blocks) {
//     HalidePart<2> from(halos_x, halos), to(blocks_y, blocks);
//     sluiceHalideEnd(blur(from, to));
//   }
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_HALIDE_HALIDEPART_H
#define SLUICE_HALIDE_HALIDEPART_H

#include "sluice-c/TaskProgram.h"
#include "sluice-c/Tasks.h"

#include <stdexcept>
#include <string>
#include <type_traits>

/// Of Halide's runtime.
///@{
extern "C" void *halide_set_error_handler(void (*)(void *, const char *));
extern "C" void halide_set_custom_parallel_runtime(
    decltype(&sluiceHalideParFor), decltype(&sluiceHalideDoTask),
    decltype(&sluiceHalideDoLoopTask), decltype(&sluiceHalideParallelTasks),
    decltype(&sluiceHalideSemaphoreInit),
    decltype(&sluiceHalideSemaphoreTryAcquire),
    decltype(&sluiceHalideSemaphoreRelease));
///@}

namespace sluice::halide {

/// halide_dimension_t of Halide 14, with its names.
struct PartDimension {
  int32_t min;    ///< the first coordinate
  int32_t extent; ///< coordinates
  int32_t stride; ///< in elements
  uint32_t flags; ///< 0
};

/// halide_buffer_t of Halide 14, with its names.
struct PartBuffer {
  uint64_t device;             ///< 0
  const void *deviceInterface; ///< null
  void *host;                  ///< the first element
  uint64_t flags;              ///< 0
  uint8_t code;                ///< 0: signed; 1: unsigned; 2: float
  uint8_t bits;                ///< of an element
  uint16_t lanes;              ///< 1
  int32_t dimensions;          ///< entries of `dim`
  PartDimension *dim;          ///< the innermost first
  void *padding;               ///< null
};

/// Parallel loops of Halide run on Sluice's workers.
inline bool prepareHalide() {
  halide_set_error_handler(sluiceHalideError);
  halide_set_custom_parallel_runtime(
      sluiceHalideParFor, sluiceHalideDoTask, sluiceHalideDoLoopTask,
      sluiceHalideParallelTasks, sluiceHalideSemaphoreInit,
      sluiceHalideSemaphoreTryAcquire, sluiceHalideSemaphoreRelease);
  return true;
}
/// Prepared when the program starts.
inline const bool isHalidePrepared = prepareHalide();

/// A number as Halide takes it.
template <typename To, typename From> To halideNumber(From from) {
  const To to = static_cast<To>(from);
  if constexpr (std::is_integral_v<To>)
    if (static_cast<From>(to) != from || (to < 0) != (from < 0))
      throw std::runtime_error(std::to_string(from) +
                               " does not fit the number that Halide takes");
  return to;
}

/// A field of a part as a buffer with `numDimensions`; vectors of `count`
/// values have one more dimension, the innermost.
template <int numDimensions> class HalidePart {
public:
  /// Throws std::runtime_error if the part is no such buffer.
  template <typename T>
  HalidePart(const T *field, const SluiceDomain *domain, int count = 1) {
    static_assert(std::is_arithmetic_v<T>);
    const int inner = count > 1;
    if (domain->rank + inner != numDimensions)
      throw std::runtime_error("Halide takes an array of " +
                               std::to_string(numDimensions) +
                               " dimensions, but the part has " +
                               std::to_string(domain->rank + inner));
    if (domain->runs)
      throw std::runtime_error("Halide takes boxes, but the part is none");
    if (inner)
      dimensions[0] = {0, count, 1, 0};
    int64_t first = 0;
    for (int d = 0; d < domain->rank; ++d) {
      const int64_t stride = domain->stride[d] * count;
      first += domain->lower[d] * stride;
      dimensions[inner + domain->rank - 1 - d] = {
          halideNumber<int32_t>(domain->lower[d]),
          halideNumber<int32_t>(domain->upper[d] - domain->lower[d]),
          halideNumber<int32_t>(stride), 0};
    }
    buffer.host = const_cast<T *>(field) + first;
    buffer.code = std::is_floating_point_v<T> ? 2 : std::is_unsigned_v<T>;
    buffer.bits = 8 * sizeof(T);
    buffer.lanes = 1;
    buffer.dimensions = numDimensions;
    buffer.dim = dimensions;
  }
  HalidePart(const HalidePart &) = delete;
  /// Functions need not be called for outputs without elements, and might ask
  /// for inputs that the task does not have.
  bool isEmpty() const {
    for (const PartDimension &dimension : dimensions)
      if (dimension.extent == 0)
        return true;
    return false;
  }
  /// As a function of Halide takes it.
  operator PartBuffer *() { return &buffer; }

private:
  PartBuffer buffer = {};
  PartDimension dimensions[numDimensions > 0 ? numDimensions : 1] = {};
};

} // namespace sluice::halide

#endif // SLUICE_HALIDE_HALIDEPART_H
