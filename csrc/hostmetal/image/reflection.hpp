#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostmetal::image {

/// Values are those of MTLDataType.
using DataType = uint32_t;

enum class ArgumentKind : uint8_t { buffer, threadgroup_memory, texture, sampler, function_table };
enum class Access : uint8_t { read_only, read_write, write_only };

struct Member;

/// What a pointer in a struct points to.
struct Pointee {
  DataType data_type = 0;
  Access access = Access::read_only;
  uint64_t size = 0;               ///< bytes
  uint64_t alignment = 0;          ///< bytes
  bool is_argument_buffer = false; ///< it holds pointers itself
  std::vector<Member> members;     ///< of a struct; none of one that the pointer itself is in

  bool operator==(const Pointee &) const;
};

/// One member of a struct, or the elements of an array.
struct Member {
  std::string name;
  DataType data_type = 0;
  uint64_t offset = 0;         ///< bytes from the start of the struct
  uint64_t size = 0;           ///< bytes of one element
  uint32_t array_length = 0;   ///< 0: not an array
  std::vector<Member> members; ///< of a struct
  /// [[id(n)]] of a member of an argument buffer, from its struct's on; else 0.
  uint32_t argument_index = 0;
  std::optional<Pointee> pointee = std::nullopt; ///< of a pointer

  bool operator==(const Member &) const = default;
};

inline bool Pointee::operator==(const Pointee &) const = default;

/// One thing that the caller of a kernel binds; its place in Kernel::arguments is its slot in
/// HmGrid.
struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::buffer;
  Access access = Access::read_only;
  uint32_t index = 0;     ///< the [[buffer(n)]], [[threadgroup(n)]], … index
  std::string type_name;  ///< of the pointee, as written in MSL: "float4", "Params"
  DataType data_type = 0; ///< of the pointee: MTLDataTypeFloat4, …; of a texture's components
  uint64_t type_size = 0; ///< bytes of one pointee
  uint64_t type_alignment = 0;
  bool is_constant = false;    ///< in the constant address space
  bool is_reference = false;   ///< `constant T &x`: at least type_size bytes must be bound
  bool is_active = true;       ///< false: this specialisation never touches it
  std::vector<Member> members; ///< of a struct
  /// The members are pointers, or have numbers of their own.
  bool is_argument_buffer = false;
  uint32_t texture_type = 0; ///< of a texture: an MTLTextureType
  bool is_depth = false;     ///< a depth texture
  uint32_t array_length = 1; ///< of an array of textures or samplers, from the index on

  bool operator==(const Argument &) const = default;
};

/// A function constant, as declared in a library.
struct FunctionConstant {
  std::string name;
  uint32_t index = 0;
  DataType data_type = 0;
  bool is_required = true; ///< false: every use is guarded by is_function_constant_defined

  bool operator==(const FunctionConstant &) const = default;
};

/// One function of a library, known without building a pipeline.
struct Function {
  enum class Kind : uint8_t { kernel, visible };
  std::string name;
  Kind kind = Kind::kernel;
  std::vector<FunctionConstant> constants; ///< those it uses

  bool operator==(const Function &) const = default;
};

/// A compiled library: its functions, in the order of their definition.
struct Library {
  std::vector<Function> functions;

  bool operator==(const Library &) const = default;
};

/// One compiled kernel.
struct Kernel {
  std::string name;
  std::vector<Argument> arguments;
  uint32_t static_threadgroup_memory = 0; ///< bytes
  uint32_t max_total_threads_per_threadgroup = 1024;
  bool has_barriers = false; ///< threadgroup barriers
  bool has_simd_operations = false;
  /// Uses nothing of a threadgroup (ids, sizes, memory, synchronisation): the executor may cut the
  /// grid anew.
  bool regroupable = false;

  bool operator==(const Kernel &) const = default;
};

/// Bytes of one form; byte-stable between processes.
std::string serialise(const Library &library);
std::string serialise(const Kernel &kernel);

/// Empty when the bytes are truncated, of another form or otherwise broken; never reads outside of
/// them.
std::optional<Library> parse_library(std::span<const uint8_t> bytes);
std::optional<Kernel> parse_kernel(std::span<const uint8_t> bytes);

} // namespace hostmetal::image
