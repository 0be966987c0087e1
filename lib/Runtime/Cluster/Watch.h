//===- Watch.h - Detecting ranks that stop responding ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI waits without limit for a rank that was stopped or is behind a broken
// link. So ranks send each other beats. A separate thread wakes up
// periodically, whatever the workers do, sends what this rank does and receives
// what others do. A rank that computes for an hour continues to beat; a stopped
// rank does not.
//
// Each rank beats to the next and the previous one, and to the ranks to which
// it has channels: a rank that may have to wait for another one also listens to
// it.
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
  /// A rank that has become silent.
  struct Loss {
    uint32_t rank;
    double seconds; ///< duration of the silence
    /// Its last message: its process ID, 0 if it never sent one, and its task.
    int32_t process;
    std::string task;
  };
  using Describe = std::function<std::string()>;
  using Report = std::function<void(const Loss &)>;

  /// `describe` returns what this rank does. `report` is called once, when a
  /// rank has been silent for `seconds`; it must end the program.
  Watch(const SluiceCluster &cluster, double seconds, Describe describe,
        Report report);
  ~Watch();

  /// Also listens to that rank, which must also listen to this one; any thread.
  void add(uint32_t rank);
  /// Starts the thread.
  void start();
  /// All ranks call this when none has anything left to do. Returns when all
  /// ranks to which this rank listens have received its last beat.
  void finish();

  /// One step of the thread: receives, sends and checks. `now` is in seconds,
  /// from any origin.
  void look(double now);
  /// The interval between steps.
  double interval() const { return pause; }
  /// The tag of beats, which no other message uses.
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
