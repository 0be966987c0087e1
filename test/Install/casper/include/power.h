#define POWER(x) ((x) * (x))
