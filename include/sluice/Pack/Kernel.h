//===- Kernel.h - Functions that pack and unpack one layout ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is a pair of functions for one layout, with their data. Ready-made
// kernels are compiled into this library for several instruction sets and
// selected by form; others are compiled at run time. Both have the same
// interface, so a committed layout can change from one to the other while
// threads use it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_KERNEL_H
#define SLUICE_PACK_KERNEL_H

#include "sluice/Pack/Form.h"

#include <cstddef>

namespace sluice::pack {

/// Copies `count` instances. Pack: `in` is the buffer's address (the kernel
/// applies the layout's offset and extent), `out` receives count * size bytes.
/// Unpack: `in` is packed, `out` the buffer's address. Addresses may have any
/// alignment. Pack reads no byte outside [first accessed, last accessed] of the
/// buffer and writes none outside the packed range; unpack writes only bytes of
/// the layout. Reentrant; `count` may be 0.
using KernelFunction = void (*)(const std::byte *in, int64_t count,
                                std::byte *out, const void *context);

/// The origin of a kernel.
enum class KernelOrigin : uint8_t {
  /// Walks the form; supports every layout.
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
  /// Passed to the functions: tables, or the owner of compiled code, which
  /// keeps it loaded.
  std::shared_ptr<const void> context;
  /// The origin of the kernel.
  KernelOrigin origin = KernelOrigin::Interpreted;
  /// False if compiled code would not be faster; packers then do not compile.
  bool canImprove = true;
  /// For humans: "blocks of 8 bytes, avx512".
  std::string name;
};

/// The properties of the processor and its caches; determined once.
struct Processor {
  /// Sets of vector instructions.
  enum class Vectors : uint8_t { Baseline, AVX2, AVX512 };
  /// The largest supported set.
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

/// How much time the selection of a kernel may take.
enum class KernelEffort : uint8_t {
  /// Less than a microsecond for layouts without long lists: for types that may
  /// be packed once or never.
  Quick,
  /// About ten microseconds, for types that are used.
  Full,
};

/// The best kernel compiled into this library. Never fails: layouts without a
/// special kernel get the interpreter. Custom forms get a kernel without
/// functions.
Kernel readyMadeKernel(const Layout &layout,
                       const Processor &processor = thisProcessor(),
                       KernelEffort effort = KernelEffort::Full);

/// The interpreter; also the readable definition of the semantics of forms.
Kernel interpretedKernel(const Layout &layout);

/// Packs or unpacks bytes [position, position + length) of the packed stream of
/// `count` instances; `out` receives, or `in` holds, only these bytes. Uses
/// `kernel` for whole instances inside the range.
///@{
void packRange(const Layout &layout, const Kernel &kernel, const std::byte *in,
               int64_t count, int64_t position, int64_t length, std::byte *out);
void unpackRange(const Layout &layout, const Kernel &kernel,
                 const std::byte *in, int64_t position, int64_t length,
                 std::byte *out, int64_t count);
///@}

} // namespace sluice::pack

#endif // SLUICE_PACK_KERNEL_H
