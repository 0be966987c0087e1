//===- Runtime.h - Host interface of the runtime --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that compiled programs call. The compiler lowers HPVM's host
// calls to these; C programs may call them directly. Every function may be
// called from any thread. A misuse prints "sluice: error: ..." and ends the
// process with exit code 1.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_RUNTIME_H
#define SLUICE_C_RUNTIME_H

#include "sluice-c/Plan.h"

#include <stddef.h>

#if defined(__GNUC__)
#define SLUICE_EXPORT __attribute__((visibility("default")))
#else
#define SLUICE_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Host code
//===----------------------------------------------------------------------===//

/// Initializes the runtime: workers, tracker, trace. (HPVM: init)
SLUICE_EXPORT void sluiceInit(void);
/// Shuts the runtime down; launches still in flight are an error. (HPVM:
/// cleanup)
SLUICE_EXPORT void sluiceCleanup(void);

/// The same for units of a program that do not know of each other: the runtime
/// lives from the first start to the last end. Calls of sluiceInit and
/// sluiceCleanup between them have no effect. A process that was forked, that
/// ends in a node, or that ends while launches are in flight or other threads
/// may make some, does not end the runtime.
///@{
SLUICE_EXPORT void sluiceStartUnit(void);
SLUICE_EXPORT void sluiceEndUnit(void);
///@}

/// Before sluiceInit, in programs in OpenMP: where SLUICE_WORKERS is not set,
/// OMP_NUM_THREADS says how many workers there are. Returns 1 unless the
/// environment says how long threads of OpenMP's library are to spin.
SLUICE_EXPORT int sluiceServeOpenMP(void);
/// Returns 1 if a team may be replaced by all workers: they are no more than
/// its threads, or SLUICE_WORKERS says how many they are, and the caller is in
/// no team. There are no workers before sluiceInit, after sluiceCleanup, in a
/// forked process and in a node. `maxThreads` tells the number of threads; if
/// it is null, `numThreads` is the number. Neither function is called once
/// sluiceEndUnit or sluiceEndsTeams has left the runtime to other threads:
/// the library that they belong to is ending as well.
SLUICE_EXPORT int sluiceServesTeam(int numThreads, int (*isInTeam)(void),
                                   int (*maxThreads)(void));
/// Around a parallel region that LLVM's library of OpenMP runs. Between regions
/// its threads sleep if the environment says nothing else, so that they take no
/// core from workers, and waking them takes as long as much work. So they look
/// for work during a region, and after it if the last time another such region
/// came next. sluiceEndsThread is called by each thread at its end.
/// `state` belongs to the region and is 0 at first; `setBlocktime` sets how
/// many milliseconds the threads look for work. Thread-safe.
///@{
SLUICE_EXPORT void sluiceStartsTeam(int *state, int (*isInTeam)(void),
                                    void (*setBlocktime)(int));
SLUICE_EXPORT void sluiceEndsThread(int *state, void (*setBlocktime)(int));
SLUICE_EXPORT void sluiceEndsTeam(int *state, int (*isInTeam)(void),
                                  void (*setBlocktime)(int));
///@}
/// Where such a program ends: returns 1 if it is to call sluiceCleanup. The
/// runtime stays, and the timeline is written, if there is none to clean up, or
/// if threads other than the caller have asked sluiceServesTeam: they may be in
/// the middle of a loop.
SLUICE_EXPORT int sluiceEndsTeams(void);

/// Starts a graph and returns its handle. `arguments` is copied. For a
/// non-streaming launch with results it must stay valid until sluiceWait, which
/// writes the result fields. A null `layout` means packed. Launches in flight
/// that share a byte of tracked memory, and of which one writes the byte, run
/// in launch order; a pointer stands for the number of bytes that its size
/// gives. (HPVM: launch)
SLUICE_EXPORT void *sluiceLaunch(const SluicePlan *plan, void *arguments,
                                 const SluiceLayout *layout, int isStream);
/// The same for a root of which only the address is known; looks it up in the
/// registered tables.
SLUICE_EXPORT void *sluiceLaunchRoot(const void *root, void *arguments,
                                     const SluiceLayout *layout, int isStream);
/// The same without a stream, for programs that do not declare the memory of
/// their graphs (Hetero-C++). Such launches in flight that share a byte of
/// their arguments or a global of their leaves, and of which one writes it, run
/// in launch order, even if the memory is not tracked.
///@{
SLUICE_EXPORT void *sluiceLaunchOrdered(const SluicePlan *plan, void *arguments,
                                        const SluiceLayout *layout);
SLUICE_EXPORT void *sluiceLaunchRootOrdered(const void *root, void *arguments,
                                            const SluiceLayout *layout);
///@}
/// Blocks until the graph has ended and, if not streaming, releases the
/// handle. (HPVM: wait)
SLUICE_EXPORT void sluiceWait(void *graph);
/// Pushes one set of arguments to a streaming graph. (HPVM: push)
SLUICE_EXPORT void sluicePush(void *graph, void *arguments,
                              const SluiceLayout *layout);
/// Pops one result, a packed structure of all results, owned by the graph and
/// valid until the next pop of this handle. (HPVM: pop)
SLUICE_EXPORT void *sluicePop(void *graph);
/// Sets how many pushed items of a streaming graph may be unfinished before
/// sluicePush blocks; initially 64, at least 1.
SLUICE_EXPORT void sluiceSetStreamBound(void *graph, uint64_t bound);

/// Memory tracker. (HPVM: trackMemory, untrackMemory, requestMemory)
///@{
SLUICE_EXPORT void sluiceTrackMemory(void *pointer, size_t size);
SLUICE_EXPORT void sluiceUntrackMemory(void *pointer);
SLUICE_EXPORT void *sluiceRequestMemory(void *pointer, size_t size);
///@}
/// Untracks memory that is about to be freed. Drops the copies on devices and
/// other ranks, which sluiceUntrackMemory would bring back.
SLUICE_EXPORT void sluiceDropMemory(void *pointer);
/// Like llvm_hpvm_request_mem, for memory that need not be tracked: waits for
/// ordered launches that write the memory.
SLUICE_EXPORT void sluiceRequestAnyMemory(void *pointer, size_t size);

#ifndef SLUICE_HPVM_HPVM_H
/// The tracker's names in programs written for HPVM. hpvm.h declares them as
/// HPVM does; a program may include both headers.
///@{
SLUICE_EXPORT void llvm_hpvm_track_mem(void *pointer, size_t size);
SLUICE_EXPORT void llvm_hpvm_untrack_mem(void *pointer);
SLUICE_EXPORT void *llvm_hpvm_request_mem(void *pointer, size_t size);
///@}

/// Memory of Hetero-C++ programs, allocated and tracked in one step and aligned
/// to 64 bytes. Other memory may be requested, too.
///@{
SLUICE_EXPORT void *__hetero_malloc(size_t size);
SLUICE_EXPORT void __hetero_free(void *memory);
SLUICE_EXPORT void __hetero_copy_mem(void *to, void *from, size_t size);
SLUICE_EXPORT void __hetero_request_mem(void *memory, size_t size);
///@}
#endif

//===----------------------------------------------------------------------===//
// Support for generated code
//===----------------------------------------------------------------------===//

/// The first call of `main`. If MPI has started several processes, this call
/// does not return on ranks other than 0: they run what rank 0 launches, until
/// rank 0 ends. Returns at once on rank 0 and in a process that runs alone.
SLUICE_EXPORT void sluiceServe(void);

/// Registers a table of plans; generated constructors call this.
SLUICE_EXPORT void sluiceRegisterPlans(const SluicePlanEntry *entries,
                                       uint64_t count);
/// Removes a table before the library that contains it is closed. Its plans
/// must not be in flight.
SLUICE_EXPORT void sluiceUnregisterPlans(const SluicePlanEntry *entries);
/// Memory that lives until the launch or stream item ends; aligned to 64 bytes.
SLUICE_EXPORT void *sluiceMalloc(const SluiceInvocation *invocation,
                                 int64_t size);
/// Memory of one work-group; the caller frees it with sluiceGroupFree.
SLUICE_EXPORT void *sluiceGroupMalloc(const SluiceInvocation *invocation,
                                      int64_t size);
/// Frees memory from sluiceGroupMalloc.
SLUICE_EXPORT void sluiceGroupFree(const SluiceInvocation *invocation,
                                   void *pointer);
/// Fails the launch with `message` and the name of the running node; does not
/// return (throws through the kernel).
SLUICE_EXPORT void sluiceFail(const SluiceInvocation *invocation,
                              const char *message) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_RUNTIME_H
