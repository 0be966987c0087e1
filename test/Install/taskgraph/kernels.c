#include "factor.h"

#include <math.h>

void scale(double *buffer, double *data, int offset, int n, int m, int s_n,
           int s_m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      data[i * s_n + j * s_m] = FACTOR * fabs(data[i * s_n + j * s_m]);
}
