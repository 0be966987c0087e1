//===- sizes.h - The sizes of the layouts -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the descriptions in layouts.h and the loops written by hand. The
// halo exchanges are those that DDTBench (Schneider, Gerstenberger, Hoefler:
// "Micro-applications for communication data access patterns and MPI
// datatypes", EuroMPI 2012) took from applications, with sizes it runs by
// default. Arrays are named as C has them: the last index is contiguous.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_SIZES_H
#define SLUICE_BENCH_PACK_SIZES_H

#include <cstdint>

namespace bench {

/// The rows of the reference table that do not sweep: about 64 KiB each.
constexpr int64_t particles = 2341; ///< struct {double[3], int}: 28 of 32 bytes
constexpr int64_t records = 4370;   ///< struct {char, double, short, int}
constexpr int sparseBytes = 65536;  ///< every fourth byte
constexpr int floatTriples = 16384; ///< three of every four floats
constexpr int shortList = 512, longList = 8192; ///< places of doubles
constexpr int64_t shortListInstances = 16;
constexpr int64_t shortListExtent = 2048 * 8;
constexpr int matrixSide = 512; ///< of double complex, transposed

/// WRF, a weather model: boundary planes of 4 two-dimensional, 3 three-
/// dimensional and 2 four-dimensional fields of float, fields[t][j][k][i], one
/// scalar t of two being exchanged. The tile of 2x2 processes in the case
/// em_b_wave; the y direction sends 3 rows j, the x direction 3 columns i.
struct Wrf {
  static constexpr int fields2D = 4, fields3D = 3, fields4D = 2;
  static constexpr int scalars = 2, scalar = 1;
  static constexpr int pitchI = 32, pitchK = 65, pitchJ = 52;
  int firstI, numI, firstJ, numJ;
  static constexpr int64_t plane = int64_t(pitchI) * pitchJ * 4;
  static constexpr int64_t volume = plane * pitchK;
};
constexpr Wrf wrfY = {5, 23, 7, 3}, wrfX = {22, 3, 4, 44};

/// MILC, lattice quantum chromodynamics: the su3 vectors (three complex
/// floats) of one z plane, of even and odd sites apart, on a 16^4 lattice.
struct Milc {
  static constexpr int x = 16, y = 16, z = 16, t = 16;
  static constexpr int vectorFloats = 6;
  static constexpr int sites = x * y / 2, pitch = x * y * z / 2;
  static constexpr int64_t half = int64_t(pitch) * t * vectorFloats * 4;
};

/// NAS LU, class C: five doubles a point; x is contiguous, y a column.
struct Lu {
  static constexpr int side = 162, values = 5, pitch = side + 2;
};

/// NAS MG: the faces of array[258 - 128][130][130] of one process of class C,
/// 258 doubles contiguous.
struct Mg {
  static constexpr int x = 258, y = 130, z = 130;
};

/// LAMMPS, molecular dynamics: the properties of listed atoms, arrays apart:
/// three coordinates and five ("full", peptide example) or three ("atomic",
/// crack example) single values. Atoms received follow those that are owned.
struct Lammps {
  int sent, owned, singles;
  constexpr int atoms() const { return owned + sent; }
  constexpr int64_t arrayAt(int field) const {
    return (field == 0 ? 0 : 3 + field - 1) * int64_t(atoms()) * 8;
  }
};
constexpr Lammps lammpsFull = {3062, 3534, 5}, lammpsAtomic = {243, 4084, 3};

/// SPECFEM3D_GLOBE, seismic waves: floats of listed points of the outer core
/// (one each), of crust-mantle and inner core together (three each), and the
/// first of two float triples of every mantle point.
struct Specfem {
  static constexpr int oceanSent = 3225, ocean = 88881;
  static constexpr int mantleSent = 11797, mantle = 834917;
  static constexpr int innerSent = 3009, inner = 51153;
  static constexpr int triples = 7600;
  static constexpr int64_t innerAt = int64_t(mantle) * 12;
};

/// A two-dimensional FFT of 512^2 double complex on two processes: each sends
/// half of its columns and receives them transposed.
struct Fft {
  static constexpr int side = 512, part = side / 2;
};

} // namespace bench

#endif // SLUICE_BENCH_PACK_SIZES_H
