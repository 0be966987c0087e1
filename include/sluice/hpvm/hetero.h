/*===- hetero.h - Hetero-C++ for Sluice ------------------------------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Everything a Hetero-C++ program calls, for C99 and later and C++11 and
 * later. `sluice` finds this file by itself: `#include <hetero.h>` is enough,
 * and so is `#include "heterocc.h"`, the name programs written for HPVM 2.0
 * use. docs/hetero.md explains every call.
 *
 * The calls mark parts of ordinary code: without them, the program is the same
 * program run sequentially. -DHETERO_SEQUENTIAL has `sluice` take it so.
 *
 * A list of inputs or outputs starts with its length. A buffer is a pointer
 * and its size in bytes and counts once; everything else is a scalar.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SLUICE_HPVM_HETERO_H
#define SLUICE_HPVM_HETERO_H

#include "hpvm.h"

#if SLUICE_HPVM_VERSION == 50
#error "Hetero-C++ came with HPVM 2.0; compile without --hpvm-version=0.5"
#endif

/* Where a node may run: the targets of hpvm.h, and one more. Integers as such
 * are those of HPVM 2.0: 0 none, 1 CPU, 2 GPU, 3 CUDNN, 4 TENSOR,
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

/* __hetero_launch(root, ni, in..., no, out...): starts the graph that is the
 * body of function `root`, which takes the inputs as its parameters in their
 * order. Returns a handle. */
void *__hetero_launch(void *root, ...) SLUICE_HPVM_NOEXCEPT;
/* Blocks until the graph has ended; its outputs are there then. */
void __hetero_wait(void *graph) SLUICE_HPVM_NOEXCEPT;

/* The same for a graph that stands where it is launched:
 * __hetero_launch_begin(ni, in..., no, out...). The end waits for it. */
/*@{*/
void *__hetero_launch_begin(unsigned inputs, ...) SLUICE_HPVM_NOEXCEPT;
void __hetero_launch_end(void *graph) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/*===----------------------------------------------------------------------===
 * Graphs
 *===----------------------------------------------------------------------===*/

/* A graph: the tasks and parallel loops between the two are its nodes. */
/*@{*/
void *__hetero_section_begin(SLUICE_HPVM_NO_ARGUMENTS) SLUICE_HPVM_NOEXCEPT;
void __hetero_section_end(void *section) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* __hetero_task_begin(ni, in..., no, out...[, name]): a node, which is a leaf
 * or, with a section in it, a graph. It waits for the tasks before it whose
 * lists say so. */
/*@{*/
void *__hetero_task_begin(unsigned inputs, ...) SLUICE_HPVM_NOEXCEPT;
void __hetero_task_end(void *task) SLUICE_HPVM_NOEXCEPT;
/*@}*/

/* __hetero_parallel_loop(loops, ni, in..., no, out...[, name]): first in the
 * body of a loop, it makes one node of that loop and those directly around
 * it, 1 to 3 in all, whose turns run in any order and at once. */
void __hetero_parallel_loop(unsigned loops, ...) SLUICE_HPVM_NOEXCEPT;

/* __hetero_priv(n, variable...): every instance of the node around it has its
 * own of these variables of the code around the node. */
void __hetero_priv(unsigned count, ...) SLUICE_HPVM_NOEXCEPT;
/* Where the node or section around it may run. */
void __hetero_hint(int target) SLUICE_HPVM_NOEXCEPT;
/* Sluice's own, in the body of a parallel loop: turns run one after another
 * along the loops that SLUICE_X (the innermost), SLUICE_Y and SLUICE_Z name, as
 * sluice_ordered says of the instances of a node. */
void sluice_ordered_turns(unsigned loops) SLUICE_HPVM_NOEXCEPT;
/* States that a loop has at least one turn. */
void __hetero_isNonZeroLoop(long variable, ...) SLUICE_HPVM_NOEXCEPT;

/*===----------------------------------------------------------------------===
 * Memory
 *===----------------------------------------------------------------------===*/

/* Memory that is tracked from the start, and its end. */
/*@{*/
void *__hetero_malloc(size_t size) SLUICE_HPVM_NOEXCEPT;
void __hetero_free(void *memory) SLUICE_HPVM_NOEXCEPT;
/*@}*/
/* Copies `size` bytes; the two may not overlap. */
void __hetero_copy_mem(void *to, void *from, size_t size) SLUICE_HPVM_NOEXCEPT;
/* Makes the host's copy valid. */
void __hetero_request_mem(void *memory, size_t size) SLUICE_HPVM_NOEXCEPT;

/*===----------------------------------------------------------------------===
 * Older spellings of the same
 *===----------------------------------------------------------------------===*/

/* As the functions above whose names have `hetero` instead. */
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
