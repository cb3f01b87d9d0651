#include "core/binary_archive.hpp"

#include "objc/attach_thread.hpp"
#include "objc/autorelease_pool.hpp"
#include "objc/strings.hpp"

namespace metalcore {

using objc::Retained;

namespace {

NSURL *url_of(const std::string &path) { // nil where a path is not UTF-8
  NSString *text = objc::to_nsstring(path);
  return text ? [NSURL fileURLWithPath:text isDirectory:NO] : nil;
}

Retained<id<MTLBinaryArchive>> make_archive(id<MTLDevice> device, NSURL *url) {
  const auto descriptor =
      Retained<MTLBinaryArchiveDescriptor *>::adopt([[MTLBinaryArchiveDescriptor alloc] init]);
  [descriptor.get() setUrl:url];
  NSError *error = nil;
  return Retained<id<MTLBinaryArchive>>::adopt(
      [device newBinaryArchiveWithDescriptor:descriptor.get() error:&error]);
}

} // namespace

std::unique_ptr<OpenArchive> OpenArchive::holding(id<MTLDevice> device, const std::string &bytes) {
  auto archive = std::make_unique<OpenArchive>();
  archive->file_ = PrivateFile::holding(bytes);
  NSURL *url = archive->file_ ? url_of(archive->file_->path()) : nil;
  if (url) // without one, Metal would make an empty archive
    archive->metal_ = make_archive(device, url);
  return archive->metal_ ? std::move(archive) : nullptr;
}

std::optional<std::string> archived(id<MTLDevice> device, MTLComputePipelineDescriptor *descriptor,
                                    DiskStore &files) {
  objc::attach_thread();
  const objc::AutoreleasePool pool;
  const auto archive = make_archive(device, nil);
  NSError *error = nil;
  if (!archive || ![archive.get() addComputePipelineFunctionsWithDescriptor:descriptor
                                                                      error:&error])
    return std::nullopt;
  const std::filesystem::path path = files.temporary_path();
  NSURL *url = path.empty() ? nil : url_of(path.string());
  if (!url)
    return std::nullopt;
  const bool is_written = [archive.get() serializeToURL:url error:&error];
  auto bytes = files.take_temporary(path); // also removes what a failure left
  return is_written ? std::move(bytes) : std::nullopt;
}

} // namespace metalcore
