//===- generators.cpp - Colours for heights, in Halide --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heights at the nodes of a mesh become a picture with lines of equal height.
//
//===----------------------------------------------------------------------===//

#include "mixed.h"

#include <sluice/TaskGraph/Halide.h>

using namespace Halide;

namespace {

class Colour : public Generator<Colour> {
public:
  Input<double> peak{"peak"};
  Input<Buffer<double>> heights{"heights", 2};
  Output<Buffer<uint8_t>> picture{"picture", 3};

  void generate() {
    level(x, y) = clamp(between() / peak, 0, 1);
    picture(x, y, c) = cast<uint8_t>(colour() * shade() + half);
    level.compute_at(picture, y);
    picture.reorder(c, x, y).bound(c, 0, 3).unroll(c).parallel(y);
  }

private:
  /// The height of a pixel, from the four nodes around it.
  Expr between() {
    Expr column = min(x / mixed::zoom, heights.dim(0).extent() - 2);
    Expr row = min(y / mixed::zoom, heights.dim(1).extent() - 2);
    Expr right = cast<double>(x) / mixed::zoom - column;
    Expr down = cast<double>(y) / mixed::zoom - row;
    Expr above =
        heights(column, row) * (1 - right) + heights(column + 1, row) * right;
    Expr below = heights(column, row + 1) * (1 - right) +
                 heights(column + 1, row + 1) * right;
    return above * (1 - down) + below * down;
  }

  Expr channel(int stop) {
    const double *stops = mixed::colours[stop];
    return mux(c, {Expr(stops[0]), Expr(stops[1]), Expr(stops[2])});
  }

  Expr colour() {
    Expr place = level(x, y) * 2;
    Expr low = channel(0) * (1 - place) + channel(1) * place;
    Expr high = channel(1) * (2 - place) + channel(2) * (place - 1);
    return select(place < 1, low, high);
  }

  /// Darker near lines of equal height.
  Expr shade() {
    Expr place = level(x, y) * mixed::lines + half;
    Expr away = (place - floor(place + half)) / Expr(mixed::lineWidth);
    return 1 - Expr(mixed::lineDarkness) * exp(-away * away);
  }

  const Expr half{0.5};
  Var x{"x"}, y{"y"}, c{"c"};
  Func level{"level"};
};

} // namespace

HALIDE_REGISTER_GENERATOR(Colour, mixed_colour)
