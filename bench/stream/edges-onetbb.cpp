//===- edges-onetbb.cpp - Edge detection with parallel_pipeline -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built by clang, which Sluice's kernels are compiled with. A filter a stage,
// all of them parallel; the results come in their order.
//
//===----------------------------------------------------------------------===//

#include "edges.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

using tbb::filter_mode;
using tbb::flow_control;

namespace {

struct Item {
  const EdgesFrame *frame;
  int32_t maximum;
  uint32_t points;
};

/// A filter that calls `body` with the frame's item, the width and its rows.
template <typename Body> auto stage(Body body) {
  return tbb::make_filter<Item, Item>(filter_mode::parallel, [body](Item item) {
    body(item, edgesWidth, edgesFirst(), edgesLast(edgesHeight));
    return item;
  });
}

void runEdges() {
  long next = 0;
  auto source = tbb::make_filter<void, Item>(
      filter_mode::serial_in_order, [&](flow_control &control) -> Item {
        if (next == edgesCount) {
          control.stop();
          return {};
        }
        return {&edgesFrames[next++ % edgesSlots], 0, 0};
      });
  auto smooth = stage([](Item &item, size_t width, size_t begin, size_t end) {
    edgesSmooth(item.frame->input, item.frame->smooth, width, begin, end);
  });
  auto laplacian =
      stage([](Item &item, size_t width, size_t begin, size_t end) {
        edgesLaplacian(item.frame->smooth, item.frame->laplacian, width, begin,
                       end);
      });
  auto zero = stage([](Item &item, size_t width, size_t begin, size_t end) {
    edgesZero(item.frame->laplacian, item.frame->zero, width, begin, end);
  });
  auto gradient = stage([](Item &item, size_t width, size_t begin, size_t end) {
    edgesGradient(item.frame->smooth, item.frame->gradient, width, begin, end);
  });
  auto maximum = stage([](Item &item, size_t width, size_t, size_t) {
    item.maximum = edgesMaximum(item.frame->gradient, width, 0, edgesHeight);
  });
  auto threshold =
      stage([](Item &item, size_t width, size_t begin, size_t end) {
        item.points =
            edgesThreshold(item.frame->zero, item.frame->gradient,
                           item.frame->output, item.maximum, width, begin, end);
      });
  auto sink =
      tbb::make_filter<Item, void>(filter_mode::serial_in_order, [](Item item) {
        edgesFold = edgesFoldResult(edgesFold, item.points);
      });
  tbb::parallel_pipeline(edgesSlots, source & smooth & laplacian & zero &
                                         gradient & maximum & threshold & sink);
}

} // namespace

int main() {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                            static_cast<size_t>(benchThreads()));
  static const BenchRow rows[] = {EDGES_ROWS(runEdges)};
  return benchServe(rows, 2);
}
