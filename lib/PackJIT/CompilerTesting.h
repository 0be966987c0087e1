//===- CompilerTesting.h - Common parts of tests of compiled kernels ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares compiled code with a packer that knows no strategies: it lists every
// byte of a form. Buffers begin and end at inaccessible pages, so that a byte
// read or written too much ends the test.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACKJIT_COMPILERTESTING_H
#define SLUICE_PACKJIT_COMPILERTESTING_H

#include "sluice/Pack/Compiler.h"

#include <random>
#include <string>

namespace sluice::pack::jit::test {

/// Offsets of all bytes of `count` instances, in pack order.
std::vector<int64_t> bytesOf(const Layout &layout, int64_t count);

/// Memory between two inaccessible pages; `size` bytes that end at the second,
/// or begin after the first, moved by `shift` bytes.
class GuardedBuffer {
public:
  enum Side { AtStart, AtEnd };
  GuardedBuffer(size_t size, Side side, size_t shift = 0);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;
  std::byte *data() { return first; }
  size_t size() const { return bytes; }
  std::byte &operator[](size_t i) { return first[i]; }

private:
  std::byte *mapping;
  size_t mapped;
  std::byte *first;
  size_t bytes;
};

/// Compiles without caches on disk; fails the test if that is impossible.
Kernel compile(const Layout &layout,
               const Processor &processor = thisProcessor());
Compiler &compiler();

/// This processor, and versions of it with narrower vectors.
std::vector<Processor> processors();

/// Packs and unpacks `count` instances between guarded pages, and compares each
/// byte, including those in gaps. Returns true if all are correct; otherwise
/// the message describes the error.
bool isRight(const Kernel &kernel, const Layout &layout, int64_t count,
             GuardedBuffer::Side side, size_t shift = 0);
/// The same with several counts, sides and shifts, for each of `processors`.
void checkLayout(const Layout &layout);

// Short ways to write forms.
PlacedForm block(int64_t size);
PlacedForm strided(int64_t count, int64_t stride, const PlacedForm &form);
PlacedForm placed(std::vector<int64_t> offsets, const PlacedForm &form);
PlacedForm runs(const std::vector<std::pair<int64_t, int64_t>> &places);
Layout layoutOf(const PlacedForm &form, int64_t extent);

/// Any form without overlaps and with at most `depth` levels.
PlacedForm randomForm(std::mt19937 &random, int depth);

} // namespace sluice::pack::jit::test

#endif // SLUICE_PACKJIT_COMPILERTESTING_H
