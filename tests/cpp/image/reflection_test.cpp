#include "hostmetal/image/bytes.hpp"
#include "hostmetal/image/reflection.hpp"

#include <gtest/gtest.h>

#include <random>

namespace hostmetal::image {
namespace {

Kernel sample_kernel() {
  Kernel kernel;
  kernel.name = "reduce_fläche";
  const Member inner{"origin", 5, 0, 16, 0, {}};
  kernel.arguments = {{"in",
                       ArgumentKind::buffer,
                       Access::read_only,
                       0,
                       "float4",
                       6,
                       16,
                       16,
                       false,
                       false,
                       true,
                       {}},
                      {"params",
                       ArgumentKind::buffer,
                       Access::read_only,
                       30,
                       "Params",
                       1,
                       48,
                       16,
                       true,
                       true,
                       false,
                       {{"box", 1, 0, 32, 2, {inner, inner}}, {"n", 33, 32, 4, 0, {}}}},
                      {"scratch",
                       ArgumentKind::threadgroup_memory,
                       Access::read_write,
                       1,
                       "float",
                       3,
                       4,
                       4,
                       false,
                       false,
                       true,
                       {}},
                      {"depths",
                       ArgumentKind::texture,
                       Access::read_only,
                       127,
                       "depth2d_array<float, sample>",
                       3,
                       0,
                       0,
                       false,
                       false,
                       true,
                       {},
                       false,
                       3,
                       true}};
  kernel.arguments[1].members[1].argument_index = 7;
  kernel.arguments[1].members.push_back(
      {"next", 60, 40, 8, 0, {}, 8, Pointee{1, Access::read_write, 48, 16, true, {inner}}});
  kernel.arguments[1].is_argument_buffer = true;
  kernel.static_threadgroup_memory = 4096;
  kernel.max_total_threads_per_threadgroup = 512;
  kernel.has_barriers = true;
  kernel.regroupable = false;
  return kernel;
}

Library sample_library() {
  return {{{"scale", Function::Kind::kernel, {{"factor", 3, 3, false}, {"flag", 0, 53, true}}},
           {"helper", Function::Kind::visible, {}}}};
}

TEST(Reflection, KernelRoundTrips) {
  const Kernel kernel = sample_kernel();
  EXPECT_EQ(parse_kernel(as_bytes(serialise(kernel))), kernel);
  EXPECT_EQ(parse_kernel(as_bytes(serialise(Kernel{}))), Kernel{});
}

TEST(Reflection, LibraryRoundTrips) {
  const Library library = sample_library();
  EXPECT_EQ(parse_library(as_bytes(serialise(library))), library);
  EXPECT_EQ(parse_library(as_bytes(serialise(Library{}))), Library{});
}

TEST(Reflection, EqualValuesHaveEqualBytes) {
  EXPECT_EQ(serialise(sample_kernel()), serialise(sample_kernel()));
  EXPECT_EQ(serialise(sample_library()), serialise(sample_library()));
}

TEST(Reflection, TruncatedOrLongerInputIsRefused) {
  const std::string kernel = serialise(sample_kernel());
  for (size_t size = 0; size < kernel.size(); ++size)
    EXPECT_FALSE(parse_kernel(as_bytes(kernel.substr(0, size)))) << size;
  EXPECT_FALSE(parse_kernel(as_bytes(kernel + '\0')));

  const std::string library = serialise(sample_library());
  for (size_t size = 0; size < library.size(); ++size)
    EXPECT_FALSE(parse_library(as_bytes(library.substr(0, size)))) << size;
  EXPECT_FALSE(parse_library(as_bytes(library + '\0')));
}

TEST(Reflection, OneFormIsNotReadAsTheOther) {
  EXPECT_FALSE(parse_library(as_bytes(serialise(sample_kernel()))));
  EXPECT_FALSE(parse_kernel(as_bytes(serialise(sample_library()))));
}

// A changed byte either is refused or is a value of its own: what was read is what was written.
TEST(Reflection, ChangedBytesAreRefusedOrReadAsWritten) {
  const std::string bytes = serialise(sample_kernel());
  for (size_t place = 0; place < bytes.size(); ++place)
    for (unsigned change = 1; change < 256; ++change) {
      std::string changed = bytes;
      changed[place] = static_cast<char>(changed[place] ^ change);
      if (const auto kernel = parse_kernel(as_bytes(changed)))
        EXPECT_EQ(serialise(*kernel), changed) << place;
    }
}

TEST(Reflection, RandomBytesAreRefused) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::string form = serialise(sample_kernel()).substr(0, 4);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = form;
    for (size_t size = random() % 200; size > 0; --size)
      bytes.push_back(static_cast<char>(random() % 5 == 0 ? random() : 0));
    if (const auto kernel = parse_kernel(as_bytes(bytes)))
      EXPECT_EQ(serialise(*kernel), bytes);
  }
}

TEST(Reflection, DeepNestingIsReadAndEndlessNestingRefused) {
  const auto nested = [](unsigned depth) {
    Kernel kernel;
    kernel.arguments.resize(1);
    std::vector<Member> *members = &kernel.arguments[0].members;
    for (unsigned i = 0; i < depth; ++i) {
      members->resize(1);
      members = &members->front().members;
    }
    return kernel;
  };
  EXPECT_EQ(parse_kernel(as_bytes(serialise(nested(200)))), nested(200));
  EXPECT_FALSE(parse_kernel(as_bytes(serialise(nested(2000)))));
}

} // namespace
} // namespace hostmetal::image
