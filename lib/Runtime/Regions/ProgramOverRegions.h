//===- ProgramOverRegions.h - A program over regions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The implementation of a SluiceProgram: checks every call, keeps roots and
// partitions, records graphs and runs them. Errors are values here, so that
// tests can inspect them.
//
//
// Room: programs over regions. Roots, partitions and statements become tables
// of tasks (Plan/TaskTable.h), which the executor runs. May include Base, Plan
// and Host.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PROGRAMOVERREGIONS_H
#define SLUICE_RUNTIME_REGIONS_PROGRAMOVERREGIONS_H

#include "Checkpoints/Checkpoints.h"
#include "Checks/ElementCheck.h"
#include "Distribution/ExchangePlan.h"
#include "Distribution/Homes.h"
#include "Distribution/RootLayouts.h"
#include "Distribution/SharedReductions.h"
#include "Launches.h"
#include "Partitions/Overlaps.h"
#include "StatementGraph.h"

#include "sluice-c/Cluster.h"
#include "sluice-c/RegionProgram.h"

#include <deque>
#include <optional>
#include <set>
#include <span>

namespace sluice {

class Runtime;

namespace regions {

/// What a rank uses to plan a graph: its footprint, if that suffices, or all
/// points. `Smaller`: its footprint, unless that contains most of many points.
enum class PlanFrom { Smaller, Footprint, AllPoints };

/// Additional state of a program on several ranks.
struct DistributedState {
  explicit DistributedState(const SluiceCluster &cluster)
      : cluster(cluster), homes(cluster.numRanks) {}
  const SluiceCluster &cluster;
  Homes homes;
  RootLayouts layouts;
  RankSets sets;
  FieldHolders holders;
  /// For launches with points that reduce to the same elements.
  ReducedLaunches reduced;
  /// Graphs that were planned from the points that concern this rank and,
  /// represented as graphs, fields that all ranks received: `holders` is the
  /// state before them.
  std::deque<std::unique_ptr<StatementGraph>> graphsBefore;
  /// The open graph becomes one of them.
  bool keepsGraph = false;
  PlanFrom planFrom = PlanFrom::Smaller;
  /// Remarks about host statements that have already been printed.
  std::set<std::pair<std::string, const Root *>> remarked;
};

struct LocalGraph;

/// Sets the color of each point.
Status chooseColors(const Statement &statement, const SluiceArgument &given,
                    StatementArgument &argument);

class SharedFiles;

class RegionProgram {
public:
  /// Without a runtime, graphs do not run, but can be inspected. On request,
  /// known orders are also computed and compared, and tasks whose code reports
  /// what it accesses must access what they were given. With a cluster, each
  /// rank makes the same calls and runs its part of the graphs.
  RegionProgram(std::string name, Runtime *runtime, bool comparesOrders = false,
                const SluiceCluster *cluster = nullptr,
                bool checksElements = false);
  ~RegionProgram();

  /// Makes checkpoints from here on, or continues from one: then nothing before
  /// it runs. All ranks call this, and `finish`, at the same time.
  Status useCheckpoints(CheckpointSettings settings);
  /// Sets the files to which tasks write: each graph ends by giving the files
  /// their names. Either all ranks have files or none.
  void useFiles(SharedFiles *written) { files = written; }
  /// The program has ended; removes its checkpoints.
  void finish();

  /// See include/sluice-c/Regions.h for these functions.
  Result<uint32_t> addRoot(const char *name, int32_t rank,
                           const int64_t *extents, uint32_t numFields,
                           const SluiceField *fields);
  Result<void *> rootField(uint32_t root, uint32_t field);
  /// Makes a field lie in the caller's memory of `bytes` bytes, from before the
  /// first partition until the program is destroyed. Only on one machine.
  Status useMemory(uint32_t root, uint32_t field, void *memory, uint64_t bytes);
  Result<uint32_t> addBlocks(const char *name, uint32_t root, uint32_t parent,
                             int64_t parentColor, int32_t rank,
                             const int64_t *colors);
  Result<uint32_t> addHalos(const char *name, uint32_t partition,
                            const int64_t *width, bool corners,
                            uint32_t periodic = 0);
  Result<uint32_t> addBlocksOfEach(const char *name, uint32_t partition,
                                   int32_t rank, const int64_t *colors);
  Result<uint32_t> addCross(const char *name, uint32_t left, uint32_t right);
  Result<uint32_t> addByMap(const char *name, uint32_t root,
                            const SluiceElementCoordinate *map, int32_t rank,
                            const int64_t *colors);
  Result<uint32_t> addMappedImage(const char *name, uint32_t root,
                                  uint32_t source,
                                  const SluiceElementCoordinate *map);
  Result<uint32_t> addMappedPreimage(const char *name, uint32_t root,
                                     const SluiceElementCoordinate *map,
                                     uint32_t target);
  Result<uint32_t> addImageOfRanges(const char *name, uint32_t root,
                                    uint32_t source, uint32_t first,
                                    uint32_t last);
  Result<uint32_t> addPreimageOfRanges(const char *name, uint32_t root,
                                       uint32_t first, uint32_t last,
                                       uint32_t target);
  Result<uint32_t> addCombinedWith(const char *name,
                                   SluiceSetOperation operation, uint32_t left,
                                   const SluiceRegionPart &right);
  Result<uint32_t>
  addColoring(const char *name, uint32_t root, uint32_t parent,
              int64_t parentColor, int32_t rank, const int64_t *colors,
              void (*coloring)(const int64_t *color, SluiceColoring *elements));
  Result<uint32_t> addByField(const char *name, uint32_t root, uint32_t field,
                              int32_t rank, const int64_t *colors);
  Result<uint32_t> addImage(const char *name, uint32_t root, uint32_t source,
                            uint32_t field);
  Result<uint32_t> addPreimage(const char *name, uint32_t root, uint32_t field,
                               uint32_t target);
  Result<uint32_t> addCombined(const char *name, SluiceSetOperation operation,
                               uint32_t left, uint32_t right);
  /// Until `endRemake`, the partition that is added takes the place of this
  /// one.
  void beginRemake(uint32_t partition) { remade = partition; }
  void endRemake() { remade.reset(); }
  size_t numPartitions() const { return partitions.size(); }
  /// The latest value of a root with one integer.
  Result<int64_t> readScalar(uint32_t root);
  /// Whether graphs do not run yet, because the program continues behind them.
  bool isWaiting() const;
  Status promise(uint32_t partition, bool isDisjoint, bool isComplete);
  Status constrain(bool isDisjoint, const SluiceRegionPart &first,
                   const SluiceRegionPart &second);

  Result<const RootPartition *> findPartition(uint32_t partition,
                                              const char *call) const;
  Result<const SluiceDomain *> elementsOf(const SluiceRegionPart &part);

  /// For programs of other runtimes, which have their own ranks.
  Status dealColors(uint32_t partition, uint32_t numRanks, uint32_t *ranks);
  Result<int64_t> planReduction(uint32_t root, uint32_t field,
                                const SluiceReduction &reduction,
                                int64_t numPoints,
                                std::span<const SluiceReducer> reducers,
                                uint8_t *isShared, int32_t *isTiny);

  Status beginGraph(const char *name);
  Status addStatement(const SluiceStatement &statement);
  /// `name`: for messages about points that are not disjoint.
  Status addCopy(const SluiceArgument &from, const SluiceArgument &to,
                 int32_t rank, const int64_t *extents,
                 const char *name = "copy");
  Status addFill(const SluiceArgument &to, const void *value, int32_t rank,
                 const int64_t *extents, const char *name = "fill");
  Status beginLoop(int64_t count, uint32_t whileRoot);
  Status beginUnless(uint32_t root);
  Status endLoop();
  /// `orders`: those between its tasks, if they are known.
  Status endGraph(const SluiceRegionOrders *orders = nullptr);

  /// Makes every rank receive the latest values of a field.
  Status bringEverywhere(uint32_t root, uint32_t field);

  /// The open graph as tasks with their orders.
  Result<std::unique_ptr<Expansion>>
  instantiate(const SluiceRegionOrders *orders = nullptr);
  /// On several ranks, for tests and measurements: all choices result in the
  /// same messages.
  void choosePlan(PlanFrom from) { distribution->planFrom = from; }
  /// On several ranks: whether to keep parts of roots in compact form; call it
  /// before the first graph.
  void chooseCompact(Compact compact) {
    if (distribution)
      distribution->layouts.compact = compact;
  }
  /// On several ranks: the part of it that this rank runs, without orders.
  Result<LocalGraph> planLocal();
  /// Closes the open graph, from which this was made.
  void forgetGraph(const Expansion &expansion);
  /// The graph stays open and may be planned again.
  void forgetPlan(const Expansion &expansion) { forgetPartitions(expansion); }
  const RootPartition &getPartition(uint32_t index) const {
    return *partitions[index];
  }

private:
  Result<const Root *> findRoot(uint32_t root, const char *call) const;
  Status checkField(const Root &root, uint32_t field, const char *call) const;
  Status checkOpen(const char *call, bool wantsGraph) const;
  Result<ElementSet> parentSet(const Root &root, uint32_t parent,
                               int64_t parentColor, const char *name) const;
  Result<uint32_t> addPartition(PartitionPointer partition, Status filled);
  /// A color of one of the runtime's or the program's partitions.
  struct Part {
    const RootPartition *partition;
    int64_t color;
    std::string name; ///< for messages
  };
  Result<Part> findPart(const SluiceRegionPart &part, const char *call);
  const RootPartition &wholeOf(const Root &root);
  const RootPartition &unionOf(const RootPartition &partition);
  /// Equal pieces of one color, for statements that may be divided.
  const RootPartition &piecesOf(const RootPartition &partition, uint32_t color);

  Result<StatementArgument> makeReducer(const Root &root, uint32_t field,
                                        const SluiceReduction &reduction,
                                        int64_t numPoints,
                                        const SluiceReducer &reducer);
  Result<Statement> makeStatement(const char *name, int32_t rank,
                                  const int64_t *extents) const;
  Status addArgument(Statement &statement, const SluiceArgument &argument);
  Status addArguments(Statement &statement, const char *name,
                      std::span<const SluiceArgument *const> arguments);
  Status checkApart(const Statement &statement, const char *name,
                    std::span<const SluiceArgument *const> arguments) const;
  Status checkReduction(const Statement &statement,
                        const StatementArgument &argument);
  void splitIntoPieces(Statement &statement);
  void append(Statement statement);
  Status checkGraphEnd() const;
  /// Runs the open graph, which stays open.
  Status runOpenGraph(const SluiceRegionOrders *orders);
  void closeGraph();
  Status runHere(const SluiceRegionOrders *orders);
  Status runDistributed();
  std::optional<LocalGraph> planFootprint();
  Result<LocalGraph> finishPlan(std::unique_ptr<Expansion> all,
                                const ExchangePlan &plan);
  Status walkGraphsBefore();
  Status walk(const StatementGraph &before, FieldHolders &holders);
  /// The holders of a field's elements.
  Result<Holders> findHolders(const Root &root, uint32_t field);
  /// Records that from here on all ranks have the field.
  void noteGiven(const Root &root, uint32_t field);
  Status runLocal(Expansion &local);
  void forgetPartitions(const Expansion &expansion);
  Status findOrders(Expansion &expansion, const SluiceRegionOrders *orders);
  /// A partition by the values of a field.
  Result<uint32_t>
  addByValues(PartitionPointer partition, uint32_t root,
              std::initializer_list<uint32_t> fields,
              const std::function<Status(RootPartition &)> &fill);
  /// A partition of a whole root with the colors of another one.
  Result<PartitionPointer> beginLike(const char *name, uint32_t root,
                                     const RootPartition &other);
  /// The fields exist that begin and end ranges.
  Status checkRange(const Root &root, uint32_t first, uint32_t last,
                    const char *name) const;
  Status takeSaved(RootPartition &partition) const;
  void retire(PartitionPointer partition);
  /// Runs with checkpoints between the iterations of loops.
  Status runInParts();
  Status runLoopInParts(Sequence &items, CheckpointPosition position);
  Status runPart(Sequence &items, size_t begin, size_t end);
  Status goOn(const StatementGraph &whole);
  std::vector<FieldPart> ownParts() const;
  std::vector<FieldPart> homeParts();
  SavedPartitions partitionsByValues() const;
  const std::string &describe();
  Sequence &openSequence() {
    return openLoops.empty() ? graph->items : openLoops.back()->body;
  }

  const std::string name;
  Runtime *runtime;
  const bool comparesOrders;
  std::vector<std::unique_ptr<Root>> roots;
  /// Null if accesses of tasks are not checked.
  std::unique_ptr<ElementCheck> elements;
  std::vector<PartitionPointer> partitions;
  std::optional<uint32_t> remade;
  /// On several ranks: partitions that others have replaced. What is known
  /// about earlier graphs refers to them.
  std::vector<PartitionPointer> retired;
  /// The runtime's own partitions: whole roots, unions and pieces.
  std::map<const Root *, PartitionPointer> wholes;
  std::map<const RootPartition *, PartitionPointer> unions;
  std::map<std::pair<const RootPartition *, uint32_t>, PartitionPointer> pieces;
  OverlapTable overlaps;
  /// By number of ranks, for other numbers than this program's.
  std::map<uint32_t, Homes> otherRanks;
  /// Null on one machine.
  std::unique_ptr<DistributedState> distribution;
  std::unique_ptr<StatementGraph> graph;
  std::vector<Loop *> openLoops;
  /// Null without them.
  std::unique_ptr<Checkpoints> checkpoints;
  SharedFiles *files = nullptr;
  std::string description;
  /// The number of graphs that have ended.
  uint64_t numGraphs = 0;
  std::vector<uint32_t> byValues;
};

} // namespace regions
} // namespace sluice

#endif // SLUICE_RUNTIME_REGIONS_PROGRAMOVERREGIONS_H
