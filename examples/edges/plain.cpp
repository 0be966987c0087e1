//===- plain.cpp - Detecting edges with plain loops -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of the edges example: the steps of detect.cpp one after another in
// sequential C++, sharing no code with the graph. Arithmetic is exact, but for
// one comparison of rounded numbers, so the frames must agree byte by byte.
//
//===----------------------------------------------------------------------===//

#include "edges.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace {

/// A picture of integers; beyond its border it goes on as at the border.
class Plane {
public:
  Plane(long Columns, long Rows)
      : Columns(Columns), Rows(Rows), Values(Columns * Rows) {}

  int &at(long X, long Y) { return Values[Y * Columns + X]; }
  int operator()(long X, long Y) const {
    X = std::clamp<long>(X, 0, Columns - 1);
    Y = std::clamp<long>(Y, 0, Rows - 1);
    return Values[Y * Columns + X];
  }

  /// The plane of what \p Compute gives for each column and row.
  template <typename Function> Plane derive(Function Compute) const {
    Plane Result(Columns, Rows);
    for (long Y = 0; Y != Rows; ++Y)
      for (long X = 0; X != Columns; ++X)
        Result.at(X, Y) = Compute(X, Y);
    return Result;
  }

  /// The values of the 3 x 3 pixels around a place, the middle one fifth.
  std::array<int, 9> around(long X, long Y) const {
    std::array<int, 9> Result;
    for (int Index = 0; Index != 9; ++Index)
      Result[Index] = (*this)(X + Index % 3 - 1, Y + Index / 3 - 1);
    return Result;
  }

  const std::vector<int> &values() const { return Values; }

private:
  long Columns, Rows;
  std::vector<int> Values;
};

} // namespace

static Plane smoothed(const Plane &Image) {
  return Image.derive([&](long X, long Y) {
    int Sum = 0;
    for (long Down = 0; Down != Taps; ++Down)
      for (long Across = 0; Across != Taps; ++Across)
        Sum += Gaussian[Down] * Gaussian[Across] *
               Image(X + Across - Taps / 2, Y + Down - Taps / 2);
    return Sum / 32;
  });
}

static Plane laplacianOf(const Plane &Smooth) {
  return Smooth.derive([&](long X, long Y) {
    std::array<int, 9> Near = Smooth.around(X, Y);
    auto [Least, Most] = std::minmax_element(Near.begin(), Near.end());
    return *Least + *Most - 2 * Near[4];
  });
}

static Plane crossingsOf(const Plane &Laplacian) {
  return Laplacian.derive([&](long X, long Y) {
    auto [Least, Most] =
        std::minmax({Laplacian(X, Y), Laplacian(X - 1, Y), Laplacian(X + 1, Y),
                     Laplacian(X, Y - 1), Laplacian(X, Y + 1)});
    return int(Least < 0 && Most > 0);
  });
}

static Plane gradientOf(const Plane &Smooth) {
  constexpr int Sobel[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
  return Smooth.derive([&](long X, long Y) {
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
  Plane Image(Picture.Columns, Picture.Rows);
  for (size_t Y = 0; Y != Picture.Rows; ++Y)
    for (size_t X = 0; X != Picture.Columns; ++X)
      Image.at(X, Y) = Picture.Pixels[Y * Picture.Columns + X];
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
