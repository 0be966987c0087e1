/*===- hetero.h - Hetero-C++ for Sluice ------------------------------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Everything a Hetero-C++ program calls, for C99 and later and C++11 and
 * later. `sluice` finds this file by itself: `#include <hetero.h>` is enough.
 * Programs written for HPVM 2.0 use the name `#include "heterocc.h"`.
 * docs/hetero.md explains every call.
 *
 * The calls mark parts of ordinary code: without them, the program is the same
 * program run sequentially. With -DHETERO_SEQUENTIAL, `sluice` ignores them.
 *
 * A list of inputs or outputs starts with its length. A buffer is a pointer
 * and its size in bytes, and counts once; everything else is a scalar.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SLUICE_HPVM_HETERO_H
#define SLUICE_HPVM_HETERO_H

#include "hpvm.h"

#if SLUICE_HPVM_VERSION == 50
#error "Hetero-C++ came with HPVM 2.0; compile without --hpvm-version=0.5"
#endif

/* Where a node may run: the targets of hpvm.h, and one more. Plain integers
 * mean the targets of HPVM 2.0: 0 none, 1 CPU, 2 GPU, 3 CUDNN, 4 TENSOR,
 * 5 CPU_OR_GPU, 6 CPU_OR_SPIR, 7 FPGA. */
enum { FPGA_TARGET = 7 };
#ifdef __cplusplus
using hpvm::CPU_OR_GPU_TARGET;
using hpvm::CPU_OR_SPIR_TARGET;
using hpvm::CPU_TARGET;
using hpvm::CUDNN_TARGET;
using hpvm::GPU_TARGET;
using hpvm::TENSOR_TARGET;
namespace hetero {
using ::FPGA_TARGET;
using hpvm::CPU_OR_GPU_TARGET;
using hpvm::CPU_OR_SPIR_TARGET;
using hpvm::CPU_TARGET;
using hpvm::CUDNN_TARGET;
using hpvm::GPU_TARGET;
using hpvm::None;
using hpvm::Target;
using hpvm::TENSOR_TARGET;
} /* namespace hetero */
extern "C" {
#endif

/*===----------------------------------------------------------------------===
 * Launches
 *===----------------------------------------------------------------------===*/

/* __hetero_launch(root, ni, in..., no, out...): starts the graph in the body of
 * function `root`. The inputs are the parameters of `root`, in order. Returns a
 * handle. */
void *__hetero_launch(void *root, ...) SLUICE_HPVM_NOEXCEPT;
/* Blocks until the graph has ended; then its outputs are available. */
void __hetero_wait(void *graph) SLUICE_HPVM_NOEXCEPT;

/* The same for a graph that is defined at the place of its launch:
 * __hetero_launch_begin(ni, in..., no, out...). The end call waits for it. */
/*@{*/
void *__hetero_launch_begin(unsigned inputs, ...) SLUICE_HPVM_NOEXCEPT;
void __hetero_launch_end(void *graph) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/*===----------------------------------------------------------------------===
 * Graphs
 *===----------------------------------------------------------------------===*/

/* A graph: its nodes are the tasks and parallel loops between the two calls. */
/*@{*/
void *__hetero_section_begin(SLUICE_HPVM_NO_ARGUMENTS) SLUICE_HPVM_NOEXCEPT;
void __hetero_section_end(void *section) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* __hetero_task_begin(ni, in..., no, out...[, name]): a node, which is a leaf
 * or, if it contains a section, a graph. Its lists and those of earlier tasks
 * determine for which of them it waits. */
/*@{*/
void *__hetero_task_begin(unsigned inputs, ...) SLUICE_HPVM_NOEXCEPT;
void __hetero_task_end(void *task) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* __hetero_parallel_loop(loops, ni, in..., no, out...[, name]): the first call
 * in the body of a loop. It makes one node of that loop and the loops directly
 * around it, 1 to 3 in total. Their iterations run in any order and at the same
 * time. */
void __hetero_parallel_loop(unsigned loops, ...) SLUICE_HPVM_NOEXCEPT;

/* __hetero_priv(n, variable...): every instance of the enclosing node has its
 * own copy of these variables, which are declared outside of the node. */
void __hetero_priv(unsigned count, ...) SLUICE_HPVM_NOEXCEPT;
/* Where the enclosing node or section may run. */
void __hetero_hint(int target) SLUICE_HPVM_NOEXCEPT;
/* Sluice's own, in the body of a parallel loop: iterations run one after
 * another along the loops that SLUICE_X (the innermost), SLUICE_Y and SLUICE_Z
 * name. See sluice_ordered for the order. */
void sluice_ordered_turns(unsigned loops) SLUICE_HPVM_NOEXCEPT;
/* States that a loop has at least one iteration. */
void __hetero_isNonZeroLoop(long variable, ...) SLUICE_HPVM_NOEXCEPT;

/*===----------------------------------------------------------------------===
 * Memory
 *===----------------------------------------------------------------------===*/

/* Allocates tracked memory, and frees it. */
/*@{*/
void *__hetero_malloc(size_t size) SLUICE_HPVM_NOEXCEPT;
void __hetero_free(void *memory) SLUICE_HPVM_NOEXCEPT;
/*@}*/
/* Copies `size` bytes; the two blocks must not overlap. */
void __hetero_copy_mem(void *to, void *from, size_t size) SLUICE_HPVM_NOEXCEPT;
/* Makes the host's copy valid. */
void __hetero_request_mem(void *memory, size_t size) SLUICE_HPVM_NOEXCEPT;

/*===----------------------------------------------------------------------===
 * Older spellings of the same
 *===----------------------------------------------------------------------===*/

/* The functions above with `hpvm` instead of `hetero` in their names. */
/*@{*/
void *__hpvm_launch(void *root, ...) SLUICE_HPVM_NOEXCEPT;
void __hpvm_wait(void *graph) SLUICE_HPVM_NOEXCEPT;
void *__hpvm_launch_begin(unsigned inputs, ...) SLUICE_HPVM_NOEXCEPT;
void __hpvm_launch_end(void *graph) SLUICE_HPVM_NOEXCEPT;
void *__hpvm_parallel_section_begin(SLUICE_HPVM_NO_ARGUMENTS)
    SLUICE_HPVM_NOEXCEPT;
void __hpvm_parallel_section_end(void *section) SLUICE_HPVM_NOEXCEPT;
void *__hpvm_task_begin(unsigned inputs, ...) SLUICE_HPVM_NOEXCEPT;
void __hpvm_task_end(void *task) SLUICE_HPVM_NOEXCEPT;
void __hpvm_parallel_loop(unsigned loops, ...) SLUICE_HPVM_NOEXCEPT;
void __hpvm_priv(unsigned count, ...) SLUICE_HPVM_NOEXCEPT;
void __hpvm__isNonZeroLoop(long variable, ...) SLUICE_HPVM_NOEXCEPT;
/*@}*/

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SLUICE_HPVM_HETERO_H */
