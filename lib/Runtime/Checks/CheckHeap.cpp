//===- CheckHeap.cpp - Reports new memory of a checked program ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that one instance frees may be allocated by another one: the same
// bytes, but no race. So checked programs are linked with this archive. Its
// functions replace those of the C library, also for the program's libraries
// (the C++ library with its containers and exceptions): they do the same and
// notify the checker. They are weak, so a program's own definitions take
// precedence.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/Check.h"

#include <bit>
#include <cerrno>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLUICE_HEAP [[gnu::weak, gnu::visibility("default")]]

extern "C" {

// The C library's own names of its functions.
void *__libc_malloc(size_t size);
void __libc_free(void *pointer);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/// Referenced on the linker's command line, so that it takes this file.
extern const char sluiceCheckHeap;
const char sluiceCheckHeap = 0;

static void *announce(void *pointer) {
  if (pointer)
    sluiceCheckNewMemory(pointer, malloc_usable_size(pointer));
  return pointer;
}

SLUICE_HEAP void *malloc(size_t size) { return announce(__libc_malloc(size)); }

SLUICE_HEAP void free(void *pointer) { __libc_free(pointer); }

SLUICE_HEAP void *calloc(size_t count, size_t size) {
  return announce(__libc_calloc(count, size));
}

SLUICE_HEAP void *realloc(void *pointer, size_t size) {
  size_t before = pointer ? malloc_usable_size(pointer) : 0;
  void *moved = __libc_realloc(pointer, size);
  if (moved != pointer)
    return announce(moved);
  size_t after = moved ? malloc_usable_size(moved) : 0;
  if (after > before)
    sluiceCheckNewMemory(static_cast<char *>(moved) + before, after - before);
  return moved;
}

SLUICE_HEAP void *reallocarray(void *pointer, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(pointer, bytes);
}

SLUICE_HEAP void *memalign(size_t alignment, size_t size) {
  return announce(__libc_memalign(alignment, size));
}

SLUICE_HEAP void *aligned_alloc(size_t alignment, size_t size) {
  return announce(__libc_memalign(alignment, size));
}

SLUICE_HEAP int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || !std::has_single_bit(alignment))
    return EINVAL;
  int before = errno;
  void *pointer = announce(__libc_memalign(alignment, size));
  errno = before; // The result is the error; errno stays unchanged.
  if (!pointer)
    return ENOMEM;
  *result = pointer;
  return 0;
}

SLUICE_HEAP void *valloc(size_t size) {
  return announce(__libc_memalign(sysconf(_SC_PAGESIZE), size));
}

SLUICE_HEAP void *mmap(void *wanted, size_t size, int protection, int flags,
                       int file, off_t offset) {
  auto result = reinterpret_cast<void *>(
      syscall(SYS_mmap, wanted, size, protection, flags, file, offset));
  if (result != MAP_FAILED)
    sluiceCheckNewMemory(result, size);
  return result;
}

SLUICE_HEAP void *mmap64(void *wanted, size_t size, int protection, int flags,
                         int file, off64_t offset) {
  return mmap(wanted, size, protection, flags, file, offset);
}

} // extern "C"
