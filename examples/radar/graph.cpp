//===- graph.cpp - The task graph of the radar ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourteen Halide tasks, and one in C if the picture is saved. Each reads what
// others have written; that is all that is said about their order.
//
//===----------------------------------------------------------------------===//

#include "graph.h"

using namespace sluice;
using radar::Point, radar::RadarGraph;

RadarGraph::RadarGraph(const std::vector<Point> &points) {
  Dat &echoes = receive(points);
  Dat &profiles = compress(echoes);
  develop(project(profiles));
}

/// Complex signals: pulses, samples, and two parts of each number.
Dat &RadarGraph::createSignals(int rows, int samples, const char *name) {
  Dat &dat = graph.createDoubleDat(3, {rows, samples, 2});
  dat.setName(name);
  return dat;
}

Dat &RadarGraph::createPixels(const char *name) {
  Dat &dat = graph.createDoubleDat(2, {radar::height, radar::width});
  dat.setName(name);
  return dat;
}

/// What the radar gets back from the points along its flight.
Dat &RadarGraph::receive(const std::vector<Point> &points) {
  std::vector<double> values;
  for (const Point &point : points)
    values.insert(values.end(), {point.x(), point.y(), point.strength});
  Dat &scene = graph.createDat(int(points.size()), 3, values);
  scene.setName("scene");
  Dat &echoes = createSignals(radar::pulses, radar::samples, "echoes");
  graph.createTask(HalideKernel("radar_echoes"), {in(scene), out(echoes)});
  return echoes;
}

Dat &RadarGraph::fourier(Dat &signals, int rows, int size, bool isInverse) {
  Dat &spectra = createSignals(rows, size,
                               isInverse   ? "profiles"
                               : rows == 1 ? "band"
                                           : "spectra");
  Parameters parameters = {{"size", std::to_string(size)},
                           {"inverse", isInverse ? "true" : "false"}};
  graph.createTask(HalideKernel("radar_fourier", parameters),
                   {in(signals), out(spectra)});
  return spectra;
}

/// Chirps become points, with samples between the samples.
Dat &RadarGraph::compress(Dat &echoes) {
  Dat &pulse = createSignals(1, radar::samples, "pulse");
  graph.createTask(HalideKernel("radar_chirp"), {out(pulse)});
  Dat &window = graph.createDoubleDat(1, {radar::samples});
  window.setName("window");
  graph.createTask(HalideKernel("radar_window"), {out(window)});
  Dat &band = fourier(pulse, 1, radar::samples, false);
  Dat &spectra = fourier(echoes, radar::pulses, radar::samples, false);
  Dat &narrow = createSignals(radar::pulses, radar::samples, "compressed");
  graph.createTask(HalideKernel("radar_compress"),
                   {in(spectra), in(band), in(window), out(narrow)});
  Dat &longer = createSignals(radar::pulses, radar::fineSamples, "refined");
  graph.createTask(HalideKernel("radar_refine"), {in(narrow), out(longer)});
  return fourier(longer, radar::pulses, radar::fineSamples, true);
}

/// All pulses together give each pixel a complex number.
Dat &RadarGraph::project(Dat &profiles) {
  Dat &tapered = createSignals(radar::pulses, radar::fineSamples, "tapered");
  graph.createTask(HalideKernel("radar_taper"), {in(profiles), out(tapered)});
  Dat &image = createSignals(radar::height, radar::width, "image");
  graph.createTask(HalideKernel("radar_project"), {in(tapered), out(image)});
  return image;
}

void RadarGraph::develop(Dat &image) {
  Dat &power = createPixels("power");
  graph.createTask(HalideKernel("radar_power"), {in(image), out(power)});
  Dat &peak = graph.createDoubleDat(1, {1});
  peak.setName("peak");
  graph.createTask(HalideKernel("radar_peak"), {in(power), out(peak)});
  DoubleScalar &depth = graph.createDoubleScalar(radar::depth);
  depth.setName("depth");
  decibels = &createPixels("decibels");
  graph.createTask(HalideKernel("radar_decibels"),
                   {&depth, in(power), in(peak), out(decibels)});
  picture = &graph.createUIntDat(8, 2, {radar::height, radar::width});
  picture->setName("picture");
  graph.createTask(HalideKernel("radar_quantise"),
                   {&depth, in(decibels), out(picture)});
}

void RadarGraph::save(const std::string &path) {
  std::vector<uint64_t> bytes;
  for (unsigned char byte : path)
    bytes.push_back(byte);
  bytes.push_back(0);
  Dat &name = graph.createUIntDat(8, 1, {int(bytes.size())}, bytes);
  name.setName("path");
  graph.createTask(CKernel("radar_save", "kernels.c"), {in(name), in(picture)})
      .writesFile(path);
}
