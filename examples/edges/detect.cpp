//===- detect.cpp - Detecting edges with a streaming graph ----------------===//
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

#include "edges.h"

#include "hpvm.h"
#include "sluice-c/Runtime.h"

#include <algorithm>

/// Rows of a frame that one work-group looks at, and its work-items.
constexpr long BandRows = 16;
constexpr long Lanes = 64;

//===----------------------------------------------------------------------===//
// What the stages share
//===----------------------------------------------------------------------===//

/// The nearest row or column of the frame.
static long clamped(long At, long Size) {
  long Low = At < 0 ? 0 : At;
  return Low < Size ? Low : Size - 1;
}

static int smaller(int A, int B) { return A < B ? A : B; }
static int larger(int A, int B) { return A < B ? B : A; }

//===----------------------------------------------------------------------===//
// smooth: a Gaussian filter, first along rows, then along columns
//===----------------------------------------------------------------------===//

/// Sums of weighted bytes: at most 255 * 64.
void smoothRows(uint8_t *Image, size_t ImageBytes, uint16_t *Filter,
                size_t FilterBytes, uint16_t *Blurred, size_t BlurredBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Image, Filter, 1, Blurred);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);

  uint8_t *Row = Image + Y * Columns;
  int Sum = 0;
  for (long Tap = 0; Tap < Taps; ++Tap)
    Sum += Filter[Tap] * Row[clamped(X + Tap - Taps / 2, Columns)];
  Blurred[Y * Columns + X] = uint16_t(Sum);
  __hpvm__return(1, BlurredBytes);
}

/// Sums of weighted sums, brought to 15 bits: white is 32,640.
void smoothColumns(uint16_t *Blurred, size_t BlurredBytes, uint16_t *Filter,
                   size_t FilterBytes, uint16_t *Smooth, size_t SmoothBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Blurred, Filter, 1, Smooth);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);
  long Rows = __hpvm__getNumNodeInstances_y(Self);

  int Sum = 0;
  for (long Tap = 0; Tap < Taps; ++Tap)
    Sum +=
        Filter[Tap] * Blurred[clamped(Y + Tap - Taps / 2, Rows) * Columns + X];
  Smooth[Y * Columns + X] = uint16_t(Sum >> 5);
  __hpvm__return(2, SmoothBytes, SmoothBytes);
}

void smooth(uint8_t *Image, size_t ImageBytes, uint16_t *Filter,
            size_t FilterBytes, uint16_t *Blurred, size_t BlurredBytes,
            uint16_t *Smooth, size_t SmoothBytes, size_t Columns, size_t Rows) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(3, Image, Filter, Blurred, 2, Blurred, Smooth);
  void *AlongRows = __hpvm__createNodeND(2, smoothRows, Columns, Rows);
  void *AlongColumns = __hpvm__createNodeND(2, smoothColumns, Columns, Rows);
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
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Smooth, 1, Laplacian);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);
  long Rows = __hpvm__getNumNodeInstances_y(Self);

  uint16_t *Above = Smooth + clamped(Y - 1, Rows) * Columns;
  uint16_t *Here = Smooth + Y * Columns;
  uint16_t *Below = Smooth + clamped(Y + 1, Rows) * Columns;
  long Left = clamped(X - 1, Columns), Right = clamped(X + 1, Columns);

  int Dilated = larger(
      larger(larger(Above[X], Below[X]), larger(Here[Left], Here[Right])),
      larger(larger(Above[Left], Above[Right]),
             larger(Below[Left], Below[Right])));
  int Eroded = smaller(
      smaller(smaller(Above[X], Below[X]), smaller(Here[Left], Here[Right])),
      smaller(smaller(Above[Left], Above[Right]),
              smaller(Below[Left], Below[Right])));
  int Own = Here[X];
  Laplacian[Y * Columns + X] =
      int16_t(larger(Dilated, Own) + smaller(Eroded, Own) - 2 * Own);
  __hpvm__return(1, LaplacianBytes);
}

/// Where the Laplacian changes its sign between this pixel and the four beside
/// it: it is positive after a dilation and negative after an erosion.
void crossings(int16_t *Laplacian, size_t LaplacianBytes, uint8_t *Crossings,
               size_t CrossingsBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Laplacian, 1, Crossings);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);
  long Rows = __hpvm__getNumNodeInstances_y(Self);

  int16_t *Here = Laplacian + Y * Columns;
  int Above = Laplacian[clamped(Y - 1, Rows) * Columns + X];
  int Below = Laplacian[clamped(Y + 1, Rows) * Columns + X];
  int Left = Here[clamped(X - 1, Columns)];
  int Right = Here[clamped(X + 1, Columns)];
  int Own = Here[X];

  int Dilated = larger(Own, larger(larger(Above, Below), larger(Left, Right)));
  int Eroded =
      smaller(Own, smaller(smaller(Above, Below), smaller(Left, Right)));
  Crossings[Y * Columns + X] = Dilated > 0 && Eroded < 0;
  __hpvm__return(1, CrossingsBytes);
}

/// How steep the picture is: Sobel's two operators, each divided by 8, and the
/// sum of their amounts.
void gradient(uint16_t *Smooth, size_t SmoothBytes, uint16_t *Gradient,
              size_t GradientBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Smooth, 1, Gradient);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Columns = __hpvm__getNumNodeInstances_x(Self);
  long Rows = __hpvm__getNumNodeInstances_y(Self);

  uint16_t *Above = Smooth + clamped(Y - 1, Rows) * Columns;
  uint16_t *Here = Smooth + Y * Columns;
  uint16_t *Below = Smooth + clamped(Y + 1, Rows) * Columns;
  long Left = clamped(X - 1, Columns), Right = clamped(X + 1, Columns);

  int Across = Above[Right] + 2 * Here[Right] + Below[Right] - Above[Left] -
               2 * Here[Left] - Below[Left];
  int Down = Below[Left] + 2 * Below[X] + Below[Right] - Above[Left] -
             2 * Above[X] - Above[Right];
  int Amount = (Across < 0 ? -Across : Across) + (Down < 0 ? -Down : Down);
  Gradient[Y * Columns + X] = uint16_t(Amount >> 3);
  __hpvm__return(1, GradientBytes);
}

//===----------------------------------------------------------------------===//
// maximum: the largest gradient of bands of rows, then of the frame
//===----------------------------------------------------------------------===//

/// A group's shared memory and its size.
void allocateLanes() {
  __hpvm__hint(hpvm::CPU_TARGET);
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
  __hpvm__hint(hpvm::CPU_TARGET);
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
  __hpvm__hint(hpvm::CPU_TARGET);
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
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Maxima, 0);
  int Maximum = 0;
  for (size_t Band = 0; Band < MaximaBytes / sizeof(int); ++Band)
    Maximum = larger(Maximum, Maxima[Band]);
  __hpvm__return(1, Maximum);
}

void maximum(uint16_t *Gradient, size_t GradientBytes, int *Maxima,
             size_t MaximaBytes, size_t Columns, size_t Rows) {
  __hpvm__hint(hpvm::CPU_TARGET);
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
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Crossings, Gradient, 1, Found);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  long Pixel = Y * __hpvm__getNumNodeInstances_x(Self) + X;

  bool Steep = float(Gradient[Pixel]) >= Threshold * float(Maximum);
  Found[Pixel] = Crossings[Pixel] && Steep ? 255 : 0;
  __hpvm__return(1, FoundBytes);
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// The root's inputs by number; those from InFilter on do not stream.
enum Input : unsigned {
  InImage,
  InBlurred = 2,
  InSmooth = 4,
  InLaplacian = 6,
  InCrossings = 8,
  InGradient = 10,
  InMaxima = 12,
  InFound = 14,
  InFilter = 16,
  InColumns = 18,
  InRows,
  InThreshold,
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
  void *Second = __hpvm__createNodeND(2, laplacian, Columns, Rows);
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

  __hpvm__bindIn(Smoothing, InImage, 0, 1);
  __hpvm__bindIn(Smoothing, InImage + 1, 1, 1);
  __hpvm__bindIn(Smoothing, InFilter, 2, 0);
  __hpvm__bindIn(Smoothing, InFilter + 1, 3, 0);
  __hpvm__bindIn(Smoothing, InBlurred, 4, 1);
  __hpvm__bindIn(Smoothing, InBlurred + 1, 5, 1);
  __hpvm__bindIn(Smoothing, InSmooth, 6, 1);
  __hpvm__bindIn(Smoothing, InSmooth + 1, 7, 1);
  __hpvm__bindIn(Smoothing, InColumns, 8, 0);
  __hpvm__bindIn(Smoothing, InRows, 9, 0);

  __hpvm__bindIn(Second, InSmooth, 0, 1);
  __hpvm__bindIn(Second, InLaplacian, 2, 1);
  __hpvm__bindIn(Second, InLaplacian + 1, 3, 1);

  __hpvm__bindIn(Crossing, InLaplacian, 0, 1);
  __hpvm__bindIn(Crossing, InCrossings, 2, 1);
  __hpvm__bindIn(Crossing, InCrossings + 1, 3, 1);

  __hpvm__bindIn(First, InSmooth, 0, 1);
  __hpvm__bindIn(First, InGradient, 2, 1);
  __hpvm__bindIn(First, InGradient + 1, 3, 1);

  __hpvm__bindIn(Largest, InGradient, 0, 1);
  __hpvm__bindIn(Largest, InMaxima, 2, 1);
  __hpvm__bindIn(Largest, InMaxima + 1, 3, 1);
  __hpvm__bindIn(Largest, InColumns, 4, 0);
  __hpvm__bindIn(Largest, InRows, 5, 0);

  __hpvm__bindIn(Reject, InCrossings, 0, 1);
  __hpvm__bindIn(Reject, InGradient, 2, 1);
  __hpvm__bindIn(Reject, InGradient + 1, 3, 1);
  __hpvm__bindIn(Reject, InThreshold, 5, 0);
  __hpvm__bindIn(Reject, InFound, 6, 1);
  __hpvm__bindIn(Reject, InFound + 1, 7, 1);

  __hpvm__bindOut(Largest, 0, 0, 1);
}

/// The root's arguments, its inputs in order.
struct __attribute__((packed)) Arguments {
  uint8_t *Image;
  size_t ImageBytes;
  uint16_t *Blurred;
  size_t BlurredBytes;
  uint16_t *Smooth;
  size_t SmoothBytes;
  int16_t *Laplacian;
  size_t LaplacianBytes;
  uint8_t *Crossings;
  size_t CrossingsBytes;
  uint16_t *Gradient;
  size_t GradientBytes;
  int *Maxima;
  size_t MaximaBytes;
  uint8_t *Found;
  size_t FoundBytes;
  uint16_t *Filter;
  size_t FilterBytes;
  size_t Columns;
  size_t Rows;
  float Threshold;
};

/// The outputs of the root.
struct __attribute__((packed)) Results {
  int Maximum;
};

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// The buffers of one frame in flight.
struct Detector::Slot {
  explicit Slot(size_t Columns, size_t Rows)
      : Image(Columns * Rows), Crossings(Columns * Rows),
        Blurred(Columns * Rows), Smooth(Columns * Rows),
        Gradient(Columns * Rows), Laplacian(Columns * Rows),
        Maxima((Rows + BandRows - 1) / BandRows) {
    Found.Pixels.resize(Columns * Rows);
  }

  /// Call \p Visit with every buffer.
  template <typename Visitor> void forEach(Visitor Visit) {
    Visit(Image), Visit(Crossings), Visit(Blurred), Visit(Smooth);
    Visit(Gradient), Visit(Laplacian), Visit(Maxima), Visit(Found.Pixels);
  }

  std::vector<uint8_t> Image, Crossings;
  std::vector<uint16_t> Blurred, Smooth, Gradient;
  std::vector<int16_t> Laplacian;
  std::vector<int> Maxima;
  Edges Found;
};

template <typename Number>
static size_t byteSize(const std::vector<Number> &Buffer) {
  return Buffer.size() * sizeof(Number);
}

Detector::Detector(size_t Columns, size_t Rows, const Settings &Given)
    : Columns(Columns), Rows(Rows), Threshold(Given.Threshold),
      Filter(Gaussian, Gaussian + Taps) {
  llvm_hpvm_track_mem(Filter.data(), byteSize(Filter));
  for (size_t Count = 0; Count != Given.InFlight; ++Count) {
    Ring.push_back(std::make_unique<Slot>(Columns, Rows));
    Ring.back()->forEach([](auto &Buffer) {
      llvm_hpvm_track_mem(Buffer.data(), byteSize(Buffer));
    });
  }
  Arguments Fixed = {};
  Fixed.Filter = Filter.data();
  Fixed.FilterBytes = byteSize(Filter);
  Fixed.Columns = Columns;
  Fixed.Rows = Rows;
  Fixed.Threshold = Threshold;
  Graph = __hpvm__launch(1, detectRoot, &Fixed);
  sluiceSetStreamBound(Graph, Ring.size());
}

Detector::~Detector() {
  __hpvm__wait(Graph);
  for (auto &Buffers : Ring)
    Buffers->forEach(
        [](auto &Buffer) { llvm_hpvm_untrack_mem(Buffer.data()); });
  llvm_hpvm_untrack_mem(Filter.data());
}

void Detector::push(const Frame &Picture) {
  Slot &Free = *Ring[(Oldest + Flying) % Ring.size()];
  std::copy(Picture.Pixels.begin(), Picture.Pixels.end(), Free.Image.begin());

  Arguments Item = {};
  Item.Image = Free.Image.data();
  Item.ImageBytes = byteSize(Free.Image);
  Item.Blurred = Free.Blurred.data();
  Item.BlurredBytes = byteSize(Free.Blurred);
  Item.Smooth = Free.Smooth.data();
  Item.SmoothBytes = byteSize(Free.Smooth);
  Item.Laplacian = Free.Laplacian.data();
  Item.LaplacianBytes = byteSize(Free.Laplacian);
  Item.Crossings = Free.Crossings.data();
  Item.CrossingsBytes = byteSize(Free.Crossings);
  Item.Gradient = Free.Gradient.data();
  Item.GradientBytes = byteSize(Free.Gradient);
  Item.Maxima = Free.Maxima.data();
  Item.MaximaBytes = byteSize(Free.Maxima);
  Item.Found = Free.Found.Pixels.data();
  Item.FoundBytes = byteSize(Free.Found.Pixels);
  __hpvm__push(Graph, &Item);
  MostFlying = std::max(MostFlying, ++Flying);
}

const Edges &Detector::pop() {
  Slot &Done = *Ring[Oldest];
  auto *Result = static_cast<Results *>(__hpvm__pop(Graph));
  Done.Found.Maximum = Result->Maximum;
  llvm_hpvm_request_mem(Done.Found.Pixels.data(), byteSize(Done.Found.Pixels));
  Oldest = (Oldest + 1) % Ring.size();
  --Flying;
  return Done.Found;
}
