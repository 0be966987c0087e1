//===- steps.h - The graphs by hand -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of the other libraries, and the one without any, run: the
// kernels with their arguments, and which of them come before which. The
// kernels are those that Sluice's program runs: the same generators, compiled
// by the same Halide for the same processor, and the same C.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_STEPS_H
#define SLUICE_BENCH_STEPS_H

#include "apps.h"

#include "halide_blur.h"
#include "radar_chirp.h"
#include "radar_compress.h"
#include "radar_decibels.h"
#include "radar_echoes.h"
#include "radar_fourier1024.h"
#include "radar_fourier256.h"
#include "radar_peak.h"
#include "radar_power.h"
#include "radar_project.h"
#include "radar_quantise.h"
#include "radar_refine.h"
#include "radar_taper.h"
#include "radar_window.h"

#include <HalideBuffer.h>

#include <deque>
#include <functional>
#include <initializer_list>

extern "C" {
void tick(uint64_t *, uint64_t *, int64_t, int64_t, int64_t);
void fill(double *, double *, int64_t, int64_t, int64_t, int64_t, int64_t,
          int64_t, int64_t);
void invert(double *, double *, int64_t, int64_t, int64_t, int64_t, int64_t,
            int64_t, int64_t);
}

namespace bench {

/// A task, and the tasks that it comes after.
struct Step {
  std::function<int()> run;
  std::vector<size_t> after;
};

/// Steps and their memory.
class Steps {
public:
  explicit Steps(const std::string &app) {
    if (app == "chain")
      makeChain();
    else if (app == "pair")
      makePair();
    else if (app == "blur")
      makeBlur();
    else
      makeRadar();
  }

  /// Runs one; ends the program if it fails.
  void run(size_t step) const {
    if (steps[step].run() == 0)
      return;
    std::fprintf(stderr, "step %zu has failed\n", step);
    std::exit(1);
  }
  /// Before a run.
  void begin() {
    for (size_t i = 0; i < ticks.size(); ++i)
      ticks[i] = i + 1;
  }
  std::vector<double> result() const {
    if (buffers.empty()) {
      std::vector<double> values;
      for (uint64_t x : ticks)
        values.push_back(shownTick(x));
      return values;
    }
    const Buffer &last = *shown;
    return {last.data(), last.data() + last.number_of_elements()};
  }

  std::vector<Step> steps;

private:
  using Buffer = Halide::Runtime::Buffer<double>;

  template <typename... Extents> Buffer &create(Extents... extents) {
    return buffers.emplace_back(extents...);
  }
  template <typename Function>
  size_t add(Function function, std::vector<size_t> after) {
    steps.push_back({function, std::move(after)});
    return steps.size() - 1;
  }
  size_t addTick(size_t at, std::vector<size_t> after) {
    return add(
        [this, at] {
          tick(&ticks[at], &ticks[at], 0, 1, 1);
          return 0;
        },
        std::move(after));
  }

  void makeChain();
  void makePair();
  void makeBlur();
  void makeRadar();
  Buffer &makeProfiles(size_t &last);

  std::vector<uint64_t> ticks;
  std::deque<Buffer> buffers;
  Halide::Runtime::Buffer<uint8_t> picture;
  Buffer *shown = nullptr;
};

inline void Steps::makeChain() {
  ticks.resize(1);
  for (size_t i = 0; i < chainLength; ++i)
    addTick(0, i ? std::vector<size_t>{i - 1} : std::vector<size_t>{});
}

inline void Steps::makePair() {
  ticks.resize(2);
  addTick(0, {});
  addTick(1, {});
}

inline void Steps::makeBlur() {
  Buffer &from = create(blurColumns, blurRows, blurPlanes);
  Buffer &to = create(blurColumns, blurRows, blurPlanes);
  shown = &to;
  auto call = [&from](auto function) {
    function(from.data(), from.data(), 0, blurPlanes, blurRows, blurColumns,
             blurRows * blurColumns, blurColumns, 1);
    return 0;
  };
  size_t filled = add([call] { return call(fill); }, {});
  size_t inverted = add([call] { return call(invert); }, {filled});
  add([&] { return halide_blur(from, to); }, {inverted});
}

/// The radar's echoes, compressed; `last` is the step that ends it.
inline Steps::Buffer &Steps::makeProfiles(size_t &last) {
  std::vector<radar::Point> points = radar::scene();
  Buffer &scene = create(3, int(points.size()));
  for (int i = 0; i < int(points.size()); ++i) {
    scene(0, i) = points[i].x();
    scene(1, i) = points[i].y();
    scene(2, i) = points[i].strength;
  }
  Buffer &echoes = create(2, radar::samples, radar::pulses);
  Buffer &spectra = create(2, radar::samples, radar::pulses);
  Buffer &pulse = create(2, radar::samples, 1);
  Buffer &band = create(2, radar::samples, 1);
  Buffer &window = create(radar::samples);
  Buffer &narrow = create(2, radar::samples, radar::pulses);
  Buffer &longer = create(2, radar::fineSamples, radar::pulses);
  Buffer &profiles = create(2, radar::fineSamples, radar::pulses);
  size_t received = add([&] { return radar_echoes(scene, echoes); }, {});
  size_t sent = add([&] { return radar_chirp(pulse); }, {});
  size_t weighed = add([&] { return radar_window(window); }, {});
  size_t banded = add([&] { return radar_fourier256(pulse, band); }, {sent});
  size_t transformed =
      add([&] { return radar_fourier256(echoes, spectra); }, {received});
  size_t compressed =
      add([&] { return radar_compress(spectra, band, window, narrow); },
          {transformed, banded, weighed});
  size_t refined =
      add([&] { return radar_refine(narrow, longer); }, {compressed});
  last = add([&] { return radar_fourier1024(longer, profiles); }, {refined});
  return profiles;
}

inline void Steps::makeRadar() {
  size_t last = 0;
  Buffer &profiles = makeProfiles(last);
  Buffer &tapered = create(2, radar::fineSamples, radar::pulses);
  Buffer &image = create(2, radar::width, radar::height);
  Buffer &power = create(radar::width, radar::height);
  Buffer &peak = create(1);
  Buffer &decibels = create(radar::width, radar::height);
  shown = &decibels;
  picture = {radar::width, radar::height};
  last = add([&] { return radar_taper(profiles, tapered); }, {last});
  last = add([&] { return radar_project(tapered, image); }, {last});
  last = add([&] { return radar_power(image, power); }, {last});
  last = add([&] { return radar_peak(power, peak); }, {last});
  last =
      add([&] { return radar_decibels(radar::depth, power, peak, decibels); },
          {last});
  add([&] { return radar_quantise(radar::depth, decibels, picture); }, {last});
}

/// The graph of the row that is measured.
inline std::unique_ptr<Steps> steps;

} // namespace bench

#endif // SLUICE_BENCH_STEPS_H
