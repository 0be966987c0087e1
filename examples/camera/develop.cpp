//===- develop.cpp - Developing a picture with a graph --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of the camera example: six stages below one root, each replicated
// over the picture's columns (x) and rows (y).
//
//   linearise ═> demosaic ═> denoise ─> transform ─> map gamut ─> map tone
//
// A stage writes a buffer that the host owns and that the root binds to it and
// to the next one. The edge between the two carries the buffer's size, which
// orders them: ═> all to all, where a pixel needs its neighbours, ─> one to
// one, where it does not.
//
//===----------------------------------------------------------------------===//

#include "camera.h"

#include "hpvm.h"

#include <chrono>

/// Where the stages run. On a device: hpvm::GPU_TARGET.
#ifndef STAGE_TARGET
#define STAGE_TARGET hpvm::CPU_TARGET
#endif

//===----------------------------------------------------------------------===//
// What the stages share
//===----------------------------------------------------------------------===//

/// The nearest row or column that has the same filters and holds picture.
static long inside(long At, long Size) {
  return At == 0 ? 2 : At == Size - 1 ? Size - 3 : At;
}

/// Before the first row or column lies the second one, and so at the end.
static long before(long At) { return At == 0 ? 1 : At - 1; }
static long after(long At, long Size) {
  return At == Size - 1 ? Size - 2 : At + 1;
}

static float smaller(float A, float B) { return A < B ? A : B; }
static float larger(float A, float B) { return A < B ? B : A; }

static float middle(float A, float B, float C) {
  return larger(smaller(A, B), smaller(larger(A, B), C));
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// Bytes to intensities between 0 and 1; only the filter's colour is not zero.
void linearise(uint8_t *Mosaic, size_t MosaicBytes, float *Linear,
               size_t LinearBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(1, Mosaic, 1, Linear);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);
  long Rows = __hpvm__getNumNodeInstances_y(Self);

  uint8_t *Pixel =
      Mosaic + 3 * (inside(Y, Rows) * Columns + inside(X, Columns));
  int Sum = Pixel[0] + Pixel[1] + Pixel[2];
  Linear[Y * Columns + X] = float(Sum) * (1.0f / 255.0f);
  __hpvm__return(1, LinearBytes);
}

/// The two missing colours of each pixel from its eight neighbours.
void demosaic(float *Linear, size_t LinearBytes, float *Full,
              size_t FullBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(1, Linear, 1, Full);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);
  long Rows = __hpvm__getNumNodeInstances_y(Self);

  float *Above = Linear + before(Y) * Columns;
  float *Here = Linear + Y * Columns;
  float *Below = Linear + after(Y, Rows) * Columns;
  long Left = before(X), Right = after(X, Columns);

  float Own = Here[X];
  float Horizontal = (Here[Left] + Here[Right]) * 0.5f;
  float Vertical = (Above[X] + Below[X]) * 0.5f;
  float Cross = (Horizontal + Vertical) * 0.5f;
  float Corners =
      ((Above[Left] + Above[Right]) + (Below[Left] + Below[Right])) * 0.25f;

  bool EvenRow = Y % 2 == 0, EvenColumn = X % 2 == 0;
  bool Green = EvenRow == EvenColumn;
  float RedAtGreen = EvenRow ? Horizontal : Vertical;
  float BlueAtGreen = EvenRow ? Vertical : Horizontal;
  float RedElsewhere = EvenRow ? Own : Corners;
  float BlueElsewhere = EvenRow ? Corners : Own;

  float *Out = Full + Y * Columns + X;
  long Plane = Rows * Columns;
  Out[0] = Green ? RedAtGreen : RedElsewhere;
  Out[Plane] = Green ? Own : Cross;
  Out[2 * Plane] = Green ? BlueAtGreen : BlueElsewhere;
  __hpvm__return(1, FullBytes);
}

/// The median of each pixel and its neighbours, per colour: the median of the
/// columns' largest smallest, middle and smallest largest values.
void denoise(float *Full, size_t FullBytes, float *Clean, size_t CleanBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(1, Full, 1, Clean);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);
  long Rows = __hpvm__getNumNodeInstances_y(Self);
  long Xs[3] = {before(X), X, after(X, Columns)};

  for (long Channel = 0; Channel < 3; ++Channel) {
    float *Plane = Full + Channel * Rows * Columns;
    float Low[3], Middle[3], High[3];
    for (int Column = 0; Column < 3; ++Column) {
      float A = Plane[before(Y) * Columns + Xs[Column]];
      float B = Plane[Y * Columns + Xs[Column]];
      float C = Plane[after(Y, Rows) * Columns + Xs[Column]];
      Low[Column] = smaller(smaller(A, B), C);
      Middle[Column] = middle(A, B, C);
      High[Column] = larger(larger(A, B), C);
    }
    Clean[(Channel * Rows + Y) * Columns + X] =
        middle(larger(larger(Low[0], Low[1]), Low[2]),
               middle(Middle[0], Middle[1], Middle[2]),
               smaller(smaller(High[0], High[1]), High[2]));
  }
  __hpvm__return(1, CleanBytes);
}

/// White balance and the camera's colour space: one 3 x 3 matrix.
void transform(float *Clean, size_t CleanBytes, float *Matrix,
               size_t MatrixBytes, float *Colour, size_t ColourBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(2, Clean, Matrix, 1, Colour);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);
  long Plane = Columns * __hpvm__getNumNodeInstances_y(Self);

  float *In = Clean + Y * Columns + X;
  float Red = In[0], Green = In[Plane], Blue = In[2 * Plane];
  for (int Channel = 0; Channel < 3; ++Channel) {
    float *Row = Matrix + 3 * Channel;
    Colour[Channel * Plane + Y * Columns + X] =
        Row[0] * Red + Row[1] * Green + Row[2] * Blue;
  }
  __hpvm__return(1, ColourBytes);
}

/// Into the gamut of pictures: an affine map plus radial basis functions, the
/// distances to all control points times their weights.
void mapGamut(float *Colour, size_t ColourBytes, float *Points,
              size_t PointsBytes, float *Weights, size_t WeightsBytes,
              float *Affine, size_t AffineBytes, long Count, float *Mapped,
              size_t MappedBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(4, Colour, Points, Weights, Affine, 1, Mapped);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);
  long Plane = Columns * __hpvm__getNumNodeInstances_y(Self);
  long Pixel = Y * Columns + X;

  float Red = Colour[Pixel];
  float Green = Colour[Plane + Pixel];
  float Blue = Colour[2 * Plane + Pixel];
  float NewRed =
      Affine[0] + Affine[3] * Red + Affine[6] * Green + Affine[9] * Blue;
  float NewGreen =
      Affine[1] + Affine[4] * Red + Affine[7] * Green + Affine[10] * Blue;
  float NewBlue =
      Affine[2] + Affine[5] * Red + Affine[8] * Green + Affine[11] * Blue;

  for (long Point = 0; Point < Count; ++Point) {
    float R = Red - Points[Point];
    float G = Green - Points[Count + Point];
    float B = Blue - Points[2 * Count + Point];
    float Distance = __hpvm__sqrt(R * R + G * G + B * B);
    NewRed += Distance * Weights[Point];
    NewGreen += Distance * Weights[Count + Point];
    NewBlue += Distance * Weights[2 * Count + Point];
  }
  Mapped[Pixel] = NewRed;
  Mapped[Plane + Pixel] = NewGreen;
  Mapped[2 * Plane + Pixel] = NewBlue;
  __hpvm__return(1, MappedBytes);
}

/// The camera's response to intensity, between the measured points a line, and
/// back to bytes.
void mapTone(float *Mapped, size_t MappedBytes, float *Curve, size_t CurveBytes,
             uint8_t *Picture, size_t PictureBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(2, Mapped, Curve, 1, Picture);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);
  long Plane = Columns * __hpvm__getNumNodeInstances_y(Self);
  long Pixel = Y * Columns + X;

  for (int Channel = 0; Channel < 3; ++Channel) {
    float Value = Mapped[Channel * Plane + Pixel];
    float Scaled = smaller(larger(Value, 0.0f), 1.0f) * 255.0f;
    int Whole = int(Scaled);
    int Index = Whole < 254 ? Whole : 254;
    float Fraction = Scaled - float(Index);
    float Low = Curve[3 * Index + Channel];
    float High = Curve[3 * (Index + 1) + Channel];
    float Toned = Low + Fraction * (High - Low);
    Picture[3 * Pixel + Channel] = uint8_t(Toned * 255.0f + 0.5f);
  }
  __hpvm__return(1, PictureBytes);
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// The root's inputs by number.
enum Input : unsigned {
  InMosaic,
  InLinear = 2,
  InFull = 4,
  InClean = 6,
  InColour = 8,
  InMapped = 10,
  InPicture = 12,
  InMatrix = 14,
  InPoints = 16,
  InWeights = 18,
  InAffine = 20,
  InCurve = 22,
  InCount = 24,
};

void developRoot(uint8_t *Mosaic, size_t MosaicBytes, float *Linear,
                 size_t LinearBytes, float *Full, size_t FullBytes,
                 float *Clean, size_t CleanBytes, float *Colour,
                 size_t ColourBytes, float *Mapped, size_t MappedBytes,
                 uint8_t *Picture, size_t PictureBytes, float *Matrix,
                 size_t MatrixBytes, float *Points, size_t PointsBytes,
                 float *Weights, size_t WeightsBytes, float *Affine,
                 size_t AffineBytes, float *Curve, size_t CurveBytes,
                 long Count, size_t Columns, size_t Rows) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(11, Mosaic, Linear, Full, Clean, Colour, Mapped, Matrix,
                     Points, Weights, Affine, Curve, 6, Linear, Full, Clean,
                     Colour, Mapped, Picture);
  void *Linearise = __hpvm__createNodeND(2, linearise, Columns, Rows);
  void *Demosaic = __hpvm__createNodeND(2, demosaic, Columns, Rows);
  void *Denoise = __hpvm__createNodeND(2, denoise, Columns, Rows);
  void *Transform = __hpvm__createNodeND(2, transform, Columns, Rows);
  void *MapGamut = __hpvm__createNodeND(2, mapGamut, Columns, Rows);
  void *MapTone = __hpvm__createNodeND(2, mapTone, Columns, Rows);

  // One size from each stage to the next: what orders them.
  __hpvm__edge(Linearise, Demosaic, 1, 0, 1, 0);
  __hpvm__edge(Demosaic, Denoise, 1, 0, 1, 0);
  __hpvm__edge(Denoise, Transform, 0, 0, 1, 0);
  __hpvm__edge(Transform, MapGamut, 0, 0, 1, 0);
  __hpvm__edge(MapGamut, MapTone, 0, 0, 1, 0);

  __hpvm__bindIn(Linearise, InMosaic, 0, 0);
  __hpvm__bindIn(Linearise, InMosaic + 1, 1, 0);
  __hpvm__bindIn(Linearise, InLinear, 2, 0);
  __hpvm__bindIn(Linearise, InLinear + 1, 3, 0);

  __hpvm__bindIn(Demosaic, InLinear, 0, 0);
  __hpvm__bindIn(Demosaic, InFull, 2, 0);
  __hpvm__bindIn(Demosaic, InFull + 1, 3, 0);

  __hpvm__bindIn(Denoise, InFull, 0, 0);
  __hpvm__bindIn(Denoise, InClean, 2, 0);
  __hpvm__bindIn(Denoise, InClean + 1, 3, 0);

  __hpvm__bindIn(Transform, InClean, 0, 0);
  __hpvm__bindIn(Transform, InMatrix, 2, 0);
  __hpvm__bindIn(Transform, InMatrix + 1, 3, 0);
  __hpvm__bindIn(Transform, InColour, 4, 0);
  __hpvm__bindIn(Transform, InColour + 1, 5, 0);

  __hpvm__bindIn(MapGamut, InColour, 0, 0);
  __hpvm__bindIn(MapGamut, InPoints, 2, 0);
  __hpvm__bindIn(MapGamut, InPoints + 1, 3, 0);
  __hpvm__bindIn(MapGamut, InWeights, 4, 0);
  __hpvm__bindIn(MapGamut, InWeights + 1, 5, 0);
  __hpvm__bindIn(MapGamut, InAffine, 6, 0);
  __hpvm__bindIn(MapGamut, InAffine + 1, 7, 0);
  __hpvm__bindIn(MapGamut, InCount, 8, 0);
  __hpvm__bindIn(MapGamut, InMapped, 9, 0);
  __hpvm__bindIn(MapGamut, InMapped + 1, 10, 0);

  __hpvm__bindIn(MapTone, InMapped, 0, 0);
  __hpvm__bindIn(MapTone, InCurve, 2, 0);
  __hpvm__bindIn(MapTone, InCurve + 1, 3, 0);
  __hpvm__bindIn(MapTone, InPicture, 4, 0);
  __hpvm__bindIn(MapTone, InPicture + 1, 5, 0);

  __hpvm__bindOut(MapTone, 0, 0, 0);
}

/// The root's arguments, its inputs in order and then its result.
struct __attribute__((packed)) Arguments {
  uint8_t *Mosaic;
  size_t MosaicBytes;
  float *Linear;
  size_t LinearBytes;
  float *Full;
  size_t FullBytes;
  float *Clean;
  size_t CleanBytes;
  float *Colour;
  size_t ColourBytes;
  float *Mapped;
  size_t MappedBytes;
  uint8_t *Picture;
  size_t PictureBytes;
  float *Matrix;
  size_t MatrixBytes;
  float *Points;
  size_t PointsBytes;
  float *Weights;
  size_t WeightsBytes;
  float *Affine;
  size_t AffineBytes;
  float *Curve;
  size_t CurveBytes;
  long Count;
  size_t Columns;
  size_t Rows;
  size_t Written;
};

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

template <typename T> static size_t bytesOf(const std::vector<T> &Values) {
  return Values.size() * sizeof(T);
}

template <typename T> static void track(std::vector<T> &Values) {
  llvm_hpvm_track_mem(Values.data(), bytesOf(Values));
}

template <typename T> static void untrack(std::vector<T> &Values) {
  llvm_hpvm_untrack_mem(Values.data());
}

Darkroom::Darkroom(RawPicture &Raw, CameraModel &Model)
    : Raw(Raw), Model(Model) {
  size_t Pixels = Raw.Columns * Raw.Rows;
  Linear.resize(Pixels);
  for (std::vector<float> *Buffer : {&Full, &Clean, &Colour, &Mapped})
    Buffer->resize(3 * Pixels);
  Picture.resize(3 * Pixels);

  track(Raw.Mosaic);
  for (std::vector<float> *Buffer :
       {&Linear, &Full, &Clean, &Colour, &Mapped, &Model.Transform,
        &Model.Points, &Model.Weights, &Model.Affine, &Model.Curve})
    track(*Buffer);
  track(Picture);
}

Darkroom::~Darkroom() {
  untrack(Raw.Mosaic);
  for (std::vector<float> *Buffer :
       {&Linear, &Full, &Clean, &Colour, &Mapped, &Model.Transform,
        &Model.Points, &Model.Weights, &Model.Affine, &Model.Curve})
    untrack(*Buffer);
  untrack(Picture);
}

double Darkroom::develop() {
  Arguments Args = {Raw.Mosaic.data(),
                    bytesOf(Raw.Mosaic),
                    Linear.data(),
                    bytesOf(Linear),
                    Full.data(),
                    bytesOf(Full),
                    Clean.data(),
                    bytesOf(Clean),
                    Colour.data(),
                    bytesOf(Colour),
                    Mapped.data(),
                    bytesOf(Mapped),
                    Picture.data(),
                    bytesOf(Picture),
                    Model.Transform.data(),
                    bytesOf(Model.Transform),
                    Model.Points.data(),
                    bytesOf(Model.Points),
                    Model.Weights.data(),
                    bytesOf(Model.Weights),
                    Model.Affine.data(),
                    bytesOf(Model.Affine),
                    Model.Curve.data(),
                    bytesOf(Model.Curve),
                    long(Model.Points.size() / 3),
                    Raw.Columns,
                    Raw.Rows,
                    /*Written=*/0};
  auto Start = std::chrono::steady_clock::now();
  void *Graph = __hpvm__launch(0, developRoot, &Args);
  __hpvm__wait(Graph);
  llvm_hpvm_request_mem(Picture.data(), bytesOf(Picture));
  std::chrono::duration<double, std::milli> Time =
      std::chrono::steady_clock::now() - Start;
  return Time.count();
}
