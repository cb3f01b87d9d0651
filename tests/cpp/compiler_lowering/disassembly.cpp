#include "disassembly.hpp"

#include <gtest/gtest.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

std::string disassemble(const std::string &bytes) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetDisassembler();
  auto object =
      llvm::cantFail(llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "")));
  llvm::Triple triple = object->makeTriple();
  std::string problem;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple.str(), problem);
  if (!target) {
    ADD_FAILURE() << problem;
    return {};
  }
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple.str()));
  std::unique_ptr<llvm::MCAsmInfo> assembly(target->createMCAsmInfo(*registers, triple.str(), {}));
  std::unique_ptr<llvm::MCSubtargetInfo> processor(
      target->createMCSubtargetInfo(triple.str(), "x86-64-v4", ""));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  llvm::MCContext context(triple, assembly.get(), registers.get(), processor.get());
  std::unique_ptr<llvm::MCDisassembler> disassembler(
      target->createMCDisassembler(*processor, context));
  std::unique_ptr<llvm::MCInstPrinter> printer(
      target->createMCInstPrinter(triple, 0, *assembly, *instructions, *registers));
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const llvm::object::SectionRef &section : object->sections()) {
    if (!section.isText())
      continue;
    llvm::StringRef content = llvm::cantFail(section.getContents());
    llvm::ArrayRef<uint8_t> code(content.bytes_begin(), content.size());
    uint64_t size = 0;
    for (uint64_t at = 0; at < code.size(); at += size) {
      llvm::MCInst instruction;
      if (disassembler->getInstruction(instruction, size, code.slice(at), at, llvm::nulls()) !=
          llvm::MCDisassembler::Success) {
        size = 1;
        continue;
      }
      printer->printInst(&instruction, at, "", *processor, out);
      out << "\n";
    }
  }
  return text;
}
