// A graph fills a table, and another one goes where the table says.
#include <hpvm.h>
#include <stdio.h>
void fill(int *table, size_t tableBytes, long twice) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(0, 1, table);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  table[x] = (int)(x == 5 && twice ? 3 : 7 - x);
}
void fillRoot(int *table, size_t tableBytes, long twice) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, table);
  void *node = __hpvm__createNodeND(1, fill, 8L);
  for (int i = 0; i < 3; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
void work(int *out, size_t outBytes, int *table, size_t tableBytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(1, table, 1, out);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  out[table[x]] = (int)(7 - x);
}
void root(int *out, size_t outBytes, int *table, size_t tableBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, table, 1, out);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
int main(int argc, char **argv) {
  static int out[8], table[8];
  struct __attribute__((packed)) {
    int *out;
    size_t outBytes;
    int *table;
    size_t tableBytes;
    long n;
  } args = {out, sizeof out, table, sizeof table, 8};
  struct __attribute__((packed)) {
    int *table;
    size_t tableBytes;
    long twice;
  } first = {table, sizeof table, argc > 1};
  __hpvm__init();
  llvm_hpvm_track_mem(table, sizeof table);
  llvm_hpvm_track_mem(out, sizeof out);
  void *a = __hpvm__launch(0, fillRoot, &first);
  void *b = __hpvm__launch(0, root, &args);
  __hpvm__wait(a);
  __hpvm__wait(b);
  llvm_hpvm_request_mem(out, sizeof out);
  for (int i = 0; i < 8; ++i)
    printf("%d ", out[i]);
  puts("");
  llvm_hpvm_untrack_mem(table);
  llvm_hpvm_untrack_mem(out);
  __hpvm__cleanup();
}
