//===- Base.c - Errors and memory -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that every other part of a generated program calls.
//
//===----------------------------------------------------------------------===//

static _Noreturn void sluiceDie(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

static void sluiceDie(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fprintf(stderr, "%s: error: ", sluiceProgramName);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

/* Zeroed memory for `count` things of `size` bytes, called `name` in errors;
   large pieces lie on huge pages. */
static void *sluiceAllocate(const char *name, int64_t count, size_t size) {
  const size_t page = (size_t)1 << 21;
  size_t bytes;
  void *memory;
  if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) ||
      bytes > (size_t)1 << 62)
    sluiceDie("'%s' has %" PRId64 " elements of %zu bytes, more than can be "
              "addressed",
              name, count, size);
  if (bytes < page) {
    memory = calloc(bytes ? bytes : 1, 1);
  } else {
    bytes = (bytes + page - 1) / page * page;
    memory = aligned_alloc(page, bytes);
    if (memory) {
      madvise(memory, bytes, MADV_HUGEPAGE);
      memset(memory, 0, bytes);
    }
  }
  if (!memory)
    sluiceDie("no memory for '%s': %" PRId64 " elements of %zu bytes", name,
              count, size);
  return memory;
}

/* Room for one more in an array that grows by doubling. */
static void *sluiceGrow(void *array, int64_t used, int64_t *capacity,
                        size_t size) {
  if (used < *capacity)
    return array;
  *capacity = *capacity ? 2 * *capacity : 8;
  array = realloc(array, (size_t)*capacity * size);
  if (!array)
    sluiceDie("no memory for a list of %" PRId64 " entries", *capacity);
  return array;
}
