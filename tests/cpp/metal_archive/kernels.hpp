#pragma once

#include "metal_library/fixture.hpp"
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace metal_archive {

using namespace metal_library;
using ArchivePointer = Retained<id<MTLBinaryArchive>>;

/// Kernels with and without synchronisation, and a function constant.
extern const char *const kernel_source;

/// "scale" with its constant set; "sum" has none.
FunctionPointer specialised(const LibraryPointer &library, int power);

MTLComputePipelineDescriptor *descriptor(const FunctionPointer &function,
                                         NSArray<id<MTLBinaryArchive>> *archives = nil);

/// An empty one, or the one in the file; null with `error`.
ArchivePointer empty_archive();
ArchivePointer open_archive(const std::filesystem::path &path, NSError **error = nullptr);

void add(const ArchivePointer &archive, const FunctionPointer &function);
void write(const ArchivePointer &archive, const std::filesystem::path &path);

/// The pipeline from the archives only; null with `error`.
PipelinePointer find(const FunctionPointer &function, NSArray<id<MTLBinaryArchive>> *archives,
                     NSError **error = nullptr,
                     MTLComputePipelineReflection **reflection = nullptr);
PipelinePointer find(const FunctionPointer &function, const ArchivePointer &archive);
/// The pipeline by the compiler.
PipelinePointer compile(const FunctionPointer &function,
                        MTLComputePipelineReflection **reflection = nullptr);

/// Whether "scale" gives factor * in ^ power.
bool scales(const PipelinePointer &pipeline, int power);
/// Whether "sum" adds up a threadgroup.
bool sums(const PipelinePointer &pipeline);

/// A folder for the test's files.
class ArchiveTest : public MetalTest {
protected:
  const metalcore::test::TemporaryFolder own_;
  const std::filesystem::path folder_ = own_.path();
};

std::string contents(const std::filesystem::path &path);
void write_file(const std::filesystem::path &path, const std::string &bytes);

} // namespace metal_archive
