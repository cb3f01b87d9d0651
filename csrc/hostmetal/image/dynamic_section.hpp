#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

namespace hostmetal::image {

/// What the dynamic section of a shared object says, read from its segments in memory. Nothing
/// outside of them is touched, whatever it says.
class DynamicSection {
public:
  /// `memory` begins with the object's address 0. Empty, with `error` set, for an object that asks
  /// for more than relocation.
  static std::optional<DynamicSection> read(std::span<const uint8_t> memory, uint64_t address,
                                            uint64_t size, std::string &error);

  /// Names of the libraries that it needs.
  std::vector<std::string> needed() const;
  /// Where the object places a symbol that it exports.
  std::optional<uint64_t> exported(std::string_view name) const;

  /// One value to be written.
  struct Relocation {
    uint64_t place = 0;
    uint32_t type = 0;
    int64_t addend = 0;
    std::string symbol;      ///< empty: none
    uint64_t value = 0;      ///< of the symbol, where the object defines it
    bool is_defined = false; ///< by the object itself
  };
  /// Empty where the section is broken.
  std::optional<std::vector<Relocation>> relocations() const;

private:
  explicit DynamicSection(std::span<const uint8_t> memory) : memory_(memory) {}

  template <typename T> std::optional<T> at(uint64_t address) const;
  std::optional<std::string> name(uint64_t offset) const;
  std::optional<Elf64_Sym> symbol(uint64_t index) const;
  bool read_relocations(uint64_t address, uint64_t size, std::vector<Relocation> &into) const;

  std::span<const uint8_t> memory_;
  uint64_t symbols_ = 0, symbol_count_ = 0;
  uint64_t names_ = 0, names_size_ = 0;
  uint64_t relocations_ = 0, relocations_size_ = 0;
  uint64_t calls_ = 0, calls_size_ = 0; ///< relocations of calls
  std::vector<uint64_t> needed_;        ///< offsets of names
};

} // namespace hostmetal::image
