// Files that are no archives, or somebody else's.
#include "kernels.hpp"

#include "hostmetal/image/archive.hpp"
#include "hostmetal/image/bytes.hpp"

#include <fstream>
#include <sys/stat.h>

using namespace metal_archive;
namespace image = hostmetal::image;

namespace {

class ArchiveDamageTest : public ArchiveTest {
protected:
  LibraryPointer library_ = metal_library::compile(kernel_source);
  FunctionPointer sum_ = function(library_, "sum");
  std::filesystem::path file_ = folder_ / "kernels.archive";
  std::string whole_;

  ArchiveDamageTest() {
    const ArchivePointer archive = empty_archive();
    add(archive, sum_);
    write(archive, file_);
    whole_ = contents(file_);
  }

  /// Whether opening fails as it must.
  bool is_refused(const std::filesystem::path &path) {
    @autoreleasepool {
      NSError *error = nil;
      return !open_archive(path, &error) && [error code] == MTLBinaryArchiveErrorInvalidFile &&
             [[error domain] isEqual:MTLBinaryArchiveDomain] && !message(error).empty();
    }
  }
  bool is_refused_as(const std::string &bytes) {
    write_file(file_, bytes);
    return is_refused(file_);
  }
  image::Archive parsed() {
    std::string error;
    return image::read_archive(image::as_bytes(whole_), error).value();
  }
  /// Whether the archive opens and has nothing of use.
  void expect_stale(const std::string &bytes) {
    write_file(file_, bytes);
    NSError *error = nil;
    const ArchivePointer archive = open_archive(file_, &error);
    ASSERT_TRUE(archive) << message(error);
    EXPECT_FALSE(find(sum_, archive));
    // It can be filled anew.
    add(archive, sum_);
    write(archive, file_);
    EXPECT_EQ(contents(file_), whole_);
  }
};

} // namespace

TEST_F(ArchiveDamageTest, NoTruncatedFileOpens) {
  EXPECT_TRUE(is_refused_as(whole_ + "x"));
  for (size_t size = whole_.size(); size-- > 0;) {
    std::filesystem::resize_file(file_, size);
    ASSERT_TRUE(is_refused(file_)) << size;
  }
  EXPECT_FALSE(is_refused_as(whole_));
}

TEST_F(ArchiveDamageTest, NoFlippedByteGoesUnnoticed) {
  std::fstream file(file_, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](size_t place, char byte) {
    file.seekp(static_cast<std::streamoff>(place)).put(byte).flush();
  };
  for (size_t place = 0; place < whole_.size(); ++place) {
    put(place, static_cast<char>(whole_[place] ^ (1u << place % 8)));
    ASSERT_TRUE(is_refused(file_)) << place;
    put(place, whole_[place]);
  }
  EXPECT_FALSE(is_refused(file_));
}

TEST_F(ArchiveDamageTest, NoForeignFileOpens) {
  EXPECT_TRUE(is_refused(folder_ / "missing"));
  EXPECT_TRUE(is_refused(folder_));
  EXPECT_TRUE(is_refused("/proc/self/mem"));
  EXPECT_TRUE(is_refused("/dev/zero"));
  EXPECT_TRUE(is_refused("/proc/self/exe"));
  EXPECT_TRUE(is_refused(BUILTIN_LIBRARY));
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(is_refused(pipe));
  const std::string sparse = folder_ / "sparse";
  write_file(sparse, whole_);
  ASSERT_EQ(truncate(sparse.c_str(), off_t{1} << 42), 0);
  EXPECT_TRUE(is_refused(sparse));
}

TEST_F(ArchiveDamageTest, NeedsADescriptorOfAFile) {
  NSError *error = nil;
  MTLBinaryArchiveDescriptor *descriptor = nil;
  EXPECT_EQ([device() newBinaryArchiveWithDescriptor:descriptor error:&error], nil);
  EXPECT_EQ([error code], MTLBinaryArchiveErrorInvalidFile);
  descriptor = [[[MTLBinaryArchiveDescriptor alloc] init] autorelease];
  [descriptor setUrl:[NSURL URLWithString:@"https://example.com/archive"]];
  EXPECT_EQ([device() newBinaryArchiveWithDescriptor:descriptor error:&error], nil);
  EXPECT_EQ([error code], MTLBinaryArchiveErrorInvalidFile);
  EXPECT_NE(message(error).find("example.com"), std::string::npos);
}

TEST_F(ArchiveDamageTest, AnotherCompilersCodeIsAMiss) {
  image::Archive archive = parsed();
  archive.identity.compiler.back() ^= 1;
  expect_stale(image::write_archive(archive));
}

TEST_F(ArchiveDamageTest, AnotherCpusCodeIsAMiss) {
  image::Archive archive = parsed();
  archive.identity.cpu += "?";
  expect_stale(image::write_archive(archive));
}

TEST_F(ArchiveDamageTest, AnotherVersionsFileIsAMiss) {
  std::string error;
  image::Archive empty;
  empty.identity = parsed().identity;
  expect_stale(image::write_archive(empty));
}

TEST_F(ArchiveDamageTest, CodeThatCannotBeLoadedIsAMiss) {
  for (const std::string &code : {std::string(), std::string("no ELF"), std::string(5000, 'x')}) {
    image::Archive archive = parsed();
    for (auto &[key, kernel] : archive.kernels)
      kernel = std::make_shared<const image::ArchivedKernel>("sum", code);
    write_file(file_, image::write_archive(archive));
    NSError *error = nil;
    const ArchivePointer opened = open_archive(file_, &error);
    ASSERT_TRUE(opened) << message(error);
    EXPECT_FALSE(find(sum_, @[ opened.get() ], &error));
    EXPECT_FALSE(message(error).empty());
    const auto pipeline = PipelinePointer::adopt([device()
        newComputePipelineStateWithDescriptor:descriptor(sum_, @[ opened.get() ])
                                      options:MTLPipelineOptionNone
                                   reflection:nullptr
                                        error:&error]);
    EXPECT_TRUE(sums(pipeline)) << message(error);
  }
}

TEST_F(ArchiveDamageTest, AnotherKernelsCodeUnderItsNameIsAMiss) {
  const ArchivePointer other = empty_archive();
  add(other, specialised(library_, 2));
  write(other, file_);
  std::string error;
  const image::Archive stranger =
      image::read_archive(image::as_bytes(contents(file_)), error).value();
  image::Archive archive = parsed();
  archive.kernels.begin()->second = stranger.kernels.begin()->second;
  write_file(file_, image::write_archive(archive));
  EXPECT_FALSE(find(sum_, open_archive(file_)));
}
