//===- Packing.h - Many pieces of a buffer as one -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transferring many small pieces at irregular places one by one is slow. These
// kernels gather the pieces of a buffer into one contiguous part of another
// buffer, and scatter them back, so that one transfer moves all pieces.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DEVICE_PACKING_H
#define SLUICE_DEVICE_PACKING_H

#include "sluice/Device/Device.h"

namespace sluice::device {

/// An entry of a list of pieces. All numbers are in units (PackedPieces::unit).
struct PackedPiece {
  uint32_t offset; ///< from PackedPieces::base on
  uint32_t packed; ///< start among the packed bytes
};

/// Pieces of a buffer, and their packed form.
struct PackedPieces {
  Buffer &memory;
  /// Contains the list at its start: numPieces + 1 entries, the last of which
  /// only marks the end of the packed bytes. The packed bytes begin at `data`.
  Buffer &staging;
  uint64_t base = 0; ///< bytes; a multiple of `unit`
  uint64_t data = 0; ///< bytes; a multiple of 4
  uint32_t numPieces = 0;
  /// 4 if all offsets and sizes are multiples of 4, else 1.
  uint32_t unit = 1;
};

class PackingKernels {
public:
  /// Builds the kernels, which takes as long as building those of a program.
  static Result<std::unique_ptr<PackingKernels>> load(Device &device);

  /// Packs; the event is like that of Queue::launch. Pieces may overlap.
  Result<Event> gather(Queue &queue, const PackedPieces &pieces,
                       std::span<const Event> after = {});
  /// Unpacks; pieces must not overlap.
  Result<Event> scatter(Queue &queue, const PackedPieces &pieces,
                        std::span<const Event> after = {});

private:
  /// For units of 1 and 4 bytes.
  struct Variants {
    DeviceKernel *bytes = nullptr;
    DeviceKernel *words = nullptr;
  };
  explicit PackingKernels(bool isAccelerator) : isAccelerator(isAccelerator) {}
  Result<Event> launch(Queue &queue, const Variants &kernels,
                       const PackedPieces &pieces,
                       std::span<const Event> after);

  const bool isAccelerator;
  std::unique_ptr<Module> module;
  Variants gathering, scattering;
};

} // namespace sluice::device

#endif // SLUICE_DEVICE_PACKING_H
