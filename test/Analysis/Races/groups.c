// Edges order the leaves of one work-group, not those of different groups: the
// buffer needs a part for each group.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void fill(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  void *self = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(self);
#ifdef FIXED
  long group = __hpvm__getNodeInstanceID_x(__hpvm__getParentNode(self));
#else
  long group = 0;
#endif
  // CHECK-DAG: groups.c:[[@LINE+1]]:{{[0-9]+}}: error: 'fill' writes the same place of argument 'data' of 'root' in several instances: instances (0, 0) and (1, 0) meet, since the instances of 'work' run at the same time; give each of them a place of its own [race]
  data[group * 16 + i] = i;
  __hpvm__return(1, bytes);
}
void read(long *data, size_t bytes, long *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, to);
  void *group = __hpvm__getParentNode(__hpvm__getNode());
  long number = __hpvm__getNodeInstanceID_x(group);
#ifdef FIXED
  to[number] = data[number * 16];
#else
  // CHECK-DAG: groups.c:[[@LINE+1]]:{{[0-9]+}}: error: 'read' reads argument 'data' of 'root' here, where an instance of 'fill' writes it at the same time: instance (0, 0) of 'fill' and instance (1) of 'read' meet, since the instances of 'work' run at the same time;
  to[number] = data[0];
#endif
}
void work(long *data, size_t bytes, long *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 2, data, to);
  void *a = __hpvm__createNodeND(1, fill, 16);
  void *b = __hpvm__createNodeND(0, read);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(b, 0, 0, 0);
  __hpvm__edge(a, b, 1, 0, 1, 0);
  __hpvm__bindIn(b, 2, 2, 0);
  __hpvm__bindIn(b, 3, 3, 0);
}
void root(long *data, size_t bytes, long *to, size_t toBytes, long groups) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 2, data, to);
  void *node = __hpvm__createNodeND(1, work, groups);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
