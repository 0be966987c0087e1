//===- generators.cpp - Twelve Halide kernels of a radar ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the points of a scene to the signals of a radar, and from the signals
// to a picture. Signals are complex: dimension c is 0 for the real and 1 for
// the imaginary part, t counts samples, and p pulses.
//
//===----------------------------------------------------------------------===//

#include "radar.h"

#include <sluice/TaskGraph/Halide.h>

using namespace Halide;

namespace {

constexpr double pi = 3.14159265358979323846;

Expr number(double value) { return Expr(value); }
Expr number(Expr value) { return cast<double>(value); }

//===----------------------------------------------------------------------===//
// Complex numbers, as two expressions
//===----------------------------------------------------------------------===//

struct Complex {
  Expr re, im;

  Complex(Expr re, Expr im) : re(re), im(im) {}
  Complex(FuncRef value) : re(value[0]), im(value[1]) {}
  operator Tuple() const { return {re, im}; }
};

Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Complex operator*(Complex a, Expr b) { return {a.re * b, a.im * b}; }
Complex conjugate(Complex a) { return {a.re, -a.im}; }
Complex turned(Expr angle) { return {cos(angle), sin(angle)}; }

Complex select(Expr condition, Complex a, Complex b) {
  return {Halide::select(condition, a.re, b.re),
          Halide::select(condition, a.im, b.im)};
}

/// A chirp at `position` behind its begin; nothing before and after it.
Complex chirp(Expr position) {
  Expr middle = position - number(radar::chirpLength / 2);
  Expr angle =
      middle * middle * number(pi / (radar::resolution * radar::chirpLength));
  return turned(angle) *
         Halide::select(position >= 0 && position < number(radar::chirpLength),
                        number(1.0), number(0.0));
}

Expr hamming(Expr turns) {
  return number(0.54) + number(0.46) * cos(turns * number(2 * pi));
}

/// Of pulse `p` from the point (`x`, `y`) of the scene.
Expr range(Expr p, Expr x, Expr y) {
  Expr along = x - (number(p) - number((radar::pulses - 1) / 2.0)) *
                       number(radar::pulseSpacing);
  Expr away = y + number(radar::distance);
  return sqrt(along * along + away * away);
}

/// How far the carrier turns on the way to `range` and back, beyond that for
/// the scene's middle.
Expr carrier(Expr range) {
  return (range - number(radar::distance)) * number(4 * pi / radar::wavelength);
}

//===----------------------------------------------------------------------===//
// What the kernels have in common
//===----------------------------------------------------------------------===//

template <typename Kernel> class Signals : public Generator<Kernel> {
protected:
  Var c{"c"}, t{"t"}, p{"p"}, x{"x"}, y{"y"};

  static Complex at(Func signal, Expr t, Expr p) {
    return {signal(0, t, p), signal(1, t, p)};
  }
  /// Stores complex numbers as pairs.
  template <typename Out> void store(Out &out, Complex value) {
    out(c, t, p) = Halide::select(c == 0, value.re, value.im);
    out.bound(c, 0, 2).unroll(c);
  }
};

//===----------------------------------------------------------------------===//
// Sending and receiving
//===----------------------------------------------------------------------===//

/// The pulse that the radar sends.
class Chirp : public Signals<Chirp> {
public:
  Output<Buffer<double>> pulse{"pulse", 3};

  void generate() {
    store(pulse, chirp(number(t) * number(radar::sampleSpacing)));
  }
};

/// What comes back from points (x, y, strength) of the scene.
class Echoes : public Signals<Echoes> {
public:
  Input<Buffer<double>> points{"points", 2};
  Output<Buffer<double>> echoes{"echoes", 3};

  void generate() {
    distances(n, p) = range(p, points(0, n), points(1, n));
    RDom point(0, points.dim(1).extent());
    Expr here =
        number(t) * number(radar::sampleSpacing) + number(radar::nearest);
    Expr away = distances(point, p);
    Complex echo =
        chirp(here - away) * turned(-carrier(away)) * points(2, point);
    sum(t, p) = Tuple(number(0.0), number(0.0));
    sum(t, p) = Complex(sum(t, p)) + echo;
    store(echoes, sum(t, p));
    echoes.parallel(p);
    sum.compute_at(echoes, p).update().reorder(t, point);
    distances.compute_at(echoes, p);
  }

private:
  Var n{"n"};
  Func distances{"distances"}, sum{"sum"};
};

//===----------------------------------------------------------------------===//
// Compressing chirps
//===----------------------------------------------------------------------===//

/// Weights of frequencies: the band, less towards its ends, which keeps what
/// is left beside a point low.
class Window : public Signals<Window> {
public:
  Output<Buffer<double>> window{"window", 1};

  void generate() {
    Expr bin = Halide::select(t < radar::samples / 2, t, t - radar::samples);
    Expr turns = number(bin) * number(radar::resolution /
                                      (radar::samples * radar::sampleSpacing));
    window(t) =
        Halide::select(abs(turns) <= number(0.5), hamming(turns), number(0.0));
  }
};

/// The discrete Fourier transform of each pulse by log2(size) rounds of
/// butterflies (Stockham's order, which needs no permutation at the end). The
/// inverse is not divided by anything.
class Fourier : public Signals<Fourier> {
public:
  GeneratorParam<int> size{"size", 256};
  GeneratorParam<bool> isInverse{"inverse", false};
  Input<Buffer<double>> signals{"signals", 3};
  Output<Buffer<double>> spectra{"spectra", 3};

  void generate() {
    double turn = (isInverse ? 2 : -2) * pi / size;
    roots(t) = Tuple(turned(number(t) * number(turn)));
    roots.compute_root();
    Func values("values");
    values(t, p) = Tuple(at(signals, t, p));
    for (int block = 1; block < size; block *= 2)
      values = round(values, block);
    store(spectra, values(t, p));
    spectra.dim(1).set_bounds(0, size);
    signals.dim(1).set_bounds(0, size);
    spectra.parallel(p);
  }

private:
  /// The transforms of blocks of length `block`, paired.
  Func round(Func values, int block) {
    Expr inBlock = t % block, pair = t / block / 2, isSecond = t / block % 2;
    Expr first = inBlock + pair * block;
    Complex a = values(first, p), b = values(first + size / 2, p);
    Func next("round");
    next(t, p) = Tuple(
        select(isSecond == 0, a + b, (a - b) * Complex(roots(pair * block))));
    next.compute_at(spectra, p);
    return next;
  }

  Func roots{"roots"};
};

/// Multiplies echoes with what turns a chirp into a point, and the window.
class Compress : public Signals<Compress> {
public:
  Input<Buffer<double>> echoes{"echoes", 3};
  Input<Buffer<double>> pulse{"pulse", 3};
  Input<Buffer<double>> window{"window", 1};
  Output<Buffer<double>> compressed{"compressed", 3};

  void generate() {
    store(compressed,
          at(echoes, t, p) * conjugate(at(pulse, t, 0)) * window(t));
    compressed.parallel(p);
  }
};

/// Puts zeros in the middle of spectra, so that their inverse transforms have
/// more samples.
class Refine : public Signals<Refine> {
public:
  Input<Buffer<double>> spectra{"spectra", 3};
  Output<Buffer<double>> longer{"longer", 3};

  void generate() {
    int more = radar::fineSamples - radar::samples;
    Expr isLow = t < radar::samples / 2;
    Expr isHigh = t >= radar::samples / 2 + more;
    Expr from =
        clamp(Halide::select(isLow, t, t - more), 0, radar::samples - 1);
    Complex none(number(0.0), number(0.0));
    store(longer, select(isLow || isHigh, at(spectra, from, p), none) *
                      number(1.0 / radar::samples));
    longer.parallel(p);
  }
};

//===----------------------------------------------------------------------===//
// Making the picture
//===----------------------------------------------------------------------===//

/// Weakens the first and last pulses, as the window does with frequencies.
class Taper : public Signals<Taper> {
public:
  Input<Buffer<double>> profiles{"profiles", 3};
  Output<Buffer<double>> tapered{"tapered", 3};

  void generate() {
    Expr turns =
        (number(p) + number(0.5)) * number(1.0 / radar::pulses) - number(0.5);
    store(tapered, at(profiles, t, p) * hamming(turns));
    tapered.parallel(p);
  }
};

/// For each pixel, the sum of what each pulse has at the pixel's distance, its
/// carrier turned back.
class Project : public Signals<Project> {
public:
  /// Rows of pixels that are one piece of work.
  sluice::TunableGeneratorParam rows{"rows", 8, 1, 96};
  Input<Buffer<double>> profiles{"profiles", 3};
  Output<Buffer<double>> image{"image", 3};

  void generate() {
    RDom pulse(0, radar::pulses);
    Expr away =
        range(pulse, number(t - radar::width / 2) * number(radar::pixelSpacing),
              number(p - radar::height / 2) * number(radar::pixelSpacing));
    sum(t, p) = Tuple(number(0.0), number(0.0));
    sum(t, p) =
        Complex(sum(t, p)) + between(away, pulse) * turned(carrier(away));
    store(image, sum(t, p));
    image.split(p, strip, p, rows, TailStrategy::GuardWithIf).parallel(strip);
    sum.compute_at(image, p).update().reorder(t, pulse);
  }

private:
  /// A pulse's value at a distance, on the line between two samples.
  Complex between(Expr away, Expr pulse) {
    Expr place = (away - number(radar::nearest)) *
                 number(radar::oversampling / radar::sampleSpacing);
    Expr below = clamp(cast<int>(floor(place)), 0, radar::fineSamples - 2);
    Expr share = place - number(below);
    return at(profiles, below, pulse) * (number(1.0) - share) +
           at(profiles, below + 1, pulse) * share;
  }

  Var strip{"strip"};
  Func sum{"sum"};
};

class Power : public Signals<Power> {
public:
  Input<Buffer<double>> image{"image", 3};
  Output<Buffer<double>> power{"power", 2};

  void generate() {
    Complex value = at(image, x, y);
    power(x, y) = value.re * value.re + value.im * value.im;
  }
};

/// The largest power.
class Peak : public Signals<Peak> {
public:
  Input<Buffer<double>> power{"power", 2};
  Output<Buffer<double>> peak{"peak", 1};

  void generate() {
    RDom all(0, power.dim(0).extent(), 0, power.dim(1).extent());
    peak(t) = maximum(power(all.x, all.y));
  }
};

/// Powers in decibels against the peak, down to `depth` below it.
class Decibels : public Signals<Decibels> {
public:
  Input<double> depth{"depth"};
  Input<Buffer<double>> power{"power", 2};
  Input<Buffer<double>> peak{"peak", 1};
  Output<Buffer<double>> decibels{"decibels", 2};

  void generate() {
    Expr share = max(power(x, y) / peak(0), number(1e-30));
    decibels(x, y) = max(log(share) * number(10 / 2.302585092994046), -depth);
    decibels.parallel(y);
  }
};

/// Decibels as bytes of a picture.
class Quantise : public Signals<Quantise> {
public:
  Input<double> depth{"depth"};
  Input<Buffer<double>> decibels{"decibels", 2};
  Output<Buffer<uint8_t>> picture{"picture", 2};

  void generate() {
    Expr level = (decibels(x, y) + depth) / depth * number(255.0);
    picture(x, y) = cast<uint8_t>(floor(level + number(0.5)));
  }
};

} // namespace

HALIDE_REGISTER_GENERATOR(Chirp, radar_chirp)
HALIDE_REGISTER_GENERATOR(Echoes, radar_echoes)
HALIDE_REGISTER_GENERATOR(Window, radar_window)
HALIDE_REGISTER_GENERATOR(Fourier, radar_fourier)
HALIDE_REGISTER_GENERATOR(Compress, radar_compress)
HALIDE_REGISTER_GENERATOR(Refine, radar_refine)
HALIDE_REGISTER_GENERATOR(Taper, radar_taper)
HALIDE_REGISTER_GENERATOR(Project, radar_project)
HALIDE_REGISTER_GENERATOR(Power, radar_power)
HALIDE_REGISTER_GENERATOR(Peak, radar_peak)
HALIDE_REGISTER_GENERATOR(Decibels, radar_decibels)
HALIDE_REGISTER_GENERATOR(Quantise, radar_quantise)
