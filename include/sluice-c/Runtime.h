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

/// Starts the runtime: workers, tracker, trace. (HPVM: init)
SLUICE_EXPORT void sluiceInit(void);
/// Ends it; launches still in flight are an error. (HPVM: cleanup)
SLUICE_EXPORT void sluiceCleanup(void);

/// Before sluiceInit, in programs in OpenMP: where SLUICE_WORKERS is not set,
/// OMP_NUM_THREADS says how many workers there are. Returns 1 unless the
/// environment says how long threads of OpenMP's library are to spin.
SLUICE_EXPORT int sluiceServeOpenMP(void);
/// Returns 1 if a team of that many threads may be replaced by all workers:
/// they are no more, or SLUICE_WORKERS says how many they are. There are none
/// before sluiceInit, after sluiceCleanup, in a forked process and in a node.
SLUICE_EXPORT int sluiceServesTeam(int numThreads);

/// Starts a graph and returns its handle. `arguments` is copied; for a
/// non-streaming launch with results it must stay valid until sluiceWait,
/// which writes the result fields. `layout` null: packed. Of launches in
/// flight, those that share a byte of tracked memory, one of them writing it,
/// run in the order in which they were launched; a pointer stands for as many
/// bytes as its size says. (HPVM: launch)
SLUICE_EXPORT void *sluiceLaunch(const SluicePlan *plan, void *arguments,
                                 const SluiceLayout *layout, int isStream);
/// The same for a root known by its address only: looked up in the registered
/// tables.
SLUICE_EXPORT void *sluiceLaunchRoot(const void *root, void *arguments,
                                     const SluiceLayout *layout, int isStream);
/// The same without a stream, for programs that do not say which memory their
/// graphs use (Hetero-C++): of such launches in flight, those that share a byte
/// of their arguments or a global of their leaves, one of them writing, run in
/// the order in which they were launched, whether or not it is tracked.
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
/// sluicePush blocks; 64 at first, at least 1.
SLUICE_EXPORT void sluiceSetStreamBound(void *graph, uint64_t bound);

/// Memory tracker. (HPVM: trackMemory, untrackMemory, requestMemory)
///@{
SLUICE_EXPORT void sluiceTrackMemory(void *pointer, size_t size);
SLUICE_EXPORT void sluiceUntrackMemory(void *pointer);
SLUICE_EXPORT void *sluiceRequestMemory(void *pointer, size_t size);
///@}
/// Untracks memory that is to be freed: what devices and other ranks have of it
/// is dropped, where sluiceUntrackMemory brings it back.
SLUICE_EXPORT void sluiceDropMemory(void *pointer);
/// As a request, for memory that need not be tracked: waits for ordered
/// launches that write it.
SLUICE_EXPORT void sluiceRequestAnyMemory(void *pointer, size_t size);

#ifndef SLUICE_HPVM_HPVM_H
/// The names under which programs written for HPVM call the tracker; hpvm.h
/// declares them as HPVM does, and a program may include both.
///@{
SLUICE_EXPORT void llvm_hpvm_track_mem(void *pointer, size_t size);
SLUICE_EXPORT void llvm_hpvm_untrack_mem(void *pointer);
SLUICE_EXPORT void *llvm_hpvm_request_mem(void *pointer, size_t size);
///@}

/// Memory of Hetero-C++ programs: allocated and tracked in one step, aligned
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

/// Where MPI has started several processes: runs what rank 0 launches, on all
/// others until that one ends, and does not return there. Returns at once on
/// rank 0, and in a process that runs alone. The first call of `main`.
SLUICE_EXPORT void sluiceServe(void);

/// Registers a table of plans; generated constructors call this.
SLUICE_EXPORT void sluiceRegisterPlans(const SluicePlanEntry *entries,
                                       uint64_t count);
/// Forgets a table, before the library that holds it is closed. Its plans must
/// not be in flight.
SLUICE_EXPORT void sluiceUnregisterPlans(const SluicePlanEntry *entries);
/// Memory that lives until the launch or stream item ends; aligned to 64.
SLUICE_EXPORT void *sluiceMalloc(const SluiceInvocation *invocation,
                                 int64_t size);
/// Memory of one work-group; the caller frees it with sluiceGroupFree.
SLUICE_EXPORT void *sluiceGroupMalloc(const SluiceInvocation *invocation,
                                      int64_t size);
/// Frees memory of sluiceGroupMalloc.
SLUICE_EXPORT void sluiceGroupFree(const SluiceInvocation *invocation,
                                   void *pointer);
/// Fails the launch with `message`, named after the node that runs; does not
/// return (throws through the kernel).
SLUICE_EXPORT void sluiceFail(const SluiceInvocation *invocation,
                              const char *message) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_RUNTIME_H
