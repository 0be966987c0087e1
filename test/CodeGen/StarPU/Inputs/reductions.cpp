#include "reductions.rdir.h"

#include <cstdio>

void start(const SluiceTask *, int64_t *value, int64_t *near,
           const SluiceDomain *part, int64_t n) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i) {
    value[i] = i * 7919 % 1000;
    near[i] = (i + i % 5 * 3) % n;
  }
}
void startNodes(const SluiceTask *, double *charge, int64_t (*pair)[2],
                const SluiceDomain *nodes) {
  for (int64_t i = 0; i < nodes->upper[0]; ++i) {
    charge[i] = 0.25;
    pair[i][0] = i;
    pair[i][1] = -i;
  }
}
void histogram(const SluiceTask *, const int64_t *value, const int64_t *,
               const SluiceDomain *part, int64_t *count,
               const SluiceDomain *) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    ++count[value[i] % 16];
}
void weigh(const SluiceTask *, const int64_t *value, const int64_t *,
           const SluiceDomain *part, double *sum, const SluiceDomain *) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    sum[value[i] % 16] += 1.0 / double(value[i] + 1);
}
void distribute(const SluiceTask *, const int64_t *value, const int64_t *,
                const SluiceDomain *part, double *charge,
                const SluiceDomain *) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    charge[i] += double(value[i]) / 3;
}
void spread(const SluiceTask *, const int64_t *value, const int64_t *near,
            const SluiceDomain *part, double *charge, const SluiceDomain *) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    charge[near[i]] += double(value[i]) / 7;
}
void mix(int64_t *into, const int64_t *value) { *into ^= *value; }
void stir(const SluiceTask *, const int64_t *value, const int64_t *near,
          const SluiceDomain *part, int64_t (*pair)[2], const SluiceDomain *) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i) {
    pair[near[i]][0] ^= value[i] << 8;
    pair[near[i]][1] ^= i;
  }
}
void printBins(const SluiceTask *, const int64_t *count, const double *sum,
               const SluiceDomain *) {
  std::printf("bins");
  for (int i = 0; i < 16; ++i)
    std::printf(" %lld %.17g", (long long)count[i], sum[i]);
  std::printf("\n");
}
void printNodes(const SluiceTask *, const double *charge,
                const int64_t (*pair)[2], const SluiceDomain *nodes) {
  double sum = 0;
  int64_t hash = 0;
  for (int64_t i = 0; i < nodes->upper[0]; ++i) {
    sum += charge[i] * double(i % 13);
    hash = (hash * 31 + pair[i][0] * 5 + pair[i][1]) % 1000000007;
  }
  std::printf("charge %.17g pairs %lld\n", sum, (long long)hash);
}
