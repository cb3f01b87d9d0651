// A shared object that wants code run when it is loaded.
namespace {

volatile int runs = 0;

[[gnu::constructor]] void run() {
  runs = runs + 1;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int count_of_runs() {
  return runs;
}
