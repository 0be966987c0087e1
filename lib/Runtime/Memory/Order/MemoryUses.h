//===- MemoryUses.h - Who uses which bytes, in which order ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Users of memory come in program order, and each one waits for the earlier
// ones with which it shares a byte, if one of the two writes it. It is enough
// to wait for the last writer of a byte and for its readers since:
//
//   1. A reader waits for the writers whose bytes overlap its own.
//   2. A writer waits for these and for the readers that overlap it. Whoever
//      comes later and would have to wait for one of them there waits for the
//      writer instead, so these bytes are taken from them.
//   3. Users of one family do not wait for each other. What they wait for is
//      not what the others of them wait for, so they take no bytes from
//      anyone.
//   4. Where several would wait for the same many users, one object, a join,
//      waits for these, and they wait for it: n readers of an array and n
//      writers of its parts behind them make 2 n orders. A join takes the
//      place of many readers of a range, or stands for many writers of parts
//      of a range that is read.
//
// Writers, readers and joins are kept in a tree of ranges each, so a use takes
// the logarithm of the number of ranges in use, and a join counts as one user
// that is waited for.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_ORDER_MEMORYUSES_H
#define SLUICE_RUNTIME_MEMORY_ORDER_MEMORYUSES_H

#include "RangeTree.h"

#include <atomic>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace sluice {

class Worker;

/// One pointer that a launch receives.
struct MemoryAccess {
  const char *name; ///< of the argument
  uintptr_t start;
  /// Bytes; only meaningful if `sizeKnown`.
  uint64_t size;
  bool sizeKnown;
  bool writes;
};

/// Bytes that a user was given: its part of a tracked object, or of other
/// memory that it orders.
struct MemoryClaim {
  uintptr_t first, end;
  bool writes;
};

/// A launch, stream or stream item as a user of memory.
class MemoryUser {
public:
  virtual ~MemoryUser() = default;
  /// Called once if `MemoryTracker::acquire` said that the user must wait, when
  /// all earlier conflicting users have released their memory. `worker` as in
  /// `MemoryTracker::release`.
  virtual void memoryReady(Worker *worker) = 0;

  /// Users of one family never conflict (a stream and its items); null: none.
  const void *family = nullptr;
  /// Holds its memory until the host ends it, so others must not wait for it.
  bool isOpenStream = false;
  /// Holds memory, but begins only when somebody wants that memory, or for
  /// reasons of its own. Only users of a family may be held back.
  std::atomic<bool> isHeldBack{false};
  /// To be called by who waits for a user that is held back, without locks.
  virtual void memoryWanted() {}
  /// Users for which `acquire` made this one wait while they were held back;
  /// whoever called it tells them.
  std::vector<MemoryUser *> heldBack;
  /// Uses of memory that is not tracked, but whose size is known, are ordered
  /// as well, among users with this flag.
  bool ordersUntracked = false;
  /// Uses all of each tracked object that an argument points to.
  bool usesWholeObjects = false;
  /// The plan's name, for messages.
  const char *name = "";

  /// Room for the pointers of a launch, kept from one to the next.
  std::vector<MemoryAccess> accesses;
  /// The next claim is checked in full; see MemoryTracker::acquireAgain.
  void forgetClaims() { numChanges = 0; }
  /// The same for the one after it: what is claimed depends on more than
  /// accesses.
  void forgetAllClaims() { numChanges = otherNumChanges = 0; }
  /// Nothing is tracked, so that nothing needs to be claimed; nor is it the
  /// next time, by the same accesses, as long as that is so.
  void claimNothing() { numChanges = whileNoneIsTracked; }
  /// Two sets of accesses and claims are kept: launches often take turns, from
  /// one buffer to another and back.
  const std::vector<MemoryAccess> &accessesBefore() const {
    return otherAccesses;
  }
  void swapClaims() {
    accesses.swap(otherAccesses);
    claims.swap(otherClaims);
    std::swap(numChanges, otherNumChanges);
  }

private:
  friend class MemoryTracker;
  friend class MemoryUses;
  /// Changed by the thread that acquires or releases.
  bool holdsMemory = false;
  static constexpr uint64_t whileNoneIsTracked = UINT64_MAX;
  /// The claims of the last time that it acquired memory, none if it needed
  /// none, and the number of changes of tracked memory until then; 0: not to be
  /// used again.
  std::vector<MemoryClaim> claims, otherClaims;
  uint64_t numChanges = 0, otherNumChanges = 0;
  std::vector<MemoryAccess> otherAccesses;
  MemoryUse *uses = nullptr;
  std::vector<MemoryUser *> dependents;
  uint32_t waits = 0;
  bool isJoin = false;
};

/// Bytes of one node of a tree, used by one user.
struct MemoryUse {
  MemoryUser *user;
  /// Null if a later writer stands for this use.
  RangeNode *node;
  /// In the node's list.
  MemoryUse *previous, *next;
  /// In the user's list.
  MemoryUse *nextOfUser;
  /// The tree of the node.
  RangeTree *tree;
};

/// Objects that are made and given back again and again, which are linked
/// meanwhile.
template <typename Object, Object *Object::*Next> class ObjectPool {
public:
  Object &take() {
    ++numTaken;
    if (!idle) {
      ++numMade;
      return objects.emplace_back();
    }
    Object &object = *idle;
    idle = object.*Next;
    return object;
  }
  void giveBack(Object &object) {
    object.*Next = idle;
    idle = &object;
    // Many launches were in flight.
    if (--numTaken == 0 && numMade > maxIdle) {
      objects.clear();
      idle = nullptr;
      numMade = 0;
    }
  }

private:
  static constexpr size_t maxIdle = 4096;
  std::deque<Object> objects;
  Object *idle = nullptr;
  size_t numTaken = 0, numMade = 0;
};

/// Used by one thread at a time.
class MemoryUses {
public:
  /// Nobody uses anything.
  bool isEmpty() const {
    return writers.isEmpty() && readers.isEmpty() && joins.isEmpty();
  }
  /// `user` uses the bytes from now on; makes it wait for others.
  void add(MemoryUser &user, uintptr_t first, uintptr_t end, bool writes);
  /// The same for a member of a family that `add` would not make wait. Bytes
  /// behind some that it uses already, and nobody else, become one range with
  /// them: so the items of a stream, one after the other in an array.
  void addFree(MemoryUser &user, uintptr_t first, uintptr_t end, bool writes);
  /// Whether `add` would make the user wait.
  bool wouldWait(const MemoryUser &user, uintptr_t first, uintptr_t end,
                 bool writes) const;
  /// All uses of a user have ended. Adds to `ready` who waits for nobody any
  /// more; they are not told.
  void end(MemoryUser &user, std::vector<MemoryUser *> &ready);

  /// Calls `visitor(MemoryUser &)` for users that write some of the bytes, or
  /// that read some. Earlier users for which one that is visited waits may be
  /// left out.
  template <typename Visitor>
  void visitWriters(uintptr_t first, uintptr_t end, Visitor &&visitor) const {
    visitUses(writers, first, end, visitor);
  }
  template <typename Visitor>
  void visitReaders(uintptr_t first, uintptr_t end, Visitor &&visitor) const {
    visitUses(readers, first, end, visitor);
  }
  /// Where the user's ranges begin, without those that later writers have.
  std::vector<uintptr_t> addressesOf(const MemoryUser &user) const;
  /// Some user of the bytes, or null.
  const MemoryUser *findUser(uintptr_t first, uintptr_t end) const;

private:
  /// Waits for users, and is waited for.
  class Join final : public MemoryUser {
  public:
    void memoryReady(Worker *) override {}
    Join *nextIdle = nullptr;
  };
  /// Up to so many users are waited for one by one.
  static constexpr size_t maxDirect = 4;

  template <typename Visitor>
  static void visitUses(const RangeTree &tree, uintptr_t first, uintptr_t end,
                        Visitor &visitor) {
    if (first < end)
      tree.visit(first, end, [&](const RangeNode &node) {
        for (MemoryUse *use = node.uses; use; use = use->next)
          visitor(*use->user);
      });
  }
  static void wait(MemoryUser &user, MemoryUser &other);
  static void wait(MemoryUser &user, const RangeNode &node);
  static void unlink(MemoryUse &use);
  void findNodes(const RangeTree &tree, uintptr_t first, uintptr_t end);
  void waitForWriters(MemoryUser &user, uintptr_t first, uintptr_t end);
  void waitAndTake(RangeTree &tree, MemoryUser &user, uintptr_t first,
                   uintptr_t end);
  Join &takeJoin();
  void joinUses(RangeTree &tree, RangeNode &node, const MemoryUser &user);
  RangeNode &nodeOf(RangeTree &tree, uintptr_t first, uintptr_t end);
  void addTo(RangeTree &tree, RangeNode &node, MemoryUser &user);
  void copyTo(RangeTree &tree, RangeNode &target, const RangeNode &source);
  static void detach(RangeNode &node);
  void takeBytes(RangeTree &tree, RangeNode &node, uintptr_t first,
                 uintptr_t end);
  void addToJoins(MemoryUser &writer, uintptr_t first, uintptr_t end);
  void remove(MemoryUser &user);

  RangeTree writers, readers;
  /// Ranges that were read while many wrote parts of them: their uses are
  /// those of all writers and of joins that wait for some of them.
  RangeTree joins;
  ObjectPool<RangeNode, &RangeNode::nextIdle> nodes;
  ObjectPool<MemoryUse, &MemoryUse::next> uses;
  ObjectPool<Join, &Join::nextIdle> idleJoins;
  /// Kept from one call to the next.
  std::vector<RangeNode *> found;
  std::vector<Join *> endedJoins;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_ORDER_MEMORYUSES_H
