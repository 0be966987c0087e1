//===- MessagePlan.cpp - Combining transfers to messages ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every decision about two ranks depends only on the transfers between them,
// and every tree only on the ranks in it.
//
//===----------------------------------------------------------------------===//

#include "MessagePlan.h"

#include <numeric>

using namespace sluice::regions;

ToldApart ToldApart::all(uint32_t numRanks) {
  ToldApart known;
  known.ranks.resize(numRanks);
  std::iota(known.ranks.begin(), known.ranks.end(), 0);
  return known;
}

ToldApart ToldApart::only(const std::set<uint32_t> &ranks, uint32_t numRanks) {
  if (ranks.size() + treeFanOut >= numRanks)
    return all(numRanks);
  ToldApart known;
  known.ranks.assign(ranks.begin(), ranks.end());
  known.ranks.push_back(others);
  known.numOthers = numRanks - static_cast<uint32_t>(ranks.size());
  return known;
}

//===----------------------------------------------------------------------===//
// Earlier messages
//===----------------------------------------------------------------------===//

static bool meets(const std::map<Store, Runs> &changes, Store store,
                  const Runs &runs) {
  auto found = changes.find(store);
  return found != changes.end() && !intersectRuns(found->second, runs).empty();
}

namespace {
/// The places of a block up to the current one.
class EarlierPlaces {
public:
  EarlierPlaces(std::vector<BlockPlace> &places,
                const std::vector<StoreInfo> &stores, const ToldApart &known)
      : places(places), stores(stores) {
    findSpread(known);
  }

  /// Moves transfers at the next place to earlier places, if possible.
  void addNext() {
    std::erase_if(places[next].before, [&](const auto &message) {
      return join(message.first, message.second);
    });
    for (const auto &message : places[next].before)
      lastMessage[message.first] = next;
    for (const auto *changes : {&places[next].changed, &places[next].moved})
      for (const auto &[store, runs] : *changes)
        if (auto &all = changers[store]; all.empty() || all.back() != next)
          all.push_back(next);
    ++next;
  }

private:
  /// Scalars that enough ranks get in this block to form a tree.
  void findSpread(const ToldApart &known) {
    std::map<std::pair<uint32_t, Store>, uint32_t> numReceivers;
    for (const BlockPlace &place : places)
      for (const auto &[ranks, parts] : place.before)
        for (const auto &[store, runs] : parts)
          if (isScalar(stores[store]))
            numReceivers[{ranks.first, store}] += known.count({ranks.second});
    for (const auto &[what, count] : numReceivers)
      if (count > treeFanOut)
        spread.insert(what);
  }
  bool join(const std::pair<uint32_t, uint32_t> &ranks,
            const std::map<Store, Runs> &parts) {
    auto last = lastMessage.find(ranks);
    if (last == lastMessage.end())
      return false;
    const size_t place = last->second;
    if (hasTiny(parts) && !hasTiny(places[place].before.at(ranks)))
      return false;
    for (const auto &[store, runs] : parts)
      if (spread.contains({ranks.first, store}) ||
          changesSince(place, store, runs))
        return false;
    for (const auto &[store, runs] : parts) {
      Runs &all = places[place].before[ranks][store];
      all = uniteRuns(all, runs);
    }
    return true;
  }
  bool hasTiny(const std::map<Store, Runs> &parts) const {
    return std::any_of(parts.begin(), parts.end(), [&](const auto &part) {
      return stores[part.first].isTiny;
    });
  }
  bool changesSince(size_t place, Store store, const Runs &runs) const {
    auto found = changers.find(store);
    if (found == changers.end())
      return false;
    const std::vector<size_t> &at = found->second;
    return std::any_of(std::lower_bound(at.begin(), at.end(), place), at.end(),
                       [&](size_t changer) {
                         return meets(places[changer].changed, store, runs) ||
                                meets(places[changer].moved, store, runs);
                       });
  }

  std::vector<BlockPlace> &places;
  const std::vector<StoreInfo> &stores;
  /// By sender.
  std::set<std::pair<uint32_t, Store>> spread;
  size_t next = 0;
  std::map<std::pair<uint32_t, uint32_t>, size_t> lastMessage;
  std::map<Store, std::vector<size_t>> changers;
};
} // namespace

void sluice::regions::shareMessages(std::vector<BlockPlace> &places,
                                    const std::vector<StoreInfo> &stores,
                                    const ToldApart &known) {
  EarlierPlaces earlier(places, stores, known);
  for (size_t place = 0; place < places.size(); ++place)
    earlier.addNext();
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

namespace {
/// Node 0 is the root of a tree with `treeFanOut` branches.
uint32_t parentOf(uint32_t node) { return (node - 1) / treeFanOut; }
uint32_t depthOf(uint32_t node) {
  uint32_t depth = 0;
  for (; node; node = parentOf(node))
    ++depth;
  return depth;
}

/// A rank and its receivers as nodes of a tree, in ascending order.
class TreeToMany {
public:
  TreeToMany(uint32_t from, const std::vector<uint32_t> &to,
             const ToldApart &known)
      : from(from), to(to), hasOthers(to.back() == ToldApart::others),
        numNodes(1 + known.count(to)) {
    if (hasOthers)
      std::set_difference(known.ranks.begin(), known.ranks.end(), to.begin(),
                          to.end(), std::back_inserter(notTo));
  }

  uint32_t size() const { return numNodes; }
  uint32_t rankOf(uint32_t node) const {
    if (node == 0)
      return from;
    if (!hasOthers)
      return to[node - 1];
    uint32_t rank = node - 1;
    for (uint32_t absent : notTo)
      rank += absent <= rank;
    return rank;
  }
  /// The node of a distinguished rank; `size()` if it has none.
  uint32_t nodeOf(uint32_t rank) const {
    if (rank == from)
      return 0;
    auto place = std::lower_bound(to.begin(), to.end(), rank);
    if (place == to.end() || *place != rank)
      return size();
    if (!hasOthers)
      return static_cast<uint32_t>(1 + (place - to.begin()));
    return 1 + rank -
           static_cast<uint32_t>(
               std::lower_bound(notTo.begin(), notTo.end(), rank) -
               notTo.begin());
  }

private:
  const uint32_t from;
  const std::vector<uint32_t> &to;
  const bool hasOthers;
  const uint32_t numNodes;
  /// For the distinguished ranks.
  std::vector<uint32_t> notTo;
};

class Router {
public:
  Router(AllTransfers &all, uint32_t rank, const std::vector<StoreInfo> &stores,
         const ToldApart &known)
      : all(all), rank(rank), stores(stores), known(known) {}

  std::vector<Transfer> run() {
    if (known.numOthers || all.size() > treeFanOut) {
      routeToMany();
      routeFromMany();
    }
    addRest();
    return mergeAlike();
  }

private:
  void add(Transfer transfer) {
    if (transfer.from == rank || transfer.to == rank)
      own.push_back(std::move(transfer));
  }
  /// Removes a part from the message between two ranks.
  Runs take(uint32_t from, uint32_t to, Store store) {
    auto message = all.find({from, to});
    Runs runs = std::move(message->second.extract(store).mapped());
    if (message->second.empty())
      all.erase(message);
    return runs;
  }

  /// Sends the same elements to many ranks, which forward them.
  void routeToMany() {
    std::map<std::pair<Store, uint32_t>, std::vector<uint32_t>> receivers;
    for (const auto &[ranks, parts] : all)
      for (const auto &[store, runs] : parts)
        if (!stores[store].reset)
          receivers[{store, ranks.first}].push_back(ranks.second);
    for (const auto &[what, to] : receivers) {
      const auto [store, from] = what;
      if (known.count(to) <= treeFanOut)
        continue;
      std::map<const Runs *, std::vector<uint32_t>, RunsLess> alike;
      for (uint32_t each : to)
        alike[&all[{from, each}][store]].push_back(each);
      std::vector<std::vector<uint32_t>> groups;
      for (auto &[runs, ranks] : alike)
        if (known.count(ranks) > treeFanOut)
          groups.push_back(std::move(ranks));
      for (const std::vector<uint32_t> &group : groups)
        routeAlong(TreeToMany(from, group, known), store, from, group);
    }
  }
  void routeAlong(const TreeToMany &tree, Store store, uint32_t from,
                  const std::vector<uint32_t> &to) {
    Runs runs;
    for (uint32_t each : to)
      runs = take(from, each, store);
    const uint32_t own = tree.nodeOf(rank);
    if (own == tree.size())
      return;
    if (own != 0)
      add({store, tree.rankOf(parentOf(own)), rank, runs, depthOf(own) - 1});
    for (uint32_t i = 1; i <= treeFanOut; ++i)
      if (const uint32_t node = own * treeFanOut + i; node < tree.size())
        add({store, rank, tree.rankOf(node), runs, depthOf(node) - 1});
  }

  /// Sends small results of many ranks to one: ranks forward those of others.
  void routeFromMany() {
    std::map<uint32_t, std::map<uint32_t, std::vector<Store>>> senders;
    for (const auto &[ranks, parts] : all)
      for (const auto &[store, runs] : parts)
        if (stores[store].isTiny)
          senders[ranks.second][ranks.first].push_back(store);
    for (const auto &[to, fromRanks] : senders) {
      if (fromRanks.size() <= treeFanOut)
        continue;
      std::vector<uint32_t> nodes = {to};
      for (const auto &[from, parts] : fromRanks)
        nodes.push_back(from);
      const uint32_t depth = depthOf(nodes.size() - 1);
      for (uint32_t sender = 1; sender < nodes.size(); ++sender)
        for (Store store : fromRanks.at(nodes[sender])) {
          const Runs runs = take(nodes[sender], to, store);
          for (uint32_t node = sender; node; node = parentOf(node))
            add({store, nodes[node], nodes[parentOf(node)], runs,
                 depth - depthOf(node)});
        }
    }
  }

  /// Other transfers between two ranks are added to a message of the tree.
  void addRest() {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> rounds;
    for (const Transfer &transfer : own) {
      auto [known, isNew] =
          rounds.try_emplace({transfer.from, transfer.to}, transfer.round);
      known->second = std::min(known->second, transfer.round);
    }
    for (auto &[ranks, parts] : all) {
      auto tree = rounds.find(ranks);
      const uint32_t round = tree == rounds.end() ? 0 : tree->second;
      for (auto &[store, runs] : parts)
        add({store, ranks.first, ranks.second, std::move(runs), round});
    }
  }

  /// Makes one transfer for each store in a message, in an order that both
  /// sides have.
  std::vector<Transfer> mergeAlike() {
    auto key = [](const Transfer &transfer) {
      return std::tie(transfer.round, transfer.from, transfer.to,
                      transfer.store);
    };
    std::sort(
        own.begin(), own.end(),
        [&](const Transfer &a, const Transfer &b) { return key(a) < key(b); });
    std::vector<Transfer> merged;
    for (Transfer &transfer : own)
      if (merged.empty() || key(merged.back()) != key(transfer))
        merged.push_back(std::move(transfer));
      else
        merged.back().runs = uniteRuns(merged.back().runs, transfer.runs);
    return merged;
  }

  AllTransfers &all;
  const uint32_t rank;
  const std::vector<StoreInfo> &stores;
  const ToldApart &known;
  std::vector<Transfer> own;
};
} // namespace

std::vector<Transfer>
sluice::regions::routeTransfers(AllTransfers all, uint32_t rank,
                                const std::vector<StoreInfo> &stores,
                                const ToldApart &known) {
  return Router(all, rank, stores, known).run();
}
