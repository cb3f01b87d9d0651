#include "hostmetal/api/kernel_archive.hpp"

#include "hostmetal/api/failure.hpp"
#include "hostmetal/image/bytes.hpp"
#include "hostmetal/image/file.hpp"
#include "hostmetal/image/host.hpp"
#include "hostmetal/image/image.hpp"
#include "support/fork.hpp"
#include "support/replace_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <vector>

namespace hostmetal::api {

namespace {

// An archive is read as a whole.
constexpr uint64_t max_archive_size = uint64_t{1} << 30;

[[noreturn]] void fail_to_open(const std::string &path, const std::string &why) {
  throw ArchiveFailure(ArchiveFailure::Kind::invalid_file,
                       "Cannot open the binary archive \"" + path + "\": " + why);
}

[[noreturn]] void fail_to_write(const std::string &path, int error) {
  throw ArchiveFailure(ArchiveFailure::Kind::internal, "Cannot write the binary archive \"" + path +
                                                           "\": " + std::strerror(error) + ".");
}

/// Without a compiler whose build can be named, nothing that was compiled gets into an archive.
image::ArchiveIdentity own_identity() {
  std::string compiler = CompilerLibrary::build_id().value_or("");
  const metalcore::fork::Section section; // the identity is made once
  return {std::move(compiler), image::host_identity()};
}

std::vector<uint8_t> read_file(const std::string &path) {
  const image::File file(path);
  if (!file.is_open())
    fail_to_open(path, std::strerror(errno) + std::string("."));
  if (!file.is_regular())
    fail_to_open(path, "it is not a regular file.");
  if (file.size() > max_archive_size)
    fail_to_open(path, "its size (" + std::to_string(file.size()) +
                           " bytes) is larger than the limit (" + std::to_string(max_archive_size) +
                           " bytes).");
  std::vector<uint8_t> bytes(file.size());
  if (!file.read(0, bytes))
    fail_to_open(path, "it could not be read.");
  return bytes;
}

} // namespace

std::shared_ptr<KernelArchive> KernelArchive::open(const std::string &path) {
  std::string why;
  std::optional<image::Archive> read = image::read_archive(read_file(path), why);
  if (!read)
    fail_to_open(path, why);
  auto archive = std::make_shared<KernelArchive>();
  if (read->identity == own_identity())
    archive->kernels_.with(
        [&](image::ArchivedKernels &kernels) { kernels = std::move(read->kernels); });
  return archive;
}

std::shared_ptr<const image::ArchivedKernel>
KernelArchive::find(const metalcore::Digest &key) const {
  return kernels_.with([&](const image::ArchivedKernels &kernels) {
    const auto found = kernels.find(key);
    return found == kernels.end() ? nullptr : found->second;
  });
}

void KernelArchive::insert(const metalcore::Digest &key,
                           std::shared_ptr<const image::ArchivedKernel> kernel) {
  kernels_.with([&](image::ArchivedKernels &kernels) { kernels.emplace(key, std::move(kernel)); });
}

void KernelArchive::write(const std::string &path) const {
  image::Archive archive;
  archive.identity = own_identity();
  archive.kernels = kernels_.with([](const image::ArchivedKernels &kernels) { return kernels; });
  if (!metalcore::replace_file(AT_FDCWD, path, {image::write_archive(archive)},
                               {.temporary = {}, .mode = 0666}))
    fail_to_write(path, errno);
}

std::optional<LibraryCode::LoadedKernel>
load_archived(const image::ArchivedKernel &kernel, const std::string &name, std::string &why_not) {
  const std::shared_ptr<const image::Image> image =
      image::Image::open_code(image::as_bytes(kernel.code), why_not);
  if (!image)
    return std::nullopt;
  std::optional<image::Image::Loaded> loaded = image->find(name);
  if (!loaded) {
    why_not = "The archived code of function \"" + name + "\" cannot be read.";
    return std::nullopt;
  }
  return LibraryCode::LoadedKernel{std::move(loaded->reflection), loaded->code, image};
}

} // namespace hostmetal::api
