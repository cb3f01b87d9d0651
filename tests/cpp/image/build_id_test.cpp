#include "hostmetal/image/build_id.hpp"

#include "hostmetal/image/host.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace hostmetal::image {
namespace {

class BuildIdTest : public testing::Test {
protected:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("build_id_test." + std::to_string(getpid()));

  BuildIdTest() { std::filesystem::create_directory(folder_); }
  ~BuildIdTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string &bytes) {
    const std::filesystem::path path = folder_ / "file";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
};

std::string fixture() {
  std::ostringstream bytes;
  bytes << std::ifstream(IMAGE_FIXTURE, std::ios::binary).rdbuf();
  return bytes.str();
}

TEST_F(BuildIdTest, IsWhatTheLinkerWasTold) {
  EXPECT_EQ(build_id(IMAGE_FIXTURE), IMAGE_FIXTURE_BUILD_ID);
}

TEST_F(BuildIdTest, IsMissingWhereThereIsNone) {
  EXPECT_EQ(build_id(IMAGE_WITHOUT_KERNELS), std::nullopt);
  EXPECT_EQ(build_id(folder_ / "nothing"), std::nullopt);
  EXPECT_EQ(build_id(folder_), std::nullopt);
  EXPECT_EQ(build_id(write("")), std::nullopt);
  EXPECT_EQ(build_id(write(std::string(1000, 'x'))), std::nullopt);
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(build_id(pipe), std::nullopt);
}

TEST_F(BuildIdTest, ComesFromNoBrokenFile) {
  const std::string whole = fixture();
  const std::string path = write(whole.substr(0, 2048));
  for (size_t size = 2048; size-- > 0;) {
    std::filesystem::resize_file(path, size);
    const auto id = build_id(path);
    EXPECT_TRUE(!id || *id == IMAGE_FIXTURE_BUILD_ID) << size;
  }
  // Whatever the headers say, the answer is an id of some bytes, or none.
  write(whole);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](size_t place, char byte) {
    file.seekp(static_cast<std::streamoff>(place)).put(byte).flush();
  };
  for (size_t place = 0; place < 1024; ++place) {
    for (const unsigned change : {1, 0x80, 0xff}) {
      put(place, static_cast<char>(whole[place] ^ change));
      const auto id = build_id(path);
      EXPECT_TRUE(!id || (!id->empty() && id->size() % 2 == 0)) << place;
    }
    put(place, whole[place]);
  }
}

TEST(HostIdentity, IsTheSameOnEveryCoreAndInEveryProcess) {
  // A fresh process for every core that this one may use.
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  std::vector<std::string> answers;
  for (int cpu = 0; cpu < CPU_SETSIZE && answers.size() < 16; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed))
      continue;
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof(one), &one);
      const std::string identity = host_identity();
      const bool is_written =
          write(ends[1], identity.data(), identity.size()) == static_cast<ssize_t>(identity.size());
      _exit(is_written ? 0 : 1);
    }
    close(ends[1]);
    std::string answer;
    char buffer[256];
    for (ssize_t count; (count = read(ends[0], buffer, sizeof(buffer))) > 0;)
      answer.append(buffer, static_cast<size_t>(count));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    answers.push_back(answer);
  }
  ASSERT_FALSE(answers.empty());
  for (const std::string &answer : answers)
    EXPECT_EQ(answer, host_identity());
  EXPECT_FALSE(host_identity().empty());
}

} // namespace
} // namespace hostmetal::image
