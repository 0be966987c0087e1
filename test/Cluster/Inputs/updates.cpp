// Nodes that write the same value everywhere, or in some instance only, or that
// update memory of all instances.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hetero.h>

// What `body` says of each instance i of n, with arrays a and b.
#define NODE(name, body)                                                       \
  static void name(double *a, size_t aBytes, double *b, size_t bBytes, int *h, \
                   size_t hBytes, long n) {                                    \
    void *section = __hetero_section_begin();                                  \
    for (long i = 0; i < n; ++i) {                                             \
      __hetero_parallel_loop(1, 4, a, aBytes, b, bBytes, h, hBytes, n, 3, a,   \
                             aBytes, b, bBytes, h, hBytes, #name);             \
      body                                                                     \
    }                                                                          \
    __hetero_section_end(section);                                             \
  }

NODE(zero, a[i] = 0;)
NODE(same, b[i] = 2.5;)
NODE(reversed, a[n - 1 - i] = (double)((i * 7) % 64);)
NODE(first, b[i] += a[i]; if (i == 0) h[17] = 3;)
NODE(last, int k = (int)i; b[i] *= 1.5; if (k == (int)n - 1) h[18] = k;)
NODE(early, if (i < 3) h[20 + i] = (int)i + 100;)
NODE(inside, if (i > 0 && i < n - 1) b[i] = a[i - 1] + a[i + 1];)
NODE(histogram, __hpvm__atomic_add(&h[(int)a[i] & 15], 1);)
NODE(fewer, __hpvm__atomic_sub(&h[(int)a[i] & 15], 2);)
NODE(most, __hpvm__atomic_max(&h[(int)a[i] & 15], (int)i - 40);)
NODE(least, __hpvm__atomic_min(&h[(int)a[i] & 15], 50 - (int)i);)
NODE(bits, __hpvm__atomic_or(&h[3], 1 << ((int)a[i] & 15));)
NODE(masks, __hpvm__atomic_and(&h[4], ~(1 << ((int)a[i] & 7)));)
NODE(parity, __hpvm__atomic_xor(&h[5], (int)i);)
// These write to places that follow from data: each instance to its own. (They
// are known to share no bytes; the check of races cannot know.)
NODE(moved, long k = (i + (long)a[0]) % n;
     sluice_assume_disjoint(&b[k], 8, &b[k], 8); b[k] += 1;)
NODE(scattered, if (i < 4) {
  int *own = h + 8 * i;
  sluice_assume_disjoint(own, 32, own, 32);
  for (long k = n * i / 4; k < n * (i + 1) / 4; ++k)
    own[(int)a[k] & 7] += (int)k;
})
// Two instances of different ranks write the same byte.
NODE(racy, long k = (long)a[i] / 64 + 3;
     sluice_assume_disjoint(&b[k], 8, &b[k], 8); b[k] = (double)i;)
// These stay on rank 0, the first one for its few instances.
NODE(sparse, __hpvm__atomic_add(&h[((int)a[i] + i * 511) & 0x7ffff], 1);)
NODE(numbered, if (__hpvm__atomic_add(&h[6], 1) == 1 << 30) b[i] = 1;)
NODE(looks, __hpvm__atomic_add(&h[7], h[0] & 1);)

int main(int argc, char **argv) {
  const long n = std::atol(argv[argc - 1]);
  const size_t bytes = size_t(n) * sizeof(double), hBytes = 32 * sizeof(int);
  auto *a = static_cast<double *>(__hetero_malloc(bytes));
  auto *b = static_cast<double *>(__hetero_malloc(bytes));
  auto *h = static_cast<int *>(__hetero_malloc(hBytes));
  for (int i = 0; i < 32; ++i)
    h[i] = i * 1000 - 7000;
#define RUN(node)                                                              \
  __hetero_wait(__hetero_launch((void *)node, 4, a, bytes, b, bytes, h,        \
                                hBytes, n, 3, a, bytes, b, bytes, h, hBytes))
  RUN(zero);
  RUN(same);
  RUN(first);
  RUN(last);
  RUN(reversed);
  RUN(inside);
  RUN(early);
  RUN(histogram);
  RUN(fewer);
  RUN(most);
  RUN(least);
  RUN(bits);
  RUN(masks);
  RUN(parity);
  RUN(histogram);
  RUN(numbered);
  RUN(looks);
  RUN(moved);
  RUN(scattered);
  if (argc > 2 && !std::strcmp(argv[1], "races"))
    RUN(racy);
  constexpr int numCounts = 1 << 19;
  auto *counts = static_cast<int *>(__hetero_malloc(numCounts * sizeof(int)));
  std::memset(counts, 0, numCounts * sizeof(int));
  __hetero_wait(__hetero_launch((void *)sparse, 4, a, bytes, b, bytes, counts,
                                numCounts * sizeof(int), n, 3, a, bytes, b,
                                bytes, counts, numCounts * sizeof(int)));
  __hetero_request_mem(counts, numCounts * sizeof(int));
  __hetero_request_mem(a, bytes);
  __hetero_request_mem(b, bytes);
  __hetero_request_mem(h, hBytes);
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes; ++i)
    sum = sum * 131 + reinterpret_cast<unsigned char *>(a)[i] +
          reinterpret_cast<unsigned char *>(b)[i] * 7u;
  for (int i = 0; i < numCounts; ++i)
    sum = sum * 131 + unsigned(counts[i]);
  std::printf("%016lx", (unsigned long)sum);
  for (int i = 0; i < 32; ++i)
    std::printf(" %d", h[i]);
  std::puts("");
  return 0;
}
