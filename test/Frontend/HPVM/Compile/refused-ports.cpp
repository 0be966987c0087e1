// Values that cannot be copied byte by byte from node to node are refused.
//
// RUN: not sluice-translate %s 2>&1 | FileCheck %s

#include <hpvm.h>
#include <string>

struct Owner {
  Owner(const Owner &);
  int value;
};

// CHECK: refused-ports.cpp:[[#@LINE+3]]:16: error: parameter 0 ('r') of node function 'leaf' is a reference; pass a pointer and its size instead [port-type]
// CHECK: refused-ports.cpp:[[#@LINE+2]]:31: error: parameter 1 ('s') of node function 'leaf' has type 'std::string'{{.*}}, which cannot be copied byte by byte; pass its parts or a pointer [port-type]
// CHECK: refused-ports.cpp:[[#@LINE+1]]:40: error: parameter 2 ('o') of node function 'leaf' has type 'Owner', which cannot be copied byte by byte; pass its parts or a pointer [port-type]
void leaf(int &r, std::string s, Owner o) {
  __hpvm__hint(hpvm::CPU_TARGET);
}

struct Object {
  int value;
  // CHECK: refused-ports.cpp:[[#@LINE+1]]:8: error: node function 'method' is a member function of an object; use a static one [node-function]
  void method(int a) {
    __hpvm__hint(hpvm::CPU_TARGET);
    __hpvm__return(1, a + value);
  }
};

// CHECK: refused-ports.cpp:[[#@LINE+1]]:6: error: node function 'variadic' is variadic; its parameters are its inputs [node-function]
void variadic(int a, ...) { __hpvm__hint(hpvm::CPU_TARGET); }

int main() { Object{1}.method(2); }
