#include "fixture.hpp"

#include "support/temporary_folder.hpp"

#include "hostmetal/image/image.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace metal_library;
namespace image = hostmetal::image;

namespace {

std::string contents(const std::string &path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

/// Libraries in files of their own folder.
class ImageLibraryTest : public MetalTest {
protected:
  const metalcore::test::TemporaryFolder folder_;

  /// A container of the fixture's code for this CPU.
  std::string container() {
    image::Library library;
    library.functions = {{"fill", image::Function::Kind::kernel, {}},
                         {"lost", image::Function::Kind::kernel, {}},
                         {"tuned", image::Function::Kind::kernel, {{"size", 0, 29, false}}}};
    return image::write_container(library,
                                  {{image::host_targets().front(), contents(IMAGE_FIXTURE)}});
  }
  NSString *write(const std::string &name, const std::string &bytes) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return [NSString stringWithUTF8String:path.c_str()];
  }
  LibraryPointer open(NSString *path, NSError **error) {
    return LibraryPointer::adopt([device() newLibraryWithURL:[NSURL fileURLWithPath:path]
                                                       error:error]);
  }
};

} // namespace

TEST_F(ImageLibraryTest, RunsWithoutTheCompiler) {
  NSError *error = nil;
  const LibraryPointer library = open(write("good.metallib", container()), &error);
  ASSERT_TRUE(library) << message(error);
  EXPECT_EQ(texts([library.get() functionNames]),
            (std::vector<std::string>{"fill", "lost", "tuned"}));

  MTLComputePipelineReflection *reflection = nil;
  const auto pipeline = PipelinePointer::adopt([device()
      newComputePipelineStateWithFunction:function(library, "fill").get()
                                  options:MTLPipelineOptionBindingInfo
                               reflection:&reflection
                                    error:&error]);
  ASSERT_TRUE(pipeline) << message(error);
  EXPECT_EQ([[reflection bindings] count], 1u);
  EXPECT_EQ(contents("/proc/self/maps").find("libhostmetal-compiler"), std::string::npos);
}

TEST_F(ImageLibraryTest, RunsItsKernels) {
  NSError *error = nil;
  LibraryPointer library = open(write("good.metallib", container()), &error);
  ASSERT_TRUE(library) << message(error);
  const auto pipeline = PipelinePointer::adopt(
      [device() newComputePipelineStateWithFunction:function(library, "fill").get() error:&error]);
  ASSERT_TRUE(pipeline) << message(error);
  library = nullptr; // the pipeline keeps the code

  constexpr NSUInteger count = 1003;
  const auto buffer =
      Retained<id<MTLBuffer>>::adopt([device() newBufferWithLength:count * 4
                                                           options:MTLResourceStorageModeShared]);
  const auto queue = Retained<id<MTLCommandQueue>>::adopt([device() newCommandQueue]);
  id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline.get()];
  [encoder setBuffer:buffer.get() offset:0 atIndex:0];
  [encoder dispatchThreads:MTLSizeMake(count, 1, 1) threadsPerThreadgroup:MTLSizeMake(64, 1, 1)];
  [encoder endEncoding];
  [commands commit];
  [commands waitUntilCompleted];
  ASSERT_EQ([commands status], MTLCommandBufferStatusCompleted) << message([commands error]);
  const auto *values = static_cast<const uint32_t *>([buffer.get() contents]);
  EXPECT_EQ(std::count(values, values + count, 7u), static_cast<ptrdiff_t>(count));
}

TEST_F(ImageLibraryTest, SaysWhatItCannotDo) {
  NSError *error = nil;
  const LibraryPointer library = open(write("good.metallib", container()), &error);
  ASSERT_TRUE(library) << message(error);
  EXPECT_EQ([device() newComputePipelineStateWithFunction:function(library, "lost").get()
                                                    error:&error],
            nil);
  EXPECT_EQ(message(error), "The library holds no readable code of function \"lost\".");

  MTLFunctionConstantValues *values = [[[MTLFunctionConstantValues alloc] init] autorelease];
  const int size = 4;
  [values setConstantValue:&size type:MTLDataTypeInt withName:@"size"];
  const auto tuned = FunctionPointer::adopt([library.get() newFunctionWithName:@"tuned"
                                                                constantValues:values
                                                                         error:&error]);
  ASSERT_TRUE(tuned);
  EXPECT_EQ([device() newComputePipelineStateWithFunction:tuned.get() error:&error], nil);
  EXPECT_EQ(message(error).find("Function \"tuned\" was compiled ahead of time"), 0u);
}

TEST_F(ImageLibraryTest, RefusesOtherFiles) {
  const std::string good = container();
  std::string damaged = good;
  damaged[damaged.size() - 100] ^= 1;
  const std::vector<std::pair<NSString *, MTLLibraryError>> cases = {
      {write("empty", ""), MTLLibraryErrorUnsupported},
      {write("text", "#include <metal_stdlib>\n"), MTLLibraryErrorUnsupported},
      {write("apple", std::string("MTLB") + std::string(200, '\0')), MTLLibraryErrorUnsupported},
      {write("half", good.substr(0, good.size() / 2)), MTLLibraryErrorUnsupported},
      {write("damaged", damaged), MTLLibraryErrorUnsupported},
      {@"/", MTLLibraryErrorUnsupported},
      {@"/no/such/file.metallib", MTLLibraryErrorFileNotFound},
  };
  for (const auto &[path, code] : cases) {
    NSError *error = nil;
    EXPECT_FALSE(open(path, &error)) << text(path);
    EXPECT_EQ([error code], static_cast<NSInteger>(code)) << text(path) << ": " << message(error);
    EXPECT_NE(message(error).find(text(path)), std::string::npos) << message(error);
    EXPECT_EQ([device() newLibraryWithFile:path error:nullptr], nil);
  }
}

TEST_F(ImageLibraryTest, RefusesOtherURLs) {
  NSURL *nowhere = nil;
  NSString *no_path = nil;
  NSError *error = nil;
  EXPECT_EQ([device() newLibraryWithURL:[NSURL URLWithString:@"https://example.org/a"]
                                  error:&error],
            nil);
  EXPECT_EQ(message(error), "A library is opened from the URL of a file; this one is "
                            "https://example.org/a.");
  EXPECT_EQ([device() newLibraryWithURL:nowhere error:&error], nil);
  EXPECT_EQ([device() newLibraryWithFile:no_path error:&error], nil);
}

TEST_F(ImageLibraryTest, ArchivesWithoutTheCompiler) {
  NSError *error = nil;
  const LibraryPointer library = open(write("good.metallib", container()), &error);
  ASSERT_TRUE(library) << message(error);
  MTLBinaryArchiveDescriptor *descriptor = [[[MTLBinaryArchiveDescriptor alloc] init] autorelease];
  auto archive =
      Retained<id<MTLBinaryArchive>>::adopt([device() newBinaryArchiveWithDescriptor:descriptor
                                                                               error:&error]);
  ASSERT_TRUE(archive) << message(error);
  MTLComputePipelineDescriptor *fill = [[[MTLComputePipelineDescriptor alloc] init] autorelease];
  [fill setComputeFunction:function(library, "fill").get()];
  MTLComputePipelineDescriptor *lost = [[fill copy] autorelease];
  [lost setComputeFunction:function(library, "lost").get()];
  EXPECT_TRUE([archive.get() addComputePipelineFunctionsWithDescriptor:fill error:&error]);
  EXPECT_FALSE([archive.get() addComputePipelineFunctionsWithDescriptor:lost error:&error]);
  EXPECT_EQ([error code], MTLBinaryArchiveErrorInternalError);

  NSURL *url =
      [NSURL fileURLWithPath:[NSString stringWithUTF8String:(folder_ / "archive").c_str()]];
  ASSERT_TRUE([archive.get() serializeToURL:url error:&error]) << message(error);
  [descriptor setUrl:url];
  archive =
      Retained<id<MTLBinaryArchive>>::adopt([device() newBinaryArchiveWithDescriptor:descriptor
                                                                               error:&error]);
  ASSERT_TRUE(archive) << message(error);
  [fill setBinaryArchives:@[ archive.get() ]];
  EXPECT_TRUE(PipelinePointer::adopt([device()
      newComputePipelineStateWithDescriptor:fill
                                    options:MTLPipelineOptionFailOnBinaryArchiveMiss
                                 reflection:nullptr
                                      error:&error]))
      << message(error);
  EXPECT_EQ(contents("/proc/self/maps").find("libhostmetal-compiler"), std::string::npos);
}
