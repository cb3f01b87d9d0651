// A library of which only the build id matters.
extern "C" __attribute__((visibility("default"))) const int something;
const int something = 1;
