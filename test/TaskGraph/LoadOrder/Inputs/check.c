// 0 if the values grow.
#include <stdint.h>

int check(const int32_t *buffer, const int32_t *data, int offset, int n,
          int s) {
  for (int i = 1; i < n; ++i)
    if (data[i * s] <= data[(i - 1) * s])
      return i;
  return 0;
}
