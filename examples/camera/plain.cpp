//===- plain.cpp - Developing a picture with plain loops ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of the camera example: the steps of develop.cpp one after another
// in sequential C++, sharing no code with the graph. The arithmetic is the
// same, operation by operation, so the pictures must agree bit by bit.
//
//===----------------------------------------------------------------------===//

#include "camera.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace {

using Colour = std::array<float, 3>;

/// A picture of floats whose border reflects what lies inside.
class Plane {
public:
  Plane(size_t Columns, size_t Rows)
      : Columns(Columns), Rows(Rows), Pixels(Columns * Rows) {}

  Colour &operator()(long Row, long Column) {
    return Pixels[reflect(Row, Rows) * Columns + reflect(Column, Columns)];
  }

private:
  static size_t reflect(long At, long Size) {
    if (At < 0)
      return -At;
    return At < Size ? At : 2 * Size - 2 - At;
  }

  size_t Columns, Rows;
  std::vector<Colour> Pixels;
};

} // namespace

static constexpr int Red = 0, Green = 1, Blue = 2;

/// The colour that the sensor's filter passes.
static int filterAt(long Row, long Column) {
  if (Row % 2 == Column % 2)
    return Green;
  return Row % 2 == 0 ? Red : Blue;
}

/// The nearest row or column that has the same filters and holds picture.
static long nearestInside(long At, long Size) {
  if (At == 0)
    return 2;
  return At == Size - 1 ? Size - 3 : At;
}

static Colour demosaicPixel(Plane &Linear, long Row, long Column) {
  auto Value = [&](long Y, long X) { return Linear(Y, X)[0]; };
  float Left = Value(Row, Column - 1), Right = Value(Row, Column + 1);
  float Above = Value(Row - 1, Column), Below = Value(Row + 1, Column);
  float Horizontal = (Left + Right) * 0.5f;
  float Vertical = (Above + Below) * 0.5f;

  Colour Result;
  int Own = filterAt(Row, Column);
  Result[Own] = Value(Row, Column);
  if (Own == Green) {
    int Beside = filterAt(Row, Column + 1);
    Result[Beside] = Horizontal;
    Result[Red + Blue - Beside] = Vertical;
    return Result;
  }
  Result[Green] = (Horizontal + Vertical) * 0.5f;
  float Upper = Value(Row - 1, Column - 1) + Value(Row - 1, Column + 1);
  float Lower = Value(Row + 1, Column - 1) + Value(Row + 1, Column + 1);
  Result[Red + Blue - Own] = (Upper + Lower) * 0.25f;
  return Result;
}

static float medianAround(Plane &Full, long Row, long Column, int Channel) {
  std::array<float, 9> Values;
  for (int Index = 0; Index != 9; ++Index)
    Values[Index] = Full(Row + Index / 3 - 1, Column + Index % 3 - 1)[Channel];
  std::nth_element(Values.begin(), Values.begin() + 4, Values.end());
  return Values[4];
}

static Colour transformed(const CameraModel &Model, Colour In) {
  Colour Out;
  for (int Channel = 0; Channel != 3; ++Channel) {
    const float *Row = &Model.Transform[3 * Channel];
    Out[Channel] = Row[0] * In[0] + Row[1] * In[1] + Row[2] * In[2];
  }
  return Out;
}

static Colour gamutMapped(const CameraModel &Model, Colour In) {
  size_t Count = Model.Points.size() / 3;
  const float *Points = Model.Points.data();
  const float *Weights = Model.Weights.data();
  Colour Out;
  for (int Channel = 0; Channel != 3; ++Channel) {
    const float *Affine = &Model.Affine[Channel];
    Out[Channel] =
        Affine[0] + Affine[3] * In[0] + Affine[6] * In[1] + Affine[9] * In[2];
  }
  for (size_t Point = 0; Point != Count; ++Point) {
    float R = In[0] - Points[Point];
    float G = In[1] - Points[Count + Point];
    float B = In[2] - Points[2 * Count + Point];
    float Distance = std::sqrt(R * R + G * G + B * B);
    for (int Channel = 0; Channel != 3; ++Channel)
      Out[Channel] += Distance * Weights[Channel * Count + Point];
  }
  return Out;
}

static uint8_t toned(const CameraModel &Model, float In, int Channel) {
  float Scaled = std::clamp(In, 0.0f, 1.0f) * 255.0f;
  int Index = std::min(int(Scaled), 254);
  float Fraction = Scaled - float(Index);
  float Low = Model.Curve[3 * Index + Channel];
  float High = Model.Curve[3 * (Index + 1) + Channel];
  float Value = Low + Fraction * (High - Low);
  return uint8_t(Value * 255.0f + 0.5f);
}

Developed developPlainly(const RawPicture &Raw, const CameraModel &Model) {
  long Columns = Raw.Columns, Rows = Raw.Rows;
  Plane Linear(Columns, Rows), Full(Columns, Rows);
  Developed Picture(3 * Columns * Rows);

  for (long Row = 0; Row != Rows; ++Row)
    for (long Column = 0; Column != Columns; ++Column) {
      size_t Pixel =
          nearestInside(Row, Rows) * Columns + nearestInside(Column, Columns);
      size_t Byte = 3 * Pixel + filterAt(Row, Column);
      Linear(Row, Column)[0] = float(Raw.Mosaic[Byte]) * (1.0f / 255.0f);
    }

  for (long Row = 0; Row != Rows; ++Row)
    for (long Column = 0; Column != Columns; ++Column)
      Full(Row, Column) = demosaicPixel(Linear, Row, Column);

  for (long Row = 0; Row != Rows; ++Row)
    for (long Column = 0; Column != Columns; ++Column) {
      Colour Clean;
      for (int Channel = 0; Channel != 3; ++Channel)
        Clean[Channel] = medianAround(Full, Row, Column, Channel);
      Colour Mapped = gamutMapped(Model, transformed(Model, Clean));
      for (int Channel = 0; Channel != 3; ++Channel)
        Picture[3 * (Row * Columns + Column) + Channel] =
            toned(Model, Mapped[Channel], Channel);
    }
  return Picture;
}
