//===- plain.cpp - Plain loops with constant sizes ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an application's programmer would write: loops and constants, and the
// compiler does the rest.
//
//===----------------------------------------------------------------------===//

#include "hand_loops.h"
#include "places.h"
#include "sizes.h"

#include <cstring>
#include <utility>

using namespace bench;

namespace {

using Bytes = const std::byte *__restrict;
using OutBytes = std::byte *__restrict;

enum Direction { Pack, Unpack };

/// The pointers of a copy: which one walks the layout, which one the stream.
template <Direction D> struct Cursor {
  Bytes in;
  OutBytes out;
  /// Copies `Block` bytes that lie at `place` of the layout and advances.
  template <int64_t Block> void copy(int64_t place) {
    if constexpr (D == Pack) {
      std::memcpy(out, in + place, Block);
      out += Block;
    } else {
      std::memcpy(out + place, in, Block);
      in += Block;
    }
  }
};

template <Direction D, int Block>
void vectorOf(Bytes from, OutBytes to, int64_t count) {
  auto *in = reinterpret_cast<const double *__restrict>(from);
  auto *out = reinterpret_cast<double *__restrict>(to);
  constexpr int near = Block, far = 2 * Block;
  for (int64_t i = 0; i < count; ++i)
    for (int j = 0; j < Block; ++j)
      if constexpr (D == Pack)
        out[i * near + j] = in[i * far + j];
      else
        out[i * far + j] = in[i * near + j];
}

template <Direction D> void particle(Bytes in, OutBytes out, int64_t count) {
  Cursor<D> cursor = {in, out};
  for (int64_t i = 0; i < count; ++i)
    cursor.template copy<28>(i * 32);
}

template <Direction D> void record(Bytes in, OutBytes out, int64_t count) {
  Cursor<D> cursor = {in, out};
  for (int64_t i = 0; i < count; ++i) {
    cursor.template copy<1>(i * 24);
    cursor.template copy<8>(i * 24 + 8);
    cursor.template copy<2>(i * 24 + 16);
    cursor.template copy<4>(i * 24 + 20);
  }
}

template <Direction D> void everyFourth(Bytes in, OutBytes out, int64_t) {
  for (int i = 0; i < sparseBytes; ++i)
    if constexpr (D == Pack)
      out[i] = in[4 * i];
    else
      out[4 * i] = in[i];
}

template <Direction D> void triplesOfFour(Bytes in, OutBytes out, int64_t) {
  Cursor<D> cursor = {in, out};
  for (int64_t i = 0; i < floatTriples; ++i)
    cursor.template copy<12>(i * 16);
}

/// Blocks at `Unit` times the listed places. The empty statement keeps gcc from
/// collecting values of several blocks in a register, which is slower.
template <Direction D, int64_t Block, int64_t Unit>
void copyListed(Cursor<D> &cursor, const int *places, int64_t count,
                int64_t origin = 0) {
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) {
    cursor.template copy<Block>(origin + places[i] * Unit);
    asm volatile("");
  }
}

template <Direction D, int N, int64_t Extent>
void listed(Bytes in, OutBytes out, int64_t count) {
  static constexpr auto places = ascendingPlaces<N>();
  Cursor<D> cursor = {in, out};
  for (int64_t i = 0; i < count; ++i)
    copyListed<D, 8, 8>(cursor, places.data(), N, i * Extent);
}

/// Columns of double complex, four rows at a time: a line of the packed side.
template <Direction D, int Rows, int Columns, int Pitch>
void columnsOf(Bytes in, OutBytes out, int64_t) {
  constexpr int64_t element = 16, tile = 4;
  for (int64_t row = 0; row < Rows; row += tile)
    for (int64_t column = 0; column < Columns; ++column)
      for (int64_t i = row; i < row + tile; ++i) {
        const int64_t far = (i * Pitch + column) * element;
        const int64_t near = (column * Rows + i) * element;
        if constexpr (D == Pack)
          std::memcpy(out + near, in + far, element);
        else
          std::memcpy(out + far, in + near, element);
      }
}

/// Blocks in two nested loops of constant strides.
template <int64_t Block, Direction D>
void grid(Cursor<D> &cursor, int64_t origin, int64_t outer, int64_t outerStride,
          int64_t inner, int64_t innerStride) {
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t j = 0; j < inner; ++j)
      cursor.template copy<Block>(origin + i * outerStride + j * innerStride);
}

template <Direction D, const Wrf &Tile>
void wrf(Bytes in, OutBytes out, int64_t) {
  constexpr int64_t row = Wrf::pitchI * 4, level = row * Wrf::pitchK;
  constexpr int64_t block = Tile.numI * 4, first = Tile.firstI * 4;
  Cursor<D> cursor = {in, out};
  int64_t array = 0;
  for (int i = 0; i < Wrf::fields2D; ++i, array += Wrf::plane)
    grid<block>(cursor, array + Tile.firstJ * row + first, 1, 0, Tile.numJ,
                row);
  for (int i = 0; i < Wrf::fields3D; ++i, array += Wrf::volume)
    grid<block>(cursor, array + Tile.firstJ * level + first, Tile.numJ, level,
                Wrf::pitchK, row);
  for (int i = 0; i < Wrf::fields4D; ++i, array += Wrf::scalars * Wrf::volume)
    grid<block>(cursor,
                array + Wrf::scalar * Wrf::volume + Tile.firstJ * level + first,
                Tile.numJ, level, Wrf::pitchK, row);
}

/// A halo of blocks in two loops, all of it constant.
template <Direction D, int64_t Block, int64_t Outer, int64_t OuterStride,
          int64_t Inner, int64_t InnerStride>
void gridOf(Bytes in, OutBytes out, int64_t) {
  Cursor<D> cursor = {in, out};
  grid<Block>(cursor, 0, Outer, OuterStride, Inner, InnerStride);
}

template <Direction D, const Lammps &Atoms>
void lammps(Bytes in, OutBytes out, int64_t) {
  static const auto places = shuffledPlaces(Atoms.sent, Atoms.owned);
  Cursor<D> cursor = {in, out};
  copyListed<D, 24, 24>(cursor, places.data(), Atoms.sent);
  for (int i = 1; i <= Atoms.singles; ++i)
    copyListed<D, 8, 8>(cursor, places.data(), Atoms.sent, Atoms.arrayAt(i));
}

template <Direction D, const Lammps &Atoms>
void lammpsReceived(Bytes in, OutBytes out, int64_t) {
  Cursor<D> cursor = {in, out};
  cursor.template copy<Atoms.sent * 24>(Atoms.owned * 24);
  for (int i = 1; i <= Atoms.singles; ++i)
    cursor.template copy<Atoms.sent * 8>(Atoms.arrayAt(i) + Atoms.owned * 8);
}

template <Direction D> void specfemOceans(Bytes in, OutBytes out, int64_t) {
  using S = Specfem;
  static const auto places = shuffledPlaces(S::oceanSent, S::ocean);
  Cursor<D> cursor = {in, out};
  copyListed<D, 4, 4>(cursor, places.data(), S::oceanSent);
}

template <Direction D> void specfemMantle(Bytes in, OutBytes out, int64_t) {
  using S = Specfem;
  static const auto mantle = shuffledPlaces(S::mantleSent, S::mantle);
  static const auto inner = shuffledPlaces(S::innerSent, S::inner);
  Cursor<D> cursor = {in, out};
  copyListed<D, 12, 12>(cursor, mantle.data(), S::mantleSent);
  copyListed<D, 12, 12>(cursor, inner.data(), S::innerSent, S::innerAt);
}

constexpr int64_t su3 = Milc::vectorFloats * 4;
constexpr int64_t mgRow = Mg::x * 8, mgPlane = mgRow * Mg::y;
constexpr int64_t complexRow = Fft::side * 16;

#define BOTH(NAME, ...) NAME<Pack, __VA_ARGS__>, NAME<Unpack, __VA_ARGS__>
#define BOTH_OF(NAME) NAME<Pack>, NAME<Unpack>

const Hand loops[] = {
    {"vector:1", BOTH(vectorOf, 1)},
    {"vector:2", BOTH(vectorOf, 2)},
    {"vector:4", BOTH(vectorOf, 4)},
    {"vector:8", BOTH(vectorOf, 8)},
    {"vector:16", BOTH(vectorOf, 16)},
    {"vector:64", BOTH(vectorOf, 64)},
    {"vector:512", BOTH(vectorOf, 512)},
    {"struct-di", BOTH_OF(particle)},
    {"struct-cdsi", BOTH_OF(record)},
    {"bytes", BOTH_OF(everyFourth)},
    {"floats", BOTH_OF(triplesOfFour)},
    {"indexed-short", BOTH(listed, shortList, shortListExtent)},
    {"indexed-long", BOTH(listed, longList, 0)},
    {"transpose", BOTH(columnsOf, matrixSide, matrixSide, matrixSide)},
    {"wrf-x-vec", BOTH(wrf, wrfX)},
    {"wrf-x-sa", BOTH(wrf, wrfX)},
    {"wrf-y-vec", BOTH(wrf, wrfY)},
    {"wrf-y-sa", BOTH(wrf, wrfY)},
    {"milc-su3-zdown",
     BOTH(gridOf, Milc::sites *su3, 2, Milc::half, Milc::t, Milc::pitch *su3)},
    {"nas-lu-x", BOTH(gridOf, Lu::values * 8 * Lu::side, 1, 0, 1, 0)},
    {"nas-lu-y",
     BOTH(gridOf, Lu::values * 8, 1, 0, Lu::side, Lu::pitch *Lu::values * 8)},
    {"nas-mg-x", BOTH(gridOf, 8, Mg::z - 2, mgPlane, Mg::y - 2, mgRow)},
    {"nas-mg-y", BOTH(gridOf, (Mg::x - 2) * 8, 1, 0, Mg::z - 2, mgPlane)},
    {"nas-mg-z", BOTH(gridOf, (Mg::x - 2) * 8, 1, 0, Mg::y - 2, mgRow)},
    {"lammps-full", BOTH(lammps, lammpsFull)},
    {"lammps-full-received", BOTH(lammpsReceived, lammpsFull)},
    {"lammps-atomic", BOTH(lammps, lammpsAtomic)},
    {"lammps-atomic-received", BOTH(lammpsReceived, lammpsAtomic)},
    {"specfem3d-oc", BOTH_OF(specfemOceans)},
    {"specfem3d-cm", BOTH_OF(specfemMantle)},
    {"specfem3d-mt", BOTH(gridOf, 12, 1, 0, Specfem::triples, 24)},
    {"specfem3d-mt-received", BOTH(gridOf, Specfem::triples * 12, 1, 0, 1, 0)},
    {"fft2", BOTH(gridOf, Fft::part * 16, 1, 0, Fft::part, complexRow)},
    {"fft2-received", BOTH(columnsOf, Fft::part, Fft::part, Fft::side)},
};

/// The places as constants of the code.
template <Direction D, size_t... I>
void straight(Bytes in, OutBytes out, std::index_sequence<I...>) {
  static constexpr auto places = ascendingPlaces<shortList>();
  auto *from = reinterpret_cast<const double *__restrict>(in);
  auto *to = reinterpret_cast<double *__restrict>(out);
  if constexpr (D == Pack)
    ((to[I] = from[places[I]]), ...);
  else
    ((to[places[I]] = from[I]), ...);
}

template <Direction D>
void straightList(Bytes in, OutBytes out, int64_t count) {
  constexpr int64_t packed = shortList * 8;
  for (int64_t i = 0; i < count; ++i)
    straight<D>(in + i * (D == Pack ? shortListExtent : packed),
                out + i * (D == Pack ? packed : shortListExtent),
                std::make_index_sequence<shortList>());
}

const Hand lines[] = {{"indexed-short", BOTH_OF(straightList)}};

} // namespace

std::span<const Hand> bench::plainLoops() { return loops; }
std::span<const Hand> bench::straightLines() { return lines; }
