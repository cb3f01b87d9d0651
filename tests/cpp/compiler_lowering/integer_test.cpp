// Integer builtins against exact arithmetic.
#include "air.hpp"
#include "compiled.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <limits>
#include <random>

using namespace hostmetal;

namespace {

using Wide = __int128;

template <class T>
std::vector<T> call(const std::string &name, unsigned count,
                    const std::vector<std::vector<T>> &arguments) {
  std::string type = "i" + std::to_string(sizeof(T) * 8);
  air::Kernel kernel{"integers", {air::device(0, "uint", sizeof(T))}, "", ""};
  std::string parameters, types, last = std::to_string(count + 1);
  for (unsigned i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    kernel.arguments.push_back(air::device(i + 1, "uint", sizeof(T), false));
    kernel.body += "  %p" + n + " = getelementptr " + type + ", ptr %" + std::to_string(i + 1) +
                   ", i32 %" + last + "\n  %v" + n + " = load " + type + ", ptr %p" + n + "\n";
    parameters += (i ? ", " : "") + type + " %v" + n;
    types += (i ? ", " : "") + type;
  }
  kernel.arguments.push_back(air::builtin("thread_position_in_grid"));
  kernel.body += "  %r = call " + type + " @air." + name + "(" + parameters +
                 ")\n  %q = getelementptr " + type + ", ptr %0, i32 %" + last + "\n  store " +
                 type + " %r, ptr %q\n  ret void";
  std::vector<T> out(arguments[0].size());
  std::vector<std::vector<T>> copies = arguments;
  std::vector<Binding> bindings{bind(out)};
  for (unsigned i = 0; i < count; ++i)
    bindings.push_back(bind(copies[i]));
  run(air::bitcode({kernel}, "declare " + type + " @air." + name + "(" + types + ")\n"), "integers",
      bindings, {static_cast<uint32_t>(out.size()), 1, 1}, {64, 1, 1});
  return out;
}

template <class T> T saturated(Wide value) {
  Wide low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<T>(std::clamp(value, low, high));
}

template <class T> void check_type() {
  std::mt19937_64 random(8);
  std::vector<std::vector<T>> in(3);
  const T special[] = {0, 1, std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                       static_cast<T>(-1)};
  for (T a : special)
    for (T b : special)
      for (T c : special)
        in[0].push_back(a), in[1].push_back(b), in[2].push_back(c);
  for (int i = 0; i < 500; ++i)
    for (auto &values : in)
      values.push_back(static_cast<T>(random()));
  constexpr unsigned bits = sizeof(T) * 8;
  std::string suffix = std::string(std::is_signed_v<T> ? ".s" : ".u") + ".i" + std::to_string(bits);
  using U = std::make_unsigned_t<T>;
  using Reference = std::function<T(T, T, T)>;
  const std::tuple<const char *, unsigned, Reference> functions[] = {
      {"min", 2, [](T x, T y, T) { return std::min(x, y); }},
      {"max", 2, [](T x, T y, T) { return std::max(x, y); }},
      {"min3", 3, [](T x, T y, T z) { return std::min({x, y, z}); }},
      {"max3", 3, [](T x, T y, T z) { return std::max({x, y, z}); }},
      {"median3", 3,
       [](T x, T y, T z) {
         T sorted[] = {x, y, z};
         std::sort(sorted, sorted + 3);
         return sorted[1];
       }},
      {"clamp", 3, [](T x, T y, T z) { return std::min(std::max(x, y), z); }},
      {"abs", 1, [](T x, T, T) { return static_cast<T>(x < 0 ? -Wide(x) : Wide(x)); }},
      {"abs_diff", 2,
       [](T x, T y, T) { return static_cast<T>(x > y ? Wide(x) - y : Wide(y) - x); }},
      {"add_sat", 2, [](T x, T y, T) { return saturated<T>(Wide(x) + y); }},
      {"sub_sat", 2, [](T x, T y, T) { return saturated<T>(Wide(x) - y); }},
      {"mul_hi", 2,
       [](T x, T y, T) {
         if constexpr (std::is_signed_v<T>)
           return static_cast<T>(Wide(x) * y >> bits);
         else
           return static_cast<T>(static_cast<unsigned __int128>(x) * y >> bits);
       }},
      {"mad_sat", 3,
       [](T x, T y, T z) {
         if constexpr (std::is_signed_v<T>)
           return saturated<T>(Wide(x) * y + z);
         unsigned __int128 exact = static_cast<unsigned __int128>(x) * y + z;
         return static_cast<T>(std::min<unsigned __int128>(exact, std::numeric_limits<T>::max()));
       }},
      {"hadd", 2, [](T x, T y, T) { return static_cast<T>((Wide(x) + y) >> 1); }},
      {"rhadd", 2, [](T x, T y, T) { return static_cast<T>((Wide(x) + y + 1) >> 1); }},
  };
  for (const auto &[name, count, reference] : functions) {
    std::vector<T> out = call<T>(name + suffix, count, in);
    for (size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], reference(in[0][i], in[1][i], in[2][i]))
          << name << suffix << "(" << +in[0][i] << ", " << +in[1][i] << ", " << +in[2][i] << ")";
  }
  if constexpr (!std::is_signed_v<T>) {
    const std::tuple<const char *, unsigned, Reference> plain[] = {
        {"clz", 1, [](T x, T, T) { return static_cast<T>(std::countl_zero(U(x))); }},
        {"ctz", 1, [](T x, T, T) { return static_cast<T>(std::countr_zero(U(x))); }},
        {"popcount", 1, [](T x, T, T) { return static_cast<T>(std::popcount(U(x))); }},
        {"rotate", 2, [](T x, T y, T) { return std::rotl(U(x), static_cast<int>(U(y) % bits)); }},
        {"reverse_bits", 1,
         [](T x, T, T) {
           U reversed = 0;
           for (unsigned bit = 0; bit < bits; ++bit)
             reversed |= static_cast<U>(static_cast<U>(U(x) >> bit & 1) << (bits - 1 - bit));
           return reversed;
         }},
    };
    for (const auto &[name, count, reference] : plain) {
      std::vector<T> out = call<T>(name + (".i" + std::to_string(bits)), count, in);
      for (size_t i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], reference(in[0][i], in[1][i], in[2][i]))
            << name << bits << "(" << +in[0][i] << ", " << +in[1][i] << ")";
    }
  }
}

TEST(Integer, SignedBuiltins) {
  check_type<int8_t>();
  check_type<int16_t>();
  check_type<int32_t>();
  check_type<int64_t>();
}

TEST(Integer, UnsignedBuiltins) {
  check_type<uint8_t>();
  check_type<uint16_t>();
  check_type<uint32_t>();
  check_type<uint64_t>();
}

} // namespace
