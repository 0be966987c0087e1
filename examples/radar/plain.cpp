//===- plain.cpp - The radar's picture by plain loops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the graph is compared with: the same signals, but Fourier's sums as they
// are defined, and one pulse after the other.
//
//===----------------------------------------------------------------------===//

#include "radar.h"

#include <algorithm>
#include <cmath>
#include <complex>

using namespace radar;

using Number = std::complex<double>;
using Signal = std::vector<Number>;

static const double pi = std::acos(-1.0);

static Number turned(double angle) { return std::polar(1.0, angle); }

static double hamming(double turns) {
  return 0.54 + 0.46 * std::cos(2 * pi * turns);
}

static Number chirp(double position) {
  if (position < 0 || position >= chirpLength)
    return 0;
  double middle = position - chirpLength / 2;
  return turned(pi * middle * middle / (resolution * chirpLength));
}

static double range(int pulse, double x, double y) {
  double along = x - (pulse - (pulses - 1) / 2.0) * pulseSpacing;
  return std::hypot(along, distance + y);
}

static double carrier(double range) {
  return 4 * pi * (range - distance) / wavelength;
}

static Signal receive(const std::vector<Point> &points, int pulse) {
  Signal echo(samples);
  for (const Point &point : points) {
    double away = range(pulse, point.x(), point.y());
    for (int t = 0; t < samples; ++t)
      echo[t] += point.strength * turned(-carrier(away)) *
                 chirp(t * sampleSpacing + nearest - away);
  }
  return echo;
}

/// Bin `bin` of `signal`'s discrete Fourier transform.
static Number bin(const Signal &signal, const Signal &roots, int bin) {
  Number sum;
  for (int t = 0; t < samples; ++t)
    sum += signal[t] * roots[(bin * t & (samples - 1)) * oversampling];
  return sum;
}

/// An echo with points in place of chirps, and samples between the samples.
/// `roots[i]` is exp(-2 pi i / fineSamples).
static Signal compress(const Signal &echo, const Signal &pulse,
                       const Signal &roots) {
  Signal fine(fineSamples);
  for (int k = -samples / 2; k < samples / 2; ++k) {
    double turns = k * resolution / (samples * sampleSpacing);
    if (std::fabs(turns) > 0.5)
      continue;
    Number both = bin(echo, roots, k & (samples - 1)) *
                  std::conj(bin(pulse, roots, k & (samples - 1))) *
                  hamming(turns) / double(samples);
    for (int t = 0; t < fineSamples; ++t)
      fine[t] += both * std::conj(roots[k * t & (fineSamples - 1)]);
  }
  return fine;
}

/// Adds what one pulse says about each pixel.
static void project(const Signal &fine, int pulse, Signal &image) {
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      Point pixel = {column, row, 1};
      double away = range(pulse, pixel.x(), pixel.y());
      double place = (away - nearest) * oversampling / sampleSpacing;
      int below = std::clamp(int(place), 0, fineSamples - 2);
      double share = place - below;
      image[row * width + column] +=
          ((1 - share) * fine[below] + share * fine[below + 1]) *
          turned(carrier(away)) * hamming((pulse + 0.5) / pulses - 0.5);
    }
}

std::vector<Point> radar::scene() {
  static const char *const letter[] = {".###.", "#...#", "#....", ".###.",
                                       "....#", "#...#", ".###."};
  std::vector<Point> points;
  for (int row = 0; row < 7; ++row)
    for (int column = 0; column < 5; ++column)
      if (letter[row][column] == '#')
        points.push_back({28 + 18 * column, 12 + 12 * row, 1});
  return points;
}

std::vector<double> radar::decibelsPlainly(const std::vector<Point> &points) {
  Signal roots(fineSamples), sent(samples), image(width * height);
  for (int i = 0; i < fineSamples; ++i)
    roots[i] = turned(-2 * pi * i / fineSamples);
  for (int t = 0; t < samples; ++t)
    sent[t] = chirp(t * sampleSpacing);
  for (int pulse = 0; pulse < pulses; ++pulse)
    project(compress(receive(points, pulse), sent, roots), pulse, image);
  double peak = 0;
  for (Number value : image)
    peak = std::max(peak, std::norm(value));
  std::vector<double> decibels;
  for (Number value : image)
    decibels.push_back(
        std::max(10 * std::log10(std::norm(value) / peak), -depth));
  return decibels;
}
