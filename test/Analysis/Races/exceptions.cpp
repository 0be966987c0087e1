// What an instance throws and catches is its own, unless the program kept it
// for others. Destructors of what is thrown are run by the library, and may do
// anything.

// RUN: %sluice check %s | FileCheck %s --check-prefix=PROVEN
// PROVEN: proven free of races
// RUN: %sluice check -DDESTRUCTOR %s 2>&1 | FileCheck %s --check-prefix=DESTRUCTOR
// DESTRUCTOR: remark: cannot tell what memory 'leaf' touches here: the destructor of what is thrown here may touch any memory
// RUN: %sluice check -DKEPT %s 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: remark: cannot tell what memory 'leaf' touches here
// RUN: not %sluice check -DRACE %s 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: exceptions.cpp:{{.*}} error: 'leaf' writes the same place of argument 'out' of 'root' in several instances

#include <exception>
#include <hpvm.h>

#ifdef KEPT
std::exception_ptr kept;
#endif

struct Problem {
  int value;
#ifdef DESTRUCTOR
  int *place;
  ~Problem() { *place = value; }
#endif
};

#ifdef RACE
enum { Place = 0 };
#define PLACE(i) Place
#else
#define PLACE(i) i
#endif

void leaf(int *in, size_t inBytes, int *out, size_t outBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  try {
    out[PLACE(i)] = 1;
    if (in[i] > 8)
      throw in[i];
#ifdef DESTRUCTOR
    if (in[i] > 3)
      throw Problem{in[i], out};
#else
    if (in[i] > 3)
      throw Problem{in[i]};
#endif
#ifdef KEPT
    if (in[i] < 0)
      std::rethrow_exception(kept);
#endif
  } catch (Problem &problem) {
    out[PLACE(i)] = ++problem.value;
  } catch (int value) {
    out[PLACE(i)] = value;
  }
}

void root(int *in, size_t inBytes, int *out, size_t outBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *node = __hpvm__createNodeND(1, leaf, 100l);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

int main() {
  int in[100] = {}, out[100];
  struct __attribute__((packed)) {
    int *in;
    size_t inBytes;
    int *out;
    size_t outBytes;
  } arguments = {in, sizeof(in), out, sizeof(out)};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
}
