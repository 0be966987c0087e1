//===- pan.cpp - Frames of a camera that moves over a picture -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source of frames without a video: one picture, enlarged to one and a half
// times the frames' size, and a view that moves over it from left to right,
// down and up again.
//
//===----------------------------------------------------------------------===//

#include "edges.h"

#include <algorithm>

static constexpr size_t ViewColumns = 640, ViewRows = 480;
static constexpr size_t Columns = 960, Rows = 720;

namespace {

/// A place between two pixels of a row or column: in 65,536ths of the way from
/// the lower one to the next.
struct Place {
  size_t Low, High;
  uint64_t Fraction;
};

} // namespace

static Place placeOf(size_t At, size_t Size, size_t OldSize) {
  uint64_t Scaled = (uint64_t(At) * (OldSize - 1) << 16) / (Size - 1);
  size_t Low = Scaled >> 16;
  return {Low, std::min(Low + 1, OldSize - 1), Scaled & 0xffff};
}

static uint64_t between(uint64_t Low, uint64_t High, uint64_t Fraction) {
  return (Low * (65536 - Fraction) + High * Fraction) >> 16;
}

/// Bilinear, with whole numbers, so that every machine gives the same frames.
static Frame enlarged(const Frame &Small) {
  Frame Large = {Columns, Rows, {}};
  for (size_t Y = 0; Y != Rows; ++Y) {
    Place Row = placeOf(Y, Rows, Small.Rows);
    const uint8_t *Upper = &Small.Pixels[Row.Low * Small.Columns];
    const uint8_t *Lower = &Small.Pixels[Row.High * Small.Columns];
    for (size_t X = 0; X != Columns; ++X) {
      Place Column = placeOf(X, Columns, Small.Columns);
      uint64_t Above =
          between(Upper[Column.Low], Upper[Column.High], Column.Fraction);
      uint64_t Below =
          between(Lower[Column.Low], Lower[Column.High], Column.Fraction);
      Large.Pixels.push_back(between(Above, Below, Row.Fraction));
    }
  }
  return Large;
}

namespace {

class Pan final : public Source {
public:
  Pan(const Frame &Picture, size_t Count)
      : Large(enlarged(Picture)), Count(Count) {}

  bool next(Frame &Result) override {
    if (Number == Count)
      return false;
    size_t Left = (Columns - ViewColumns) * Number / Count;
    size_t Down = std::min(Number, Count - Number);
    size_t Top = 2 * (Rows - ViewRows) * Down / Count;
    Result = {ViewColumns, ViewRows, {}};
    for (size_t Y = 0; Y != ViewRows; ++Y) {
      auto Row = Large.Pixels.begin() + (Top + Y) * Columns + Left;
      Result.Pixels.insert(Result.Pixels.end(), Row, Row + ViewColumns);
    }
    ++Number;
    return true;
  }

private:
  Frame Large;
  size_t Count, Number = 0;
};

} // namespace

std::unique_ptr<Source> panOver(const Frame &Picture, size_t Count) {
  return std::make_unique<Pan>(Picture, Count);
}
