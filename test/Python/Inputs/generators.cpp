// A generator of the tests, with a parameter that changes its result and one
// that does not.
#include <sluice/TaskGraph/Halide.h>

#ifndef SHIFT
#define SHIFT 1
#endif

class Shift : public Halide::Generator<Shift> {
public:
  GeneratorParam<int> by{"by", SHIFT};
  sluice::TunableGeneratorParam width{"width", 4, 1, 64};
  Input<Buffer<int32_t>> from{"from", 1};
  Output<Buffer<int32_t>> to{"to", 1};

  void generate() {
    Halide::Var x, outer;
    to(x) = from(x) + by;
    to.split(x, outer, x, width, Halide::TailStrategy::GuardWithIf);
  }
};

HALIDE_REGISTER_GENERATOR(Shift, shift)
