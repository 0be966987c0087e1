//===- Watch.h - Whether the other ranks are still there ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI waits for a rank that was stopped, or for one behind a cut link, for as
// long as it takes. So ranks send each other beats: a thread of its own wakes
// up now and then, whatever the workers do, tells what this rank does and hears
// what others do. A rank that computes for an hour goes on beating; one that
// was stopped does not.
//
// Each rank beats to the next and the previous one, and to those to which it
// has channels: whoever may have to wait for a rank also listens to it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_WATCH_H
#define SLUICE_RUNTIME_CLUSTER_WATCH_H

#include "sluice-c/Cluster.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace sluice {

class Watch {
public:
  /// A rank of which nothing was heard.
  struct Loss {
    uint32_t rank;
    double seconds; ///< for how long
    /// What it said last: the number of its process, 0 if it never said any,
    /// and its task.
    int32_t process;
    std::string task;
  };
  using Describe = std::function<std::string()>;
  using Report = std::function<void(const Loss &)>;

  /// `describe` tells what this rank does. `report` is called once, when a rank
  /// has been silent for `seconds`; it is to end the program.
  Watch(const SluiceCluster &cluster, double seconds, Describe describe,
        Report report);
  ~Watch();

  /// Listens to that rank as well, which is to listen to this one; any thread.
  void add(uint32_t rank);
  /// Looks from now on, on a thread of its own.
  void start();
  /// All ranks call this when none has anything left to do: returns when each
  /// of those that this one listens to has heard of it.
  void finish();

  /// What the thread does each time: hears, tells, and judges. `now` is in
  /// seconds, from any origin.
  void look(double now);
  /// How often it does.
  double interval() const { return pause; }
  /// The tag of beats, which no other message has.
  static uint32_t tag(const SluiceCluster &cluster) { return cluster.maxTag; }

private:
  struct Peer;
  void hear(Peer &peer);
  void tell(Peer &peer, const std::string &task);
  void stop();

  const SluiceCluster &cluster;
  const double seconds, pause;
  const Describe describe;
  const Report report;
  std::mutex mutex;
  std::map<uint32_t, std::unique_ptr<Peer>> peers;
  double lastLook = 0;
  bool isLeaving = false, hasReported = false;
  std::thread thread;
  bool isStopped = false;
  std::condition_variable wakes;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_WATCH_H
