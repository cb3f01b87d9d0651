#include "kernels.hpp"

#include "objc/autorelease_pool.hpp"
#include "support/child.hpp"

#include <atomic>
#include <sstream>
#include <thread>

#include <sys/resource.h>

using namespace metal_archive;

namespace {

NSString *string(const std::filesystem::path &path) {
  return [NSString stringWithUTF8String:path.c_str()];
}

/// All that a reflection says of its bindings.
std::string described(MTLComputePipelineReflection *reflection) {
  std::ostringstream text;
  for (id<MTLBinding> binding in [reflection bindings]) {
    text << metal_library::text([binding name]) << " " << [binding type] << " " << [binding access]
         << " " << [binding index] << " " << int([binding isUsed]) << int([binding isArgument]);
    if (conforms(binding, @"MTLBufferBinding")) {
      auto buffer = static_cast<id<MTLBufferBinding>>(binding);
      text << " " << [buffer bufferAlignment] << " " << [buffer bufferDataSize] << " "
           << [buffer bufferDataType];
      for (MTLStructMember *member in [[buffer bufferStructType] members])
        text << " " << metal_library::text([member name]) << "@" << [member offset] << ":"
             << [member dataType];
    }
    if (conforms(binding, @"MTLThreadgroupBinding")) {
      auto memory = static_cast<id<MTLThreadgroupBinding>>(binding);
      text << " " << [memory threadgroupMemoryAlignment] << " "
           << [memory threadgroupMemoryDataSize];
    }
    text << "\n";
  }
  return text.str();
}

class BinaryArchiveTest : public ArchiveTest {
protected:
  LibraryPointer library_ = metal_library::compile(kernel_source);
  FunctionPointer sum_ = function(library_, "sum");

  std::filesystem::path file() const { return folder_ / "kernels.archive"; }
  size_t files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
};

} // namespace

TEST_F(BinaryArchiveTest, IsAnObjectOfTheDevice) {
  const ArchivePointer archive = empty_archive();
  EXPECT_TRUE(conforms(archive.get(), @"MTLBinaryArchive"));
  EXPECT_EQ([archive.get() device], device());
  EXPECT_EQ([archive.get() label], nil);
  [archive.get() setLabel:@"mine"];
  EXPECT_EQ(text([archive.get() label]), "mine");
}

TEST_F(BinaryArchiveTest, DescriptorsCopyTheirUrl) {
  MTLBinaryArchiveDescriptor *descriptor = [[[MTLBinaryArchiveDescriptor alloc] init] autorelease];
  EXPECT_EQ([descriptor url], nil);
  [descriptor setUrl:[NSURL fileURLWithPath:@"/a/b"]];
  MTLBinaryArchiveDescriptor *copy = [[descriptor copy] autorelease];
  [descriptor setUrl:nil];
  EXPECT_EQ(text([[copy url] path]), "/a/b");
}

TEST_F(BinaryArchiveTest, PipelineDescriptorsKeepTheirArchives) {
  const ArchivePointer archive = empty_archive();
  MTLComputePipelineDescriptor *pipeline = descriptor(sum_, @[ archive.get() ]);
  MTLComputePipelineDescriptor *copy = [[pipeline copy] autorelease];
  [pipeline reset];
  EXPECT_EQ([pipeline binaryArchives], nil);
  ASSERT_EQ([[copy binaryArchives] count], 1u);
  EXPECT_EQ([[copy binaryArchives] objectAtIndex:0], archive.get());
}

TEST_F(BinaryArchiveTest, AnEmptyOneHasNothing) {
  const ArchivePointer archive = empty_archive();
  for (NSArray *archives in @[ @[], @[ archive.get() ] ]) {
    NSError *error = nil;
    MTLComputePipelineReflection *reflection = nil;
    EXPECT_FALSE(find(sum_, archives, &error, &reflection));
    ASSERT_NE(error, nil);
    EXPECT_NE(message(error).find("sum"), std::string::npos) << message(error);
    EXPECT_EQ(reflection, nil);
  }
  EXPECT_FALSE(find(sum_, nil, nullptr));
}

TEST_F(BinaryArchiveTest, AMissIsCompiledUnlessThatIsForbidden) {
  const ArchivePointer archive = empty_archive();
  NSError *error = nil;
  const auto pipeline = PipelinePointer::adopt([device()
      newComputePipelineStateWithDescriptor:descriptor(sum_, @[ archive.get() ])
                                    options:MTLPipelineOptionNone
                                 reflection:nullptr
                                      error:&error]);
  ASSERT_TRUE(pipeline) << message(error);
  EXPECT_TRUE(sums(pipeline));
  EXPECT_FALSE(find(sum_, archive)); // what a pipeline needed is not added by itself
}

TEST_F(BinaryArchiveTest, HasWhatWasAdded) {
  const ArchivePointer archive = empty_archive();
  add(archive, sum_);
  EXPECT_TRUE(sums(find(sum_, archive)));
}

TEST_F(BinaryArchiveTest, HasWhatItsFileHas) {
  const ArchivePointer archive = empty_archive();
  add(archive, sum_);
  for (const int power : {1, 3})
    add(archive, specialised(library_, power));
  write(archive, file());
  EXPECT_EQ(files(), 1u);

  NSError *error = nil;
  const ArchivePointer opened = open_archive(file(), &error);
  ASSERT_TRUE(opened) << message(error);
  // The file is not needed any more.
  std::filesystem::remove(file());
  EXPECT_TRUE(sums(find(sum_, opened)));
  for (const int power : {1, 3})
    EXPECT_TRUE(scales(find(specialised(library_, power), opened), power));
  EXPECT_FALSE(find(specialised(library_, 2), opened));
}

TEST_F(BinaryArchiveTest, ReflectsWhatTheCompilerReflects) {
  const ArchivePointer archive = empty_archive();
  for (const FunctionPointer &function : {sum_, specialised(library_, 2)}) {
    add(archive, function);
    MTLComputePipelineReflection *found = nil, *compiled = nil;
    const PipelinePointer hit = find(function, @[ archive.get() ], nullptr, &found);
    ASSERT_TRUE(hit);
    const PipelinePointer reference = metal_archive::compile(function, &compiled);
    EXPECT_EQ(described(found), described(compiled));
    EXPECT_FALSE(described(found).empty());
    EXPECT_EQ([hit.get() maxTotalThreadsPerThreadgroup],
              [reference.get() maxTotalThreadsPerThreadgroup]);
    EXPECT_EQ([hit.get() threadExecutionWidth], [reference.get() threadExecutionWidth]);
    EXPECT_EQ([hit.get() staticThreadgroupMemoryLength],
              [reference.get() staticThreadgroupMemoryLength]);
  }
}

TEST_F(BinaryArchiveTest, ServesOtherLibrariesOfTheSameCodeOnly) {
  const ArchivePointer archive = empty_archive();
  add(archive, specialised(library_, 2));
  EXPECT_TRUE(scales(find(specialised(metal_library::compile(kernel_source), 2), archive), 2));
  std::string other = kernel_source;
  other.replace(other.find("params.factor;"), 14, "-params.factor;");
  EXPECT_FALSE(find(specialised(metal_library::compile(other), 2), archive));

  MTLCompileOptions *options = [[[MTLCompileOptions alloc] init] autorelease];
  [options setMathMode:MTLMathModeSafe];
  EXPECT_FALSE(find(specialised(metal_library::compile(kernel_source, options), 2), archive));
}

TEST_F(BinaryArchiveTest, AreSearchedInOrder) {
  const ArchivePointer none = empty_archive(), first = empty_archive(), second = empty_archive();
  add(first, sum_);
  add(second, specialised(library_, 2));
  NSArray *archives = @[ none.get(), first.get(), second.get() ];
  EXPECT_TRUE(sums(find(sum_, archives)));
  EXPECT_TRUE(scales(find(specialised(library_, 2), archives), 2));
}

TEST_F(BinaryArchiveTest, KeepsDuplicatesOnce) {
  const ArchivePointer once = empty_archive(), twice = empty_archive();
  add(once, sum_);
  for (int i = 0; i < 3; ++i)
    add(twice, function(metal_library::compile(kernel_source), "sum"));
  write(once, file());
  write(twice, folder_ / "twice");
  EXPECT_EQ(contents(file()), contents(folder_ / "twice"));
  const ArchivePointer opened = open_archive(file());
  add(opened, sum_);
  write(opened, folder_ / "again");
  EXPECT_EQ(contents(file()), contents(folder_ / "again"));
}

TEST_F(BinaryArchiveTest, BytesDependOnNoOrder) {
  const ArchivePointer one = empty_archive(), other = empty_archive();
  add(one, sum_);
  add(one, specialised(library_, 2));
  add(other, specialised(library_, 2));
  const PipelinePointer alive = metal_archive::compile(sum_);
  add(other, sum_); // the pipeline's object
  write(one, file());
  write(other, folder_ / "other");
  EXPECT_EQ(contents(file()), contents(folder_ / "other"));
}

TEST_F(BinaryArchiveTest, TakesKernelsFromOtherArchives) {
  const ArchivePointer archive = empty_archive(), copy = empty_archive();
  add(archive, sum_);
  NSError *error = nil;
  ASSERT_TRUE([copy.get()
      addComputePipelineFunctionsWithDescriptor:descriptor(sum_, @[ archive.get() ])
                                          error:&error])
      << message(error);
  EXPECT_TRUE(sums(find(sum_, copy)));
}

TEST_F(BinaryArchiveTest, IgnoresLimitsThatChangeNoCode) {
  const ArchivePointer archive = empty_archive();
  add(archive, sum_);
  MTLComputePipelineDescriptor *limited = descriptor(sum_, @[ archive.get() ]);
  [limited setMaxTotalThreadsPerThreadgroup:64];
  const auto pipeline = PipelinePointer::adopt([device()
      newComputePipelineStateWithDescriptor:limited
                                    options:MTLPipelineOptionFailOnBinaryArchiveMiss
                                 reflection:nullptr
                                      error:nullptr]);
  ASSERT_TRUE(pipeline);
  EXPECT_EQ([pipeline.get() maxTotalThreadsPerThreadgroup], 64u);
}

TEST_F(BinaryArchiveTest, RefusesWhatIsNoKernel) {
  const ArchivePointer archive = empty_archive();
  const auto code_of = [&](MTLComputePipelineDescriptor *descriptor) {
    NSError *error = nil;
    EXPECT_FALSE([archive.get() addComputePipelineFunctionsWithDescriptor:descriptor error:&error]);
    EXPECT_EQ(text([error domain]), text(MTLBinaryArchiveDomain));
    EXPECT_FALSE(message(error).empty());
    EXPECT_FALSE([archive.get() addComputePipelineFunctionsWithDescriptor:descriptor
                                                                    error:nullptr]);
    return [error code];
  };
  MTLComputePipelineDescriptor *nothing = nil;
  EXPECT_EQ(code_of(nothing), MTLBinaryArchiveErrorUnexpectedElement);
  EXPECT_EQ(code_of(descriptor(nullptr)), MTLBinaryArchiveErrorUnexpectedElement);
  EXPECT_EQ(code_of(descriptor(function(library_, "visible_one"))),
            MTLBinaryArchiveErrorCompilationFailure);
  // Its constant has no value.
  EXPECT_EQ(code_of(descriptor(function(library_, "scale"))),
            MTLBinaryArchiveErrorCompilationFailure);
}

TEST_F(BinaryArchiveTest, HoldsKernelsCompiledAheadOfTime) {
  NSError *error = nil;
  const auto builtins =
      LibraryPointer::adopt([device() newLibraryWithURL:[NSURL fileURLWithPath:@BUILTIN_LIBRARY]
                                                  error:&error]);
  ASSERT_TRUE(builtins) << message(error);
  const FunctionPointer builtin =
      function(builtins, text([[builtins.get() functionNames] objectAtIndex:0]));
  const ArchivePointer archive = empty_archive();
  EXPECT_FALSE(find(builtin, archive));
  add(archive, builtin);
  EXPECT_TRUE(find(builtin, archive));
  write(archive, file());
  EXPECT_TRUE(find(builtin, open_archive(file())));
  // There is nothing to keep but the fact.
  EXPECT_LT(std::filesystem::file_size(file()), 1000u);
}

TEST_F(BinaryArchiveTest, SaysWhyItCannotBeWritten) {
  const ArchivePointer archive = empty_archive();
  add(archive, sum_);
  std::filesystem::create_directories(folder_ / "taken" / "inside");
  const auto before = files();
  for (NSURL *url in @[
         [NSURL fileURLWithPath:string(folder_ / "missing" / "file")],
         [NSURL fileURLWithPath:string(folder_ / "taken")], // a folder
         [NSURL URLWithString:@"https://example.com/archive"]
       ]) {
    NSError *error = nil;
    EXPECT_FALSE([archive.get() serializeToURL:url error:&error]);
    EXPECT_EQ(text([error domain]), text(MTLBinaryArchiveDomain));
    EXPECT_FALSE(message(error).empty());
    EXPECT_FALSE([archive.get() serializeToURL:url error:nullptr]);
  }
  NSURL *nowhere = nil;
  EXPECT_FALSE([archive.get() serializeToURL:nowhere error:nullptr]);
  EXPECT_EQ(files(), before); // no temporary is left
}

TEST_F(BinaryArchiveTest, TheLimitOnFilesEndsNoProcess) {
  const ArchivePointer archive = empty_archive();
  write(archive, file());
  const auto before = std::filesystem::file_size(file());
  add(archive, sum_);
  EXPECT_EQ(metalcore::test::exit_code_of_child([&] {
              const rlimit limit{before, before};
              setrlimit(RLIMIT_FSIZE, &limit);
              NSURL *url = [NSURL fileURLWithPath:string(file())];
              NSError *error = nil;
              if ([archive.get() serializeToURL:url error:&error])
                return 1;
              if ([error code] != MTLBinaryArchiveErrorInternalError)
                return 2;
              return message(error).find("File too large") == std::string::npos ? 3 : 0;
            }),
            0);
  EXPECT_EQ(std::filesystem::file_size(file()), before);
  EXPECT_EQ(files(), 1u);
}

TEST_F(BinaryArchiveTest, WritingReplacesAFileAtOnce) {
  write_file(file(), std::string(100000, 'x'));
  const ArchivePointer archive = empty_archive();
  write(archive, file());
  EXPECT_TRUE(open_archive(file()));
  EXPECT_EQ(files(), 1u);
}

TEST_F(BinaryArchiveTest, ThreadsShareIt) {
  constexpr int threads = 16;
  const ArchivePointer archive = empty_archive();
  std::atomic<int> wrong{0};
  std::vector<std::thread> workers;
  for (int worker = 0; worker < threads; ++worker)
    workers.emplace_back([&, worker] {
      metalcore::objc::attach_thread();
      @autoreleasepool {
        for (int step = 0; step < 4; ++step) {
          const int power = (worker + step) % 4;
          const FunctionPointer function = specialised(library_, power);
          if (find(function, archive)) // another thread was first
            wrong += !scales(find(function, archive), power);
          add(archive, function);
          const PipelinePointer found = find(function, archive);
          wrong += !found || !scales(found, power);
          write(archive, file());
          wrong += !open_archive(file());
        }
      }
    });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(files(), 1u);
  const ArchivePointer opened = open_archive(file());
  for (int power = 0; power < 4; ++power)
    EXPECT_TRUE(scales(find(specialised(library_, power), opened), power));
}
