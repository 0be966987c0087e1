//===- InterposerSettings.h - The interposer's settings -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SLUICE_MPI and SLUICE_MPI_STATS, read once. An unknown value ends the process
// before MPI starts, so that a spelling error is not mistaken for a setting.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_LIBRARY_INTERPOSERSETTINGS_H
#define SLUICE_LIB_PACKMPI_LIBRARY_INTERPOSERSETTINGS_H

#include <cstdint>

namespace sluice::mpi {

enum class Mode : uint8_t {
  /// All calls go to the MPI library unchanged.
  Off,
  /// MPI_Pack and MPI_Unpack are handled.
  Pack,
  /// Like Pack, plus transfers that packing makes faster. The default.
  Auto,
  /// Every layout with gaps is handled from its first use on: for tests.
  All,
};

/// The values of SLUICE_MPI_STATS.
enum class Reports : uint8_t { None, FirstRank, EveryRank };

struct Settings {
  Mode mode = Mode::Auto;
  Reports reports = Reports::None;
};

/// The settings of this process. Ends the process if a setting is wrong.
const Settings &settings();

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_LIBRARY_INTERPOSERSETTINGS_H
