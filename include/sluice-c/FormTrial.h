//===- FormTrial.h - Which form of a kernel is faster -----------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel may contain a second form of its loops over instances, which gives
// the same bits: one instance after another. Which one is faster may depend on
// the data, so some calls are timed. Only generated code calls these functions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_FORMTRIAL_H
#define SLUICE_C_FORMTRIAL_H

#include "sluice-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The trial of one kernel; initially all zeros. Several threads use it at the
/// same time.
typedef struct SluiceFormTrial {
  /// Above 3: bit 0 says whether the calls to come are to run one instance
  /// after another, and each of them subtracts 4. Else calls are to be timed.
  uint32_t state;
  /// Calls that have begun since calls are timed.
  uint32_t numBegun;
  /// The calls of each form among them that have ended.
  uint32_t numEnded[2];
  /// Shortest time of a unit in either form; 0: not known.
  uint64_t best[2];
  /// Calls that were not timed between the last two trials.
  uint32_t pause;
  /// By how much longer units take in the usual form than in the other one: the
  /// sum of what trials have found, the last ones most.
  float lead;
} SluiceFormTrial;

/// Before a call that is timed. Bit 0 of the result: the form. Never 0.
SLUICE_EXPORT uint64_t sluiceBeginTrial(SluiceFormTrial *trial);

/// After that call, with the result of its `sluiceBeginTrial`, and the number
/// of units that it ran.
SLUICE_EXPORT void sluiceEndTrial(SluiceFormTrial *trial, uint64_t begun,
                                  uint64_t units);

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_FORMTRIAL_H
