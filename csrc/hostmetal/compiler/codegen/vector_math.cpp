#include "hostmetal/compiler/codegen/vector_math.hpp"

#include "hostmetal/compiler/codegen/host_symbols.hpp"

#include <llvm/MC/MCSubtargetInfo.h>

#include <deque>
#include <string>

using namespace llvm;

namespace hostmetal::codegen {
namespace {

struct Scalar {
  const char *function;  ///< of the C library
  const char *intrinsic; ///< LLVM's name for the same; null when it has none
  unsigned arguments;
};

// All have errors below 4 ULP, which Metal allows for the precise forms of each.
constexpr Scalar scalars[] = {
    {"acosf", "llvm.acos.f32", 1}, {"acoshf", nullptr, 1},          {"asinf", "llvm.asin.f32", 1},
    {"asinhf", nullptr, 1},        {"atanf", "llvm.atan.f32", 1},   {"atan2f", nullptr, 2},
    {"atanhf", nullptr, 1},        {"cosf", "llvm.cos.f32", 1},     {"coshf", "llvm.cosh.f32", 1},
    {"expf", "llvm.exp.f32", 1},   {"exp10f", "llvm.exp10.f32", 1}, {"exp2f", "llvm.exp2.f32", 1},
    {"logf", "llvm.log.f32", 1},   {"log10f", "llvm.log10.f32", 1}, {"log2f", "llvm.log2.f32", 1},
    {"powf", "llvm.pow.f32", 2},   {"sinf", "llvm.sin.f32", 1},     {"sinhf", "llvm.sinh.f32", 1},
    {"tanf", "llvm.tan.f32", 1},   {"tanhf", "llvm.tanh.f32", 1},
};

struct Width {
  char letter; ///< of the instruction set in libmvec's names
  unsigned lanes;
  const char *feature; ///< that the processor must have
};

constexpr Width widths[] = {{'b', 4, "+sse4.1"}, {'d', 8, "+avx2"}, {'e', 16, "+avx512f"}};

/// The descriptions refer to strings, which must last; so each width's table is made once.
struct Table {
  std::deque<std::string> names;
  std::vector<VecDesc> functions;

  explicit Table(const Width &width) {
    for (const Scalar &scalar : scalars) {
      std::string parameters(scalar.arguments, 'v');
      std::string lanes = std::to_string(width.lanes);
      StringRef name = names.emplace_back(std::string("_ZGV") + width.letter + "N" + lanes +
                                          parameters + "_" + scalar.function);
      if (!host_symbol(name))
        continue;
      StringRef prefix = names.emplace_back("_ZGV_LLVM_N" + lanes + parameters);
      for (const char *from : {scalar.function, scalar.intrinsic})
        if (from)
          functions.emplace_back(from, name, ElementCount::getFixed(width.lanes), false, prefix);
    }
  }
};

} // namespace

TargetLibraryInfoImpl library_info(const TargetMachine &target) {
  static const Table *const tables[] = {new Table(widths[0]), new Table(widths[1]),
                                        new Table(widths[2])};
  TargetLibraryInfoImpl info(target.getTargetTriple());
  if (target.getTargetTriple().getArch() != Triple::x86_64)
    return info;
  for (size_t i = 0; i < std::size(widths); ++i)
    if (target.getMCSubtargetInfo()->checkFeatures(widths[i].feature))
      info.addVectorizableFunctions(tables[i]->functions);
  return info;
}

} // namespace hostmetal::codegen
