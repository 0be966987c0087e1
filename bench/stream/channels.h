//===- channels.h - Two ways to hand items to another thread ----*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A channel has one producer and one consumer. With CHANNEL_MUTEX it is a ring
// under a mutex with two condition variables; without, a ring of atomics whose
// waiting side sleeps on a futex and is woken only if it sleeps.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_CHANNELS_H
#define SLUICE_BENCH_CHANNELS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { channelRoom = 1024 }; // a power of two, at least two windows

#ifdef CHANNEL_MUTEX

typedef struct {
  _Alignas(64) pthread_mutex_t mutex;
  pthread_cond_t changed;
  uint64_t head, tail;
  uint64_t items[channelRoom];
} Channel;

#define CHANNEL_START                                                          \
  {                                                                            \
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, { 0 }           \
  }

static void channelPut(Channel *channel, uint64_t value) {
  pthread_mutex_lock(&channel->mutex);
  while (channel->tail - channel->head == channelRoom)
    pthread_cond_wait(&channel->changed, &channel->mutex);
  channel->items[channel->tail++ % channelRoom] = value;
  pthread_cond_signal(&channel->changed);
  pthread_mutex_unlock(&channel->mutex);
}

static uint64_t channelTake(Channel *channel) {
  pthread_mutex_lock(&channel->mutex);
  while (channel->tail == channel->head)
    pthread_cond_wait(&channel->changed, &channel->mutex);
  uint64_t value = channel->items[channel->head++ % channelRoom];
  pthread_cond_signal(&channel->changed);
  pthread_mutex_unlock(&channel->mutex);
  return value;
}

#else

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
  _Alignas(64) atomic_uint tail; ///< items put
  atomic_uint consumerSleeps;
  unsigned knownHead;            ///< the producer's
  _Alignas(64) atomic_uint head; ///< items taken
  atomic_uint producerSleeps;
  unsigned knownTail; ///< the consumer's
  _Alignas(64) uint64_t items[channelRoom];
} Channel;

#define CHANNEL_START                                                          \
  { 0 }

/// Sleeps while `*count` is `old`; the other side looks at `*sleeps` after it
/// has changed the count.
static void channelSleep(atomic_uint *count, unsigned old,
                         atomic_uint *sleeps) {
  atomic_store(sleeps, 1);
  if (atomic_load(count) == old)
    syscall(SYS_futex, count, FUTEX_WAIT_PRIVATE, old, 0, 0, 0);
  atomic_store(sleeps, 0);
}

static void channelWake(atomic_uint *count, atomic_uint *sleeps) {
  if (atomic_load(sleeps))
    syscall(SYS_futex, count, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void channelPut(Channel *channel, uint64_t value) {
  unsigned tail = atomic_load_explicit(&channel->tail, memory_order_relaxed);
  while (tail - channel->knownHead == channelRoom) {
    channel->knownHead = atomic_load(&channel->head);
    if (tail - channel->knownHead == channelRoom)
      channelSleep(&channel->head, channel->knownHead,
                   &channel->producerSleeps);
  }
  channel->items[tail % channelRoom] = value;
  atomic_store(&channel->tail, tail + 1);
  channelWake(&channel->tail, &channel->consumerSleeps);
}

static uint64_t channelTake(Channel *channel) {
  unsigned head = atomic_load_explicit(&channel->head, memory_order_relaxed);
  while (channel->knownTail == head) {
    channel->knownTail = atomic_load(&channel->tail);
    if (channel->knownTail == head)
      channelSleep(&channel->tail, head, &channel->consumerSleeps);
  }
  uint64_t value = channel->items[head % channelRoom];
  atomic_store(&channel->head, head + 1);
  channelWake(&channel->head, &channel->producerSleeps);
  return value;
}

#endif

#endif // SLUICE_BENCH_CHANNELS_H
