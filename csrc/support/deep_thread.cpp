#include "support/deep_thread.hpp"

#include <cstdlib>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>

namespace metalcore {

namespace {

using Body = std::function<void()>;

void *run(void *argument) {
  const std::unique_ptr<Body> body(static_cast<Body *>(argument));
  (*body)();
  return nullptr;
}

int start(pthread_t &handle, std::size_t stack_size, Body &body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_size > 0)
    pthread_attr_setstacksize(&attributes, stack_size);
  const int error = pthread_create(&handle, &attributes, run, &body);
  pthread_attr_destroy(&attributes);
  return error;
}

} // namespace

DeepThread::DeepThread(std::function<void()> body) {
  auto owned = std::make_unique<Body>(std::move(body));
  if (start(handle_, stack_size, *owned) != 0)
    if (const int error = start(handle_, 0, *owned); error != 0)
      throw std::system_error(error, std::generic_category(), "A thread cannot be started");
  is_joinable_ = true;
  static_cast<void>(owned.release()); // the thread's
}

DeepThread::DeepThread(DeepThread &&other) noexcept
    : handle_(other.handle_), is_joinable_(std::exchange(other.is_joinable_, false)) {}

DeepThread &DeepThread::operator=(DeepThread &&other) noexcept {
  if (is_joinable_)
    std::terminate();
  handle_ = other.handle_;
  is_joinable_ = std::exchange(other.is_joinable_, false);
  return *this;
}

DeepThread::~DeepThread() {
  if (is_joinable_)
    std::terminate();
}

void DeepThread::join() {
  pthread_join(handle_, nullptr);
  is_joinable_ = false;
}

void DeepThread::detach() {
  pthread_detach(handle_);
  is_joinable_ = false;
}

} // namespace metalcore
