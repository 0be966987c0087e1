// A second host for files.c.

#include <hpvm.h>

void again(void) {
  __hpvm__init();
  __hpvm__cleanup();
}
