//===- radar.h - The radar and the scene of the example ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What generators, meta-program and plain loops agree on. All lengths are in
// metres, also those of signals: an echo that comes back after t seconds is one
// from a distance of c t / 2.
//
//            pulses of a radar that flies along x
//       |  |  |  |  |  |  |  |  |  |  |  |  |  |  |  |   -> x
//
//                        distance
//
//                 +--------------------+
//                 |  scene, of pixels  |  rows away from the radar
//                 +--------------------+
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_EXAMPLES_RADAR_H
#define SLUICE_EXAMPLES_RADAR_H

#include <vector>

namespace radar {

// The radar.
constexpr int pulses = 96;
constexpr double pulseSpacing = 0.16;
constexpr double wavelength = 0.03;
/// Of the scene's middle from the middle of the flight.
constexpr double distance = 1000;

// Its signals: complex numbers, two doubles each.
constexpr int samples = 256;
constexpr double sampleSpacing = 0.75;
/// Distance of the first sample.
constexpr double nearest = 960;
/// A pulse is a chirp: its frequency rises through the band while it is sent.
constexpr double chirpLength = 60;
/// Two points closer than this along a beam become one: 1 / band.
constexpr double resolution = 1;
/// Samples between two samples, for reading off values between them.
constexpr int oversampling = 4;
constexpr int fineSamples = samples * oversampling;

// The picture.
constexpr int width = 128;
constexpr int height = 96;
constexpr double pixelSpacing = 0.4;
/// Decibels below the brightest pixel that are black.
constexpr double depth = 40;

/// What reflects the pulses.
struct Point {
  int column, row; ///< of the pixel in whose middle it is
  double strength;

  double x() const { return (column - width / 2) * pixelSpacing; }
  double y() const { return (row - height / 2) * pixelSpacing; }
};

/// A letter of points, all of the same strength (plain.cpp).
std::vector<Point> scene();

/// The picture by plain loops (plain.cpp), in decibels below the brightest
/// pixel, row by row.
std::vector<double> decibelsPlainly(const std::vector<Point> &points);

} // namespace radar

#endif // SLUICE_EXAMPLES_RADAR_H
