//===- generators.cpp - The Halide kernel of the example ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generator that is linked into the meta-program is found by the name under
// which it is registered.
//
//===----------------------------------------------------------------------===//

#include <sluice/TaskGraph/Halide.h>

using namespace Halide;

namespace {

/// C = A + offset.
class Brighten : public Generator<Brighten> {
public:
  Input<uint8_t> offset{"offset"};
  Input<Buffer<double>> a{"a", 2};
  Output<Buffer<double>> c{"c", 2};

  void generate() { c(x, y) = a(x, y) + cast<double>(offset); }

private:
  Var x{"x"}, y{"y"};
};

} // namespace

HALIDE_REGISTER_GENERATOR(Brighten, mat_brighten)
