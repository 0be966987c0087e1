// Functions that end before they begin.
void nothing(void) { __builtin_unreachable(); }
int local(void) {
  int unused[4];
  __builtin_unreachable();
}
void assembly(void) {
  __asm__ volatile("");
  __builtin_unreachable();
}
int main(int count, char **words) {
  if (count > 100) {
    nothing();
    assembly();
    return local();
  }
  return 0;
}
