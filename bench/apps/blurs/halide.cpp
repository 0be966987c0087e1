//===- halide.cpp - Four blurs in Halide ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strips of rows run in parallel, each with what it needs of the pictures
// between. Halide compiles the pipeline for the processor and the sizes when
// the row is prepared.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#include <Halide.h>

namespace {

constexpr int lanes = 16, stripRows = 32;

Halide::Func pipeline;
Halide::Buffer<float> from, to;

Halide::Func blurOf(Halide::Func source, Halide::Var x, Halide::Var y,
                    int columns, int rows) {
  Halide::Func in = Halide::BoundaryConditions::repeat_edge(
      source, {{0, columns}, {0, rows}});
  Halide::Func blur;
  Halide::Expr sum = 0.0f;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += in(x + dx, y + dy);
  blur(x, y) = sum * (1.0f / 9);
  return blur;
}

void preparePipeline() {
  Halide::Var x, y, strip, row;
  from = Halide::Buffer<float>(picture, int(width), int(height));
  to = Halide::Buffer<float>(result, int(width), int(height));
  Halide::Func source;
  source(x, y) = from(x, y);
  std::vector<Halide::Func> blurs;
  for (int i = 0; i < numBlurs; ++i)
    blurs.push_back(
        blurOf(i == 0 ? source : blurs[i - 1], x, y, int(width), int(height)));
  pipeline = blurs.back();
  pipeline.split(y, strip, row, stripRows, Halide::TailStrategy::GuardWithIf)
      .parallel(strip)
      .vectorize(x, lanes, Halide::TailStrategy::GuardWithIf);
  for (int i = 0; i < numBlurs - 1; ++i)
    blurs[i]
        .compute_at(pipeline, strip)
        .vectorize(x, lanes, Halide::TailStrategy::RoundUp);
  pipeline.compile_jit(Halide::get_host_target());
}

bool isPrepared = false;

} // namespace

static void run() {
  if (!isPrepared || from.data() != picture || from.width() != width ||
      from.height() != height)
    preparePipeline();
  isPrepared = true;
  pipeline.realize(to);
}

int main() { return appServe(); }
