// folds.cpp - Reductions and scans of nodes that ranks share, with other nodes
// before and behind them, and loops of launches.
//
// usage: folds N ROUNDS [fails]

#include "hpvm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

/// Strings of digits, of which no order but the right one gives the same hash.
struct Words {
  unsigned long Hash, Power;
};

static void noWords(void *Element) {
  *static_cast<Words *>(Element) = {0, 1};
}

static void append(void *Into, const void *From) {
  auto *Left = static_cast<Words *>(Into);
  auto *Right = static_cast<const Words *>(From);
  Left->Hash = Left->Hash * Right->Power + Right->Hash;
  Left->Power *= Right->Power;
}

/// Changes the data, and keeps a sum, an extreme, a histogram, words, and what
/// comes before each element. Returns what its last instance made.
static void fold(double *Data, size_t DataBytes, double *Sum, size_t SumBytes,
                 float *Most, size_t MostBytes, long *Bins, size_t BinsBytes,
                 Words *All, size_t AllBytes, float *Before,
                 size_t BeforeBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(6, Data, Sum, Most, Bins, All, Before, 6, Data, Sum, Most,
                     Bins, All, Before);
  sluice_reduce(Sum, SumBytes, SLUICE_SUM);
  sluice_reduce(Most, MostBytes, SLUICE_MAX);
  sluice_reduce(Bins, BinsBytes, SLUICE_SUM);
  sluice_reduce_with(All, AllBytes, sizeof(Words), noWords, append);
  sluice_scan_exclusive(Before, BeforeBytes, SLUICE_SUM);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  double Value = Data[I] * 1.25 + static_cast<double>(I % 7) * 0.1;
  Data[I] = Value > 1e6 ? Value * 1e-6 : Value;
  Sum[0] += Value;
  Most[0] = static_cast<float>(Value) > Most[0] ? static_cast<float>(Value)
                                                : Most[0];
  Bins[static_cast<unsigned long>(Value * 16) % 64] += I;
  Words Own = {static_cast<unsigned long>(Value * 1000) % 10, 31};
  append(All, &Own);
  Before[I] = static_cast<float>(Value) * 0.01f;
  __hpvm__return(2, SumBytes, Value);
}

/// Uses the sum at all elements.
static void scale(double *Data, size_t DataBytes, double *Sum, size_t SumBytes,
                  float *Before, size_t BeforeBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(3, Data, Sum, Before, 1, Data);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Data[I] = Data[I] / (1.0 + Sum[0] * 1e-9) + Before[I] * 1e-6;
}

/// Reduces in two dimensions, and writes nothing else.
static void both(double *Data, size_t DataBytes, double *Sums, size_t SumsBytes,
                 long Columns) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Data, Sums, 1, Sums);
  sluice_reduce(Sums, SumsBytes, SLUICE_SUM);
  void *Self = __hpvm__getNode();
  long X = __hpvm__getNodeInstanceID_x(Self);
  long Y = __hpvm__getNodeInstanceID_y(Self);
  Sums[X % 5] += Data[Y * Columns + X] * 0.125;
}

/// Reduces without any memory besides.
static void count(long *Total, size_t TotalBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Total, 1, Total);
  sluice_reduce(Total, TotalBytes, SLUICE_SUM);
  Total[0] += __hpvm__getNodeInstanceID_x(__hpvm__getNode()) % 11;
}

/// A scan of what stands there.
static void running(float *Before, size_t BeforeBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Before, 1, Before);
  sluice_scan(Before, BeforeBytes, SLUICE_SUM);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  if (I % 3 == 0)
    Before[I] *= 0.5f;
}

static void root(double *Data, size_t DataBytes, double *Sum, size_t SumBytes,
                 float *Most, size_t MostBytes, long *Bins, size_t BinsBytes,
                 Words *All, size_t AllBytes, float *Before, size_t BeforeBytes,
                 double *Sums, size_t SumsBytes, long *Total, size_t TotalBytes,
                 long N, long Columns, long Rows) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(8, Data, Sum, Most, Bins, All, Before, Sums, Total, 8,
                     Data, Sum, Most, Bins, All, Before, Sums, Total);
  void *Fold = __hpvm__createNodeND(1, fold, N);
  for (int I = 0; I < 12; ++I)
    __hpvm__bindIn(Fold, I, I, 0);
  void *Scale = __hpvm__createNodeND(1, scale, N);
  __hpvm__bindIn(Scale, 0, 0, 0);
  __hpvm__bindIn(Scale, 1, 1, 0);
  __hpvm__bindIn(Scale, 2, 2, 0);
  __hpvm__edge(Fold, Scale, 1, 0, 3, 0);
  __hpvm__bindIn(Scale, 10, 4, 0);
  __hpvm__bindIn(Scale, 11, 5, 0);
  __hpvm__bindOut(Fold, 1, 0, 0);
}

static void rootBoth(double *Data, size_t DataBytes, double *Sums,
                     size_t SumsBytes, long *Total, size_t TotalBytes,
                     float *Before, size_t BeforeBytes, long N, long Columns,
                     long Rows) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(4, Data, Sums, Total, Before, 3, Sums, Total, Before);
  void *Both = __hpvm__createNodeND(2, both, Columns, Rows);
  for (int I = 0; I < 4; ++I)
    __hpvm__bindIn(Both, I, I, 0);
  __hpvm__bindIn(Both, 9, 4, 0);
  void *Count = __hpvm__createNodeND(1, count, N);
  __hpvm__bindIn(Count, 4, 0, 0);
  __hpvm__bindIn(Count, 5, 1, 0);
  void *Running = __hpvm__createNodeND(1, running, N);
  __hpvm__bindIn(Running, 6, 0, 0);
  __hpvm__bindIn(Running, 7, 1, 0);
}

struct __attribute__((packed)) Arguments {
  double *Data;
  size_t DataBytes;
  double *Sum;
  size_t SumBytes;
  float *Most;
  size_t MostBytes;
  long *Bins;
  size_t BinsBytes;
  Words *All;
  size_t AllBytes;
  float *Before;
  size_t BeforeBytes;
  double *Sums;
  size_t SumsBytes;
  long *Total;
  size_t TotalBytes;
  long N, Columns, Rows;
  double Last;
};

struct __attribute__((packed)) BothArguments {
  double *Data;
  size_t DataBytes;
  double *Sums;
  size_t SumsBytes;
  long *Total;
  size_t TotalBytes;
  float *Before;
  size_t BeforeBytes;
  long N, Columns, Rows;
};

static unsigned long hashOf(const void *Memory, size_t Bytes) {
  auto *At = static_cast<const unsigned char *>(Memory);
  unsigned long Hash = 1469598103934665603ul;
  for (size_t I = 0; I < Bytes; ++I)
    Hash = (Hash ^ At[I]) * 1099511628211ul;
  return Hash;
}

int main(int Count, char **Given) {
  const long N = Count > 1 ? std::atol(Given[1]) : 1000;
  const int Rounds = Count > 2 ? std::atoi(Given[2]) : 2;
  // A size that is no whole number of elements fails on all ranks.
  const bool Fails = Count > 3;
  const long Columns = N > 40 ? 37 : 1, Rows = N / Columns;
  std::vector<double> Data(N), Sums(5);
  std::vector<float> Before(N);
  std::vector<long> Bins(64);
  double Sum = 0.5;
  float Most = -1;
  long Total = 3;
  Words All = {7, 1};
  for (long I = 0; I < N; ++I)
    Data[I] = static_cast<double>(I * I % 1009) * 0.37;
  __hpvm__init();
  struct {
    void *Memory;
    size_t Bytes;
  } Tracked[] = {{Data.data(), N * sizeof(double)},
                 {&Sum, sizeof Sum},
                 {&Most, sizeof Most},
                 {Bins.data(), 64 * sizeof(long)},
                 {&All, sizeof All},
                 {Before.data(), N * sizeof(float)},
                 {Sums.data(), 5 * sizeof(double)},
                 {&Total, sizeof Total}};
  for (auto &Each : Tracked)
    llvm_hpvm_track_mem(Each.Memory, Each.Bytes);
  for (int Round = 0; Round < Rounds; ++Round) {
    Arguments All1 = {Data.data(),
                      N * sizeof(double),
                      &Sum,
                      sizeof Sum,
                      &Most,
                      sizeof Most,
                      Bins.data(),
                      64 * sizeof(long) - (Fails ? 4 : 0),
                      &All,
                      sizeof All,
                      Before.data(),
                      N * sizeof(float),
                      Sums.data(),
                      5 * sizeof(double),
                      &Total,
                      sizeof Total,
                      N,
                      Columns,
                      Rows,
                      0};
    void *Graph = __hpvm__launch(0, (void *)root, &All1);
    __hpvm__wait(Graph);
    std::printf("last %.17g\n", All1.Last);
    BothArguments All2 = {Data.data(),     N * sizeof(double), Sums.data(),
                          5 * sizeof(double), &Total,        sizeof Total,
                          Before.data(),   N * sizeof(float),  N,
                          Columns,         Rows};
    Graph = __hpvm__launch(0, (void *)rootBoth, &All2);
    __hpvm__wait(Graph);
  }
  for (auto &Each : Tracked) {
    llvm_hpvm_request_mem(Each.Memory, Each.Bytes);
    std::printf("%lx\n", hashOf(Each.Memory, Each.Bytes));
    llvm_hpvm_untrack_mem(Each.Memory);
  }
  std::printf("sum %.17g most %.9g words %lx total %ld\n", Sum, Most, All.Hash,
              Total);
  __hpvm__cleanup();
}
