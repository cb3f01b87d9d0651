#include "hostmetal/compiler/frontend/missing_conversions.hpp"

#include "clang/AST/Type.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/IdentifierTable.h"
#include "clang/Lex/Preprocessor.h"

namespace hostmetal::frontend {
namespace {

// Of half and bfloat it makes float, of a text a pointer, and hands everything else on: an
// expression of a template has other types in other instances. In metal_conversion.
constexpr llvm::StringLiteral converting_function = "__metal_converted";

// Which of its arguments is the number of the call's argument that a note of the kind "candidate
// not viable: no known conversion" is about.
constexpr unsigned number_in_note = 6;

/// What the types that a diagnostic names may be converted by.
enum class Conversion { none, over_float, of_text };

Conversion conversion_in(const clang::Diagnostic &diagnostic) {
  bool has_half = false, has_bfloat = false, has_text = false, has_constant = false;
  for (unsigned i = 0; i < diagnostic.getNumArgs(); ++i) {
    if (diagnostic.getArgKind(i) != clang::DiagnosticsEngine::ak_qualtype)
      continue;
    const auto type = clang::QualType::getFromOpaquePtr(
        reinterpret_cast<void *>(static_cast<uintptr_t>(diagnostic.getRawArg(i))));
    if (type.isNull())
      continue;
    const clang::QualType object = type.getNonReferenceType();
    has_half |= object->isFloat16Type();
    has_bfloat |= object->isBFloat16Type();
    const auto *array = llvm::dyn_cast<clang::ConstantArrayType>(object.getTypePtr());
    has_text |= array && array->getElementType()->isCharType();
    has_constant |= object->isPointerType() && object->getPointeeType()->isCharType() &&
                    object->getPointeeType().getAddressSpace() == clang::LangAS::sycl_global_host;
  }
  if (has_half && has_bfloat)
    return Conversion::over_float;
  return has_text && has_constant ? Conversion::of_text : Conversion::none;
}

} // namespace

std::vector<clang::Token> MissingConversions::apply(std::vector<clang::Token> tokens,
                                                    clang::Preprocessor &preprocessor) {
  tokens_ = std::move(tokens);
  if (places_.empty())
    return tokens_;
  std::vector<unsigned> opened(tokens_.size()), closed(tokens_.size());
  for (const auto &[first, last] : places_) {
    ++opened[first];
    ++closed[last];
  }
  std::vector<clang::Token> result;
  const auto emit = [&](clang::tok::TokenKind kind, const clang::Token &like) -> clang::Token & {
    clang::Token made;
    made.startToken();
    made.setKind(kind);
    made.setLocation(like.getLocation());
    made.setLength(like.getLength());
    return result.emplace_back(made);
  };
  for (size_t i = 0; i < tokens_.size(); ++i) {
    for (unsigned n = 0; n < opened[i]; ++n) {
      emit(clang::tok::identifier, tokens_[i])
          .setIdentifierInfo(preprocessor.getIdentifierInfo(converting_function));
      emit(clang::tok::l_paren, tokens_[i]);
    }
    result.push_back(tokens_[i]);
    for (unsigned n = 0; n < closed[i]; ++n)
      emit(clang::tok::r_paren, tokens_[i]);
  }
  return result;
}

void MissingConversions::note(clang::DiagnosticsEngine::Level level,
                              const clang::Diagnostic &diagnostic) {
  // Of several ranges the expression's own comes last, after that of the cast around it.
  const llvm::ArrayRef<clang::CharSourceRange> ranges = diagnostic.getRanges();
  if (level >= clang::DiagnosticsEngine::Error)
    error_ = ranges.empty() ? diagnostic.getLocation() : ranges.back().getAsRange();
  const Conversion conversion = conversion_in(diagnostic);
  if (conversion == Conversion::none)
    return;
  std::optional<Place> place;
  if (level >= clang::DiagnosticsEngine::Error)
    place = place_of(error_);
  else if (diagnostic.getID() == clang::diag::note_ovl_candidate_bad_conv)
    place = argument(diagnostic.getArgUInt(number_in_note));
  // Other arrays lie elsewhere.
  if (place && (conversion == Conversion::over_float || is_literal_text(*place)))
    has_news_ |= places_.insert(*place).second;
}

std::optional<MissingConversions::Place>
MissingConversions::place_of(clang::SourceRange range) const {
  std::optional<size_t> first, last;
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (!first && tokens_[i].getLocation() == range.getBegin())
      first = i;
    if (tokens_[i].getLocation() == range.getEnd())
      last = i;
  }
  return first && last && *first <= *last ? std::optional(Place(*first, *last)) : std::nullopt;
}

bool MissingConversions::is_literal_text(const Place &place) const {
  for (size_t i = place.first; i <= place.second; ++i)
    if (!tokens_[i].isOneOf(clang::tok::string_literal, clang::tok::l_paren, clang::tok::r_paren))
      return false;
  return true;
}

std::optional<MissingConversions::Place> MissingConversions::argument(unsigned number) const {
  const std::optional<Place> place = place_of(error_);
  if (!place)
    return std::nullopt;
  // An error about a call has the function's name, one about a constructor the arguments.
  auto [at, end] = *place;
  if (end + 1 < tokens_.size() && tokens_[end + 1].is(clang::tok::l_paren)) {
    at = end + 2;
    end = tokens_.size() - 1;
  }
  int depth = 0;
  size_t first = at;
  for (; at <= end + 1 && at < tokens_.size(); ++at) {
    const clang::Token &token = tokens_[at];
    const bool ends_list = depth == 0 && (at == end + 1 || token.is(clang::tok::r_paren));
    if (ends_list || (depth == 0 && token.is(clang::tok::comma))) {
      if (--number == 0)
        return first < at ? std::optional(Place(first, at - 1)) : std::nullopt;
      if (ends_list)
        return std::nullopt;
      first = at + 1;
    }
    depth += token.isOneOf(clang::tok::l_paren, clang::tok::l_square, clang::tok::l_brace);
    depth -= token.isOneOf(clang::tok::r_paren, clang::tok::r_square, clang::tok::r_brace);
  }
  return std::nullopt;
}

ConversionWatch::ConversionWatch(clang::DiagnosticsEngine &engine, MissingConversions &conversions)
    : engine_(engine), owned_(engine.takeClient()),
      next_(owned_ ? owned_.get() : engine.getClient()), conversions_(conversions) {
  engine_.setClient(this, /*ShouldOwnClient=*/false);
}

ConversionWatch::~ConversionWatch() {
  const bool is_owned = owned_.release() != nullptr;
  engine_.setClient(next_, /*ShouldOwnClient=*/is_owned);
}

void ConversionWatch::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                       const clang::Diagnostic &diagnostic) {
  DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
  conversions_.note(level, diagnostic);
  next_->HandleDiagnostic(level, diagnostic);
}

} // namespace hostmetal::frontend
