#include "support/file_descriptor.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <thread>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

namespace metalcore {
namespace {

bool is_open(int file) {
  return fcntl(file, F_GETFD) >= 0;
}

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    read = FileDescriptor(ends[0]);
    write = FileDescriptor(ends[1]);
  }
  FileDescriptor read, write;
};

TEST(FileDescriptor, ClosesWhatItOwns) {
  int numbers[2];
  {
    Pipe pipe;
    numbers[0] = pipe.read.get();
    numbers[1] = pipe.write.get();
    const FileDescriptor moved(std::move(pipe.read));
    EXPECT_FALSE(pipe.read);
    EXPECT_EQ(moved.get(), numbers[0]);
    EXPECT_TRUE(is_open(numbers[0]));
    EXPECT_EQ(pipe.write.release(), numbers[1]);
  }
  EXPECT_FALSE(is_open(numbers[0]));
  EXPECT_TRUE(is_open(numbers[1]));
  ::close(numbers[1]);
  EXPECT_FALSE(FileDescriptor());
}

TEST(FileDescriptor, ReadsAndWritesInHoweverManyCalls) {
  Pipe pipe; // holds less than this
  const std::string sent(1 << 20, 'x');
  std::thread writer([&] { EXPECT_TRUE(write_fully(pipe.write.get(), sent.data(), sent.size())); });
  std::string received(sent.size(), '\0');
  EXPECT_TRUE(read_fully(pipe.read.get(), received.data(), received.size()));
  writer.join();
  EXPECT_EQ(received, sent);
}

TEST(FileDescriptor, GoesOnAfterASignal) {
  struct sigaction interrupt{}, before;
  interrupt.sa_handler = [](int) {}; // without SA_RESTART
  ASSERT_EQ(sigaction(SIGUSR1, &interrupt, &before), 0);
  Pipe pipe;
  char received[4] = {};
  std::atomic<bool> is_done = false;
  std::thread reader([&] {
    EXPECT_TRUE(read_fully(pipe.read.get(), received, 4));
    is_done = true;
  });
  for (int i = 0; i < 50; ++i) {
    pthread_kill(reader.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(is_done);
  EXPECT_TRUE(write_fully(pipe.write.get(), "four", 4));
  reader.join();
  EXPECT_EQ(std::string(received, 4), "four");
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(FileDescriptor, SaysWhereAFileEnds) {
  char name[] = "/tmp/file-descriptor-XXXXXX";
  const FileDescriptor file(mkstemp(name));
  ASSERT_TRUE(file);
  unlink(name);
  ASSERT_TRUE(write_fully(file.get(), "0123456789", 10));
  char bytes[5] = {};
  EXPECT_TRUE(read_fully_at(file.get(), 4, bytes, 5));
  EXPECT_EQ(std::string(bytes, 5), "45678");
  EXPECT_TRUE(read_fully_at(file.get(), 5, bytes, 5));
  EXPECT_FALSE(read_fully_at(file.get(), 6, bytes, 5));
  EXPECT_FALSE(read_fully_at(file.get(), uint64_t{1} << 63, bytes, 1)); // beyond any file
  EXPECT_FALSE(read_fully(file.get(), bytes, 1));                       // its end, where it stands
  EXPECT_EQ(lseek(file.get(), 7, SEEK_SET), 7);
  EXPECT_TRUE(read_fully(file.get(), bytes, 3));
  EXPECT_EQ(std::string(bytes, 3), "789");
}

TEST(FileDescriptor, SaysWhyNot) {
  const FileDescriptor full(::open("/dev/full", O_WRONLY));
  if (!full)
    GTEST_SKIP() << "/dev/full is Linux's";
  EXPECT_FALSE(write_fully(full.get(), "x", 1));
  EXPECT_EQ(errno, ENOSPC);
  char byte;
  EXPECT_FALSE(read_fully(full.get(), &byte, 1)); // opened for writing
  EXPECT_EQ(errno, EBADF);
}

} // namespace
} // namespace metalcore
