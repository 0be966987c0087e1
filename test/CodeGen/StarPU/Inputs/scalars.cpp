#include "scalars.rdir.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

void start(const SluiceTask *task, int64_t *value, double *weight,
           const SluiceDomain *part, double scale, int64_t first) {
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i) {
    value[i] = i;
    weight[i] = scale * double(i);
  }
  if (task->point[0] == 0)
    value[0] = first - 3;
}
int64_t sumOf(const SluiceTask *, const int64_t *value, const double *,
              const SluiceDomain *part) {
  int64_t sum = 0;
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    sum += value[i];
  return sum;
}
int32_t leastOf(const SluiceTask *, const int64_t *value, const double *,
                const SluiceDomain *part) {
  return int32_t(value[part->lower[0]]) + 3;
}
int64_t firstOf(const SluiceTask *task, const int64_t *, const double *,
                const SluiceDomain *) {
  return task->point[0] + 3;
}
int16_t bitsOf(const SluiceTask *task, const int64_t *, const double *,
               const SluiceDomain *) {
  return int16_t(1 << task->point[0]);
}
double nearOf(const SluiceTask *, const int64_t *, const double *weight,
              const SluiceDomain *part) {
  double best = 1e30;
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    if (std::fabs(weight[i] - 0.6) < std::fabs(best - 0.6))
      best = weight[i];
  return best;
}
void closer(double *into, const double *value) {
  if (std::fabs(*value - 0.6) < std::fabs(*into - 0.6))
    *into = *value;
}
double weightOf(const SluiceTask *, const int64_t *, const double *weight,
                const SluiceDomain *part) {
  double sum = 0;
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    sum += weight[i];
  return sum;
}
int64_t twiceOf(const SluiceTask *, int64_t total) { return 2 * total; }
int64_t addTo(const SluiceTask *, int64_t most, int64_t more) {
  return most + more;
}
void print(const SluiceTask *, int64_t total, int32_t least, int64_t most,
           int16_t bits, double near, double weight, int64_t twice) {
  std::printf("total %lld least %d most %lld or %d\n", (long long)total, least,
              (long long)most, bits);
  std::printf("near %.17g weight %.17g twice %lld\n", near, weight,
              (long long)twice);
}
