//===- CheckModule.h - The checks of a whole module -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the checks over all graphs of a module, nested ones included, and says
// what they found at the places of the operations. The rules of nested graphs
// (N1 to N3) are checked here, where it is known what is nested in what.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_CHECKMODULE_H
#define SLUICE_RDIR_CHECKMODULE_H

#include "sluice/RDIR/Import.h"
#include "llvm/ADT/BitmaskEnum.h"

namespace sluice::rdir {

LLVM_ENABLE_BITMASK_ENUMS_IN_NAMESPACE();

/// Groups of rules.
enum class Checks : unsigned {
  None = 0,
  WellFormed = 1,    ///< W
  Kinds = 2,         ///< T, O, C
  Launches = 4,      ///< L
  Races = 8,         ///< D; of graphs that are well-formed
  Serializable = 16, ///< S; of graphs that are free of races as well
  Nested = 32,       ///< N
  Declared = 64,     ///< P
  All = 127,
  LLVM_MARK_AS_BITMASK_ENUM(Declared)
};

/// A problem with its places in the source.
struct Finding {
  Rule rule = Rule::W1;
  Severity severity = Severity::Error;
  /// The graph in which the problem was found, and the node there; null for
  /// what is declared beside graphs.
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

/// What proofs rest on, and what cannot be shown before the program runs:
/// "'owned' is disjoint".
struct Assumption {
  mlir::Operation *op;
  std::string text;
  /// Generated programs check it; else it is the user's word.
  bool isChecked = true;
};

struct ModuleCheck {
  std::vector<Finding> findings;
  std::vector<Assumption> assumptions;
  /// How many more there are of a rule than are described.
  std::vector<std::pair<Rule, uint64_t>> omitted;
  /// The edges that serializability asks for, of each graph where it was
  /// checked.
  llvm::DenseMap<const ImportedGraph *, SerializationEdges> added;

  bool hasErrors() const;
};

/// Finds all problems of the given kinds in all graphs. A check that needs what
/// another one found missing is left out for that graph, and the other one's
/// problems are told instead.
ModuleCheck checkModule(const ImportedModule &module,
                        Checks checks = Checks::All,
                        unsigned maxProblemsPerRule = 100);

/// Emits a diagnostic for each problem, with notes at the other places; remarks
/// only if asked for.
void emitFindings(const ModuleCheck &check, bool hasRemarks);

/// P1: partitions that graphs use, and constraints.
void checkDeclarations(const ImportedModule &module,
                       std::vector<Finding> &findings,
                       std::vector<Assumption> &assumptions);

/// P2: the coherence of tasks.
void checkCoherence(const ImportedModule &module,
                    std::vector<Finding> &findings,
                    std::vector<Assumption> &assumptions);

/// N1 and N3 for the bodies nested in a graph, not for those in these.
void checkNested(const ImportedGraph &graph, std::vector<Finding> &findings);
/// N2 for the body of a must-epoch, with the edges that serializability asks
/// for.
void checkMembers(const ImportedGraph &body, const SerializationEdges &added,
                  std::vector<Finding> &findings);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_CHECKMODULE_H
