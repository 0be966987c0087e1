//===- layouts.h - The layouts that are packed ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each layout is built by the constructors an application would call, through
// an `Api` that has them: Places of types.h, MPI's or Sluice's. sizes.h says
// what the layouts are.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_LAYOUTS_H
#define SLUICE_BENCH_PACK_LAYOUTS_H

#include "places.h"
#include "sizes.h"
#include "types.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace bench {

template <class Api> struct Layouts {
  using Type = typename Api::Type;
  using Made = Instances<Type>;
  Api &api;

  Type floats() { return api.basic(Basic::Float); }
  Type doubles() { return api.basic(Basic::Double); }
  Type complexes() { return api.contiguous(2, doubles()); }

  /// Half of an array of doubles, in blocks.
  Made vector(int block, int64_t bytes) {
    return {api.vector(static_cast<int>(bytes / 8 / block), block, 2 * block,
                       doubles()),
            1};
  }

  Made particle() {
    return {api.resized(api.structure({{3, 0, doubles()},
                                       {1, 24, api.basic(Basic::Int)}}),
                        0, 32),
            particles};
  }
  Made record() {
    return {api.resized(api.structure({{1, 0, api.basic(Basic::Char)},
                                       {1, 8, doubles()},
                                       {1, 16, api.basic(Basic::Short)},
                                       {1, 20, api.basic(Basic::Int)}}),
                        0, 24),
            records};
  }
  Made everyFourthByte() {
    return {api.vector(sparseBytes, 1, 4, api.basic(Basic::Byte)), 1};
  }
  Made triplesOfFour() { return {api.vector(floatTriples, 3, 4, floats()), 1}; }

  template <int N> Type list() {
    static constexpr std::array<int, N> places = ascendingPlaces<N>();
    return api.indexedBlock(1, {places.begin(), places.end()}, doubles());
  }
  Made shortIndexed() {
    return {api.resized(list<shortList>(), 0, shortListExtent),
            shortListInstances};
  }
  Made longIndexed() { return {list<longList>(), 1}; }

  /// `columns` columns of a matrix of `rows` rows, one after another.
  Made columnsOf(int rows, int columns, int pitch) {
    Type column = api.resized(api.vector(rows, 1, pitch, complexes()), 0, 16);
    return {api.contiguous(columns, column), 1};
  }
  Made transpose() { return columnsOf(matrixSide, matrixSide, matrixSide); }

  // WRF with vectors and with subarrays: other constructors, the same bytes.

  Made wrf(Type part2D, Type part3D, int64_t at2D, int64_t at3D) {
    std::vector<Field<Type>> fields;
    int64_t array = 0;
    for (int i = 0; i < Wrf::fields2D; ++i, array += Wrf::plane)
      fields.push_back({1, array + at2D, part2D});
    for (int i = 0; i < Wrf::fields3D; ++i, array += Wrf::volume)
      fields.push_back({1, array + at3D, part3D});
    for (int i = 0; i < Wrf::fields4D; ++i, array += Wrf::scalars * Wrf::volume)
      fields.push_back({1, array + Wrf::scalar * Wrf::volume + at3D, part3D});
    return {api.structure(fields), 1};
  }
  Made wrfVectors(const Wrf &tile) {
    const int64_t row = Wrf::pitchI * 4, level = row * Wrf::pitchK;
    Type rows = api.vector(Wrf::pitchK, tile.numI, Wrf::pitchI, floats());
    return wrf(api.vector(tile.numJ, tile.numI, Wrf::pitchI, floats()),
               api.hvector(tile.numJ, 1, level, rows),
               tile.firstJ * row + tile.firstI * 4,
               tile.firstJ * level + tile.firstI * 4);
  }
  Made wrfSubarrays(const Wrf &tile) {
    using Two = std::array<int, 2>;
    using Three = std::array<int, 3>;
    return wrf(api.subarray(Two{Wrf::pitchJ, Wrf::pitchI},
                            Two{tile.numJ, tile.numI},
                            Two{tile.firstJ, tile.firstI}, floats()),
               api.subarray(Three{Wrf::pitchJ, Wrf::pitchK, Wrf::pitchI},
                            Three{tile.numJ, Wrf::pitchK, tile.numI},
                            Three{tile.firstJ, 0, tile.firstI}, floats()),
               0, 0);
  }

  Made milc() {
    Type vectors = api.contiguous(Milc::vectorFloats, floats());
    Type plane = api.vector(Milc::t, Milc::sites, Milc::pitch, vectors);
    return {api.hvector(2, 1, Milc::half, plane), 1};
  }

  Made luX() { return {api.contiguous(Lu::values * Lu::side, doubles()), 1}; }
  Made luY() {
    return {api.vector(Lu::side, 1, Lu::pitch,
                       api.contiguous(Lu::values, doubles())),
            1};
  }

  Made mgX() {
    return {api.hvector(Mg::z - 2, 1, Mg::x * Mg::y * 8,
                        api.vector(Mg::y - 2, 1, Mg::x, doubles())),
            1};
  }
  Made mgY() {
    return {api.vector(Mg::z - 2, Mg::x - 2, Mg::x * Mg::y, doubles()), 1};
  }
  Made mgZ() { return {api.vector(Mg::y - 2, Mg::x - 2, Mg::x, doubles()), 1}; }

  Made lammps(const Lammps &atoms) {
    std::vector<int> list = shuffledPlaces(atoms.sent, atoms.owned);
    Type single = api.indexedBlock(1, list, doubles());
    for (int &place : list)
      place *= 3;
    std::vector<Field<Type>> fields = {
        {1, 0, api.indexedBlock(3, list, doubles())}};
    for (int i = 1; i <= atoms.singles; ++i)
      fields.push_back({1, atoms.arrayAt(i), single});
    return {api.structure(fields), 1};
  }
  /// Where the atoms that were sent are received.
  Made lammpsReceived(const Lammps &atoms) {
    std::vector<Field<Type>> fields = {
        {1, atoms.owned * int64_t(24),
         api.contiguous(3 * atoms.sent, doubles())}};
    Type single = api.contiguous(atoms.sent, doubles());
    for (int i = 1; i <= atoms.singles; ++i)
      fields.push_back(
          {1, atoms.arrayAt(i) + atoms.owned * int64_t(8), single});
    return {api.structure(fields), 1};
  }

  Made specfemOceans() {
    return {api.indexedBlock(1,
                             shuffledPlaces(Specfem::oceanSent, Specfem::ocean),
                             floats()),
            1};
  }
  Type triplesAt(int count, int range) {
    std::vector<int> list = shuffledPlaces(count, range);
    for (int &place : list)
      place *= 3;
    return api.indexedBlock(3, list, floats());
  }
  Made specfemMantle() {
    return {
        api.structure({{1, 0, triplesAt(Specfem::mantleSent, Specfem::mantle)},
                       {1, Specfem::innerAt,
                        triplesAt(Specfem::innerSent, Specfem::inner)}}),
        1};
  }
  Made specfemTriples() {
    return {api.vector(Specfem::triples, 1, 2, api.contiguous(3, floats())), 1};
  }
  Made specfemTriplesReceived() {
    return {api.contiguous(3 * Specfem::triples, floats()), 1};
  }

  Made fftSent() {
    return {api.vector(Fft::part, Fft::part, Fft::side, complexes()), 1};
  }
  Made fftReceived() { return columnsOf(Fft::part, Fft::part, Fft::side); }

  /// The layout of that name: one listed, or `vector:BLOCK:BYTES`.
  Made named(const std::string &name) {
    int block;
    long long bytes;
    if (std::sscanf(name.c_str(), "vector:%d:%lld", &block, &bytes) == 2)
      return vector(block, bytes);
    struct Entry {
      const char *name;
      Made (*make)(Layouts &);
    };
    using L = Layouts;
    static constexpr Entry entries[] = {
        {"struct-di", [](L &l) { return l.particle(); }},
        {"struct-cdsi", [](L &l) { return l.record(); }},
        {"bytes", [](L &l) { return l.everyFourthByte(); }},
        {"floats", [](L &l) { return l.triplesOfFour(); }},
        {"indexed-short", [](L &l) { return l.shortIndexed(); }},
        {"indexed-long", [](L &l) { return l.longIndexed(); }},
        {"transpose", [](L &l) { return l.transpose(); }},
        {"wrf-x-vec", [](L &l) { return l.wrfVectors(wrfX); }},
        {"wrf-x-sa", [](L &l) { return l.wrfSubarrays(wrfX); }},
        {"wrf-y-vec", [](L &l) { return l.wrfVectors(wrfY); }},
        {"wrf-y-sa", [](L &l) { return l.wrfSubarrays(wrfY); }},
        {"milc-su3-zdown", [](L &l) { return l.milc(); }},
        {"nas-lu-x", [](L &l) { return l.luX(); }},
        {"nas-lu-y", [](L &l) { return l.luY(); }},
        {"nas-mg-x", [](L &l) { return l.mgX(); }},
        {"nas-mg-y", [](L &l) { return l.mgY(); }},
        {"nas-mg-z", [](L &l) { return l.mgZ(); }},
        {"lammps-full", [](L &l) { return l.lammps(lammpsFull); }},
        {"lammps-full-received",
         [](L &l) { return l.lammpsReceived(lammpsFull); }},
        {"lammps-atomic", [](L &l) { return l.lammps(lammpsAtomic); }},
        {"lammps-atomic-received",
         [](L &l) { return l.lammpsReceived(lammpsAtomic); }},
        {"specfem3d-oc", [](L &l) { return l.specfemOceans(); }},
        {"specfem3d-cm", [](L &l) { return l.specfemMantle(); }},
        {"specfem3d-mt", [](L &l) { return l.specfemTriples(); }},
        {"specfem3d-mt-received",
         [](L &l) { return l.specfemTriplesReceived(); }},
        {"fft2", [](L &l) { return l.fftSent(); }},
        {"fft2-received", [](L &l) { return l.fftReceived(); }},
    };
    for (const Entry &entry : entries)
      if (name == entry.name)
        return entry.make(*this);
    std::fprintf(stderr, "there is no layout '%s'\n", name.c_str());
    std::exit(1);
  }
};

template <class Api>
Instances<typename Api::Type> makeLayout(Api &api, const std::string &name) {
  return Layouts<Api>{api}.named(name);
}

} // namespace bench

#endif // SLUICE_BENCH_PACK_LAYOUTS_H
