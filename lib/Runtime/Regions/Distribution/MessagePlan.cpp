//===- MessagePlan.cpp - Which transfers share a message ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every decision about two ranks follows from what goes between these two, and
// every tree from the ranks in it.
//
//===----------------------------------------------------------------------===//

#include "MessagePlan.h"

using namespace sluice::regions;

//===----------------------------------------------------------------------===//
// Earlier messages
//===----------------------------------------------------------------------===//

static bool meets(const std::map<Store, Runs> &changes, Store store,
                  const Runs &runs) {
  auto found = changes.find(store);
  return found != changes.end() && !intersectRuns(found->second, runs).empty();
}

namespace {
/// The places of a block up to some one.
class EarlierPlaces {
public:
  explicit EarlierPlaces(std::vector<Place> &places) : places(places) {}

  /// Moves what it can of the transfers at the next place to earlier ones.
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
  bool join(const std::pair<uint32_t, uint32_t> &ranks,
            const std::map<Store, Runs> &parts) {
    auto last = lastMessage.find(ranks);
    if (last == lastMessage.end())
      return false;
    const size_t place = last->second;
    for (const auto &[store, runs] : parts)
      if (changesSince(place, store, runs))
        return false;
    for (const auto &[store, runs] : parts) {
      Runs &all = places[place].before[ranks][store];
      all = uniteRuns(all, runs);
    }
    return true;
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

  std::vector<Place> &places;
  size_t next = 0;
  std::map<std::pair<uint32_t, uint32_t>, size_t> lastMessage;
  std::map<Store, std::vector<size_t>> changers;
};
} // namespace

void sluice::regions::shareMessages(std::vector<Place> &places) {
  EarlierPlaces earlier(places);
  for (size_t place = 0; place < places.size(); ++place)
    earlier.addNext();
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

namespace {
/// Numbers 0, the root, and so on: a tree with `treeFanOut` branches.
uint32_t parentOf(uint32_t node) { return (node - 1) / treeFanOut; }
uint32_t depthOf(uint32_t node) {
  uint32_t depth = 0;
  for (; node; node = parentOf(node))
    ++depth;
  return depth;
}

class Router {
public:
  Router(AllTransfers &all, uint32_t rank, const std::vector<StoreInfo> &stores)
      : all(all), rank(rank), stores(stores) {}

  std::vector<Transfer> run() {
    if (all.size() > treeFanOut) {
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
  /// Takes a part out of the message between two ranks.
  Runs take(uint32_t from, uint32_t to, Store store) {
    auto message = all.find({from, to});
    Runs runs = std::move(message->second.extract(store).mapped());
    if (message->second.empty())
      all.erase(message);
    return runs;
  }

  /// The same elements for many ranks: those hand them on.
  void routeToMany() {
    std::map<std::pair<Store, uint32_t>, std::vector<uint32_t>> receivers;
    for (const auto &[ranks, parts] : all)
      for (const auto &[store, runs] : parts)
        if (!stores[store].reset)
          receivers[{store, ranks.first}].push_back(ranks.second);
    for (const auto &[what, to] : receivers) {
      const auto [store, from] = what;
      if (to.size() <= treeFanOut)
        continue;
      std::map<const Runs *, std::vector<uint32_t>, RunsLess> alike;
      for (uint32_t each : to)
        alike[&all[{from, each}][store]].push_back(each);
      std::vector<std::vector<uint32_t>> groups;
      for (auto &[runs, ranks] : alike)
        if (ranks.size() > treeFanOut)
          groups.push_back(std::move(ranks));
      for (std::vector<uint32_t> &nodes : groups) {
        nodes.insert(nodes.begin(), from);
        for (uint32_t node = 1; node < nodes.size(); ++node)
          add({store, nodes[parentOf(node)], nodes[node],
               take(from, nodes[node], store), depthOf(node) - 1});
      }
    }
  }

  /// Small results of many ranks for one: ranks hand on those of others.
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

  /// What two ranks exchange besides a tree goes along with a message of it.
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

  /// One transfer of each store in a message, in an order that both sides have.
  std::vector<Transfer> mergeAlike() {
    auto key = [](const Transfer &transfer) {
      return std::tie(transfer.round, transfer.from, transfer.to,
                      transfer.store);
    };
    std::stable_sort(
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
  std::vector<Transfer> own;
};
} // namespace

std::vector<Transfer>
sluice::regions::routeTransfers(AllTransfers all, uint32_t rank,
                                const std::vector<StoreInfo> &stores) {
  return Router(all, rank, stores).run();
}
