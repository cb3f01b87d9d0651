#include "hostmetal/image/image.hpp"

#include "hostmetal/image/bytes.hpp"
#include "hostmetal/image/container.hpp"
#include "hostmetal/image/file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace hostmetal::image {
namespace {

/// The slice for the best target that this CPU runs, or null.
const SliceEntry *best_slice(const std::vector<SliceEntry> &slices) {
  for (const std::string &target : host_targets()) {
    const auto slice = std::ranges::find(slices, target, &SliceEntry::target);
    if (slice != slices.end())
      return &*slice;
  }
  return nullptr;
}

/// The image that the object exports, or null with `error` set.
const HmImage *exported_image(const CodeObject &object, std::string &error) {
  const auto *image = static_cast<const HmImage *>(object.symbol(HM_IMAGE_SYMBOL));
  if (image == nullptr) {
    error = "its code does not export " HM_IMAGE_SYMBOL ".";
    return nullptr;
  }
  if (image->abi_version != HM_ABI_VERSION) {
    error = "its code has ABI version " + std::to_string(image->abi_version) +
            ", and this library runs version " + std::to_string(HM_ABI_VERSION) + ".";
    return nullptr;
  }
  for (uint32_t i = 0; i < image->kernel_count; ++i) {
    const HmImageKernel &kernel = image->kernels[i];
    const bool has_one_form = (kernel.code.row != nullptr) != (kernel.code.thread != nullptr);
    const bool is_in_order = kernel.name != nullptr &&
                             (i == 0 || std::strcmp(image->kernels[i - 1].name, kernel.name) < 0);
    if (!is_in_order || !has_one_form || kernel.reflection == nullptr) {
      error = "its kernel table is malformed at entry " + std::to_string(i) + ".";
      return nullptr;
    }
  }
  return image;
}

std::string sentence(const std::string &path, const std::string &reason) {
  return "Cannot open the kernel image \"" + path + "\": " + reason;
}

} // namespace

std::shared_ptr<const Image> Image::open(const std::string &path, std::string &error) {
  std::string reason;
  const auto failure = [&](const std::string &why) {
    error = sentence(path, why);
    return nullptr;
  };
  const File file(path);
  if (!file.is_open())
    return failure(std::strerror(errno) + std::string("."));
  if (!file.is_regular())
    return failure("it is not a regular file.");
  std::array<uint8_t, container_header_size> header_bytes;
  if (file.size() < header_bytes.size() || !file.read(0, header_bytes))
    return failure("it is not a kernel image.");
  const auto header = read_header(header_bytes, file.size(), reason);
  if (!header)
    return failure(reason);
  std::vector<uint8_t> table_bytes(header->table_size);
  if (!file.read(container_header_size, table_bytes))
    return failure("its table could not be read.");
  const auto table = read_table(table_bytes, *header, reason);
  if (!table)
    return failure(reason);
  const SliceEntry *slice = best_slice(table->slices);
  if (slice == nullptr)
    return failure("it holds no code that this CPU runs.");

  const auto fill = [&](std::span<uint8_t> bytes, std::string &why) {
    const bool is_intact = file.read(slice->offset, bytes) && checksum(bytes) == slice->checksum;
    if (!is_intact)
      why = "its code for " + slice->target + " is damaged.";
    return is_intact;
  };
  std::unique_ptr<const CodeObject> object = CodeObject::load(slice->size, fill, reason);
  const HmImage *exported = object ? exported_image(*object, reason) : nullptr;
  if (exported == nullptr)
    return failure(reason);
  return std::shared_ptr<const Image>(
      new Image(std::move(object), exported, slice->target, table->library,
                std::string(header_bytes.begin(), header_bytes.end())));
}

std::shared_ptr<const Image> Image::open_code(std::span<const uint8_t> elf, std::string &error) {
  const auto fill = [&](std::span<uint8_t> bytes, std::string &) {
    std::ranges::copy(elf, bytes.begin());
    return true;
  };
  std::string reason;
  std::unique_ptr<const CodeObject> object = CodeObject::load(elf.size(), fill, reason);
  const HmImage *exported = object ? exported_image(*object, reason) : nullptr;
  if (exported == nullptr) {
    error = "Cannot load compiled kernels: " + reason;
    return nullptr;
  }
  Library library;
  for (uint32_t i = 0; i < exported->kernel_count; ++i)
    library.functions.push_back({exported->kernels[i].name, Function::Kind::kernel, {}});
  return std::shared_ptr<const Image>(
      new Image(std::move(object), exported, "", serialise(library), ""));
}

Image::Image(std::unique_ptr<const CodeObject> object, const HmImage *image, std::string target,
             std::string library, std::string header)
    : object_(std::move(object)), image_(image), target_(std::move(target)),
      library_(std::move(library)), header_(std::move(header)) {
  for (uint32_t i = 0; i < image->kernel_count; ++i)
    names_.emplace_back(image->kernels[i].name);
}

std::optional<Library> Image::library() const {
  return parse_library(as_bytes(library_));
}

std::optional<Image::Loaded> Image::find(std::string_view name) const {
  const auto place = std::ranges::lower_bound(names_, name);
  if (place == names_.end() || *place != name)
    return std::nullopt;
  const HmImageKernel &kernel = image_->kernels[place - names_.begin()];
  auto reflection = parse_kernel({kernel.reflection, kernel.reflection_size});
  if (!reflection)
    return std::nullopt;
  return Loaded{std::move(*reflection), kernel.code};
}

} // namespace hostmetal::image
