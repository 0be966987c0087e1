//===- Explorer.h - Instances that meet when they are executed --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proof may fail although there is no race. Executing instances on small
// grids finds certain races, with the ids and the address for the message.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_MACHINE_EXPLORER_H
#define SLUICE_LIB_ANALYSIS_RACE_MACHINE_EXPLORER_H

#include "../Graph/Accesses.h"
#include "../Overlap/Overlap.h"
#include "Machine.h"

namespace sluice::races {

/// Two accesses that nothing orders, and which instances of theirs may run at
/// the same time.
struct Pair {
  const TreeNode &first;
  const PlacedAccess &a;
  const TreeNode &second;
  const PlacedAccess &b;
  unsigned equalLevels = 0;
  /// The ids of level `equalLevels` differ.
  bool mustDiffer = false;
  /// Dimensions of that level along which instances run in order: they run at
  /// the same time if all ids of these are equal, or none is before the other.
  unsigned orderedDims = 0;
  /// Which instances of that level wait for which, if any do.
  const LeafOrder *order = nullptr;
  /// Barriers order the instances.
  bool isWorkGroup = false;
  /// The leaf only updates the memory by one operator, and other memory that it
  /// reads may have any content: two instances may update one place.
  bool isAccumulation = false;
};

/// True if an instance touched memory by that access.
bool isTouchOf(const Touch &touch, const PlacedAccess &access);

/// Executes instances of leaves: those that are said to meet, and all of small
/// grids.
class Explorer {
public:
  /// All graphs of a program share limits: this graph may use this number of
  /// the program's parts, and do this amount of work in proofs.
  static constexpr unsigned allParts = 16;
  static constexpr int64_t allWork = 150'000'000;
  Explorer(const Tree &tree, LeafCode &code, unsigned parts = allParts,
           int64_t work = allWork)
      : workLeft(work), tree(tree), code(code), parts(parts), work(work) {}
  /// The parts that were used, and the work that was done.
  unsigned spentParts() const;
  int64_t spentWork() const { return work - workLeft; }
  ~Explorer();

  enum class Answer { Yes, No, Unknown };
  using Values = std::map<Symbol, int64_t>;

  /// Whether the instances with these ids meet in a launch with these
  /// arguments, and the launch is one that can be. Unknown if they cannot be
  /// executed that far.
  Answer meet(const Pair &pair, const Values &values);

  /// Executes all instances: of the only grid if extents are constants,
  /// otherwise of some grids with chosen arguments. Yes: two meet, and `values`
  /// has their ids; No: none do, for all arguments and contents of memory.
  Answer explore(const Pair &pair, const OverlapQuery *query, Values &values);

  /// Two instances of an accumulation that meet with some contents of memory.
  std::optional<Values> meetWithContents(const Pair &pair);

  /// Whether two instances that meet may not do so with other arguments, as
  /// some of these show: larger ones, since loops may have no turns with small
  /// ones.
  bool dependsOnArguments(const Pair &pair, const Values &values);

  /// Of areDisjointNumbers, for the whole graph.
  unsigned searchesLeft = 64;
  /// The same for locks, and for addresses that depend on loaded values.
  unsigned furtherSearchesLeft = 64;
  /// The assumptions of assumeUsualExtents: exponents of limits, by node and
  /// dimension.
  std::map<std::pair<const TreeNode *, unsigned>, unsigned> usualExtents;
  /// The same of loops; 0 if nothing was.
  unsigned usualTurns = 0;
  /// The work left for proofs of the whole graph; see WorkLimit. A proof may
  /// use only a part of it, so that some is left for later proofs.
  int64_t workLeft;
  int64_t maxWork() const { return std::max<int64_t>(2000, workLeft / 8); }
  /// Pairs of accesses that may still be compared, each of which takes a while
  /// even if its proof is short.
  unsigned pairsLeft = 400'000;
  /// The memory that an access touches, without its conditions.
  using Place = std::tuple<MemoryObject, unsigned, std::vector<Polynomial>,
                           Polynomial, int64_t>;
  /// Pairs of accesses that were compared, and pairs of places (two leaves and
  /// their relation, two objects with levels, offsets and sizes), and whether
  /// these are known to be apart.
  unsigned numPairs = 0;
  std::map<std::tuple<const TreeNode *, const TreeNode *, unsigned, bool,
                      unsigned, Place, Place>,
           bool>
      otherPlaces;
  /// declarationOf, by leaf and parameter.
  std::map<std::pair<const llvm::Function *, unsigned>, std::string>
      declarations;
  /// Set by `compare`: its reason names tables, and is all that is unknown of
  /// the two accesses.
  bool isOfTables = false;
  /// Whether launches test tables.
  bool testsTables = false;
  /// Set by `meet` and `explore` where instances meet whose ids are so large
  /// that the host may be counted on not to launch them.
  std::optional<Values> far;

private:
  struct Instance {
    std::vector<std::array<int64_t, 3>> ids;
    Execution execution;
  };
  using Grid = std::vector<Instance>;
  struct Item {
    const Instance *instance;
    const Touch *touch;
  };
  /// Sorted by their first bytes.
  using Items = std::vector<Item>;
  /// A grid, and what its instances touch, by instruction: many pairs of
  /// accesses ask for few of these each.
  struct KnownGrid {
    Grid instances;
    std::map<const llvm::Instruction *, Items> touches;
  };
  /// Values of the root's integer inputs.
  using Arguments = std::vector<int64_t>;

  Machine *machineOf(const TreeNode &leaf);
  std::optional<int64_t> evaluate(const Polynomial &value,
                                  const Arguments &arguments) const;
  std::optional<InstanceNumbers> numbersOf(const TreeNode &leaf,
                                           const Arguments &arguments,
                                           bool isOneIfUnknown = false) const;
  Answer exploreGrids(const Pair &pair, const OverlapQuery *query,
                      Values &values);
  const KnownGrid *gridOf(const TreeNode &leaf, const Arguments &arguments,
                          unsigned contents);
  static Items itemsOf(const KnownGrid &grid, const PlacedAccess &access);
  static Items itemsOf(llvm::ArrayRef<Instance> instances,
                       const PlacedAccess &access);
  /// The accesses of two instances that meet.
  struct Found {
    Values values;
    bool dependsOnArguments = false;
    /// As Nearness says.
    bool isNear = true;
    int64_t row = 0;
  };
  /// Whether what an instance touches there is what any host makes it touch: no
  /// number that arguments bound is large, or moves it as far as a step of
  /// another one does, as x = 128 in `y * 128 + x`.
  struct Nearness {
    bool isNear = true, isOfIds = false;
    /// Bytes of that step, if there is one.
    int64_t row = 0;
  };
  Nearness nearness(const TreeNode &leaf, const Arguments &arguments,
                    const InstanceNumbers &numbers, const Execution &execution,
                    const Touch &touch, int64_t byte);
  Nearness nearness(const Pair &pair, const Arguments &arguments,
                    unsigned contents, const Instance &first, const Touch &x,
                    const Instance &second, const Touch &y);
  static Values valuesOf(const Pair &pair, const Instance &first,
                         const Instance &second);
  bool isDefined(const Arguments &arguments);
  bool isDefined(const TreeNode &leaf, const Arguments &arguments);
  /// What `meetIn` finds: Far, if they meet, but not near; FarRow, for the
  /// reason that `row` says, if all others are far as well.
  struct Meeting {
    enum class Kind { Yes, FarRow, Far, No, Unknown } kind = Kind::Unknown;
    int64_t row = 0;
    /// Both accesses are made, at places of their own.
    bool areApart = false;
  };
  Meeting meetIn(const Pair &pair, const Values &values,
                 const Arguments &arguments);
  Arguments argumentsOf(const Values &values, int64_t other) const;
  std::optional<Found> overlap(const Pair &pair, const Arguments &arguments,
                               unsigned contents, const Items &first,
                               const Items &second);
  bool meetAnyway(const Pair &pair, const Found &found,
                  const Arguments &arguments,
                  const std::set<unsigned> &extents);
  static std::set<unsigned> extentArguments(const Pair &pair);
  static std::set<unsigned> usedArguments(const Pair &pair);
  bool usesExtentsOnly(const Pair &pair);
  /// Of arguments with which loops stay short.
  static constexpr int64_t maxSmall = 12;
  bool mayRunTogether(const Pair &pair, const Instance &a, const Touch &x,
                      const Instance &b, const Touch &y) const;
  std::optional<Grid> allWays(const TreeNode &leaf, const Arguments &arguments,
                              const Instance &instance);
  bool meetOnAllWays(const Pair &pair, const Arguments &arguments,
                     const Instance &first, const Instance &second);
  std::vector<Arguments> choices(const Pair &pair,
                                 const OverlapQuery *query) const;
  static Execution execute(Machine &machine, const InstanceNumbers &numbers,
                           unsigned most, unsigned &left);
  /// Executes an instance if that is not known. The result is there until the
  /// next call.
  const Execution &executionOf(const TreeNode &leaf, const Arguments &arguments,
                               const InstanceNumbers &numbers);

  /// Steps of one instance, and of all.
  static constexpr unsigned maxSteps = 20000;
  static constexpr unsigned maxInstances = 4096, maxChosen = 600;

  const Tree &tree;
  LeafCode &code;
  const unsigned parts;
  const int64_t work;
  static constexpr unsigned partSteps = 125'000, partMeetSteps = 125'000;
  unsigned stepsLeft = parts * partSteps;
  /// When most of these are spent, pairs get a few each, out of these.
  unsigned fewStepsLeft = stepsLeft / 2;
  /// Of all grids of one pair: a part of what is left, so that those that come
  /// later have some as well.
  unsigned pairStepsLeft = 0;
  /// Of two instances that may meet. A long loop before the access takes many,
  /// but not those that others need.
  unsigned maxMeetSteps() const { return std::max(2000u, meetStepsLeft / 20); }
  unsigned meetStepsLeft = parts * partMeetSteps;
  /// The same of dependsOnArguments, while `isWeighing`.
  unsigned weighStepsLeft = meetStepsLeft / 4;
  bool isWeighing = false;
  /// Executions of such instances that got as far as they may: the same ones
  /// are asked about for many pairs of accesses.
  static constexpr unsigned maxEnded = 512;
  static constexpr size_t maxEndedTouches = 500'000;
  size_t numEndedTouches = 0;
  std::map<std::tuple<const TreeNode *, Arguments, unsigned,
                      std::vector<std::array<int64_t, 3>>>,
           Execution>
      ended;
  /// One for which too few steps were left.
  Execution cut;
  /// Of touches that are compared with each other. Where they are spent, it is
  /// not known that none meet.
  uint64_t touchesLeft = 50'000'000;
  /// Of whole launches, to see that they are defined.
  static constexpr unsigned maxLaunchSteps = 60000;
  unsigned launchStepsLeft = stepsLeft / 2;
  std::map<std::pair<const TreeNode *, Arguments>, bool> launches;
  std::map<const TreeNode *, std::unique_ptr<Machine>> machines;
  std::map<std::tuple<const TreeNode *, Arguments, unsigned>,
           std::unique_ptr<KnownGrid>>
      grids;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_MACHINE_EXPLORER_H
