//===- detect.cpp - Streaming frames through the graph --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's side of the graph: buffers for each frame in flight, what is
// launched, pushed and popped.
//
//===----------------------------------------------------------------------===//

#include "graph.h"

#include "hpvm.h"
#include "sluice-c/Runtime.h"

#include <algorithm>

/// The pixels of a frame with a border.
static size_t withBorder(size_t Columns, size_t Rows, size_t Width) {
  return (Columns + 2 * Width) * (Rows + 2 * Width);
}

/// The buffers of one frame in flight.
struct Detector::Slot {
  explicit Slot(size_t Columns, size_t Rows)
      : Image(withBorder(Columns, Rows, Border)), Crossings(Columns * Rows),
        Blurred((Columns + 2 * InSmooth) * (Rows + 2 * Border)),
        Smooth(withBorder(Columns, Rows, InSmooth)), Gradient(Columns * Rows),
        Laplacian(withBorder(Columns, Rows, InLaplacian)),
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

/// Copy a frame, and repeat its outermost pixels around it.
static void copyWithBorder(const Frame &Picture, uint8_t *To) {
  for (long Y = -Border; Y < long(Picture.Rows) + Border; ++Y) {
    size_t Row = std::clamp<long>(Y, 0, Picture.Rows - 1);
    const uint8_t *From = &Picture.Pixels[Row * Picture.Columns];
    To = std::fill_n(To, Border, From[0]);
    To = std::copy_n(From, Picture.Columns, To);
    To = std::fill_n(To, Border, From[Picture.Columns - 1]);
  }
}

void Detector::push(const Frame &Picture) {
  Slot &Free = *Ring[(Oldest + Flying) % Ring.size()];
  // The host is about to write it: devices get it anew.
  llvm_hpvm_request_mem(Free.Image.data(), byteSize(Free.Image));
  copyWithBorder(Picture, Free.Image.data());

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
