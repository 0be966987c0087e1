//===- LowerOpenMP.h - Loops of OpenMP to canonical HPVM IR -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works on a linked program, since whether a loop can be taken over depends on
// all that it calls.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_OPENMP_LOWEROPENMP_H
#define SLUICE_FRONTEND_OPENMP_LOWEROPENMP_H

#include "sluice/Analysis/Rehearsal.h"
#include "sluice/Diagnostics/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// What an argument of a graph of OpenMP is in the program.
struct OpenMPArgument {
  std::string name = {};
  /// A number, which all iterations share.
  bool isScalar = false;
  /// An integer that the host passes, not where it is.
  bool isNumber = false;
  /// The host computes it, so that it may never have some values, or not
  /// together with those of other numbers and of iterations.
  bool isComputed = false;
  /// The host may read it after the loop.
  bool isReadLater = false;
  /// Memory that no other pointer leads to.
  bool isAlone = false;
  /// Pointers into the same variable or block of memory have the same number;
  /// none: it may be any.
  std::optional<unsigned> object = {};
  /// Its elements are vectors, each with memory of its own.
  bool hasOwnRows = false;
  bool isPointer = false;
  /// It is the memory of a vector in the variable with this number, if that is
  /// known; `isOwnVector`: one that nothing refers to which was there before.
  std::optional<unsigned> vectorOf = {};
  bool isOwnVector = false;
  /// Arguments that never lead to the same memory, whichever that is.
  std::vector<unsigned> apart = {};
  /// Its name, if that is a global variable.
  std::string global = {};
};

/// A loop of OpenMP that became a graph.
struct OpenMPGraph {
  /// The root's.
  std::string symbol = {};
  /// Of the directive.
  SourcePlace place = {};
  /// If a program is checked: so many iterations in a row are one thread's,
  /// from multiples of it on; if it is negative, only the first ones; 0: it is
  /// not known how many.
  int64_t chunk = 1;
  /// Its iterations wait for each other, in regions or by 'depend'.
  bool hasOrderedRegions = false, hasSinks = false;
  std::vector<OpenMPArgument> arguments = {};
  /// The global variable that says whether the host launches it.
  std::string choice = {};
};

/// What became of a program's OpenMP.
struct OpenMPSummary {
  std::vector<OpenMPGraph> graphs;
  /// Global variables that no pointer of the program leads to.
  std::set<std::string> named;
  /// What is left to LLVM's library, or to the order of the code.
  struct Left {
    SourcePlace place = {};
    std::string reason = {};
    /// It runs on the library; of others, only the check does not know.
    bool isOfLibrary = false;
  };
  std::vector<Left> left;
  /// Some of it is not what clang alone makes of it: that would be wrong, or
  /// cost more.
  bool isImproved = false;
  /// The program as clang has written it, if it is whole and is to be checked.
  std::shared_ptr<llvm::Module> whole = {};
  /// What the whole program does.
  Rehearsal rehearsal = {};

  /// Whether it is known that nobody meets in what starts here.
  bool isRehearsed(const SourcePlace &place) const {
    return rehearsal.isProof() && rehearsal.reached.count(place) != 0;
  }
  /// Of what is left, nobody has checked so much.
  size_t numLeft() const {
    return llvm::count_if(
        left, [&](const Left &one) { return !isRehearsed(one.place); });
  }
};

/// Makes graphs of the parallel loops that are understood, and has the program
/// launch them. The others stay as clang has written them; with `hasRemarks`,
/// one remark for each says why. `isUnit`: the program has other code, which
/// may be called through pointers.
OpenMPSummary lowerOpenMP(std::unique_ptr<llvm::Module> &program,
                          bool hasRemarks, Diagnostics &diagnostics,
                          bool isUnit = false);

/// What names of mutexes for critical sections begin with.
inline constexpr llvm::StringLiteral criticalLock = "openmp.critical.";

/// Functions by which a program has LLVM's library rest.
inline constexpr llvm::StringLiteral pauseFunctions[] = {
    "omp_pause_resource", "omp_pause_resource_all"};

/// Whether a variable is clang's for 'lastprivate(conditional:)'.
bool isOfLastAssigned(const llvm::GlobalVariable &variable);

/// Has the host start a team of LLVM's library instead of launching a graph.
void leaveToTeam(llvm::Module &program, const OpenMPGraph &graph);

} // namespace sluice

#endif // SLUICE_FRONTEND_OPENMP_LOWEROPENMP_H
