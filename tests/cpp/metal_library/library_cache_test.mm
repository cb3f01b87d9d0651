// Front-end results on disk.
#include "fixture.hpp"

#include "objc/attach_thread.hpp"
#include "support/disk_store.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

using namespace metal_library;

namespace {

class LibraryCacheTest : public MetalTest {
protected:
  std::filesystem::path folder_;

  LibraryCacheTest() {
    compile("kernel k\n"); // opens the compiler, before there is a cache
    std::string pattern = std::filesystem::temp_directory_path() / "library_cache.XXXXXX";
    folder_ = std::filesystem::path(mkdtemp(pattern.data())) / "cache";
    setenv("HOSTMETAL_CACHE_DIR", folder_.c_str(), 1);
  }
  ~LibraryCacheTest() override {
    unsetenv("HOSTMETAL_CACHE_DIR");
    unsetenv("HOSTMETAL_CACHE_MAX_SIZE");
    // A write in the background may still come and go.
    std::error_code error;
    for (int attempt = 0; attempt < 100 && std::filesystem::exists(folder_.parent_path(), error);
         ++attempt)
      std::filesystem::remove_all(folder_.parent_path(), error);
  }

  size_t entries() const {
    // A folder that is read while files are replaced may list one twice.
    std::set<std::string> names;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder_, error))
      if (entry.path().extension() == ".library")
        names.insert(entry.path().filename());
    return names.size();
  }
  /// Entries are written in the background.
  bool wait_for(size_t count) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    size_t seen = entries();
    for (; seen < count && std::chrono::steady_clock::now() < deadline; seen = entries())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return seen == count;
  }
};

int compiled() { return fake_count("fake_compiler_compiled_libraries"); }

LibraryPointer make(const std::string &source, MTLCompileOptions *options, NSError **error) {
  return LibraryPointer::adopt([device()
      newLibraryWithSource:[NSString stringWithUTF8String:source.c_str()]
                   options:options
                     error:error]);
}

MTLCompileOptions *options() { return [[[MTLCompileOptions alloc] init] autorelease]; }

} // namespace

TEST_F(LibraryCacheTest, CompilesASourceOnce) {
  const std::string source = "kernel a\nconstant size 3 29 optional\nvisible b\nwarning careful\n";
  std::vector<std::string> names;
  const int before = compiled();
  for (int attempt = 0; attempt < 3; ++attempt) {
    NSError *error = nil;
    const LibraryPointer library = make(source, nil, &error);
    ASSERT_TRUE(library) << message(error);
    EXPECT_EQ([error code], MTLLibraryErrorCompileWarning);
    EXPECT_EQ(message(error), "warning careful");
    if (attempt == 0)
      names = texts([library.get() functionNames]);
    EXPECT_EQ(texts([library.get() functionNames]), names);
    NSDictionary *constants = [function(library, "a").get() functionConstantsDictionary];
    ASSERT_EQ([constants count], 1u);
    EXPECT_EQ([[constants objectForKey:@"size"] index], 3u);
    EXPECT_FALSE([[constants objectForKey:@"size"] required]);
    NSError *pipeline_error = nil;
    EXPECT_TRUE(PipelinePointer::adopt([device()
        newComputePipelineStateWithFunction:function(library, "a").get()
                                      error:&pipeline_error]))
        << message(pipeline_error);
    ASSERT_TRUE(wait_for(1));
  }
  EXPECT_EQ(compiled(), before + 1);
}

TEST_F(LibraryCacheTest, IgnoresAnIntactEntryOfAnotherForm) {
  const std::vector<std::string> names =
      texts([make("kernel a\n", nil, nullptr).get() functionNames]);
  ASSERT_TRUE(wait_for(1));
  metalcore::Digest key{};
  std::string name;
  for (const auto &entry : std::filesystem::directory_iterator(folder_))
    if (entry.path().extension() == ".library")
      name = entry.path().stem();
  for (size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<uint8_t>(std::stoi(name.substr(2 * i, 2), nullptr, 16));
  std::string why_not;
  const auto store = metalcore::DiskStore::open(folder_, 1 << 20, why_not);
  ASSERT_TRUE(store) << why_not;
  const std::string whole = store->load(key, "library").value();
  std::string other_form = whole;
  other_form[0] = static_cast<char>(other_form[0] + 1);
  for (const std::string &content :
       {std::string(), std::string("nonsense"), other_form, whole.substr(0, whole.size() - 1),
        whole.substr(0, 60), whole + "x"}) {
    ASSERT_TRUE(store->store(key, "library", content));
    const int before = compiled();
    const LibraryPointer library = make("kernel a\n", nil, nullptr);
    ASSERT_TRUE(library);
    EXPECT_EQ(texts([library.get() functionNames]), names);
    EXPECT_EQ(compiled(), before + 1) << content.size();
    // It is written anew, in the background.
    for (int attempt = 0; attempt < 30'000 && store->load(key, "library") != whole; ++attempt)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(store->load(key, "library"), whole);
  }
  const int before = compiled();
  EXPECT_TRUE(make("kernel a\n", nil, nullptr));
  EXPECT_EQ(compiled(), before);
}

TEST_F(LibraryCacheTest, TellsRequestsApart) {
  std::vector<MTLCompileOptions *> all;
  for (int i = 0; i < 7; ++i)
    all.push_back(options());
  [all[1] setMathMode:MTLMathModeSafe];
  [all[2] setMathMode:MTLMathModeRelaxed];
  [all[3] setLanguageVersion:MTLLanguageVersion3_0];
  [all[4] setPreprocessorMacros:@{@"A" : @"1"}];
  [all[5] setPreprocessorMacros:@{@"A" : @"2"}];
  [all[6] setPreprocessorMacros:@{@"A" : @"1", @"B" : @""}];
  const int before = compiled();
  for (int attempt = 0; attempt < 2; ++attempt)
    for (size_t i = 0; i < all.size(); ++i) {
      NSError *error = nil;
      const LibraryPointer library = make("kernel k\n", all[i], &error);
      ASSERT_TRUE(library) << message(error);
      // The fake compiler's first function says what it was asked.
      const std::string request = texts([library.get() functionNames]).front();
      EXPECT_EQ(request.find(" A=1") != std::string::npos, i == 4 || i == 6) << request;
      if (attempt == 0)
        ASSERT_TRUE(wait_for(i + 1));
    }
  EXPECT_EQ(compiled(), before + static_cast<int>(all.size()));
}

TEST_F(LibraryCacheTest, KeepsNoFailures) {
  for (const char *source : {"error here\n", "crash\n", "garbage\n"}) {
    const int before = compiled();
    for (int attempt = 0; attempt < 2; ++attempt)
      EXPECT_FALSE(make(source, nil, nullptr));
    EXPECT_EQ(compiled(), before + 2);
  }
  make("kernel last\n", nil, nullptr);
  EXPECT_TRUE(wait_for(1)); // writes are in order: the failures made none
}

TEST_F(LibraryCacheTest, KeepsNothingThatTheTimeDecides) {
  MTLCompileOptions *dated = options();
  [dated setPreprocessorMacros:@{@"WHEN" : @"__TIME__"}];
  for (int attempt = 0; attempt < 2; ++attempt) {
    make("kernel k\n", dated, nullptr);
    make("kernel k\n// __DATE__\n", nil, nullptr);
  }
  make("kernel last\n", nil, nullptr);
  EXPECT_TRUE(wait_for(1));
}

TEST_F(LibraryCacheTest, ServesAfterItsFolderIsGone) {
  make("kernel k\n", nil, nullptr);
  ASSERT_TRUE(wait_for(1));
  std::filesystem::remove_all(folder_);
  EXPECT_TRUE(make("kernel k\n", nil, nullptr));
  EXPECT_TRUE(wait_for(1));
}

TEST_F(LibraryCacheTest, KeepsNothingBeyondItsLimit) {
  setenv("HOSTMETAL_CACHE_MAX_SIZE", "1", 1);
  EXPECT_TRUE(make("kernel k\n", nil, nullptr));
  EXPECT_TRUE(make("kernel k\n", nil, nullptr));
  unsetenv("HOSTMETAL_CACHE_MAX_SIZE");
  setenv("HOSTMETAL_CACHE_DIR", (folder_ / "other").c_str(), 1);
  folder_ /= "other";
  EXPECT_TRUE(make("kernel k\n", nil, nullptr));
  EXPECT_TRUE(wait_for(1));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.parent_path()), {}), 1);
  folder_ = folder_.parent_path();
}

TEST_F(LibraryCacheTest, ThreadsShareIt) {
  std::vector<std::thread> threads;
  std::atomic<int> made{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      metalcore::objc::attach_thread();
      @autoreleasepool {
        for (int step = 0; step < 20; ++step)
          made += bool(make("kernel k" + std::to_string((i + step) % 5) + "\n", nil, nullptr));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made, 8 * 20);
  EXPECT_TRUE(wait_for(5));
}
