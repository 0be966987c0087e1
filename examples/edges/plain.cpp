//===- plain.cpp - Detecting edges with plain loops -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of the edges example: the steps of graph.cpp one after another in
// sequential C++, sharing no code with the graph. Arithmetic is exact, but for
// one comparison of rounded numbers, so the frames must agree byte by byte.
//
//===----------------------------------------------------------------------===//

#include "edges.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace {

/// A picture of integers with a border, whose pixels have negative columns and
/// rows, or such beyond the picture's.
class Plane {
public:
  Plane(long Columns, long Rows, long Border)
      : Columns(Columns), Rows(Rows), Border(Border),
        Values((Columns + 2 * Border) * (Rows + 2 * Border)) {}

  int &operator()(long X, long Y) {
    return Values[(Y + Border) * (Columns + 2 * Border) + X + Border];
  }
  int operator()(long X, long Y) const {
    return const_cast<Plane &>(*this)(X, Y);
  }

  /// Set each pixel to what \p Compute gives for its column and row.
  template <typename Function> Plane &compute(Function Compute) {
    for (long Y = -Border; Y != Rows + Border; ++Y)
      for (long X = -Border; X != Columns + Border; ++X)
        (*this)(X, Y) = Compute(X, Y);
    return *this;
  }

  /// A plane with a narrower border, computed from this one.
  template <typename Function>
  Plane derive(long NewBorder, Function Compute) const {
    return Plane(Columns, Rows, NewBorder).compute(Compute);
  }

  /// The values of the 3 x 3 pixels around a place, the middle one fifth.
  std::array<int, 9> around(long X, long Y) const {
    std::array<int, 9> Result;
    for (int Index = 0; Index != 9; ++Index)
      Result[Index] = (*this)(X + Index % 3 - 1, Y + Index / 3 - 1);
    return Result;
  }

  /// The pixels by rows, of a plane without a border.
  const std::vector<int> &values() const { return Values; }

private:
  long Columns, Rows, Border;
  std::vector<int> Values;
};

} // namespace

static Plane smoothed(const Plane &Image) {
  return Image.derive(2, [&](long X, long Y) {
    int Sum = 0;
    for (long Down = 0; Down != Taps; ++Down)
      for (long Across = 0; Across != Taps; ++Across)
        Sum += Gaussian[Down] * Gaussian[Across] *
               Image(X + Across - Taps / 2, Y + Down - Taps / 2);
    return Sum / 32;
  });
}

static Plane laplacianOf(const Plane &Smooth) {
  return Smooth.derive(1, [&](long X, long Y) {
    std::array<int, 9> Near = Smooth.around(X, Y);
    auto [Least, Most] = std::minmax_element(Near.begin(), Near.end());
    return *Least + *Most - 2 * Near[4];
  });
}

static Plane crossingsOf(const Plane &Laplacian) {
  return Laplacian.derive(0, [&](long X, long Y) {
    auto [Least, Most] =
        std::minmax({Laplacian(X, Y), Laplacian(X - 1, Y), Laplacian(X + 1, Y),
                     Laplacian(X, Y - 1), Laplacian(X, Y + 1)});
    return int(Least < 0 && Most > 0);
  });
}

static Plane gradientOf(const Plane &Smooth) {
  constexpr int Sobel[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
  return Smooth.derive(0, [&](long X, long Y) {
    std::array<int, 9> Near = Smooth.around(X, Y);
    int Across = 0, Down = 0;
    for (int Index = 0; Index != 9; ++Index) {
      Across += Sobel[Index] * Near[Index];
      Down += Sobel[Index % 3 * 3 + Index / 3] * Near[Index];
    }
    return (std::abs(Across) + std::abs(Down)) / 8;
  });
}

Edges detectPlainly(const Frame &Picture, float Threshold) {
  // Around the frame, its outermost pixels go on.
  Plane Image(Picture.Columns, Picture.Rows, 5);
  Image.compute([&](long X, long Y) {
    X = std::clamp<long>(X, 0, Picture.Columns - 1);
    Y = std::clamp<long>(Y, 0, Picture.Rows - 1);
    return Picture.Pixels[Y * Picture.Columns + X];
  });
  Plane Smooth = smoothed(Image);
  Plane Crossings = crossingsOf(laplacianOf(Smooth));
  Plane Gradient = gradientOf(Smooth);

  Edges Result;
  const std::vector<int> &Amounts = Gradient.values();
  Result.Maximum = *std::max_element(Amounts.begin(), Amounts.end());
  float Least = Threshold * float(Result.Maximum);
  for (size_t Pixel = 0; Pixel != Amounts.size(); ++Pixel) {
    bool IsEdge = Crossings.values()[Pixel] && float(Amounts[Pixel]) >= Least;
    Result.Pixels.push_back(IsEdge ? 255 : 0);
  }
  return Result;
}
