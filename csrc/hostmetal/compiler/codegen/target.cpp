#include "hostmetal/compiler/codegen/target.hpp"

#include "hostmetal/compiler/lowering/kernel_error.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
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

/// LLVM cannot be told otherwise, and this copy of it is nobody else's. As the option's default:
/// lld resets all options to theirs.
void set_option(StringRef name, bool value) {
  static_cast<cl::opt<bool> *>(cl::getRegisteredOptions().lookup(name))->setInitialValue(value);
}

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    // x86 has the addressing modes for what the pass would strength-reduce: it took up to a third
    // of a compile and made no kernel faster.
    if (Triple(sys::getProcessTriple()).isX86())
      set_option("disable-lsr", true);
  });
}

/// The machines that no compile uses, by name. The caller of a compile keeps forks away from it.
class TargetStore {
public:
  std::unique_ptr<TargetMachine> take(StringRef name) {
    const std::lock_guard lock(mutex_);
    auto &machines = machines_[name];
    return machines.empty() ? nullptr : machines.pop_back_val();
  }
  void keep(StringRef name, std::unique_ptr<TargetMachine> machine) {
    const std::lock_guard lock(mutex_);
    machines_[name].push_back(std::move(machine));
  }

private:
  std::mutex mutex_;
  StringMap<SmallVector<std::unique_ptr<TargetMachine>>> machines_;
};

TargetStore &store() {
  static auto &instance = *new TargetStore;
  return instance;
}

} // namespace

void KeepTarget::operator()(TargetMachine *machine) const {
  store().keep(name, std::unique_ptr<TargetMachine>(machine));
}

Expected<TargetPointer> make_target(StringRef name) {
  if (std::unique_ptr<TargetMachine> kept = store().take(name))
    return TargetPointer(kept.release(), {name.str()});
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
  TargetPointer machine(target->createTargetMachine(triple.str(), processor->name,
                                                    processor->features, options, Reloc::PIC_,
                                                    CodeModel::Small, CodeGenOptLevel::Aggressive),
                        {name.str()});
  if (!machine)
    return createStringError("LLVM has no code generator for " + triple.str() + ".");
  return machine;
}

} // namespace hostmetal::codegen
