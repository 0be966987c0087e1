// rounds.cpp - A loop with two ends, of which one says nothing for a limit of -1.
//
// usage: rounds LIMIT

#include <hetero.h>

#include <cstdio>
#include <cstdlib>

/// A row ends at a 0, and after `limit` elements; below 0 there is no limit.
static void copyRows(int *in, size_t inBytes, int *out, size_t outBytes,
                     long rows, long width, long limit) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < rows; ++i) {
    __hetero_parallel_loop(1, 5, in, inBytes, out, outBytes, rows, width, limit,
                           1, out, outBytes, "rows");
    for (long k = 0; k != limit; ++k) {
      if (in[i * width + k] == 0)
        break;
      out[i * width + k] = in[i * width + k] + 1;
    }
  }
  __hetero_section_end(section);
}

int main(int argc, char **argv) {
  const long rows = 64, width = 4096, limit = std::atol(argv[1]);
  const size_t bytes = rows * width * sizeof(int);
  int *in = static_cast<int *>(__hetero_malloc(bytes));
  int *out = static_cast<int *>(__hetero_malloc(bytes));
  for (long i = 0; i < rows * width; ++i) {
    in[i] = i % width == width - 1 ? 0 : int(i % 1000) + 1;
    out[i] = 0;
  }
  __hetero_wait(__hetero_launch((void *)copyRows, 5, in, bytes, out, bytes, rows,
                                width, limit, 1, out, bytes));
  __hetero_request_mem(out, bytes);
  long wrong = 0;
  for (long i = 0; i < rows * width; ++i) {
    const long k = i % width;
    const bool isEnded = k == width - 1 || (limit >= 0 && k >= limit);
    wrong += out[i] != (isEnded ? 0 : int(i % 1000) + 2);
  }
  std::printf("%ld wrong\n", wrong);
}
