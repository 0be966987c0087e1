//===- Generators.cpp - Halide generators of the tests --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One generator of each kind that a task may use, valid and invalid, in one
// file: Halide.h alone takes seconds to compile.
//
//===----------------------------------------------------------------------===//

#include "sluice/TaskGraph/Halide.h"

#include <csignal>
#include <cstdlib>
#include <fstream>

using namespace Halide;

namespace {

/// out(x) = in(x) * factor + shift, of any type.
class Scale : public Generator<Scale> {
public:
  GeneratorParam<int> shift{"shift", 0, -100, 100};
  GeneratorParam<int> bits{"bits", 32};
  GeneratorParam<bool> isFloat{"float", false};
  GeneratorParam<bool> isUnsigned{"unsigned", false};
  Input<Buffer<>> in{"in", 1};
  Input<int> factor{"factor"};
  Output<Buffer<>> out{"out", 1};

  void configure() {
    Type type = isFloat ? Float(bits) : isUnsigned ? UInt(bits) : Int(bits);
    in.set_type(type);
    out.set_type(type);
  }

  void generate() {
    Var x("x");
    out(x) = cast(in.type(), in(x)*cast(in.type(), factor) +
                                 cast(in.type(), Expr(int(shift))));
  }
};

/// A weighted sum of `taps` neighbours in both directions, with different
/// weights in each, so that a transposed result differs.
class Blur : public Generator<Blur> {
public:
  GeneratorParam<int> taps{"taps", 3};
  sluice::TunableGeneratorParam p1{"p1", 1};
  sluice::TunableGeneratorParam p2{"p2", 1};
  sluice::InputGeneratorParam width{"width", 64};
  Input<Buffer<double>> input{"input", 2};
  Output<Buffer<double>> output{"output", 2};

  void generate() {
    Var x("x"), y("y"), inner("inner");
    Func rows("rows");
    Expr across(0.0), down(0.0);
    for (int i = 0; i < taps; ++i)
      across += Expr(1.0 / (i + 1)) * input(x + i, y);
    rows(x, y) = across;
    for (int i = 0; i < taps; ++i)
      down += Expr(1.0 / (i + 2)) * rows(x, y + i);
    output(x, y) = down;
    rows.compute_at(output, y);
    if (p1 > 1)
      output.split(x, x, inner, p1, TailStrategy::GuardWithIf);
    if (p2 > 1)
      output.parallel(y, p2, TailStrategy::GuardWithIf);
  }
};

/// Three dimensions, and a result smaller than its input in each.
class Volume : public Generator<Volume> {
public:
  Input<Buffer<float>> in{"in", 3};
  Output<Buffer<float>> out{"out", 3};

  void generate() {
    Var x("x"), y("y"), z("z");
    out(x, y, z) = in(x, y, z) + 10.0f * in(x + 1, y, z) +
                   100.0f * in(x, y + 2, z) + 1000.0f * in(x, y, z + 3);
  }
};

/// Scalars of every type, added up.
class Sum : public Generator<Sum> {
public:
  Input<int8_t> i8{"i8"};
  Input<uint8_t> u8{"u8"};
  Input<int16_t> i16{"i16"};
  Input<uint16_t> u16{"u16"};
  Input<int32_t> i32{"i32"};
  Input<uint32_t> u32{"u32"};
  Input<int64_t> i64{"i64"};
  Input<uint64_t> u64{"u64"};
  Input<float> f32{"f32"};
  Input<double> f64{"f64"};
  Input<bool> flag{"flag"};
  Output<Buffer<double>> out{"out", 1};

  void generate() {
    Var x("x");
    out(x) = cast<double>(i8) + cast<double>(u8) + cast<double>(i16) +
             cast<double>(u16) + cast<double>(i32) + cast<double>(u32) +
             cast<double>(i64) + cast<double>(u64) + cast<double>(f32) + f64 +
             select(flag, Expr(0.5), Expr(0.25)) + cast<double>(x);
  }
};

/// Two results of one computation, and one more.
class Pair : public Generator<Pair> {
public:
  Input<Buffer<int32_t>> in{"in", 1};
  Output<Func> both{"both", {Int(32), Float(64)}, 1};
  Output<Buffer<uint8_t>> low{"low", 1};

  void generate() {
    Var x("x");
    both(x) = Tuple(in(x) + 1, cast<double>(in(x)) * Expr(0.5));
    low(x) = cast<uint8_t>(in(x)&255);
  }
};

/// Masks are buffers of bool.
class Mask : public Generator<Mask> {
public:
  Input<Buffer<int32_t>> in{"in", 1};
  Input<int> limit{"limit", 0, 0, 1000};
  Output<Buffer<bool>> out{"out", 1};

  void generate() {
    Var x("x");
    out(x) = in(x) > limit;
  }
};

/// Takes buffers in any memory layout, and pixels of three channels.
class Strides : public Generator<Strides> {
public:
  Input<Buffer<int32_t>> any{"any", 1};
  Input<Buffer<int32_t>> pixels{"pixels", 2};
  Output<Buffer<int32_t>> out{"out", 1};

  void generate() {
    any.dim(0).set_stride(Expr());
    pixels.dim(0).set_stride(3);
    Var x("x");
    out(x) = any(x) + pixels(x, 0) + pixels(x, 1);
  }
};

/// Loops in parallel, nested.
class Parallel : public Generator<Parallel> {
public:
  Input<Buffer<double>> in{"in", 2};
  Output<Buffer<double>> out{"out", 2};

  void generate() {
    Var x("x"), y("y");
    Expr value = in(x, y);
    for (int i = 0; i < 20; ++i)
      value = value * Expr(0.5) + Expr(1.0);
    out(x, y) = value;
    out.parallel(y).parallel(x, 16, TailStrategy::GuardWithIf);
  }
};

/// A producer that runs concurrently with its consumer.
class Async : public Generator<Async> {
public:
  Input<Buffer<int32_t>> in{"in", 2};
  Output<Buffer<int32_t>> out{"out", 2};

  void generate() {
    Var x("x"), y("y");
    Func producer("producer");
    producer(x, y) = in(x, y) * 3;
    out(x, y) = producer(x, y) + producer(x, y + 1);
    producer.store_root().compute_at(out, y).async();
  }
};

/// Scheduled by Halide.
class Automatic : public Generator<Automatic> {
public:
  Input<Buffer<float>> in{"in", 2};
  Output<Buffer<float>> out{"out", 2};

  void generate() {
    Var x("x"), y("y");
    Func rows("rows");
    rows(x, y) = in(x, y) + in(x + 1, y) + in(x + 2, y);
    out(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
  }

  void schedule() {
    if (!auto_schedule)
      return;
    in.set_estimates({{0, 514}, {0, 514}});
    out.set_estimates({{0, 512}, {0, 512}});
  }
};

/// Every error that a generator can make, by name.
class Bad : public Generator<Bad> {
public:
  enum class What { Schedule, Crash, Abort, Exit, Throw, Undefined };
  GeneratorParam<What> what{"what",
                            What::Schedule,
                            {{"schedule", What::Schedule},
                             {"crash", What::Crash},
                             {"abort", What::Abort},
                             {"exit", What::Exit},
                             {"throw", What::Throw},
                             {"undefined", What::Undefined}}};
  Input<Buffer<float>> in{"in", 1};
  Output<Buffer<float>> out{"out", 1};

  void generate() {
    Var x("x"), other("other");
    if (what == What::Undefined)
      return;
    out(x) = in(x);
    if (what == What::Schedule)
      out.vectorize(other, 4);
    if (what == What::Crash)
      raise(SIGSEGV);
    if (what == What::Abort)
      abort();
    if (what == What::Exit)
      exit(3);
    if (what == What::Throw)
      throw std::runtime_error("thrown by the generator");
  }
};

/// Reads a file and variables of the environment.
class Reading : public Generator<Reading> {
public:
  Input<Buffer<int32_t>> in{"in", 1};
  Output<Buffer<int32_t>> out{"out", 1};

  void generate() {
    Var x("x");
    const char *path = getenv("SLUICE_TEST_TABLE");
    const char *added = getenv("SLUICE_TEST_ADDED");
    int factor = 1;
    std::ifstream(path ? path : "") >> factor;
    out(x) = in(x)*factor + (added ? atoi(added) : 0);
  }
};

} // namespace

HALIDE_REGISTER_GENERATOR(Reading, test_reading)
HALIDE_REGISTER_GENERATOR(Scale, test_scale)
HALIDE_REGISTER_GENERATOR(Blur, test_blur)
HALIDE_REGISTER_GENERATOR(Volume, test_volume)
HALIDE_REGISTER_GENERATOR(Sum, test_sum)
HALIDE_REGISTER_GENERATOR(Pair, test_pair)
HALIDE_REGISTER_GENERATOR(Mask, test_mask)
HALIDE_REGISTER_GENERATOR(Strides, test_strides)
HALIDE_REGISTER_GENERATOR(Parallel, test_parallel)
HALIDE_REGISTER_GENERATOR(Async, test_async)
HALIDE_REGISTER_GENERATOR(Automatic, test_automatic)
HALIDE_REGISTER_GENERATOR(Bad, test_bad)
