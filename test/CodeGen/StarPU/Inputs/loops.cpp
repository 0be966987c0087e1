#include "loops.rdir.h"

#include <cstdio>

void start(const SluiceTask *, int64_t *now, int64_t *next,
           const SluiceDomain *part) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i) {
    now[i] = i;
    next[i] = -1;
  }
}
void step(const SluiceTask *, const int64_t *now, const SluiceDomain *,
          int64_t *next, const SluiceDomain *part, int64_t n) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i) {
    int64_t left = i > 0 ? now[i - 1] : 1, right = i < n - 1 ? now[i + 1] : 2;
    next[i] = (now[i] * 5 + left * 3 + right) % 1000003;
  }
}
static int64_t hash(const int64_t *x, const SluiceDomain *ring) {
  int64_t result = 0;
  for (int64_t i = 0; i < ring->upper[0]; ++i)
    result = (result * 31 + x[i]) % 1000000007;
  return result;
}
int64_t count(const SluiceTask *, const int64_t *now, const int64_t *,
              const SluiceDomain *ring, int64_t rounds) {
  std::printf("round %lld %lld\n", (long long)rounds,
              (long long)hash(now, ring));
  return rounds + 1;
}
int32_t decide(const SluiceTask *, int64_t rounds) { return rounds < 7; }
void bump(const SluiceTask *, int64_t *x, const SluiceDomain *part) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    x[i] += i;
}
void print(const SluiceTask *, const int64_t *now, const int64_t *next,
           const SluiceDomain *ring, int32_t going, int64_t rounds) {
  std::printf("going %d rounds %lld ring %lld %lld\n", going,
              (long long)rounds, (long long)hash(now, ring),
              (long long)hash(next, ring));
}
