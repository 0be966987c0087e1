//===- Kernel.h - Functions that pack and unpack one layout ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is a pair of functions for one layout, with what they read. Ready-
// made kernels are compiled into this library for several instruction sets and
// chosen by form; others are compiled at run time. Both have this shape, so a
// committed layout can change from one to the other while threads use it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_KERNEL_H
#define SLUICE_PACK_KERNEL_H

#include "sluice/Pack/Form.h"

#include <cstddef>

namespace sluice::pack {

/// Copies `count` instances. Pack: `in` is the buffer's address (the layout's
/// offset and extent are the kernel's business), `out` receives count * size
/// bytes. Unpack: `in` is packed, `out` the buffer's address. Any alignment.
/// Pack reads no byte outside [first touched, last touched] of the buffer and
/// writes none outside the packed range; unpack writes only bytes of the
/// layout. Reentrant; `count` may be 0.
using KernelFunction = void (*)(const std::byte *in, int64_t count,
                                std::byte *out, const void *context);

/// Where a kernel comes from.
enum class KernelOrigin : uint8_t {
  /// Walks the form; works for every layout.
  Interpreted,
  /// Compiled into this library.
  ReadyMade,
  /// Compiled at run time.
  Compiled,
};

/// Functions for one layout.
struct Kernel {
  /// Each null if the layout needs compiled code.
  ///@{
  KernelFunction pack = nullptr;
  KernelFunction unpack = nullptr;
  ///@}
  /// Passed to the functions; tables, or what keeps compiled code loaded.
  std::shared_ptr<const void> context;
  /// Where it comes from.
  KernelOrigin origin = KernelOrigin::Interpreted;
  /// False if compiled code would not be faster; packers then ask for none.
  bool canImprove = true;
  /// For readers: "blocks of 8 bytes, avx512".
  std::string name;
};

/// What the processor offers and how large its caches are; found once.
struct Processor {
  /// Sets of vector instructions.
  enum class Vectors : uint8_t { Baseline, AVX2, AVX512 };
  /// The largest one.
  Vectors vectors = Vectors::Baseline;
  /// Whether it permutes bytes (AVX512-VBMI).
  bool hasVBMI = false;
  /// The caches of one core and of all, in bytes.
  ///@{
  int64_t level2Bytes = 1 << 20;
  int64_t lastLevelBytes = 8 << 20;
  ///@}
};
/// This machine; SLUICE_PACK_VECTORS=baseline|avx2|avx512 lowers it for tests.
const Processor &thisProcessor();

/// How long the choice of a kernel may take.
enum class KernelEffort : uint8_t {
  /// Below a microsecond for layouts without long lists: for types that may
  /// be packed once or never.
  Quick,
  /// Some ten microseconds, for types that are used.
  Full,
};

/// The best kernel compiled into this library. Never fails: layouts for which
/// there is no special one get the interpreter. Custom forms have none and get
/// a kernel without functions.
Kernel readyMadeKernel(const Layout &layout,
                       const Processor &processor = thisProcessor(),
                       KernelEffort effort = KernelEffort::Full);

/// The interpreter, also the readable definition of what a form means.
Kernel interpretedKernel(const Layout &layout);

/// Bytes [position, position + length) of the packed stream of `count`
/// instances; `out` receives (`in` holds) just those. Whole instances inside
/// the range go through `kernel`.
///@{
void packRange(const Layout &layout, const Kernel &kernel, const std::byte *in,
               int64_t count, int64_t position, int64_t length, std::byte *out);
void unpackRange(const Layout &layout, const Kernel &kernel,
                 const std::byte *in, int64_t position, int64_t length,
                 std::byte *out, int64_t count);
///@}

} // namespace sluice::pack

#endif // SLUICE_PACK_KERNEL_H
