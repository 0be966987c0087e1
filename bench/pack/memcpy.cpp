//===- memcpy.cpp - Copies as many bytes as the others pack ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limit of the memory: no row's layout, only its number of bytes.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

namespace {

size_t bytes;

void copy(const std::byte *in, std::byte *out) { std::memcpy(out, in, bytes); }

void prepare(const std::string &layout) {
  bench::Places places;
  bytes = static_cast<size_t>(
      bench::packedBytes(bench::makeLayout(places, layout)));
}

} // namespace

int main() {
  return bench::servePacking({prepare, copy, copy, [] {}, true});
}
