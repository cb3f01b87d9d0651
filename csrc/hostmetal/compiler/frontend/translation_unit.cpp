#include "hostmetal/compiler/frontend/translation_unit.hpp"

#include "hostmetal/compiler/frontend/air_emitter.hpp"
#include "hostmetal/compiler/frontend/diagnostics.hpp"
#include "hostmetal/compiler/frontend/early_end.hpp"
#include "hostmetal/compiler/frontend/function_constants.hpp"
#include "hostmetal/compiler/frontend/instance.hpp"
#include "hostmetal/compiler/frontend/kernel_signature.hpp"
#include "hostmetal/compiler/frontend/library_reader.hpp"
#include "hostmetal/compiler/frontend/missing_conversions.hpp"
#include "hostmetal/compiler/frontend/strictness.hpp"
#include "hostmetal/compiler/frontend/template_arguments.hpp"
#include "hostmetal/compiler/frontend/token_rewriter.hpp"
#include "hostmetal/compiler/frontend/type_size.hpp"
#include "hostmetal/compiler/guard/compile_guard.hpp"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExternalASTSource.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Sema.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <functional>

namespace hostmetal::frontend {
namespace {

using clang::CodeGenerator;

/// Keeps what the parser hands on until the whole unit is known to be right, then passes it to the
/// code generator, and everything after it (the precompiled header is read lazily) directly.
class Recorder : public clang::ASTConsumer {
public:
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group)
      if (!generator_)
        declarations_.push_back(declaration);
    return pass([group](CodeGenerator &to) { to.HandleTopLevelDecl(group); });
  }
  void HandleInlineFunctionDefinition(clang::FunctionDecl *function) override {
    pass([function](CodeGenerator &to) { to.HandleInlineFunctionDefinition(function); });
  }
  void HandleTagDeclDefinition(clang::TagDecl *tag) override {
    pass([tag](CodeGenerator &to) { to.HandleTagDeclDefinition(tag); });
  }
  void HandleCXXStaticMemberVarInstantiation(clang::VarDecl *variable) override {
    pass([variable](CodeGenerator &to) { to.HandleCXXStaticMemberVarInstantiation(variable); });
  }
  void HandleVTable(clang::CXXRecordDecl *record) override {
    pass([record](CodeGenerator &to) { to.HandleVTable(record); });
  }

  const std::vector<clang::Decl *> &declarations() const { return declarations_; }

  void replay(CodeGenerator &generator) {
    generator_ = &generator;
    for (const Event &event : events_)
      event(generator);
  }

private:
  using Event = std::function<void(CodeGenerator &)>;

  bool pass(Event event) {
    if (generator_)
      event(*generator_);
    else
      events_.push_back(std::move(event));
    return true;
  }

  std::vector<Event> events_;
  std::vector<clang::Decl *> declarations_;
  CodeGenerator *generator_ = nullptr;
};

std::string prologue(const SourceRequest &request) {
  // 2.3 is 230, 3.1 is 310.
  const uint32_t version =
      (request.language_version >> 16) * 100 + (request.language_version & 0xffff) * 10;
  std::string text = "#define __METAL_VERSION__ " + std::to_string(version) + "\n";
  if (request.math_mode == MathMode::fast)
    text += "#define __FAST_MATH__ 1\n";
  if (request.enable_logging)
    text += "#define __METAL_LOGGING__ 1\n";
  for (const auto &[name, value] : request.macros) {
    // One line each, whatever the caller's text holds.
    std::string definition = name + " " + value;
    std::replace_if(
        definition.begin(), definition.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    text += "#define " + definition + "\n";
  }
  return text;
}

/// Macros double a text in a line each: without a limit, memory is one.
constexpr size_t most_tokens = size_t{8} << 20;

/// Everything up to the end, or to an error. May be cut off anywhere if the compile must end.
std::vector<clang::Token> lex(clang::Preprocessor &preprocessor) {
  std::vector<clang::Token> tokens;
  clang::Token token;
  do {
    preprocessor.Lex(token);
    if (tokens.size() == most_tokens) {
      report_fatal(preprocessor.getDiagnostics(), token.getLocation(),
                   "the source has more than " + llvm::Twine(most_tokens) +
                       " tokens once its macros are expanded");
      token = end_of_file(token.getLocation());
    }
    if (tokens.size() < tokens.capacity())
      tokens.push_back(token);
    else
      try_allocate([&] { tokens.push_back(token); });
  } while (token.isNot(clang::tok::eof) && !must_end_often());
  return tokens;
}

/// Whether there is memory for so many tokens more; if not, the compile must end.
bool has_room(size_t count) {
  std::vector<clang::Token> tokens;
  return try_allocate([&] { tokens.reserve(count); });
}

/// Returns what RewrittenTokens says of address spaces.
llvm::DenseSet<clang::SourceLocation> parse(clang::CompilerInstance &compiler,
                                            MissingConversions &conversions, EarlyEnd &early_end) {
  clang::Preprocessor &preprocessor = compiler.getPreprocessor();
  clang::Sema &sema = compiler.getSema();
  clang::ASTConsumer &consumer = compiler.getASTConsumer();
  // Registers the pragma handlers, so it comes before the first token.
  clang::Parser parser(preprocessor, sema, /*SkipFunctionBodies=*/false);
  preprocessor.EnterMainSourceFile();
  if (clang::ExternalASTSource *external = compiler.getASTContext().getExternalSource())
    external->StartTranslationUnit(&consumer);

  std::vector<clang::Token> tokens = lex(preprocessor);
  if (must_end() || !has_room(tokens.size() + tokens.size() / 4))
    tokens = {end_of_file({})};
  RewrittenTokens rewritten = rewrite_tokens(std::exchange(tokens, {}), preprocessor);
  tokens = conversions.apply(std::move(rewritten.tokens), preprocessor);
  preprocessor.EnterTokenStream(tokens, /*DisableMacroExpansion=*/true, /*IsReinject=*/true);

  early_end.parsing_begins(tokens);
  forget_template_questions();
  parser.Initialize();
  clang::Parser::DeclGroupPtrTy group;
  clang::Sema::ModuleImportState imports;
  clang::EnterExpressionEvaluationContext evaluated(
      sema, clang::Sema::ExpressionEvaluationContext::PotentiallyEvaluated);
  for (bool at_end = parser.ParseFirstTopLevelDecl(group, imports); !at_end;
       at_end = parser.ParseTopLevelDecl(group, imports))
    if (group)
      consumer.HandleTopLevelDecl(group.get());
  return std::move(rewritten.in_space);
}

SourceResult compile_once(const SourceRequest &request, std::string_view precompiled,
                          MissingConversions &conversions) {
  SourceResult result;
  Instance instance(request.name, request.include_paths, precompiled);
  const TypeSizes type_sizes;
  clang::CompilerInstance &compiler = instance.compiler();
  clang::DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  const ConversionWatch watch(diagnostics, conversions);

  const std::unique_ptr<llvm::MemoryBuffer> text =
      llvm::MemoryBuffer::getMemBufferCopy(request.source, request.name);
  const clang::FrontendInputFile input(text->getMemBufferRef(), clang::Language::CXX);
  if (!compiler.InitializeSourceManager(input)) {
    result.diagnostics = instance.take_diagnostics();
    return result;
  }
  compiler.createPreprocessor(clang::TU_Complete);
  compiler.createASTContext();
  auto recorder = std::make_unique<Recorder>();
  Recorder &recorded = *recorder;
  compiler.setASTConsumer(std::move(recorder));
  if (!attach_standard_library(compiler)) {
    result.is_internal_error = true;
    result.diagnostics = instance.take_diagnostics();
    return result;
  }
  clang::Preprocessor &preprocessor = compiler.getPreprocessor();
  preprocessor.setPredefines(preprocessor.getPredefines() + prologue(request));
  compiler.createSema(clang::TU_Complete, nullptr);
  diagnostics.getClient()->BeginSourceFile(compiler.getLangOpts(), &preprocessor);

  EarlyEnd early_end(compiler);
  const auto in_space = parse(compiler, conversions, early_end);
  clang::Sema &sema = compiler.getSema();
  std::vector<KernelSignature> kernels;
  std::vector<DeclaredConstant> constants;
  if (!diagnostics.hasErrorOccurred()) {
    const UnitFindings findings = check_unit(recorded.declarations(), in_space, sema);
    constants = collect_function_constants(findings, sema);
    // A parameter that names no address space has been reported.
    if (!diagnostics.hasErrorOccurred())
      kernels = collect_kernels(findings.functions, sema);
    drop_annotations(findings);
  }
  if (!diagnostics.hasErrorOccurred()) {
    llvm::LLVMContext context;
    const std::unique_ptr<CodeGenerator> generator(clang::CreateLLVMCodeGen(
        diagnostics, request.name, &compiler.getVirtualFileSystem(), compiler.getHeaderSearchOpts(),
        compiler.getPreprocessorOpts(), compiler.getCodeGenOpts(), context));
    generator->Initialize(compiler.getASTContext());
    recorded.replay(*generator);
    generator->HandleTranslationUnit(compiler.getASTContext());
    if (!diagnostics.hasErrorOccurred() && generator->GetModule())
      emit_air(*generator, compiler.getASTContext(), kernels, constants, request, result);
  }
  diagnostics.getClient()->EndSourceFile();
  result.ok = !diagnostics.hasErrorOccurred();
  result.diagnostics = in_metal_words(instance.take_diagnostics());
  return result;
}

} // namespace

SourceResult compile_translation_unit(const SourceRequest &request, std::string_view precompiled) {
  // clang gives up after 50 errors, so that a source with many of these conversions takes some
  // parses; one that has none takes one.
  constexpr int most_parses = 64;
  MissingConversions conversions;
  for (int parses = 1;; ++parses) {
    SourceResult result = compile_once(request, precompiled, conversions);
    if (result.ok || !conversions.take_news() || parses == most_parses || must_end())
      return result;
  }
}

} // namespace hostmetal::frontend
