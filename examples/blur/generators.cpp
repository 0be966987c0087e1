//===- generators.cpp - The blur as a Halide generator --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide's dimensions count from the innermost one: x is the column of a
// picture, y its row, p its plane. More pixels are mixed along rows than along
// columns, so pictures with their rows and columns swapped would show.
//
//===----------------------------------------------------------------------===//

#include <sluice/TaskGraph/Halide.h>

using namespace Halide;

namespace {

/// Weights 1 4 6 4 1 along rows, then 1 2 1 along columns; beyond the edges,
/// pixels repeat.
class Blur : public Generator<Blur> {
public:
  /// Rows that are blurred together.
  sluice::TunableGeneratorParam rows{"rows", 16, 1, 1024};
  sluice::TunableGeneratorParam lanes{"lanes", 4, 1, 16};
  Input<Buffer<double>> picture{"picture", 3};
  Output<Buffer<double>> blurred{"blurred", 3};

  void generate() {
    Func near = BoundaryConditions::repeat_edge(picture);
    along(x, y, p) =
        (near(x - 2, y, p) + near(x + 2, y, p) +
         4 * (near(x - 1, y, p) + near(x + 1, y, p)) + 6 * near(x, y, p)) /
        16;
    blurred(x, y, p) =
        (along(x, y - 1, p) + 2 * along(x, y, p) + along(x, y + 1, p)) / 4;
    schedule();
  }

private:
  void schedule() {
    blurred.split(y, strip, y, rows, TailStrategy::GuardWithIf)
        .vectorize(x, lanes, TailStrategy::GuardWithIf)
        .parallel(strip);
    along.compute_at(blurred, strip)
        .vectorize(x, lanes, TailStrategy::GuardWithIf);
  }

  Var x{"x"}, y{"y"}, p{"p"}, strip{"strip"};
  Func along{"along"};
};

} // namespace

HALIDE_REGISTER_GENERATOR(Blur, halide_blur)
