//===- OracleBodies.cpp - Meaning of launches, loops and epochs -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written from the specification and the sentences of the rules, without regard
// to cost and without the checks' code: it uses sets of places and every
// instance.
//
//===----------------------------------------------------------------------===//

#include "OracleBodies.h"

#include <algorithm>
#include <cassert>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

/// The key of a missing value, which no task may read.
static constexpr uint64_t noValueKey = ~uint64_t(0);

//===----------------------------------------------------------------------===//
// Meaning by the graph
//===----------------------------------------------------------------------===//

struct SmallMeaning::Evaluation {
  const SmallBody &body;
  const Context &context;
  /// By node: the nodes that data edges lead to.
  std::vector<std::bitset<256>> reach;
  /// By data node and place.
  std::vector<Store> values;
  /// By compute node and version: the values that it writes. By edge of a
  /// compute node: those that it adds.
  std::map<std::pair<int, int>, Store> written;
  std::map<std::pair<int, int>, std::vector<Step::Contribution>> added;

  const SmallNode &node(int index) const { return body.nodes[index]; }
};

/// A node in these iterations of the loops around it.
static Instance instanceOf(const std::vector<int> &path,
                           const Instance &iterations) {
  Instance instance(path.begin(), path.end());
  instance.insert(instance.end(), iterations.begin(), iterations.end());
  return instance;
}

static bool isInput(EdgeKind kind) {
  return kind != EdgeKind::Write && kind != EdgeKind::Reduce;
}

static std::vector<std::bitset<256>> reachOf(const SmallBody &body,
                                             bool withAfter) {
  size_t n = body.nodes.size();
  assert(n <= 256 && "the oracle is for small graphs");
  std::vector<std::bitset<256>> reach(n);
  for (size_t i = 0; i < n; ++i) {
    for (const SmallEdge &edge : body.nodes[i].edges)
      if (isInput(edge.kind))
        reach[edge.data].set(i);
      else
        reach[i].set(edge.data);
    if (withAfter)
      for (int before : body.nodes[i].after)
        reach[before].set(i);
  }
  closeTransitively(reach);
  return reach;
}

SmallMeaning::SmallMeaning(const SmallForest &forest, const SmallBody &graph)
    : forest(forest), graph(graph) {
  Context context;
  for (uint32_t place = 0; place < forest.numElements * SmallForest::numFields;
       ++place)
    context.before.push_back(leaf({0, place}, firstNumber(place)));
  contributions.emplace_back();
  finals = evaluate(graph, context);
}

void SmallMeaning::setNumber(Value value, int64_t number) {
  if (value >= numbers.size())
    numbers.resize(value + 1);
  numbers[value] = number;
}

Value SmallMeaning::leaf(std::vector<uint64_t> key, int64_t number) {
  auto [it, isNew] = leaves.try_emplace(std::move(key), leaves.size());
  Value value = values.written(it->second);
  if (isNew)
    setNumber(value, number);
  return value;
}

Value SmallMeaning::folded(Value base, ReductionIndex reduction,
                           uint32_t contribution) {
  if (base == leaf({noValueKey}))
    return base;
  Value value = values.reduced(base, reduction, contribution);
  setNumber(value,
            reducedNumber(numbers[base], reduction, numbers[contribution]));
  return value;
}

std::vector<int64_t> SmallMeaning::finalNumbers() const {
  std::vector<int64_t> result;
  for (Value value : finals)
    result.push_back(numbers[value]);
  return result;
}

static bool areApart(std::vector<uint32_t> a, std::vector<uint32_t> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<uint32_t> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::back_inserter(common));
  return common.empty();
}

static bool isAccess(EdgeKind kind) {
  return kind == EdgeKind::Read || kind == EdgeKind::Write ||
         kind == EdgeKind::Reduce;
}

static bool mayGoTogether(const SmallEdge &a, const SmallEdge &b) {
  return (a.kind == EdgeKind::Read && b.kind == EdgeKind::Read) ||
         (a.kind == EdgeKind::Reduce && b.kind == EdgeKind::Reduce &&
          a.reduction == b.reduction);
}

void SmallMeaning::evaluateTask(Evaluation &at, int index) {
  const SmallNode &task = at.node(index);
  std::vector<std::vector<int64_t>> points = pointsOf(task.over);
  std::vector<std::vector<Places>> touched;
  for (const auto &point : points) {
    auto &places = touched.emplace_back();
    for (const SmallEdge &edge : task.edges) {
      places.push_back(forest.placesAt(at.node(edge.data), edge, task, point));
      bool isColor = !task.over.empty() && !edge.map.isWhole &&
                     !forest.regions[at.node(edge.data).region].colors.empty();
      if (isAccess(edge.kind) && isColor && places.back().empty())
        fail("a color that does not exist");
    }
  }
  for (size_t p = 0; p < points.size(); ++p)
    for (size_t q = 0; q <= p; ++q)
      for (size_t x = 0; x < task.edges.size(); ++x)
        for (size_t y = 0; y < task.edges.size(); ++y) {
          const SmallEdge &a = task.edges[x], &b = task.edges[y];
          if (!isAccess(a.kind) || !isAccess(b.kind) || mayGoTogether(a, b))
            continue;
          const SmallNode &m = at.node(a.data), &n = at.node(b.data);
          bool isOneArgument =
              x == y ||
              (m.region == n.region && m.fields == n.fields && a.map == b.map &&
               (a.kind == EdgeKind::Read) != (b.kind == EdgeKind::Read));
          if ((p != q || !isOneArgument) &&
              !areApart(touched[p][x], touched[q][y]))
            fail(p == q ? "a point changes what it has as another argument"
                        : "two points interfere");
        }
  for (size_t e = 0; e < task.edges.size(); ++e) {
    const SmallEdge &edge = task.edges[e];
    if (edge.kind != EdgeKind::Write)
      continue;
    const SmallNode &made = at.node(edge.data);
    Store &store = at.written[{index, edge.data}];
    store.assign(at.context.before.size(), leaf({noValueKey}));
    // Places that are not written keep their value of the latest version.
    int latest = -1;
    for (const SmallEdge &base : task.edges) {
      const SmallNode &from = at.node(base.data);
      if ((base.kind == EdgeKind::Read || base.kind == EdgeKind::Discard) &&
          from.region == made.region && from.fields == made.fields &&
          (latest < 0 || at.reach[latest][base.data]))
        latest = base.data;
    }
    if (latest >= 0)
      store = at.values[latest];
  }
  for (size_t p = 0; p < points.size(); ++p) {
    std::vector<int> path = at.context.path;
    path.push_back(index);
    Instance instance = instanceOf(path, at.context.iterations);
    instance.insert(instance.end(), points[p].begin(), points[p].end());
    uint64_t digest = 1, found = 1;
    for (size_t e = 0; e < task.edges.size(); ++e)
      if (task.edges[e].kind == EdgeKind::Read)
        for (uint32_t place : touched[p][e]) {
          Value value = at.values[task.edges[e].data][place];
          if (value == leaf({noValueKey}))
            fail("a value that is discarded is read");
          digest = mix(digest, value);
          found = mix(found, numbers[value]);
        }
    digests[instance] = digest;
    std::vector<uint64_t> key(instance.begin(), instance.end());
    key.push_back(digest);
    key.push_back(0);
    for (size_t e = 0; e < task.edges.size(); ++e) {
      const SmallEdge &edge = task.edges[e];
      for (uint32_t place : touched[p][e]) {
        key.back() = place * 64 + e;
        int64_t number = numberOf(instance, found, place, e);
        if (edge.kind == EdgeKind::Write) {
          at.written[{index, edge.data}][place] = leaf(key, number);
          if (at.context.mayWrite && !at.context.mayWrite->count(place))
            fail("a body writes what its node does not");
        }
        if (edge.kind != EdgeKind::Reduce)
          continue;
        uint32_t id = leaf(key, number);
        at.added[{index, e}].push_back({place, edge.reduction, id});
        contributions.back().push_back({place, edge.reduction, id});
        if (!at.context.mayWrite || at.context.mayWrite->count(place))
          continue;
        auto allowed = at.context.mayReduce->find(place);
        if (allowed == at.context.mayReduce->end() ||
            allowed->second != edge.reduction)
          fail("a body reduces into what its node does not");
      }
    }
  }
}

/// Opens give the values that they read; closes give the latest of these
/// values.
void SmallMeaning::evaluateMoves(Evaluation &at, int index) {
  const SmallNode &node = at.node(index);
  for (size_t e = 0; e < node.edges.size(); ++e) {
    if (node.edges[e].kind != EdgeKind::Write)
      continue;
    const SmallNode &made = at.node(node.edges[e].data);
    Store &store = at.written[{index, node.edges[e].data}];
    store.assign(at.context.before.size(), leaf({noValueKey}));
    for (uint32_t place : forest.placesOf(made.region, made.fields)) {
      int latest = -1;
      for (const SmallEdge &edge : node.edges) {
        if (edge.kind != EdgeKind::Read)
          continue;
        const SmallNode &from = at.node(edge.data);
        Places all = forest.placesOf(from.region, from.fields);
        if (std::count(all.begin(), all.end(), place) &&
            (latest < 0 || at.reach[latest][edge.data]))
          latest = edge.data;
      }
      if (latest >= 0)
        store[place] = at.values[latest][place];
    }
  }
}

void SmallMeaning::evaluateNested(Evaluation &at, int index) {
  const SmallNode &node = at.node(index);
  Context inner;
  inner.path = at.context.path;
  inner.path.push_back(index);
  inner.before.assign(at.context.before.size(), leaf({noValueKey}));
  std::map<uint32_t, ReductionIndex> mayReduce;
  std::set<uint32_t> mayWrite;
  std::vector<int> source(inner.before.size(), -1);
  for (const SmallEdge &edge : node.edges) {
    const SmallNode &data = at.node(edge.data);
    for (uint32_t place : forest.placesOf(data.region, data.fields)) {
      if (edge.kind == EdgeKind::Read &&
          (source[place] < 0 || at.reach[source[place]][edge.data])) {
        source[place] = edge.data;
        inner.before[place] = at.values[edge.data][place];
      }
      if (edge.kind == EdgeKind::Write)
        mayWrite.insert(place);
      if (edge.kind == EdgeKind::Reduce)
        mayReduce[place] = edge.reduction;
    }
  }
  inner.mayWrite = &mayWrite;
  inner.mayReduce = &mayReduce;
  // What the node names is read, whatever its body does, as with tasks.
  uint64_t digest = 1;
  for (const SmallEdge &edge : node.edges)
    if (edge.kind == EdgeKind::Read)
      for (uint32_t place : forest.placesOf(at.node(edge.data).region,
                                            at.node(edge.data).fields)) {
        Value value = at.values[edge.data][place];
        if (value == leaf({noValueKey}))
          fail("a value that is discarded is read");
        digest = mix(digest, value);
      }
  digests[instanceOf(inner.path, at.context.iterations)] = digest;
  contributions.emplace_back();
  int64_t iterations = node.kind == NodeKind::MustEpoch ? 1 : node.iterations;
  for (int64_t i = 0; i < iterations; ++i) {
    inner.iterations = at.context.iterations;
    inner.iterations.push_back(i);
    inner.before = evaluate(*node.body, inner);
  }
  auto reduced = std::move(contributions.back());
  contributions.pop_back();
  contributions.back().insert(contributions.back().end(), reduced.begin(),
                              reduced.end());
  for (size_t e = 0; e < node.edges.size(); ++e) {
    const SmallEdge &edge = node.edges[e];
    const SmallNode &made = at.node(edge.data);
    if (edge.kind == EdgeKind::Reduce) {
      Places all = forest.placesOf(made.region, made.fields);
      for (const Step::Contribution &one : reduced)
        if (std::count(all.begin(), all.end(), one.place))
          at.added[{index, e}].push_back(one);
    }
    if (edge.kind != EdgeKind::Write)
      continue;
    Store &store = at.written[{index, edge.data}];
    store = inner.before;
    if (iterations == 0)
      for (const SmallEdge &base : node.edges) {
        const SmallNode &from = at.node(base.data);
        if (base.kind == EdgeKind::Discard && from.region == made.region &&
            from.fields == made.fields)
          for (uint32_t place : forest.placesOf(made.region, made.fields))
            if (source[place] < 0)
              store[place] = at.values[base.data][place];
      }
    for (uint32_t place : forest.placesOf(made.region, made.fields))
      if (iterations != 0 && store[place] == leaf({noValueKey}))
        fail("a body leaves what its node discards");
  }
}

void SmallMeaning::evaluateData(Evaluation &at, int index) {
  const SmallNode &data = at.node(index);
  at.values[index].assign(at.context.before.size(), leaf({noValueKey}));
  Store &store = at.values[index];
  bool isWritten = false, isReduced = false, hasBase = false;
  for (size_t n = 0; n < at.body.nodes.size(); ++n)
    for (size_t e = 0; e < at.node(n).edges.size(); ++e) {
      const SmallEdge &edge = at.node(n).edges[e];
      if (edge.data != index || isInput(edge.kind))
        continue;
      isWritten = true;
      if (edge.kind == EdgeKind::Write)
        for (uint32_t place : forest.placesOf(data.region, data.fields))
          store[place] = at.written[{n, index}][place];
      if (edge.kind == EdgeKind::Write)
        continue;
      isReduced = true;
      for (const SmallEdge &base : at.node(n).edges) {
        const SmallNode &from = at.node(base.data);
        if (!hasBase && base.kind == EdgeKind::Continues &&
            from.region == data.region && from.fields == data.fields) {
          hasBase = true;
          for (uint32_t place : forest.placesOf(data.region, data.fields))
            store[place] = at.values[base.data][place];
        }
      }
    }
  if (!isWritten || (isReduced && !hasBase))
    for (uint32_t place : forest.placesOf(data.region, data.fields))
      store[place] = at.context.before[place];
  for (auto &[key, list] : at.added)
    if (at.node(key.first).edges[key.second].data == index)
      for (const Step::Contribution &one : list)
        store[one.place] = folded(store[one.place], one.reduction, one.id);
}

Store SmallMeaning::evaluate(const SmallBody &body, const Context &context) {
  Evaluation at = {body,
                   context,
                   reachOf(body, /*withAfter=*/false),
                   std::vector<Store>(body.nodes.size()),
                   {},
                   {}};
  std::vector<std::bitset<256>> all = reachOf(body, /*withAfter=*/true);
  std::vector<int> order(body.nodes.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(all[b].count(), a) < std::pair(all[a].count(), b);
  });
  bool isEpoch = !context.path.empty() && context.mayWrite && [&] {
    const SmallBody *outer = &graph;
    for (size_t i = 0; i + 1 < context.path.size(); ++i)
      outer = outer->nodes[context.path[i]].body.get();
    return outer->nodes[context.path.back()].kind == NodeKind::MustEpoch;
  }();
  std::vector<int> members;
  for (int node : order) {
    NodeKind kind = body.nodes[node].kind;
    if (kind == NodeKind::Region)
      evaluateData(at, node);
    else if (kind == NodeKind::Open || kind == NodeKind::Close)
      evaluateMoves(at, node);
    else if (kind == NodeKind::Loop || kind == NodeKind::MustEpoch)
      evaluateNested(at, node);
    else
      evaluateTask(at, node);
    if (isTaskLike(kind))
      members.push_back(node);
  }
  // Members of an epoch run at the same time.
  for (int a : members)
    for (int b : members) {
      if (!isEpoch || a == b)
        continue;
      if (all[a][b])
        fail("a member of an epoch comes before another");
      for (const SmallEdge &x : body.nodes[a].edges)
        for (const SmallEdge &y : body.nodes[b].edges) {
          if (!isAccess(x.kind) || !isAccess(y.kind) || mayGoTogether(x, y))
            continue;
          for (const auto &i : pointsOf(body.nodes[a].over))
            for (const auto &j : pointsOf(body.nodes[b].over))
              if (!areApart(
                      forest.placesAt(body.nodes[x.data], x, body.nodes[a], i),
                      forest.placesAt(body.nodes[y.data], y, body.nodes[b], j)))
                fail("members of an epoch touch the same");
        }
    }
  Store result = context.before;
  for (uint32_t place = 0; place < result.size(); ++place) {
    int last = -1;
    for (size_t n = 0; n < body.nodes.size(); ++n) {
      const SmallNode &data = body.nodes[n];
      if (data.kind != NodeKind::Region)
        continue;
      Places places = forest.placesOf(data.region, data.fields);
      bool isUsed = at.reach[n].any();
      for (const auto &from : at.reach)
        isUsed |= from[n];
      if (isUsed && std::count(places.begin(), places.end(), place) &&
          (last < 0 || at.reach[last][n]))
        last = n;
    }
    if (last >= 0)
      result[place] = at.values[last][place];
    if (last >= 0 && context.path.empty())
      finalPlaces.insert(place);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Meaning on a store
//===----------------------------------------------------------------------===//

bool SmallMeaning::runTask(const SmallBody &body, int index,
                           const Instance &iterations, Store &store) {
  const SmallNode &task = body.nodes[index];
  for (const auto &point : pointsOf(task.over)) {
    Instance instance = iterations;
    instance.insert(instance.end(), point.begin(), point.end());
    uint64_t digest = 1;
    for (const SmallEdge &edge : task.edges)
      if (edge.kind == EdgeKind::Read)
        for (uint32_t place :
             forest.placesAt(body.nodes[edge.data], edge, task, point))
          digest = mix(digest, store[place]);
    auto known = digests.find(instance);
    if (known == digests.end() || known->second != digest)
      return false;
    std::vector<uint64_t> key(instance.begin(), instance.end());
    key.push_back(digest);
    key.push_back(0);
    for (size_t e = 0; e < task.edges.size(); ++e) {
      const SmallEdge &edge = task.edges[e];
      if (edge.kind != EdgeKind::Write && edge.kind != EdgeKind::Reduce)
        continue;
      for (uint32_t place :
           forest.placesAt(body.nodes[edge.data], edge, task, point)) {
        key.back() = place * 64 + e;
        store[place] = edge.kind == EdgeKind::Write
                           ? leaf(key)
                           : folded(store[place], edge.reduction, leaf(key));
      }
    }
  }
  return true;
}

bool SmallMeaning::run(const SmallBody &body, const std::vector<int> &path,
                       const Instance &iterations, Store &store,
                       const ChooseOrder &choose) {
  for (int node : choose(body, path)) {
    const SmallNode &at = body.nodes[node];
    if (at.kind == NodeKind::Loop || at.kind == NodeKind::MustEpoch) {
      std::vector<int> inner = path;
      inner.push_back(node);
      uint64_t digest = 1;
      for (const SmallEdge &edge : at.edges)
        if (edge.kind == EdgeKind::Read)
          for (uint32_t place : forest.placesOf(body.nodes[edge.data].region,
                                                body.nodes[edge.data].fields))
            digest = mix(digest, store[place]);
      auto known = digests.find(instanceOf(inner, iterations));
      if (known == digests.end() || known->second != digest)
        return false;
      int64_t count = at.kind == NodeKind::MustEpoch ? 1 : at.iterations;
      for (int64_t i = 0; i < count; ++i) {
        Instance more = iterations;
        more.push_back(i);
        if (!run(*at.body, inner, more, store, choose))
          return false;
      }
    } else if (isTaskLike(at.kind)) {
      std::vector<int> inner = path;
      inner.push_back(node);
      if (!runTask(body, node, instanceOf(inner, iterations), store))
        return false;
    }
  }
  return true;
}

bool SmallMeaning::isRight(const ChooseOrder &choose) {
  Store store;
  for (uint32_t place = 0; place < forest.numElements * SmallForest::numFields;
       ++place)
    store.push_back(leaf({0, place}));
  if (!run(graph, {}, {}, store, choose))
    return false;
  return std::all_of(
      finalPlaces.begin(), finalPlaces.end(),
      [&](uint32_t place) { return store[place] == finals[place]; });
}
