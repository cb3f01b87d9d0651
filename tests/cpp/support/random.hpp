#pragma once

#include <cstdint>
#include <iostream>
#include <random>
#include <vector>

namespace metalcore::test {

/// A fresh seed for each run, printed once.
inline std::mt19937_64 &random_source() {
  static std::mt19937_64 source = [] {
    const uint64_t seed = std::random_device{}();
    std::cout << "Random seed: " << seed << std::endl;
    return std::mt19937_64(seed);
  }();
  return source;
}

/// Both bounds included.
inline uint64_t random_between(uint64_t low, uint64_t high) {
  return std::uniform_int_distribution<uint64_t>(low, high)(random_source());
}

inline std::vector<uint8_t> random_bytes(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(random_source()());
  return bytes;
}

} // namespace metalcore::test
