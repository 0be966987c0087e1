// Generators of the tests of tasks over regions.
#include <sluice/TaskGraph/Halide.h>

using Halide::Var;

/// A mean of neighbours. Coordinates are those of the root.
class Relax : public Halide::Generator<Relax> {
public:
  GeneratorParam<bool> isParallel{"parallel", false};
  Input<Buffer<double>> now{"now", 2};
  Output<Buffer<double>> next{"next", 2};

  void generate() {
    Var x, y;
    next(x, y) = 0.25f * (now(x, y - 1) + now(x, y + 1) + now(x - 1, y) +
                          now(x + 1, y));
    if (isParallel)
      next.parallel(y);
  }
};
HALIDE_REGISTER_GENERATOR(Relax, relax)

/// Values of vectors, moved by a number.
class Move : public Halide::Generator<Move> {
public:
  Input<Buffer<float>> from{"from", 2};
  Input<int32_t> by{"by"};
  Input<float> factor{"factor"};
  Output<Buffer<float>> to{"to", 2};

  void generate() {
    Var c, x;
    to(c, x) = from(c, x) * factor + by + x;
  }
};
HALIDE_REGISTER_GENERATOR(Move, move)

/// Vectors are wider than small parts.
class Twice : public Halide::Generator<Twice> {
public:
  Input<Buffer<double>> now{"now", 2};
  Output<Buffer<double>> next{"next", 2};

  void generate() {
    Var x, y;
    next(x, y) = 2 * now(x, y);
    next.vectorize(x, 4);
  }
};
HALIDE_REGISTER_GENERATOR(Twice, twice)

/// Fails in a parallel loop.
class Small : public Halide::Generator<Small> {
public:
  Input<Buffer<double>> now{"now", 2};
  Output<Buffer<double>> next{"next", 2};

  void generate() {
    Var x, y;
    next(x, y) = Halide::require(now(x, y) < 50, now(x, y), "too large in", y);
    next.parallel(y);
  }
};
HALIDE_REGISTER_GENERATOR(Small, small)
