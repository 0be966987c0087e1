//===- MessagePlanTest.cpp - Messages that are shared, and trees ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates random exchanges with memories that only record the value of each
// element.
//
//===----------------------------------------------------------------------===//

#include "MessagePlan.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

using namespace sluice::regions;

namespace {
class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  /// 0 up to `bound` - 1.
  uint32_t below(uint32_t bound) {
    return std::uniform_int_distribution<uint32_t>(0, bound - 1)(engine);
  }

private:
  std::mt19937 engine;
};
} // namespace

template <typename Function>
static void forEachElement(const Runs &runs, Function &&function) {
  for (const SluiceRun &run : runs)
    for (int64_t i = run.begin; i < run.end; ++i)
      function(i);
}

//===----------------------------------------------------------------------===//
// Shared messages
//===----------------------------------------------------------------------===//

namespace {
/// Ranks that read and write elements of one store in turns.
struct Story {
  static constexpr uint32_t numRanks = 3, numElements = 6;
  struct Use {
    uint32_t rank;
    Store store;
    int64_t element;
  };
  std::vector<BlockPlace> places;
  std::vector<std::vector<Use>> reads, writes;
  std::vector<bool> isCopy;
};
} // namespace

/// Transfers as a plan has them: what a rank reads and lacks comes from the
/// rank that wrote it; of a private copy, it moves.
static Story makeStory(unsigned seed) {
  Random random(seed);
  Story story;
  const uint32_t numStores = 1 + random.below(3);
  for (Store store = 0; store < numStores; ++store)
    story.isCopy.push_back(random.below(3) == 0);
  std::map<std::pair<Store, int64_t>, std::vector<uint32_t>> have;
  for (uint32_t place = 0, count = 2 + random.below(6); place < count;
       ++place) {
    BlockPlace &now = story.places.emplace_back();
    auto &reads = story.reads.emplace_back();
    auto &writes = story.writes.emplace_back();
    for (uint32_t i = random.below(6); i; --i) {
      Story::Use use = {random.below(Story::numRanks), random.below(numStores),
                        random.below(Story::numElements)};
      auto &ranks = have[{use.store, use.element}];
      if (ranks.empty())
        continue;
      const bool isThere =
          std::find(ranks.begin(), ranks.end(), use.rank) != ranks.end();
      Runs run = {{use.element, use.element + 1}};
      if (story.isCopy[use.store]) {
        // One move at a place, and no reader that it is taken from.
        if (isThere || std::any_of(reads.begin(), reads.end(),
                                   [&](const Story::Use &other) {
                                     return other.store == use.store &&
                                            other.element == use.element;
                                   }))
          continue;
        Runs &moved = now.moved[use.store];
        moved = uniteRuns(moved, run);
      }
      if (!isThere) {
        Runs &runs = now.before[{ranks.front(), use.rank}][use.store];
        runs = uniteRuns(runs, run);
        if (story.isCopy[use.store])
          ranks.clear();
        ranks.push_back(use.rank);
      }
      reads.push_back(use);
    }
    std::set<std::pair<Store, int64_t>> written;
    for (uint32_t i = random.below(5); i; --i) {
      Story::Use use = {random.below(Story::numRanks), random.below(numStores),
                        random.below(Story::numElements)};
      if (!written.insert({use.store, use.element}).second)
        continue;
      have[{use.store, use.element}] = {use.rank};
      Runs &runs = now.changed[use.store];
      runs = uniteRuns(runs, {{use.element, use.element + 1}});
      writes.push_back(use);
    }
  }
  return story;
}

/// Every reader finds the latest value.
static void play(const Story &story) {
  std::map<std::tuple<uint32_t, Store, int64_t>, int> memory;
  std::map<std::pair<Store, int64_t>, int> latest;
  int clock = 0;
  for (size_t place = 0; place < story.places.size(); ++place) {
    std::map<std::tuple<uint32_t, Store, int64_t>, int> arrived;
    std::vector<std::tuple<uint32_t, Store, int64_t>> left;
    for (const auto &[ranks, parts] : story.places[place].before)
      for (const auto &[store, runs] : parts)
        forEachElement(runs, [&, ranks = ranks, store = store](int64_t i) {
          arrived[{ranks.second, store, i}] = memory[{ranks.first, store, i}];
          if (story.isCopy[store])
            left.push_back({ranks.first, store, i});
        });
    for (const auto &where : left)
      memory[where] = 0;
    for (const auto &[where, value] : arrived)
      memory[where] = value;
    for (const Story::Use &use : story.reads[place])
      EXPECT_EQ((memory[{use.rank, use.store, use.element}]),
                (latest[{use.store, use.element}]))
          << "at place " << place;
    for (const Story::Use &use : story.writes[place])
      memory[{use.rank, use.store, use.element}] =
          latest[{use.store, use.element}] = ++clock;
  }
}

static size_t numMessages(const std::vector<BlockPlace> &places) {
  return std::accumulate(places.begin(), places.end(), size_t(0),
                         [](size_t sum, const BlockPlace &place) {
                           return sum + place.before.size();
                         });
}

TEST(MessagePlan, SharedMessagesBringTheLatestValues) {
  size_t before = 0, after = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Story story = makeStory(seed);
    play(story);
    before += numMessages(story.places);
    shareMessages(story.places, std::vector<StoreInfo>(16), ToldApart::all(16));
    after += numMessages(story.places);
    play(story);
    if (testing::Test::HasFailure())
      return;
  }
  // Enough of them are shared for the test to mean something.
  EXPECT_LT(after + 300, before);
}

TEST(MessagePlan, WhatNothingChangesInBetweenIsShared) {
  auto placesWith = [](std::map<Store, Runs> changed) {
    std::vector<BlockPlace> places(2);
    places[0].before[{0, 1}][0] = {{0, 4}};
    places[0].before[{1, 0}][0] = {{4, 8}};
    places[0].changed = std::move(changed);
    places[1].before[{0, 1}][1] = {{2, 6}};
    places[1].before[{1, 2}][1] = {{2, 6}};
    shareMessages(places, std::vector<StoreInfo>(16), ToldApart::all(16));
    return places;
  };
  // Other elements, and another store.
  std::vector<BlockPlace> places = placesWith({{0, {{0, 9}}}, {1, {{0, 2}}}});
  EXPECT_EQ(places[0].before.size(), 2u);
  EXPECT_EQ((places[0].before[{0, 1}].size()), 2u);
  EXPECT_EQ(places[1].before.size(), 1u);
  EXPECT_TRUE((places[1].before.contains({1, 2})));
  // One of the elements.
  EXPECT_EQ(placesWith({{1, {{5, 7}}}})[1].before.size(), 2u);
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

namespace {
struct Network {
  uint32_t numRanks;
  std::vector<StoreInfo> stores;
  AllTransfers all;
};
} // namespace

static Network makeNetwork(unsigned seed) {
  Random random(seed);
  Network network = {1 + random.below(40), {}, {}};
  auto addStore = [&](bool isCopy, bool isTiny) {
    StoreInfo &info = network.stores.emplace_back();
    if (isCopy)
      info.reset = [](void *, int64_t) {};
    info.isTiny = isTiny;
    return static_cast<Store>(network.stores.size() - 1);
  };
  auto send = [&](uint32_t from, uint32_t to, Store store, const Runs &runs) {
    if (from == to)
      return;
    Runs &all = network.all[{from, to}][store];
    all = uniteRuns(all, runs);
  };
  for (uint32_t kind = 1 + random.below(6); kind; --kind) {
    const uint32_t one = random.below(network.numRanks);
    switch (random.below(4)) {
    case 0: { // To several ranks, which may want different elements.
      const Store store = addStore(false, false);
      for (uint32_t rank = 0; rank < network.numRanks; ++rank)
        if (random.below(5))
          send(one, rank, store,
               random.below(4) ? Runs{{0, 3}, {5, 6}} : Runs{{0, 3}});
      break;
    }
    case 1: // Copies from many, a store each, small ones as a rule.
      for (uint32_t rank = 0; rank < network.numRanks; ++rank)
        if (random.below(5))
          send(rank, one, addStore(true, random.below(8) != 0), {{0, 2}});
      break;
    default: { // Each part has one owner.
      const Store store = addStore(false, false);
      for (int64_t part = 0; part < 3; ++part)
        send(random.below(network.numRanks), random.below(network.numRanks),
             store, {{part * 4, part * 4 + 3}});
    }
    }
  }
  return network;
}

using Element = std::tuple<uint32_t, Store, int64_t>;

TEST(MessagePlan, TreesBringWhatDirectMessagesWould) {
  size_t forwarded = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    const Network network = makeNetwork(seed);
    std::set<Element> memory, wanted;
    for (const auto &[ranks, parts] : network.all)
      for (const auto &[store, runs] : parts)
        forEachElement(runs, [&, ranks = ranks, store = store](int64_t i) {
          memory.insert({ranks.first, store, i});
          wanted.insert({ranks.second, store, i});
        });
    // What each rank sends must be what others expect, in the same order.
    using Message = std::vector<std::pair<Store, Runs>>;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Message> sent, received;
    for (uint32_t rank = 0; rank < network.numRanks; ++rank)
      for (const Transfer &transfer :
           routeTransfers(network.all, rank, network.stores,
                          ToldApart::all(network.numRanks))) {
        ASSERT_TRUE(transfer.from == rank || transfer.to == rank);
        auto &messages = transfer.from == rank ? sent : received;
        messages[{transfer.round, transfer.from, transfer.to}].push_back(
            {transfer.store, transfer.runs});
      }
    ASSERT_EQ(sent.size(), received.size());
    for (auto s = sent.begin(), r = received.begin(); s != sent.end();
         ++s, ++r) {
      ASSERT_EQ(s->first, r->first);
      ASSERT_EQ(s->second.size(), r->second.size());
      for (size_t i = 0; i < s->second.size(); ++i) {
        ASSERT_EQ(s->second[i].first, r->second[i].first);
        ASSERT_TRUE(
            subtractRuns(s->second[i].second, r->second[i].second).empty() &&
            subtractRuns(r->second[i].second, s->second[i].second).empty());
      }
    }
    // Round by round; what a copy held leaves it.
    for (auto message = sent.begin(); message != sent.end();) {
      const uint32_t round = std::get<0>(message->first);
      ASSERT_LT(round, RankExchange::maxRounds);
      std::vector<Element> arrived, left;
      for (; message != sent.end() && std::get<0>(message->first) == round;
           ++message)
        for (const auto &[store, runs] : message->second)
          forEachElement(runs, [&, store = store](int64_t i) {
            const auto &[r, from, to] = message->first;
            EXPECT_TRUE(memory.contains({from, store, i}));
            arrived.push_back({to, store, i});
            forwarded += !network.all.contains({from, to});
            if (network.stores[store].reset)
              left.push_back({from, store, i});
          });
      for (const Element &element : left)
        memory.erase(element);
      memory.insert(arrived.begin(), arrived.end());
    }
    for (const Element &element : wanted)
      EXPECT_TRUE(memory.contains(element));
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(forwarded, 500u);
}

TEST(MessagePlan, ARankHasFewMessagesOfATree) {
  constexpr uint32_t numRanks = 400;
  std::vector<StoreInfo> stores(numRanks + 1);
  AllTransfers toAll, fromAll;
  for (uint32_t rank = 1; rank < numRanks; ++rank) {
    stores[rank].reset = [](void *, int64_t) {};
    stores[rank].isTiny = true;
    toAll[{0, rank}][0] = {{0, 1}};
    fromAll[{rank, 0}][rank] = {{0, 1}};
  }
  for (uint32_t rank = 0; rank < numRanks; ++rank) {
    uint32_t numRounds = 0;
    for (const AllTransfers &all : {toAll, fromAll}) {
      std::set<std::tuple<uint32_t, uint32_t, uint32_t>> messages;
      for (const Transfer &transfer :
           routeTransfers(all, rank, stores, ToldApart::all(numRanks))) {
        messages.insert({transfer.round, transfer.from, transfer.to});
        numRounds = std::max(numRounds, transfer.round + 1);
      }
      EXPECT_LE(messages.size(), treeFanOut + 1) << rank;
      EXPECT_GE(messages.size(), 1u) << rank;
    }
    EXPECT_LE(numRounds, 5u);
  }
}

/// What goes to all ranks, and is known of some of them.
TEST(MessagePlan, RanksThatAreOneTakeTheirPartsOfTrees) {
  size_t numTransfers = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const uint32_t numRanks = 8 + random.below(90);
    std::set<uint32_t> known;
    for (uint32_t left = 1 + random.below(12); left; --left)
      known.insert(random.below(numRanks));
    std::vector<StoreInfo> stores(4);
    stores[3].reset = [](void *, int64_t) {};
    stores[3].isTiny = true;
    AllTransfers all, shortened;
    auto pickKnown = [&] {
      return *std::next(known.begin(), random.below(known.size()));
    };
    for (Store store = 0; store < 2; ++store) {
      // Some of those that are known have it already.
      const uint32_t from = pickKnown();
      const Runs runs = {{0, 1 + random.below(3)}};
      std::set<uint32_t> have = {from};
      for (uint32_t left = random.below(4); left; --left)
        have.insert(pickKnown());
      for (uint32_t to = 0; to < numRanks; ++to)
        if (!have.contains(to))
          all[{from, to}][store] = runs;
      for (uint32_t to : known)
        if (!have.contains(to))
          shortened[{from, to}][store] = runs;
      shortened[{from, ToldApart::others}][store] = runs;
    }
    for (uint32_t left = random.below(20); left; --left) {
      const uint32_t from = pickKnown(), to = pickKnown();
      if (from != to)
        all[{from, to}][2 + left % 2] =
            shortened[{from, to}][2 + left % 2] = {{left, left + 2}};
    }
    const ToldApart apart = ToldApart::only(known, numRanks);
    for (uint32_t rank : known) {
      const auto expected =
          routeTransfers(all, rank, stores, ToldApart::all(numRanks));
      const auto found = apart.numOthers
                             ? routeTransfers(shortened, rank, stores, apart)
                             : expected;
      numTransfers += found.size();
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(std::tie(found[i].store, found[i].from, found[i].to,
                           found[i].round),
                  std::tie(expected[i].store, expected[i].from, expected[i].to,
                           expected[i].round));
        EXPECT_TRUE(subtractRuns(found[i].runs, expected[i].runs).empty() &&
                    subtractRuns(expected[i].runs, found[i].runs).empty());
      }
    }
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(numTransfers, 5000u);
}
