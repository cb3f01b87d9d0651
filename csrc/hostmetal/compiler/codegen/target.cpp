#include "hostmetal/compiler/codegen/target.hpp"

#include "hostmetal/compiler/lowering/kernel_error.hpp"

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/Triple.h>

#include <mutex>
#include <optional>

using namespace llvm;

namespace hostmetal::codegen {
namespace {

struct Processor {
  std::string name, features;
};

Processor this_processor() {
  // A map's order varies between processes; the same CPU must give the same bytes.
  std::vector<std::string> names;
  for (const auto &[feature, is_on] : sys::getHostCPUFeatures())
    names.push_back((is_on ? "+" : "-") + feature.str());
  llvm::sort(names);
  SubtargetFeatures features;
  for (const std::string &name : names)
    features.AddFeature(name);
  return {sys::getHostCPUName().str(), features.getString()};
}

std::optional<Processor> named_processor(StringRef name, const Triple &host) {
  if (host.getArch() == Triple::x86_64 &&
      (name == "x86-64-v2" || name == "x86-64-v3" || name == "x86-64-v4"))
    return Processor{name.str(), ""};
  if (host.getArch() == Triple::aarch64 && name == "aarch64")
    return Processor{"generic", "+neon"};
  return std::nullopt;
}

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
}

} // namespace

Expected<std::unique_ptr<TargetMachine>> make_target(StringRef name) {
  initialise_llvm();
  Triple triple(sys::getProcessTriple());
  std::optional<Processor> processor =
      name.empty() ? this_processor() : named_processor(name, triple);
  if (!processor)
    return lowering::kernel_error("The target \"" + name + "\" is not one that this compiler (" +
                                  triple.getArchName() + ") builds for.");
  std::string problem;
  const Target *target = TargetRegistry::lookupTarget(triple.str(), problem);
  if (!target)
    return createStringError(problem);
  TargetOptions options;
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(triple.str(), processor->name, processor->features, options,
                                  Reloc::PIC_, CodeModel::Small, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("LLVM has no code generator for " + triple.str() + ".");
  return machine;
}

} // namespace hostmetal::codegen
