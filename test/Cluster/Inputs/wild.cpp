// wild.cpp - A node that ranks share, whose last instance reads where there is
// no memory; or a program that ends without cleanup.
//
// usage: wild read|leave

#include "hpvm.h"

#include <cstdio>
#include <cstring>
#include <vector>

/// Follows an index that it reads.
static void look(long *Data, size_t DataBytes, long *Where, size_t WhereBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Data, Where, 1, Data);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Data[I] = Where[Where[I]];
}

static void root(long *Data, size_t DataBytes, long *Where, size_t WhereBytes,
                 long N) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Data, Where, 1, Data);
  void *Look = __hpvm__createNodeND(1, look, N);
  for (int I = 0; I < 4; ++I)
    __hpvm__bindIn(Look, I, I, 0);
}

struct __attribute__((packed)) Arguments {
  long *Data;
  size_t DataBytes;
  long *Where;
  size_t WhereBytes;
  long N;
};

int main(int Count, char **Words) {
  constexpr long N = 64;
  std::vector<long> Data(N), Where(N);
  for (long I = 0; I < N; ++I)
    Where[I] = N - 1 - I;
  if (Count > 1 && std::strcmp(Words[1], "read") == 0)
    Where[N - 1] = 1l << 40;
  __hpvm__init();
  llvm_hpvm_track_mem(Data.data(), N * sizeof(long));
  llvm_hpvm_track_mem(Where.data(), N * sizeof(long));
  Arguments All = {Data.data(), N * sizeof(long), Where.data(),
                   N * sizeof(long), N};
  __hpvm__wait(__hpvm__launch(0, (void *)root, &All));
  llvm_hpvm_request_mem(Data.data(), N * sizeof(long));
  std::printf("%ld\n", Data[5]);
  std::fflush(stdout);
  llvm_hpvm_untrack_mem(Data.data());
  llvm_hpvm_untrack_mem(Where.data());
  if (Count > 1 && std::strcmp(Words[1], "leave") == 0)
    return 0; // without cleanup
  __hpvm__cleanup();
}
