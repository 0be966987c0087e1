// Integers of target hints follow the version that is asked for; names mean
// the same in both.
//
// RUN: sluice-translate %s --print=canonical | FileCheck %s --check-prefix=NEW
// RUN: sluice-translate %s --print=canonical --hpvm-version=0.5 \
// RUN:   | FileCheck %s --check-prefix=OLD

#include <hpvm.h>

#if SLUICE_HPVM_VERSION == 50
#define BOTH 6
#else
#define BOTH 5
#endif

void byName(void) { __hpvm__hint(CPU_OR_GPU_TARGET); }
void byNumber(void) { __hpvm__hint(BOTH); }
void opencl(void) { __hpvm__hint(SPIR_TARGET); }
void either(void) { __hpvm__hint(CPU_OR_SPIR_TARGET); }
void device(void) { __hpvm__hint(DEVICE); }

// NEW-DAG: !hpvm_hint_cpu_gpu = !{![[A:[0-9]+]], ![[B:[0-9]+]]}
// NEW-DAG: !hpvm_hint_spir = !{![[C:[0-9]+]]}
// NEW-DAG: !hpvm_hint_cpu_spir = !{![[D:[0-9]+]]}
// NEW-DAG: !hpvm_hint_gpu = !{![[E:[0-9]+]]}
// NEW-DAG: ![[A]] = !{ptr @byName}
// NEW-DAG: ![[B]] = !{ptr @byNumber}
// NEW-DAG: ![[C]] = !{ptr @opencl}
// NEW-DAG: ![[D]] = !{ptr @either}
// NEW-DAG: ![[E]] = !{ptr @device}

// OLD-DAG: !hpvm_hint_cpu_gpu = !{![[A:[0-9]+]], ![[B:[0-9]+]]}
// OLD-DAG: !hpvm_hint_spir = !{![[C:[0-9]+]]}
// OLD-DAG: !hpvm_hint_cpu_spir = !{![[D:[0-9]+]]}
// OLD-DAG: !hpvm_hint_gpu = !{![[E:[0-9]+]]}
// OLD-DAG: ![[A]] = !{ptr @byName}
// OLD-DAG: ![[B]] = !{ptr @byNumber}
// OLD-DAG: ![[C]] = !{ptr @opencl}
// OLD-DAG: ![[D]] = !{ptr @either}
// OLD-DAG: ![[E]] = !{ptr @device}
