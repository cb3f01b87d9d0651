#include "core/failure.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace metalcore {
namespace {

template <typename Exception> Failure caught(const Exception &exception) {
  try {
    throw exception;
  } catch (...) {
    return Failure::current(ErrorKind::pipeline);
  }
}

TEST(Failure, KeepsAnError) {
  const Failure failure = caught(Error(ErrorKind::compile, "It does not compile.", "a.metal:1:2"));
  try {
    failure.raise();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::compile);
    EXPECT_STREQ(error.what(), "It does not compile.");
    EXPECT_EQ(error.diagnostics(), "a.metal:1:2");
    return;
  }
  FAIL();
}

TEST(Failure, KeepsWrongArguments) {
  EXPECT_THROW(caught(std::invalid_argument("x")).raise(), std::invalid_argument);
  EXPECT_THROW(caught(std::out_of_range("x")).raise(), std::out_of_range);
  EXPECT_THROW(caught(std::bad_alloc()).raise(), std::bad_alloc);
  EXPECT_EQ(caught(std::out_of_range("no kernel")).message(), "no kernel");
}

TEST(Failure, MakesAnErrorOfTheRest) {
  try {
    caught(std::logic_error("odd")).raise();
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::pipeline);
    EXPECT_STREQ(error.what(), "odd");
  }
  EXPECT_THROW(caught(42).raise(), Error);
}

TEST(Failure, EachRaiseThrowsAnObjectOfItsOwn) {
  const Failure failure(ErrorKind::launch, "It failed.");
  const std::exception *first = nullptr;
  try {
    failure.raise();
  } catch (const Error &error) {
    first = &error;
    try {
      failure.raise();
    } catch (const Error &again) {
      EXPECT_NE(first, &again);
    }
  }
  EXPECT_NE(first, nullptr);
}

} // namespace
} // namespace metalcore
