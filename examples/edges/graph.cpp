//===- graph.cpp - The graph that detects edges ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of the edges example. Two of its stages are graphs themselves, the
// others are leaves, replicated over a frame's columns (x) and rows (y).
//
//   smooth ═┬═> laplacian ══> crossings ═════════════╗
//           ╚═> gradient ═══> maximum ══════════> reject
//
//   smooth   rows ══> columns                 a Gaussian filter, by directions
//   maximum  band (16 rows each) ══> frame    a work-group for each band
//
// All edges are all to all: a stage looks at neighbouring pixels, or at all of
// them. What streams are a frame's buffers, which the host takes from a ring;
// the sizes of the buffers go along the edges and order the stages. The filter,
// the frames' size and the threshold are read once, at launch.
//
//===----------------------------------------------------------------------===//

#include "graph.h"

#include "hpvm.h"

/// Where the stages run. On a device: hpvm::GPU_TARGET.
#ifndef STAGE_TARGET
#define STAGE_TARGET hpvm::CPU_TARGET
#endif

static int smaller(int A, int B) { return A < B ? A : B; }
static int larger(int A, int B) { return A < B ? B : A; }

//===----------------------------------------------------------------------===//
// smooth: a Gaussian filter, first along rows, then along columns
//===----------------------------------------------------------------------===//

/// Sums of weighted bytes: at most 255 * 64.
void smoothRows(uint8_t *Image, size_t ImageBytes, uint16_t *Filter,
                size_t FilterBytes, uint16_t *Blurred, size_t BlurredBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(2, Image, Filter, 1, Blurred);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);

  uint8_t *From = Image + Y * (Columns + Taps - 1) + X;
  int Sum = 0;
  for (long Tap = 0; Tap < Taps; ++Tap)
    Sum += Filter[Tap] * From[Tap];
  Blurred[Y * Columns + X] = uint16_t(Sum);
  __hpvm__return(1, BlurredBytes);
}

/// Sums of weighted sums, brought to 15 bits: white is 32,640.
void smoothColumns(uint16_t *Blurred, size_t BlurredBytes, uint16_t *Filter,
                   size_t FilterBytes, uint16_t *Smooth, size_t SmoothBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(2, Blurred, Filter, 1, Smooth);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);

  uint16_t *From = Blurred + Y * Columns + X;
  int Sum = 0;
  for (long Tap = 0; Tap < Taps; ++Tap)
    Sum += Filter[Tap] * From[Tap * Columns];
  Smooth[Y * Columns + X] = uint16_t(Sum >> 5);
  __hpvm__return(2, SmoothBytes, SmoothBytes);
}

void smooth(uint8_t *Image, size_t ImageBytes, uint16_t *Filter,
            size_t FilterBytes, uint16_t *Blurred, size_t BlurredBytes,
            uint16_t *Smooth, size_t SmoothBytes, size_t Columns, size_t Rows) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(3, Image, Filter, Blurred, 2, Blurred, Smooth);
  void *AlongRows = __hpvm__createNodeND(2, smoothRows, Columns + 2 * InSmooth,
                                         Rows + 2 * Border);
  void *AlongColumns = __hpvm__createNodeND(
      2, smoothColumns, Columns + 2 * InSmooth, Rows + 2 * InSmooth);
  __hpvm__edge(AlongRows, AlongColumns, 1, 0, 1, 1);

  __hpvm__bindIn(AlongRows, 0, 0, 1);
  __hpvm__bindIn(AlongRows, 1, 1, 1);
  __hpvm__bindIn(AlongRows, 2, 2, 0);
  __hpvm__bindIn(AlongRows, 3, 3, 0);
  __hpvm__bindIn(AlongRows, 4, 4, 1);
  __hpvm__bindIn(AlongRows, 5, 5, 1);

  __hpvm__bindIn(AlongColumns, 4, 0, 1);
  __hpvm__bindIn(AlongColumns, 2, 2, 0);
  __hpvm__bindIn(AlongColumns, 3, 3, 0);
  __hpvm__bindIn(AlongColumns, 6, 4, 1);
  __hpvm__bindIn(AlongColumns, 7, 5, 1);

  __hpvm__bindOut(AlongColumns, 0, 0, 1);
  __hpvm__bindOut(AlongColumns, 1, 1, 1);
}

//===----------------------------------------------------------------------===//
// laplacian, crossings and gradient
//===----------------------------------------------------------------------===//

/// An estimate of the second derivative by morphology: by how much the dilated
/// picture is brighter than this pixel, less by how much the eroded one is
/// darker. It fits 16 bits, as the pixel lies between the two.
void laplacian(uint16_t *Smooth, size_t SmoothBytes, int16_t *Laplacian,
               size_t LaplacianBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(1, Smooth, 1, Laplacian);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);

  long Stride = Columns + 2 * (InSmooth - InLaplacian);
  uint16_t *From = Smooth + Y * Stride + X;
  int Dilated = 0, Eroded = 65535;
  for (long Down = 0; Down < 3; ++Down)
    for (long Across = 0; Across < 3; ++Across) {
      Dilated = larger(Dilated, From[Down * Stride + Across]);
      Eroded = smaller(Eroded, From[Down * Stride + Across]);
    }
  int Own = From[Stride + 1];
  Laplacian[Y * Columns + X] = int16_t(Dilated + Eroded - 2 * Own);
  __hpvm__return(1, LaplacianBytes);
}

/// Where the Laplacian changes its sign between this pixel and the four beside
/// it: it is positive after a dilation and negative after an erosion.
void crossings(int16_t *Laplacian, size_t LaplacianBytes, uint8_t *Crossings,
               size_t CrossingsBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(1, Laplacian, 1, Crossings);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);

  long Stride = Columns + 2 * InLaplacian;
  int16_t *Own = Laplacian + (Y + InLaplacian) * Stride + X + InLaplacian;
  int16_t *Above = Own - Stride, *Below = Own + Stride;
  int Dilated =
      larger(larger(*Own, larger(Own[-1], Own[1])), larger(*Above, *Below));
  int Eroded =
      smaller(smaller(*Own, smaller(Own[-1], Own[1])), smaller(*Above, *Below));
  Crossings[Y * Columns + X] = Dilated > 0 && Eroded < 0;
  __hpvm__return(1, CrossingsBytes);
}

/// How steep the picture is: Sobel's two operators, each divided by 8, and the
/// sum of their amounts.
void gradient(uint16_t *Smooth, size_t SmoothBytes, uint16_t *Gradient,
              size_t GradientBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(1, Smooth, 1, Gradient);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);

  long Stride = Columns + 2 * InSmooth;
  uint16_t *Here = Smooth + (Y + InSmooth) * Stride + X + InSmooth;
  uint16_t *Above = Here - Stride, *Below = Here + Stride;
  int Across =
      Above[1] + 2 * Here[1] + Below[1] - Above[-1] - 2 * Here[-1] - Below[-1];
  int Down =
      Below[-1] + 2 * Below[0] + Below[1] - Above[-1] - 2 * Above[0] - Above[1];
  int Amount = (Across < 0 ? -Across : Across) + (Down < 0 ? -Down : Down);
  Gradient[Y * Columns + X] = uint16_t(Amount >> 3);
  __hpvm__return(1, GradientBytes);
}

//===----------------------------------------------------------------------===//
// maximum: the largest gradient of bands of rows, then of the frame
//===----------------------------------------------------------------------===//

/// A group's shared memory and its size.
void allocateLanes() {
  __hpvm__hint(STAGE_TARGET);
  size_t Bytes = Lanes * sizeof(int);
  void *Shared = __hpvm__malloc(Bytes);
  __hpvm__return(2, Shared, Bytes);
}

/// One lane of a band's group: the maximum of every 64th column, then of the
/// group by a tree. The barrier stands between writing what the others read
/// and reading what the others wrote, in each round.
void bandLane(int *Shared, size_t SharedBytes, uint16_t *Gradient,
              size_t GradientBytes, int *Maxima, size_t MaximaBytes,
              size_t Columns, size_t Rows) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(2, Shared, Gradient, 2, Shared, Maxima);
  void *Self = __hpvm__getNode();
  void *Band = __hpvm__getParentNode(Self);
  long Lane = __hpvm__getNodeInstanceID_x(Self);
  long Number = __hpvm__getNodeInstanceID_x(Band);
  long First = Number * BandRows, End = First + BandRows;
  long Last = End < long(Rows) ? End : long(Rows);

  int Own = 0;
  for (long Y = First; Y < Last; ++Y)
    for (long X = Lane; X < long(Columns); X += Lanes)
      Own = larger(Own, Gradient[Y * Columns + X]);
  Shared[Lane] = Own;
  __hpvm__barrier();
  for (long Half = Lanes / 2; Half > 0; Half /= 2) {
    if (Lane < Half)
      Shared[Lane] = larger(Shared[Lane], Shared[Lane + Half]);
    __hpvm__barrier();
  }
  if (Lane == 0)
    Maxima[Number] = Shared[0];
  __hpvm__return(1, MaximaBytes);
}

void band(uint16_t *Gradient, size_t GradientBytes, int *Maxima,
          size_t MaximaBytes, size_t Columns, size_t Rows) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(1, Gradient, 1, Maxima);
  void *Allocate = __hpvm__createNodeND(0, allocateLanes);
  void *Lane = __hpvm__createNodeND(1, bandLane, Lanes);
  __hpvm__edge(Allocate, Lane, 1, 0, 0, 1);
  __hpvm__edge(Allocate, Lane, 1, 1, 1, 1);
  __hpvm__bindIn(Lane, 0, 2, 1);
  __hpvm__bindIn(Lane, 1, 3, 1);
  __hpvm__bindIn(Lane, 2, 4, 1);
  __hpvm__bindIn(Lane, 3, 5, 1);
  __hpvm__bindIn(Lane, 4, 6, 0);
  __hpvm__bindIn(Lane, 5, 7, 0);
  __hpvm__bindOut(Lane, 0, 0, 1);
}

/// The largest of the bands' maxima.
void frameMaximum(int *Maxima, size_t MaximaBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(1, Maxima, 0);
  int Maximum = 0;
  for (size_t Band = 0; Band < MaximaBytes / sizeof(int); ++Band)
    Maximum = larger(Maximum, Maxima[Band]);
  __hpvm__return(1, Maximum);
}

void maximum(uint16_t *Gradient, size_t GradientBytes, int *Maxima,
             size_t MaximaBytes, size_t Columns, size_t Rows) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(2, Gradient, Maxima, 1, Maxima);
  void *Bands = __hpvm__createNodeND(1, band, (Rows + BandRows - 1) / BandRows);
  void *Whole = __hpvm__createNodeND(0, frameMaximum);
  __hpvm__edge(Bands, Whole, 1, 0, 1, 1);
  __hpvm__bindIn(Bands, 0, 0, 1);
  __hpvm__bindIn(Bands, 1, 1, 1);
  __hpvm__bindIn(Bands, 2, 2, 1);
  __hpvm__bindIn(Bands, 3, 3, 1);
  __hpvm__bindIn(Bands, 4, 4, 0);
  __hpvm__bindIn(Bands, 5, 5, 0);
  __hpvm__bindIn(Whole, 2, 0, 1);
  __hpvm__bindOut(Whole, 0, 0, 1);
}

//===----------------------------------------------------------------------===//
// reject
//===----------------------------------------------------------------------===//

/// Edges are the zero crossings with a steep gradient.
void reject(uint8_t *Crossings, size_t CrossingsBytes, uint16_t *Gradient,
            size_t GradientBytes, int Maximum, float Threshold, uint8_t *Found,
            size_t FoundBytes) {
  __hpvm__hint(STAGE_TARGET);
  __hpvm__attributes(2, Crossings, Gradient, 1, Found);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Pixel = Y * __hpvm__getNumNodeInstances_x(Self) + X;

  bool Steep = float(Gradient[Pixel]) >= Threshold * float(Maximum);
  Found[Pixel] = Crossings[Pixel] && Steep ? 255 : 0;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// The root's inputs by number; those from FilterInput on do not stream.
enum Input : unsigned {
  ImageInput,
  BlurredInput = 2,
  SmoothInput = 4,
  LaplacianInput = 6,
  CrossingsInput = 8,
  GradientInput = 10,
  MaximaInput = 12,
  FoundInput = 14,
  FilterInput = 16,
  ColumnsInput = 18,
  RowsInput,
  ThresholdInput,
};

void detectRoot(uint8_t *Image, size_t ImageBytes, uint16_t *Blurred,
                size_t BlurredBytes, uint16_t *Smooth, size_t SmoothBytes,
                int16_t *Laplacian, size_t LaplacianBytes, uint8_t *Crossings,
                size_t CrossingsBytes, uint16_t *Gradient, size_t GradientBytes,
                int *Maxima, size_t MaximaBytes, uint8_t *Found,
                size_t FoundBytes, uint16_t *Filter, size_t FilterBytes,
                size_t Columns, size_t Rows, float Threshold) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(8, Image, Blurred, Smooth, Laplacian, Crossings, Gradient,
                     Maxima, Filter, 7, Blurred, Smooth, Laplacian, Crossings,
                     Gradient, Maxima, Found);
  void *Smoothing = __hpvm__createNodeND(0, smooth);
  void *Second = __hpvm__createNodeND(2, laplacian, Columns + 2 * InLaplacian,
                                      Rows + 2 * InLaplacian);
  void *Crossing = __hpvm__createNodeND(2, crossings, Columns, Rows);
  void *First = __hpvm__createNodeND(2, gradient, Columns, Rows);
  void *Largest = __hpvm__createNodeND(0, maximum);
  void *Reject = __hpvm__createNodeND(2, reject, Columns, Rows);

  // What orders the stages: sizes, and the largest gradient.
  __hpvm__edge(Smoothing, Second, 1, 0, 1, 1);
  __hpvm__edge(Smoothing, First, 1, 1, 1, 1);
  __hpvm__edge(Second, Crossing, 1, 0, 1, 1);
  __hpvm__edge(First, Largest, 1, 0, 1, 1);
  __hpvm__edge(Crossing, Reject, 1, 0, 1, 1);
  __hpvm__edge(Largest, Reject, 1, 0, 4, 1);

  __hpvm__bindIn(Smoothing, ImageInput, 0, 1);
  __hpvm__bindIn(Smoothing, ImageInput + 1, 1, 1);
  __hpvm__bindIn(Smoothing, FilterInput, 2, 0);
  __hpvm__bindIn(Smoothing, FilterInput + 1, 3, 0);
  __hpvm__bindIn(Smoothing, BlurredInput, 4, 1);
  __hpvm__bindIn(Smoothing, BlurredInput + 1, 5, 1);
  __hpvm__bindIn(Smoothing, SmoothInput, 6, 1);
  __hpvm__bindIn(Smoothing, SmoothInput + 1, 7, 1);
  __hpvm__bindIn(Smoothing, ColumnsInput, 8, 0);
  __hpvm__bindIn(Smoothing, RowsInput, 9, 0);

  __hpvm__bindIn(Second, SmoothInput, 0, 1);
  __hpvm__bindIn(Second, LaplacianInput, 2, 1);
  __hpvm__bindIn(Second, LaplacianInput + 1, 3, 1);

  __hpvm__bindIn(Crossing, LaplacianInput, 0, 1);
  __hpvm__bindIn(Crossing, CrossingsInput, 2, 1);
  __hpvm__bindIn(Crossing, CrossingsInput + 1, 3, 1);

  __hpvm__bindIn(First, SmoothInput, 0, 1);
  __hpvm__bindIn(First, GradientInput, 2, 1);
  __hpvm__bindIn(First, GradientInput + 1, 3, 1);

  __hpvm__bindIn(Largest, GradientInput, 0, 1);
  __hpvm__bindIn(Largest, MaximaInput, 2, 1);
  __hpvm__bindIn(Largest, MaximaInput + 1, 3, 1);
  __hpvm__bindIn(Largest, ColumnsInput, 4, 0);
  __hpvm__bindIn(Largest, RowsInput, 5, 0);

  __hpvm__bindIn(Reject, CrossingsInput, 0, 1);
  __hpvm__bindIn(Reject, GradientInput, 2, 1);
  __hpvm__bindIn(Reject, GradientInput + 1, 3, 1);
  __hpvm__bindIn(Reject, ThresholdInput, 5, 0);
  __hpvm__bindIn(Reject, FoundInput, 6, 1);
  __hpvm__bindIn(Reject, FoundInput + 1, 7, 1);

  __hpvm__bindOut(Largest, 0, 0, 1);
}
