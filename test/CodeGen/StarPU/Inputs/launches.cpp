#include "launches.rdir.h"

#include <cstdio>

void start(const SluiceTask *, int64_t *x, const SluiceDomain *part,
           int32_t (*v)[3], const SluiceDomain *) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i) {
    x[i] = i * i;
    for (int k = 0; k < 3; ++k)
      v[i][k] = int32_t(i + k);
  }
}
int64_t following(const SluiceTask *task) {
  return (task->point[0] + 1) % task->extent[0];
}
static int64_t sum(const int64_t *x, const SluiceDomain *part) {
  int64_t total = 0;
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    total += x[i];
  return total;
}
void shift(const SluiceTask *, const int64_t *from, const SluiceDomain *there,
           int64_t *x, const SluiceDomain *part) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    x[i] += sum(from, there) + i;
}
void turn(const SluiceTask *task, const int64_t *from,
          const SluiceDomain *there, int64_t *x, const SluiceDomain *part) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    x[i] = x[i] * 3 + sum(from, there) + task->point[0];
}
void negate(const SluiceTask *, int64_t *x, const SluiceDomain *part) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    x[i] = -x[i];
}
void print(const SluiceTask *, const int64_t *ax, const SluiceDomain *a,
           const int64_t *bx, const SluiceDomain *b, const int32_t (*bv)[3],
           const SluiceDomain *, int64_t again) {
  int64_t arrays = 0;
  for (int64_t i = 0; i < b->upper[0]; ++i)
    arrays = (arrays * 31 + bv[i][0] + 2 * bv[i][1] + 3 * bv[i][2]) % 65521;
  std::printf("sums %lld %lld arrays %lld again %lld\n", (long long)sum(ax, a),
              (long long)sum(bx, b), (long long)arrays, (long long)again);
}
