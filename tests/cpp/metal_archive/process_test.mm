// What one process leaves to the next.
#include "kernels.hpp"

#include <sys/wait.h>

using namespace metal_archive;

namespace {

class ArchiveProcessTest : public ArchiveTest {
protected:
  std::filesystem::path cache_ = folder_ / "cache";
  int exit_code_ = -1;

  /// What the program prints, run with `environment` ("A=b C=d").
  std::string run(const std::string &arguments, const std::string &environment = "") {
    const std::string command =
        "env -u HOSTMETAL_CACHE_DIR " + environment + " " PROGRAM " " + arguments;
    FILE *output = popen(command.c_str(), "r");
    std::string text;
    for (int byte; (byte = fgetc(output)) != EOF;)
      text += static_cast<char>(byte);
    exit_code_ = WEXITSTATUS(pclose(output));
    return text;
  }
  std::string cached() const { return "HOSTMETAL_CACHE_DIR=" + cache_.string(); }
  std::vector<std::filesystem::path> stored() const {
    std::vector<std::filesystem::path> files;
    if (std::filesystem::exists(cache_))
      for (const auto &entry : std::filesystem::directory_iterator(cache_))
        if (entry.path().extension() == ".library")
          files.push_back(entry.path());
    return files;
  }
  /// Runs the program until its library is stored: what a process has not written when it ends is
  /// lost, and the next one writes it.
  std::string fill_cache(const std::string &arguments = "library",
                         const std::string &environment = "") {
    std::string output;
    for (int attempt = 0; attempt < 50 && stored().empty(); ++attempt)
      output = run(arguments, environment + " " + cached());
    EXPECT_EQ(stored().size(), 1u);
    return output;
  }
};

bool says(const std::string &output, const std::string &line) {
  return ("\n" + output).find("\n" + line + "\n") != std::string::npos;
}

} // namespace

TEST_F(ArchiveProcessTest, TwoProcessesWriteTheSameBytes) {
  const std::string first = folder_ / "first", second = folder_ / "second";
  run("make " + first);
  ASSERT_EQ(exit_code_, 0);
  // Other names of temporaries, another environment, another order of addresses.
  std::filesystem::create_directory(folder_ / "other place");
  run("make " + second, "TMPDIR='" + (folder_ / "other place").string() + "' LANG=C X=1");
  ASSERT_EQ(exit_code_, 0);
  EXPECT_GT(contents(first).size(), 1000u);
  EXPECT_EQ(contents(first), contents(second));
}

TEST_F(ArchiveProcessTest, FrontEndResultsAreTheSameBytes) {
  fill_cache();
  ASSERT_EQ(stored().size(), 1u);
  const std::string first = contents(stored().front());
  std::filesystem::remove_all(cache_);
  fill_cache();
  ASSERT_EQ(stored().size(), 1u);
  EXPECT_EQ(contents(stored().front()), first);
}

TEST_F(ArchiveProcessTest, SecondRunNeedsNoCompiler) {
  const std::string file = folder_ / "archive";
  std::string output = fill_cache("make " + file);
  EXPECT_TRUE(says(output, "compiler")) << output;
  output = run("use " + file, cached());
  EXPECT_TRUE(says(output, "hit")) << output;
  EXPECT_TRUE(says(output, "right")) << output;
  EXPECT_TRUE(says(output, "function scale")) << output;
  EXPECT_TRUE(says(output, "no compiler")) << output;
}

TEST_F(ArchiveProcessTest, ArchiveAloneSavesTheCodeGeneration) {
  const std::string file = folder_ / "archive";
  run("make " + file);
  const std::string output = run("use " + file);
  EXPECT_TRUE(says(output, "right")) << output;
  EXPECT_TRUE(says(output, "compiler")) << output; // for the library
}

TEST_F(ArchiveProcessTest, MissingKernelsAreCompiledFromTheStoredLibrary) {
  fill_cache();
  ASSERT_EQ(stored().size(), 1u);
  EXPECT_TRUE(says(run("library", cached()), "no compiler"));
  const std::string output = run("compile", cached());
  EXPECT_TRUE(says(output, "right")) << output;
  EXPECT_TRUE(says(output, "compiler")) << output;
}

TEST_F(ArchiveProcessTest, WarningsComeBack) {
  const std::string source = "PROGRAM_SOURCE='kernel void odd(device int *o) { o[0] = 1 / 0; }'";
  const std::string first = fill_cache("library", source);
  ASSERT_NE(first.find("warning"), std::string::npos) << first;
  const std::string second = run("library", source + " " + cached());
  EXPECT_TRUE(says(second, "no compiler")) << second;
  EXPECT_EQ(first.substr(0, first.rfind("compiler")),
            second.substr(0, second.rfind("no compiler")));
}

TEST_F(ArchiveProcessTest, FailedCompilesAreNotStored) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::string output =
        run("library", "PROGRAM_SOURCE='kernel void k() { x = 1; }' " + cached());
    EXPECT_EQ(exit_code_, 2);
    EXPECT_NE(output.find("diagnostics program_source:"), std::string::npos) << output;
    EXPECT_TRUE(says(output, "compiler")) << output;
  }
  EXPECT_TRUE(stored().empty());
}

TEST_F(ArchiveProcessTest, SourcesThatAskForTheTimeAreNotStored) {
  const std::string output =
      run("library", "PROGRAM_SOURCE='constant char when[] = __DATE__;' " + cached());
  EXPECT_EQ(exit_code_, 0) << output;
  EXPECT_TRUE(stored().empty());
}

TEST_F(ArchiveProcessTest, BrokenEntriesAreCompiledAnew) {
  fill_cache();
  ASSERT_EQ(stored().size(), 1u);
  const std::string path = stored().front(), whole = contents(path);
  for (const std::string &bytes :
       {std::string(), whole.substr(0, whole.size() / 2), std::string(whole.size(), 'x')}) {
    write_file(path, bytes);
    for (int attempt = 0; attempt < 50 && contents(path) != whole; ++attempt) {
      const std::string output = run("compile", cached());
      EXPECT_TRUE(says(output, "right")) << output;
    }
    EXPECT_EQ(contents(path), whole);
  }
}

TEST_F(ArchiveProcessTest, WithoutAUsableFolderNothingIsStored) {
  write_file(cache_, "a file");
  const std::string output = run("compile", cached() + " 2>/dev/null");
  EXPECT_TRUE(says(output, "right")) << output;
  EXPECT_EQ(contents(cache_), "a file");
}
