#pragma once

#include "child.hpp"
#include "support/disk_store.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include <sys/stat.h>

namespace metalcore::test {

namespace fs = std::filesystem;

inline constexpr uint64_t plenty = uint64_t{1} << 30;

inline std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const fs::path &path, const std::string &content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

inline void set_age(const fs::path &path, std::chrono::seconds age) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

inline Digest key_of(int number) {
  return sha256(std::to_string(number));
}

/// A store in a folder of the test's own.
class DiskStoreTest : public testing::Test {
protected:
  ~DiskStoreTest() override { chmod(folder_.c_str(), 0700); }

  std::shared_ptr<DiskStore> open(uint64_t max_size = plenty) {
    std::string why_not;
    auto store = DiskStore::open(folder_, max_size, why_not);
    EXPECT_TRUE(store) << why_not;
    return store;
  }
  std::string refusal() {
    std::string why_not;
    EXPECT_FALSE(DiskStore::open(folder_, plenty, why_not));
    return why_not;
  }
  fs::path path_of(const Digest &key, const std::string &kind = "pipeline") const {
    return folder_ / (to_hex(key) + '.' + kind);
  }
  std::size_t file_count() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto &entry : fs::directory_iterator(folder_))
      ++count;
    return count;
  }

  const test::TemporaryFolder own_;
  const fs::path base_ = own_.path(), folder_ = base_ / "cache" / "build";
  const Digest key_ = key_of(0);
};

} // namespace metalcore::test
