// Against the C library's printf, with formats and values drawn anew.
#include "hostmetal/api/log_format.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

using hostmetal::api::format_message;
using metalcore::test::random_source;

namespace {

/// Arguments as C passes them.
class Arguments {
public:
  template <typename T> Arguments &add(T value) { return add(&value, sizeof(T)); }
  Arguments &add(const void *value, size_t size) {
    bytes_.resize((bytes_.size() + size - 1) / size * size + size);
    std::memcpy(bytes_.data() + bytes_.size() - size, value, size);
    return *this;
  }
  operator std::span<const uint8_t>() const { return bytes_; }

private:
  std::vector<uint8_t> bytes_;
};

uint64_t below(uint64_t end) {
  return random_source()() % end;
}

/// "-08.3" and the like.
std::string random_modifiers() {
  std::string text;
  for (const char flag : std::string("-+ #0"))
    if (below(4) == 0)
      text += flag;
  if (below(2) == 0)
    text += std::to_string(1 + below(40));
  if (below(2) == 0)
    text += "." + std::to_string(below(30));
  return text;
}

char one_of(const char *characters) {
  return characters[below(std::strlen(characters))];
}

template <typename T> void expect_as_printf(const std::string &format, T value) {
  char expected[1024];
  std::snprintf(expected, sizeof(expected), format.c_str(), value);
  // What stands before must not move it: a value lies at a multiple of its size.
  EXPECT_EQ(format_message("%d," + format + "!", Arguments().add(7).add(value)),
            "7," + std::string(expected) + "!")
      << format;
}

TEST(LogFormat, NumbersAreAsPrintfPrintsThem) {
  for (int i = 0; i < 20000; ++i) {
    const uint64_t bits = random_source()() >> below(64);
    expect_as_printf("%" + random_modifiers() + one_of("diouxX"), static_cast<int>(bits));
    expect_as_printf("%" + random_modifiers() + "l" + one_of("diouxX"), static_cast<long>(bits));
    expect_as_printf("%" + random_modifiers() + "h" + one_of("diouxX"), static_cast<int>(bits));
    expect_as_printf("%" + random_modifiers() + "hh" + one_of("diouxX"), static_cast<int>(bits));
    double number;
    std::memcpy(&number, &bits, sizeof(number));
    if (below(2) == 0)
      number = static_cast<double>(bits) / 1e6;
    expect_as_printf("%" + random_modifiers() + one_of("fFeEgGaA"), number);
  }
  for (const double special : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 1e308, -4e-320})
    expect_as_printf("%f", special);
}

TEST(LogFormat, CharactersPointersAndStrings) {
  EXPECT_EQ(format_message("%c%3c", Arguments().add<int>('a').add<int>('b')), "a  b");
  int here = 0;
  char expected[64];
  std::snprintf(expected, sizeof(expected), "%p", static_cast<void *>(&here));
  EXPECT_EQ(format_message("%p", Arguments().add(&here)), expected);
  EXPECT_EQ(format_message("<%5s|%.2s>", Arguments().add("abc").add("defg")), "<  abc|de>");
  EXPECT_EQ(format_message("%s", Arguments().add(std::string(5000, 'x').c_str())).size(), 1024u);
}

TEST(LogFormat, StringsThatCannotBeReadAreNotRead) {
  EXPECT_EQ(format_message("%s", Arguments().add<const char *>(nullptr)), "(unreadable)");
  EXPECT_EQ(format_message("%s", Arguments().add(uint64_t{0xdead0000beef0000})), "(unreadable)");
  // One that ends where the readable memory does.
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char *pages = static_cast<char *>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
  std::memcpy(pages + page - 4, "end", 4);
  EXPECT_EQ(format_message("%s", Arguments().add(pages + page - 4)), "end");
  pages[page - 1] = '!';
  EXPECT_EQ(format_message("%s", Arguments().add(pages + page - 4)), "(unreadable)");
  munmap(pages, 2 * page);
}

TEST(LogFormat, Vectors) {
  const float floats[] = {1.5f, -2, 0.25f, 4};
  EXPECT_EQ(format_message("%v4hlf", Arguments().add(floats, 16)),
            "1.500000,-2.000000,0.250000,4.000000");
  EXPECT_EQ(format_message("%v3hl.1f", Arguments().add(floats, 16)), "%v3hl.1f");
  // Three take the room of four.
  EXPECT_EQ(format_message("%.1v3hlf %d", Arguments().add(floats, 16).add(9)), "1.5,-2.0,0.2 9");
  const int16_t shorts[] = {-1, 32767};
  EXPECT_EQ(format_message("%v2hd", Arguments().add(shorts, 4)), "-1,32767");
  EXPECT_EQ(format_message("%v2hx", Arguments().add(shorts, 4)), "ffff,7fff");
  const uint8_t bytes[] = {1, 2, 3, 255};
  EXPECT_EQ(format_message("%v4hhu", Arguments().add(bytes, 4)), "1,2,3,255");
  const _Float16 halves[] = {static_cast<_Float16>(0.5), static_cast<_Float16>(-8)};
  EXPECT_EQ(format_message("%v2hg", Arguments().add(halves, 4)), "0.5,-8");
}

TEST(LogFormat, WidthsComeFromArgumentsToo) {
  EXPECT_EQ(
      format_message("%*d|%-*d|%.*f", Arguments().add(5).add(42).add(4).add(7).add(1).add(2.55)),
      "   42|7   |2.5");
  EXPECT_EQ(format_message("%*d|", Arguments().add(-5).add(42)), "42   |");
}

TEST(LogFormat, WhatIsNoDirectiveStaysText) {
  const auto stays = [](const std::string &format) {
    EXPECT_EQ(format_message(format, Arguments()), format);
  };
  for (const char *format :
       {"%", "% ", "%5", "%n", "%d", "%f", "%s", "%y", "%v5d", "%vd", "%.", "%l"})
    stays(format);
  EXPECT_EQ(format_message("100 %% of %{public}d", Arguments().add(3)), "100 % of 3");
  EXPECT_EQ(format_message("%d %d", Arguments().add(1)), "1 %d");
  EXPECT_EQ(format_message("%99999999999d", Arguments().add(1)).size(), 256u);
  for (int i = 0; i < 20000; ++i) {
    std::string format, bytes;
    for (uint64_t n = below(12); n > 0; --n)
      format += one_of("%%%dfsv24hlcp*.0 {}n-+#q");
    std::vector<uint8_t> arguments(below(40));
    for (uint8_t &byte : arguments)
      byte = static_cast<uint8_t>(below(256));
    format_message(format, arguments); // must end, and touch nothing that is not there
  }
}

} // namespace
