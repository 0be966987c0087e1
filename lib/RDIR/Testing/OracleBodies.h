//===- OracleBodies.h - Meaning of launches and loops -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. Small modules as plain data, with the elements of every region
// listed; their text; and their meaning, defined in two ways. By the graph:
// each version has a value for each element, a task writes values that depend
// on all values it reads, and discarded elements have no value. And on one
// store, where the instances of tasks run one after another. A module is
// correct if both definitions agree in every order that the module allows.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_ORACLEBODIES_H
#define SLUICE_LIB_RDIR_TESTING_ORACLEBODIES_H

#include "OracleNumbers.h"
#include "OracleStore.h"

#include <bitset>
#include <functional>
#include <memory>
#include <string>

namespace sluice::rdir::oracle {

/// A root, a partition, or a color of one.
struct SmallRegion {
  std::string text;
  std::vector<uint32_t> elements;
  /// For colors: their partition. For partitions: the regions of their colors.
  int partition = -1;
  std::vector<int> colors;
  std::vector<int64_t> colorExtents;
  bool isScalar = false;
};

struct SmallEdge;
struct SmallNode;
struct SmallBody;

/// Places are elements times fields.
using SmallPlaces = std::vector<uint32_t>;

/// The regions of all small modules, declared by `declarations`. Elements are
/// numbered across all roots; fields are bits.
class SmallForest {
public:
  SmallForest();

  struct Root {
    std::string name;
    uint32_t firstElement, numElements;
    bool isScalar;
  };
  std::vector<Root> roots;
  std::vector<SmallRegion> regions;
  std::string declarations;
  uint32_t numElements = 0;
  static constexpr uint32_t numFields = 2;

  int find(const std::string &text) const;
  const Root &rootOf(uint32_t place) const;
  SmallPlaces placesOf(int region, unsigned fields) const;
  /// The places that a point of a task touches; none for a color that does not
  /// exist.
  SmallPlaces placesAt(const SmallNode &data, const SmallEdge &edge,
                       const SmallNode &task,
                       const std::vector<int64_t> &point) const;

private:
  void addRoot(const std::string &name, uint32_t numElements,
               const std::string &rest);
  void addPartition(const std::string &name, const std::string &parent,
                    std::vector<int64_t> extents, const std::string &rest,
                    std::vector<std::vector<uint32_t>> colors);
};

/// Rows of factors and an offset. A map without rows is the identity, or all
/// colors.
struct SmallMap {
  std::vector<std::vector<int64_t>> factors;
  std::vector<int64_t> offsets;
  bool isWhole = false;
  auto operator<=>(const SmallMap &) const = default;
};

struct SmallEdge {
  EdgeKind kind;
  int data;
  SmallMap map = {};
  ReductionIndex reduction = noReduction;
};

struct SmallNode {
  NodeKind kind = NodeKind::Region;
  /// Data.
  int region = -1;
  unsigned fields = 3;
  /// For computations: the edges to data, the points, and the nodes that come
  /// before.
  std::vector<SmallEdge> edges;
  std::vector<int64_t> over;
  std::vector<int> after;
  /// For loops: the iteration count as written (-1 for a parameter), and the
  /// actual number of iterations.
  int64_t count = 1, iterations = 1;
  std::shared_ptr<SmallBody> body;
};

struct SmallBody {
  std::vector<SmallNode> nodes;
};

/// The name of a task's function, made from the nodes around the task and its
/// own node.
std::string functionName(const std::vector<int> &path);
/// The text of the graph 'main', with the nodes in order.
std::string graphText(const SmallForest &forest, const SmallBody &graph);
/// The text of a module with this graph.
std::string textOf(const SmallForest &forest, const SmallBody &graph);

/// Chooses an order of a body's nodes. `path` identifies the body by the nodes
/// around it.
using ChooseOrder =
    std::function<std::vector<int>(const SmallBody &, std::vector<int> path)>;

class SmallMeaning {
public:
  /// The graph must be acyclic, with one writer or reducers for each version.
  SmallMeaning(const SmallForest &forest, const SmallBody &graph);

  /// The reason why the graph has no meaning; empty if it has one.
  const std::string &problem() const { return why; }
  /// True if tasks that run in these orders read and leave the expected values.
  bool isRight(const ChooseOrder &choose);
  /// By place: the final number.
  std::vector<int64_t> finalNumbers() const;

private:
  using Places = SmallPlaces;
  struct Context {
    std::vector<int> path;
    Instance iterations;
    /// By place: values before the body.
    Store before;
    /// Places that the node around the body names: those that it writes, and
    /// those that it reduces into, with the operator. Null for the graph
    /// itself, which may access all places.
    const std::map<uint32_t, ReductionIndex> *mayReduce = nullptr;
    const std::set<uint32_t> *mayWrite = nullptr;
  };
  struct Evaluation;

  Value leaf(std::vector<uint64_t> key, int64_t number = 0);
  Value folded(Value base, ReductionIndex reduction, uint32_t contribution);
  void setNumber(Value value, int64_t number);
  void fail(const std::string &text) {
    if (why.empty())
      why = text;
  }
  /// The store after the body.
  Store evaluate(const SmallBody &body, const Context &context);
  void evaluateTask(Evaluation &at, int node);
  void evaluateNested(Evaluation &at, int node);
  void evaluateData(Evaluation &at, int node);
  void evaluateMoves(Evaluation &at, int node);
  bool run(const SmallBody &body, const std::vector<int> &path,
           const Instance &iterations, Store &store, const ChooseOrder &choose);
  bool runTask(const SmallBody &body, int node, const Instance &instance,
               Store &store);

  const SmallForest &forest;
  const SmallBody &graph;
  Values values;
  /// By value.
  std::vector<int64_t> numbers;
  std::map<std::vector<uint64_t>, uint32_t> leaves;
  std::map<Instance, uint64_t> digests;
  Store finals;
  std::set<uint32_t> finalPlaces;
  std::string why;
  /// For each running loop: the contributions reduced into each place.
  std::vector<std::vector<Step::Contribution>> contributions;
};

class Random;
/// The kinds of nodes in random modules besides tasks.
struct SmallKinds {
  bool launches = true, loops = true, epochs = true;
};
/// A random module that is usually correct, or almost correct.
SmallBody randomSmallGraph(Random &random, const SmallForest &forest,
                           const SmallKinds &kinds);

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_RDIR_TESTING_ORACLEBODIES_H
