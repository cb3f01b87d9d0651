#include "metalcore/metalcore.hpp"

#include "support/child.hpp"
#include "support/disk_store.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <thread>

#include <stdlib.h>
#include <sys/resource.h>

// The cache on disk, in child processes that have a folder of their own. Nothing here may ask for
// preferences outside of one: they are fixed from then on.

namespace metalcore {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using test::exit_code_of_child;

std::string source_of(int number) {
  return R"(#include <metal_stdlib>
using namespace metal;
constant int extra [[function_constant(0)]];
kernel void f(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  x[i] = x[i] * 3 + )" +
         std::to_string(number) + R"(;
}
kernel void g(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  x[i] = x[i] - extra;
}
)";
}

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether a pipeline turns 0 … 99 into what `expected` does.
template <typename Expected> bool is_right(const Pipeline &pipeline, Expected expected) {
  const Device device = pipeline.device();
  const Buffer buffer = device.make_buffer(100 * sizeof(int));
  int *values = static_cast<int *>(buffer.contents());
  for (int i = 0; i < 100; ++i)
    values[i] = i;
  Queue::default_queue(device).launch(
      pipeline, std::vector<LaunchArgument>{BufferBinding{buffer, 0}}, {{100, 1, 1}, {}});
  synchronize();
  for (int i = 0; i < 100; ++i)
    if (values[i] != expected(i))
      return false;
  return true;
}

bool runs(int number) {
  return is_right(Device::default_device().compile(source_of(number)).pipeline("f"),
                  [=](int i) { return 3 * i + number; });
}

bool runs_with_constant(int extra) {
  const Library library = Device::default_device().compile(source_of(0));
  return is_right(library.pipeline("g", {{{"extra", int64_t{extra}}}}),
                  [=](int i) { return i - extra; });
}

class CacheTest : public testing::Test {
protected:
  CacheTest() {
    setenv("METALCORE_CACHE_DIR", base_.c_str(), 1);
    setenv("METALCORE_CACHE", "true", 1);
    setenv("METALCORE_WARMUP", "false", 1);
    setenv("METALCORE_WARMUP_PROFILE", "false", 1); // it lies beside the cache
  }

  /// Every file of the cache by name: kind first, then the key.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    if (!fs::exists(base_ / "metalcore"))
      return found;
    for (const auto &entry : fs::recursive_directory_iterator(base_ / "metalcore"))
      if (const fs::path &path = entry.path(); path.stem().string().size() == 64)
        found[path.extension().string() + path.stem().string()] = read_file(path);
    return found;
  }
  fs::path pipeline_file() const {
    for (const auto &entry : fs::recursive_directory_iterator(base_))
      if (entry.path().extension() == ".pipeline")
        return entry.path();
    ADD_FAILURE() << "no pipeline was kept";
    return {};
  }
  /// Ends the use of metalcore in a child, with all on disk: pipelines, and as many libraries.
  bool finish(std::size_t libraries = 0) const {
    const bool is_kept = wait_for_cache(60s);
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    const auto count = [this] {
      return std::ranges::count_if(
          files(), [](const auto &file) { return file.first.starts_with(".library"); });
    };
    while (static_cast<std::size_t>(count()) < libraries) {
      if (std::chrono::steady_clock::now() > deadline)
        return false;
      std::this_thread::sleep_for(1ms);
    }
    shutdown();
    return is_kept;
  }
  /// Keeps the pipelines of kernels 0 … count - 1.
  void fill(int count = 1) const {
    ASSERT_EQ(exit_code_of_child([&] {
                for (int i = 0; i < count; ++i)
                  if (!runs(i))
                    return 1;
                if (!finish(static_cast<std::size_t>(count)))
                  return 2;
                return cache_stats().stored == static_cast<uint64_t>(count) ? 0 : 3;
              }),
              0);
  }

  const test::TemporaryFolder own_;
  const fs::path base_ = own_.path();
};

TEST_F(CacheTest, ASecondProcessFindsWhatTheFirstKept) {
  fill(3);
  EXPECT_EQ(exit_code_of_child([&] {
              for (int i = 0; i < 3; ++i)
                if (!runs(i))
                  return 1;
              const CacheStats stats = cache_stats();
              if (stats.hits != 3 || stats.misses + stats.damaged + stats.stored != 0)
                return 2;
              if (read_file("/proc/self/maps").find("libhostmetal-compiler") != std::string::npos)
                return 3;
              return cache_path().parent_path() == base_ / "metalcore" ? 0 : 4;
            }),
            0);
}

TEST_F(CacheTest, ALimitOnFilesEndsNoProcess) {
  fill();
  const auto before = files();
  for (const rlim_t most : {rlim_t{0}, rlim_t{100}, rlim_t{10'000}})
    EXPECT_EQ(exit_code_of_child([&] {
                const rlimit limit{most, most};
                setrlimit(RLIMIT_FSIZE, &limit);
                for (int i = 0; i < 3; ++i) // one that was kept, and new ones
                  if (!runs(i))
                    return 1;
                if (!wait_for_cache(60s))
                  return 2;
                shutdown();
                return 0;
              }),
              0)
        << most;
  for (const auto &[name, bytes] : before)
    EXPECT_EQ(files()[name], bytes);
}

TEST_F(CacheTest, ReflectionIsTheSameFromDisk) {
  const auto describe = [] {
    const Pipeline pipeline = Device::default_device().compile(source_of(0)).pipeline("f");
    std::string text = std::to_string(pipeline.max_total_threads_per_threadgroup()) + ' ' +
                       std::to_string(pipeline.thread_execution_width()) + ' ' +
                       std::to_string(pipeline.static_threadgroup_memory_length());
    for (const Argument &argument : pipeline.arguments())
      text += ' ' + argument.name + ' ' + std::to_string(argument.index) + ' ' +
              argument.type_name + ' ' + std::to_string(static_cast<int>(argument.access)) + ' ' +
              std::to_string(argument.type_size);
    return text;
  };
  for (const char *name : {"first", "second"})
    ASSERT_EQ(exit_code_of_child([&] {
                std::ofstream(base_ / name) << describe();
                finish();
                return cache_stats().hits == (std::string(name) == "second" ? 1u : 0u) ? 0 : 1;
              }),
              0);
  EXPECT_EQ(read_file(base_ / "first"), read_file(base_ / "second"));
  EXPECT_NE(read_file(base_ / "first"), "");
}

TEST_F(CacheTest, TwoProcessesWriteTheSameBytes) {
  fill(4);
  const auto first = files();
  EXPECT_GE(first.size(), 4u);
  fs::remove_all(base_ / "metalcore");
  fill(4);
  EXPECT_EQ(files(), first);
}

TEST_F(CacheTest, FunctionConstantsTellPipelinesApart) {
  for (const uint64_t hits : {0u, 2u})
    EXPECT_EQ(exit_code_of_child([&] {
                if (!runs_with_constant(7) || !runs_with_constant(-8))
                  return 1;
                finish();
                return cache_stats().hits == hits ? 0 : 2;
              }),
              0);
}

TEST_F(CacheTest, BuiltInKernelsAndTheWarmUpKeepNoPipelines) {
  EXPECT_EQ(exit_code_of_child([&] {
              warmup();
              const Library library = builtin_library(Device::default_device());
              library.pipeline(library.kernel_names().front());
              finish();
              const CacheStats stats = cache_stats();
              return stats.hits + stats.misses + stats.stored == 0 ? 0 : 1;
            }),
            0);
}

TEST_F(CacheTest, WithoutThePreferenceNothingIsKept) {
  setenv("METALCORE_CACHE", "false", 1);
  EXPECT_EQ(exit_code_of_child([&] {
              if (!runs(0))
                return 1;
              const CacheStats stats = cache_stats();
              if (stats.disabled_reason != "The preference \"cache\" is false.")
                return 2;
              if (clear_cache().files + prune_cache().files != 0 || !wait_for_cache(0s))
                return 3;
              finish();
              return 0;
            }),
            0);
  EXPECT_TRUE(fs::is_empty(base_));
}

TEST_F(CacheTest, AFolderThatOthersCanChangeIsNotUsedAndThatIsSaidOnce) {
  fill();
  const fs::path folder = pipeline_file().parent_path();
  fs::permissions(folder, fs::perms::others_write, fs::perm_options::add);
  const auto before = files();
  testing::internal::CaptureStderr();
  EXPECT_EQ(exit_code_of_child([&] {
              if (!runs(0) || !runs(1))
                return 1;
              cache_stats();
              finish();
              return 0;
            }),
            0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "metalcore: warning: The folder \"" + folder.string() +
                "\" is not used: it is writable by other users (mode 0702).\n");
  EXPECT_EQ(files(), before);
}

TEST_F(CacheTest, AnIntactFileOfAnythingElseIsCompiledAnewAndReplaced) {
  fill(2);
  const fs::path folder = pipeline_file().parent_path();
  std::vector<fs::path> pipelines;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".pipeline")
      pipelines.push_back(entry.path());
  ASSERT_EQ(pipelines.size(), 2u);
  const auto key_of = [](const fs::path &path) {
    Digest key;
    const std::string name = path.stem();
    for (std::size_t i = 0; i < key.size(); ++i)
      key[i] = static_cast<uint8_t>(std::stoi(name.substr(2 * i, 2), nullptr, 16));
    return key;
  };
  std::string why_not;
  const auto store = DiskStore::open(folder, 1u << 30, why_not);
  ASSERT_TRUE(store);
  const auto before = files();
  const std::string own = *store->load(key_of(pipelines[0]), "pipeline");
  const std::string other = *store->load(key_of(pipelines[1]), "pipeline");
  std::mt19937 random(std::random_device{}());
  std::vector<std::string> contents = {"", "garbage", other, own.substr(0, own.size() / 2),
                                       own + "more"};
  for (int i = 0; i < 20; ++i) {
    contents.push_back(own);
    contents.back()[random() % own.size()] ^= static_cast<char>(1 << (random() % 8));
    contents.push_back(own.substr(0, random() % own.size()));
  }
  for (const std::string &content : contents) {
    ASSERT_TRUE(store->store(key_of(pipelines[0]), "pipeline", content));
    ASSERT_EQ(exit_code_of_child([&] {
                if (!runs(0) || !runs(1))
                  return 1;
                finish();
                const CacheStats stats = cache_stats();
                return stats.damaged == 1 && stats.hits == 1 && stats.stored == 1 ? 0 : 2;
              }),
              0)
        << content.size();
    ASSERT_EQ(files(), before);
  }
}

TEST_F(CacheTest, ClearingLeavesPipelinesInUse) {
  fill(2);
  EXPECT_EQ(exit_code_of_child([&] {
              const Library library = Device::default_device().compile(source_of(0));
              const Pipeline pipeline = library.pipeline("f");
              if (clear_cache().files < 2 || cache_stats().files != 0)
                return 1;
              if (!is_right(pipeline, [](int i) { return 3 * i; }))
                return 2;
              return runs(1) && cache_stats().misses == 1 && wait_for_cache(60s) &&
                             cache_stats().stored == 1
                         ? 0
                         : 3;
            }),
            0);
}

TEST_F(CacheTest, TheFolderMayBeDeletedWhileItIsUsed) {
  EXPECT_EQ(exit_code_of_child([&] {
              for (int i = 0; i < 5; ++i) {
                if (!runs(i) || !wait_for_cache(60s))
                  return 1;
                fs::remove_all(base_ / "metalcore");
              }
              if (!runs(5) || !wait_for_cache(60s))
                return 2;
              return cache_stats().stored == 6 && cache_stats().failed_stores == 0 ? 0 : 3;
            }),
            0);
  EXPECT_FALSE(files().empty());
}

TEST_F(CacheTest, AForkedChildKeepsItsOwnPipelines) {
  EXPECT_EQ(exit_code_of_child([&] {
              if (!runs(0))
                return 1;
              return exit_code_of_child([&] {
                if (!runs(0) || !runs(1))
                  return 1;
                finish();
                return 0;
              });
            }),
            0);
  EXPECT_EQ(exit_code_of_child([&] { return runs(1) && cache_stats().hits == 1 ? 0 : 1; }), 0);
}

TEST_F(CacheTest, LibraryFilesAreToldApartByTheirContent) {
  const fs::path builtin = METALCORE_BUILTIN_LIBRARY;
  const auto use = [&](const char *file, uint64_t hits) {
    return exit_code_of_child([&] {
      const Library library = Device::default_device().load_library(base_ / file);
      library.pipeline(library.kernel_names().front());
      finish();
      const CacheStats stats = cache_stats();
      return stats.hits == hits && stats.hits + stats.misses == 1 && stats.damaged == 0 ? 0 : 1;
    });
  };
  fs::copy_file(builtin, base_ / "one.metallib");
  fs::copy_file(builtin, base_ / "two.metallib");
  EXPECT_EQ(use("one.metallib", 0), 0);
  EXPECT_EQ(use("two.metallib", 1), 0); // the same code
}

} // namespace
} // namespace metalcore
