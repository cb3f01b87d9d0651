// Writes the reflections of fixture.cpp's kernels as C++ source: an image has no code of its own
// that could make them.
#include "hostmetal/image/reflection.hpp"

#include <fstream>
#include <string>

namespace {

using namespace hostmetal::image;

void write(std::ostream &out, const std::string &name, bool has_simd_operations) {
  Kernel kernel;
  kernel.name = name;
  Argument &argument = kernel.arguments.emplace_back();
  argument.name = "out";
  argument.access = Access::read_write;
  kernel.has_simd_operations = has_simd_operations;
  out << "const uint8_t " << name << "_reflection[] = {";
  for (const char byte : serialise(kernel))
    out << unsigned(static_cast<unsigned char>(byte)) << ',';
  out << "};\n";
}

} // namespace

int main(int, char **arguments) {
  std::ofstream out(arguments[1]);
  write(out, "fill", false);
  write(out, "scan", true);
  return out.flush() ? 0 : 1;
}
