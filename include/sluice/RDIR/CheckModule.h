//===- CheckModule.h - The checks of a whole module -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the checks over all graphs of a module, including nested ones, and
// reports the findings at the places of the operations. Checks the rules of
// nested graphs (N1 to N3) here, where the nesting is known.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_CHECKMODULE_H
#define SLUICE_RDIR_CHECKMODULE_H

#include "sluice/RDIR/ImportModule.h"
#include "llvm/ADT/BitmaskEnum.h"

namespace sluice::rdir {

LLVM_ENABLE_BITMASK_ENUMS_IN_NAMESPACE();

/// Groups of rules.
enum class Checks : unsigned {
  None = 0,
  WellFormed = 1,    ///< W
  Kinds = 2,         ///< T, O, C
  Launches = 4,      ///< L
  Races = 8,         ///< D; for graphs that are well-formed
  Serializable = 16, ///< S; for graphs that are also free of races
  Nested = 32,       ///< N
  Declared = 64,     ///< P
  All = 127,
  LLVM_MARK_AS_BITMASK_ENUM(Declared)
};

/// A problem with its places in the source.
struct Finding {
  Rule rule = Rule::W1;
  ProblemSeverity severity = ProblemSeverity::Error;
  /// The graph in which the problem was found, and its node; null for
  /// declarations outside of graphs.
  const ImportedGraph *graph = nullptr;
  NodeIndex node = noNode;
  mlir::Operation *op = nullptr;
  std::string message;
  struct Note {
    mlir::Operation *op;
    std::string text;
  };
  std::vector<Note> notes;
  /// See Problem.
  std::vector<ProblemEdge> edges;
};

/// An assumption of the proofs, or a condition that can be shown only at run
/// time: "'owned' is disjoint".
struct Assumption {
  mlir::Operation *op;
  std::string text;
  /// Generated programs check it; otherwise it is the user's promise.
  bool isChecked = true;
};

struct ModuleCheck {
  std::vector<Finding> findings;
  std::vector<Assumption> assumptions;
  /// By rule, the number of findings that are not described.
  std::vector<std::pair<Rule, uint64_t>> omitted;
  /// The edges that serializability requires, for each graph where it was
  /// checked.
  llvm::DenseMap<const ImportedGraph *, SerializationEdges> added;

  bool hasErrors() const;
};

/// Finds all problems of the given kinds in all graphs. Skips a check for a
/// graph in which the check's requirements failed; the problems of the failed
/// check are reported instead.
ModuleCheck checkModule(const ImportedModule &module,
                        Checks checks = Checks::All,
                        unsigned maxProblemsPerRule = 100);

/// Emits a diagnostic for each problem, with notes at the other places; emits
/// remarks only on request.
void emitFindings(const ModuleCheck &check, bool hasRemarks);

/// P1: partitions in graphs, and constraints.
void checkDeclarations(const ImportedModule &module,
                       std::vector<Finding> &findings,
                       std::vector<Assumption> &assumptions);

/// P2: the coherence of tasks.
void checkCoherence(const ImportedModule &module,
                    std::vector<Finding> &findings,
                    std::vector<Assumption> &assumptions);

/// N1 and N3 for the bodies nested directly in a graph.
void checkNested(const ImportedGraph &graph, std::vector<Finding> &findings);
/// N2 for the body of a must-epoch, with the edges that serializability
/// requires.
void checkMembers(const ImportedGraph &body, const SerializationEdges &added,
                  std::vector<Finding> &findings);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_CHECKMODULE_H
