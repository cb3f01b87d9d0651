#include "hostmetal/compiler/codegen/image_linker.hpp"

#include "hostmetal/compiler/codegen/host_symbols.hpp"
#include "hostmetal/compiler/codegen/image_table.hpp"
#include "hostmetal/compiler/codegen/temporary_folder.hpp"
#include "hostmetal/compiler/lowering/form_entry.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"
#include "hostmetal/image/reflection.hpp"
#include "support/replace_file.hpp"

#include <lld/Common/Driver.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <mutex>
#include <optional>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace hostmetal::codegen {
namespace {

/// Which of the two entry functions an object defines.
Expected<std::string> entry_symbol(StringRef bytes) {
  auto object = object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "kernel"));
  if (!object)
    return object.takeError();
  for (const object::SymbolRef &symbol : (*object)->symbols()) {
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (name->starts_with(lowering::row_entry_prefix) ||
        name->starts_with(lowering::thread_entry_prefix))
      return name->str();
  }
  return createStringError("An object to be linked defines no kernel.");
}

Expected<std::vector<TableEntry>> read_entries(ArrayRef<ImagePart> parts) {
  std::vector<TableEntry> entries;
  for (const ImagePart &part : parts) {
    auto *bytes = reinterpret_cast<const uint8_t *>(part.reflection.data());
    std::optional<image::Kernel> kernel = image::parse_kernel({bytes, part.reflection.size()});
    if (!kernel)
      return createStringError("The reflection of a kernel to be linked is broken.");
    Expected<std::string> symbol = entry_symbol(part.object);
    if (!symbol)
      return symbol.takeError();
    entries.push_back({kernel->name, std::move(*symbol), part.reflection, part.object});
  }
  llvm::sort(entries, [](const TableEntry &a, const TableEntry &b) { return a.name < b.name; });
  for (size_t i = 1; i < entries.size(); ++i)
    if (entries[i - 1].name == entries[i].name)
      return lowering::kernel_error("Two kernels to be linked are named \"" + entries[i].name +
                                    "\".");
  return entries;
}

/// Whether the files of a link may be as large as they will be: LLVM writes them without asking,
/// and beyond the process's limit that would end it.
bool is_within_limit(ArrayRef<TableEntry> entries, StringRef table) {
  constexpr uint64_t overhead = 1 << 20; // headers, padding to pages, dynamic sections
  uint64_t size = table.size() + overhead;
  for (const TableEntry &entry : entries)
    size += 2 * entry.object.size();
  return metalcore::fits_file_limit(size);
}

/// lld keeps its state in globals, and after a crash of it they are not to be trusted.
Error run_linker(ArrayRef<std::string> arguments) {
  static std::mutex mutex;
  static bool is_usable = true;
  std::lock_guard lock(mutex);
  if (!is_usable)
    return createStringError("The linker failed earlier in this process and cannot run again.");
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string output;
  raw_string_ostream out(output);
  lld::Result result = lld::lldMain(pointers, out, out, {{lld::Gnu, &lld::elf::link}});
  is_usable = result.canRunAgain;
  if (result.retCode != 0)
    return createStringError("Linking failed: " + StringRef(output).trim().str());
  return Error::success();
}

} // namespace

Expected<std::string> link_image(ArrayRef<ImagePart> parts) {
  Expected<std::vector<TableEntry>> entries = read_entries(parts);
  if (!entries)
    return entries.takeError();
  Expected<std::string> table = emit_image_table(*entries);
  if (!table)
    return table.takeError();
  if (!is_within_limit(*entries, *table))
    return createStringError("The files of a link are beyond the process's limit on file sizes.");
  Expected<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder)
    return folder.takeError();

  std::string result = folder->file("image.so");
  // Nothing in the output depends on the folder's name: it has no symbol table and no build id.
  std::vector<std::string> arguments{"ld.lld",      "-shared",
                                     "-o",          result,
                                     "--strip-all", "--build-id=none",
                                     "-z",          "defs",
                                     "-z",          "now",
                                     "-z",          "relro",
                                     "-z",          "noexecstack",
                                     "-Bsymbolic",  "--hash-style=sysv",
                                     "--threads=1", "--as-needed"};
  auto add_object = [&](StringRef name, StringRef bytes) {
    std::string path = folder->file(name);
    arguments.push_back(path);
    return folder->write(path, bytes);
  };
  if (Error error = add_object("table.o", *table))
    return std::move(error);
  for (size_t i = 0; i < entries->size(); ++i)
    if (Error error = add_object("kernel" + std::to_string(i) + ".o", (*entries)[i].object))
      return std::move(error);
  for (const std::string &library : host_libraries())
    arguments.push_back(library);
  if (Error error = run_linker(arguments))
    return std::move(error);
  auto linked = MemoryBuffer::getFile(result, false, false);
  if (!linked)
    return createStringError(linked.getError(), "The linked image cannot be read");
  return (*linked)->getBuffer().str();
}

} // namespace hostmetal::codegen
