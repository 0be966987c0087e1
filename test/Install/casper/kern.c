#include "power.h"

void square(double *M_buf, double *M, int offset, int n, int m, int s_n,
            int s_m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      M[i * s_n + j * s_m] = POWER(M[i * s_n + j * s_m]);
}
