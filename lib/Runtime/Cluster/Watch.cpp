//===- Watch.cpp - Detecting ranks that stop responding -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beats go through channels like other messages. They are so few and short that
// MPI sends them at once. A rank that cannot receive them delays nobody: the
// next beat is sent only after the previous one has left.
//
//===----------------------------------------------------------------------===//

#include "Watch.h"

#include "../Scheduling/HostThreads.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <pthread.h>
#include <unistd.h>

using namespace sluice;

namespace {
struct Beat {
  int32_t process;
  /// No more beats will follow.
  uint32_t isLast;
  char task[248];
};
} // namespace

struct Watch::Peer {
  Beat own = {}, its = {}, heard = {};
  SluiceChannel *send = nullptr, *receive = nullptr;
  bool isSending = false, hasSaidLast = false;
  /// Seconds since the last beat.
  double silence = 0;
  bool hasLeft() const { return heard.isLast != 0; }
};

Watch::Watch(const SluiceCluster &cluster, double seconds, Describe describe,
             Report report)
    : cluster(cluster), seconds(seconds),
      pause(std::clamp(seconds / 10, 0.01, 1.0)), describe(std::move(describe)),
      report(std::move(report)) {
  add((cluster.rank + 1) % cluster.numRanks);
  add((cluster.rank + cluster.numRanks - 1) % cluster.numRanks);
}

Watch::~Watch() { stop(); }

void Watch::add(uint32_t rank) {
  if (rank == cluster.rank)
    return;
  std::lock_guard lock(mutex);
  if (peers.count(rank))
    return;
  auto peer = std::make_unique<Peer>();
  peer->send = cluster.openSend(cluster.context, rank, tag(cluster), &peer->own,
                                sizeof(Beat));
  peer->receive = cluster.openReceive(cluster.context, rank, tag(cluster),
                                      &peer->its, sizeof(Beat));
  if (!peer->send || !peer->receive)
    throw std::bad_alloc();
  cluster.start(cluster.context, peer->receive);
  peers[rank] = std::move(peer);
}

//===----------------------------------------------------------------------===//
// One look
//===----------------------------------------------------------------------===//

static bool hasEnded(const SluiceCluster &cluster, SluiceChannel *channel) {
  uint32_t ended = 0;
  return cluster.test(cluster.context, &channel, 1, &ended) == 1;
}

void Watch::hear(Peer &peer) {
  while (!peer.hasLeft() && hasEnded(cluster, peer.receive)) {
    peer.heard = peer.its;
    peer.heard.task[sizeof peer.heard.task - 1] = 0;
    peer.silence = 0;
    if (!peer.hasLeft())
      cluster.start(cluster.context, peer.receive);
  }
}

void Watch::tell(Peer &peer, const std::string &task) {
  if (peer.isSending && hasEnded(cluster, peer.send))
    peer.isSending = false;
  if (peer.isSending || peer.hasSaidLast)
    return;
  peer.own = {};
  peer.own.process = ::getpid();
  peer.own.isLast = peer.hasSaidLast = isLeaving;
  std::strncpy(peer.own.task, task.c_str(), sizeof peer.own.task - 1);
  cluster.start(cluster.context, peer.send);
  peer.isSending = true;
}

void Watch::look(double now) {
  std::unique_lock lock(mutex);
  // Time during which this rank itself was stopped says nothing about others.
  const double passed = lastLook > 0 ? std::min(now - lastLook, 2 * pause) : 0;
  lastLook = now;
  const std::string task = describe();
  for (auto &[rank, peer] : peers) {
    peer->silence += passed;
    hear(*peer);
    tell(*peer, task);
    if (peer->hasLeft() || hasReported)
      continue;
    // The next rank reports first, so that only one rank reports.
    const bool isFirst = (rank + 1) % cluster.numRanks == cluster.rank;
    if (peer->silence < seconds + (isFirst ? 0 : 1.5 * pause))
      continue;
    hasReported = true;
    const Loss loss = {rank, peer->silence, peer->heard.process,
                       peer->heard.task};
    lock.unlock();
    return report(loss);
  }
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

static double clockSeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Watch::start() {
  // Signals are for the threads of the program.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread = std::thread([this] {
    std::unique_lock lock(mutex);
    // The first beats follow each other quickly, so that others soon know the
    // first task.
    for (double next = std::min(pause, 0.01); !isStopped;
         next = std::min(pause, 1.5 * next)) {
      lock.unlock();
      look(clockSeconds());
      lock.lock();
      wakes.wait_for(lock, std::chrono::duration<double>(next),
                     [this] { return isStopped; });
    }
  });
  nameRuntimeThread(thread, "watch");
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Watch::stop() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    isStopped = true;
  }
  wakes.notify_all();
  thread.join();
}

void Watch::finish() {
  stop();
  isLeaving = true;
  auto hasFinished = [](const auto &entry) {
    const Peer &peer = *entry.second;
    return peer.hasLeft() && peer.hasSaidLast && !peer.isSending;
  };
  for (;;) {
    look(clockSeconds());
    if (std::all_of(peers.begin(), peers.end(), hasFinished))
      break;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  for (auto &[rank, peer] : peers) {
    cluster.close(cluster.context, peer->send);
    cluster.close(cluster.context, peer->receive);
  }
  peers.clear();
}
