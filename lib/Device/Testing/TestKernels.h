//===- TestKernels.h - Macros for test kernels ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain C with address spaces, so that one source can be compiled to SPIR-V and
// PTX without any vendor's headers.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_TESTING_TESTKERNELS_H
#define SLUICE_LIB_DEVICE_TESTING_TESTKERNELS_H

typedef unsigned long u64;
typedef unsigned int u32;

#define GLOBAL __attribute__((address_space(1)))
#define LOCAL __attribute__((address_space(3)))
#define KERNEL __attribute__((device_kernel))

#ifdef __NVPTX__

static inline u64 group(int d) {
  return d == 0   ? __nvvm_read_ptx_sreg_ctaid_x()
         : d == 1 ? __nvvm_read_ptx_sreg_ctaid_y()
                  : __nvvm_read_ptx_sreg_ctaid_z();
}
static inline u64 item(int d) {
  return d == 0   ? __nvvm_read_ptx_sreg_tid_x()
         : d == 1 ? __nvvm_read_ptx_sreg_tid_y()
                  : __nvvm_read_ptx_sreg_tid_z();
}
static inline u64 items(int d) {
  return d == 0   ? __nvvm_read_ptx_sreg_ntid_x()
         : d == 1 ? __nvvm_read_ptx_sreg_ntid_y()
                  : __nvvm_read_ptx_sreg_ntid_z();
}
#define barrier() __syncthreads()

// Memory of groups: its offset in the single array of a launch.
extern LOCAL __attribute__((aligned(16))) char sharedMemory[];
#define LOCAL_PARAMETER(type, name) u64 name##Offset
#define LOCAL_START(type, name)                                                \
  LOCAL type *name = (LOCAL type *)(sharedMemory + name##Offset)

#else

u64 group(u32 d) __asm__("_Z12get_group_idj");
u64 item(u32 d) __asm__("_Z12get_local_idj");
u64 items(u32 d) __asm__("_Z14get_local_sizej");
void openclBarrier(u32 fences) __asm__("_Z7barrierj")
    __attribute__((convergent));
// CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE
#define barrier() openclBarrier(3)

#define LOCAL_PARAMETER(type, name) LOCAL type *name
#define LOCAL_START(type, name) (void)name

#endif

#endif // SLUICE_LIB_DEVICE_TESTING_TESTKERNELS_H
