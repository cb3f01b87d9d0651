/// Compiles MSL for a test and gives the AIR-form IR as text.
#pragma once

#include "hostmetal/compiler/frontend/frontend.hpp"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace hostmetal::frontend::test {

/// The header line that every test's source begins with: user code starts at line 2.
inline constexpr char header[] = "#include <metal_stdlib>\n";

inline SourceResult compile(std::string_view body, SourceRequest request = {}) {
  const std::string source = std::string(header) + std::string(body);
  request.source = source;
  return compile_source(request);
}

/// The IR of a source that must compile; it is verified.
inline std::string ir_of(std::string_view body, SourceRequest request = {}) {
  const SourceResult result = compile("using namespace metal;\n" + std::string(body), request);
  EXPECT_TRUE(result.ok) << result.diagnostics;
  if (!result.ok)
    return {};
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(result.bitcode, "air"), context);
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return {};
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  EXPECT_FALSE(llvm::verifyModule(**module, &stream)) << text;
  (*module)->print(stream, nullptr);
  return text;
}

inline ::testing::AssertionResult contains(const std::string &text, const std::string &part) {
  if (text.find(part) != std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << part << "\" is not in:\n" << text;
}

inline ::testing::AssertionResult lacks(const std::string &text, const std::string &part) {
  if (text.find(part) == std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << part << "\" is in:\n" << text;
}

} // namespace hostmetal::frontend::test
