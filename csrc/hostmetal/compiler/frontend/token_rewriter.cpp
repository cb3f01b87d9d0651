// Longer than the rest: one pass over the tokens whose rules share its state and look-ahead.
#include "hostmetal/compiler/frontend/token_rewriter.hpp"

#include "hostmetal/compiler/guard/compile_guard.hpp"

#include "clang/Basic/IdentifierTable.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

namespace hostmetal::frontend {
namespace {

using clang::Token;
namespace tok = clang::tok;

enum class Scope { outside, record, function, other };

class Rewriter {
public:
  Rewriter(const std::vector<Token> &tokens, clang::Preprocessor &preprocessor)
      : in_(tokens), preprocessor_(preprocessor), device_(identifier("device")),
        constant_(identifier("constant")), threadgroup_(identifier("threadgroup")),
        thread_(identifier("thread")), coherent_(identifier("coherent")),
        kernel_(identifier("kernel")), vertex_(identifier("vertex")),
        fragment_(identifier("fragment")), function_constant_(identifier("function_constant")),
        attribute_(identifier("__attribute__")), opencl_global_(identifier("opencl_global")),
        opencl_local_(identifier("opencl_local")),
        opencl_constant_(identifier("opencl_global_host")), const_(identifier("const")),
        static_(identifier("static")), extern_(identifier("extern")),
        bfloat_(identifier("__bf16")) {
    out_.reserve(in_.size() + in_.size() / 8);
  }

  RewrittenTokens run() {
    for (at_ = 0; at_ < in_.size();) {
      if (must_end_often())   // some rules look ahead far
        at_ = in_.size() - 1; // the end of the file
      step();
    }
    return {std::move(out_), std::move(in_space_)};
  }

private:
  const Token &token(size_t index) const { return in_[std::min(index, in_.size() - 1)]; }
  bool is(size_t index, tok::TokenKind kind) const { return token(index).is(kind); }

  clang::IdentifierInfo *identifier(llvm::StringRef name) {
    return preprocessor_.getIdentifierInfo(name);
  }

  /// The GNU spelling of an attribute of functions.
  clang::IdentifierInfo *gnu_identifier(const clang::IdentifierInfo &word) {
    return identifier(("msl_" + word.getName()).str());
  }

  const clang::IdentifierInfo *name(size_t index) const {
    const Token &at = token(index);
    return at.isAnnotation() || at.isLiteral() ? nullptr : at.getIdentifierInfo();
  }

  void emit(tok::TokenKind kind, const Token &like) {
    Token made;
    made.startToken();
    made.setKind(kind);
    made.setLocation(like.getLocation());
    made.setLength(like.getLength());
    out_.push_back(made);
  }

  void emit(clang::IdentifierInfo *word, const Token &like) {
    emit(word->getTokenID(), like);
    out_.back().setIdentifierInfo(word);
  }

  void emit_attribute(clang::IdentifierInfo *attribute, const Token &like) {
    open_attribute(like);
    emit(attribute, like);
    close_attribute(like);
  }

  void open_attribute(const Token &like) {
    emit(attribute_, like);
    emit(tok::l_paren, like);
    emit(tok::l_paren, like);
  }

  void close_attribute(const Token &like) {
    emit(tok::r_paren, like);
    emit(tok::r_paren, like);
  }

  void copy() { out_.push_back(in_[at_++]); }

  void step() {
    const Token &now = in_[at_];
    switch (now.getKind()) {
    case tok::l_brace: {
      const Scope scope = opened_scope();
      if (scope == Scope::function && in_record() && is_repeated_member()) {
        drop_member(skip_group(at_));
        return;
      }
      scopes_.push_back({scope, {}});
      copy();
      begin_statement();
      return;
    }
    case tok::r_brace:
      if (!scopes_.empty())
        scopes_.pop_back();
      copy();
      begin_statement();
      return;
    case tok::semi:
      if (in_record() && is_repeated_member()) {
        drop_member(at_ + 1);
        return;
      }
      copy();
      begin_statement();
      return;
    case tok::kw_public:
    case tok::kw_private:
    case tok::kw_protected:
      copy();
      if (in_record() && is(at_, tok::colon)) {
        copy();
        begin_statement();
      }
      return;
    case tok::l_paren:
      ++parentheses_;
      copy();
      return;
    case tok::r_paren:
      --parentheses_;
      copy();
      return;
    case tok::numeric_constant:
      rewrite_literal(now);
      return;
    case tok::star:
    case tok::amp:
    case tok::ampamp:
      if (follows_space_word(at_))
        in_space_.insert(now.getLocation());
      copy();
      return;
    case tok::l_square:
      // `[[threadgroup(0)]]` names an attribute, not an address space.
      if (is_attribute_start(at_))
        copy_attributes();
      else
        copy_bounds();
      return;
    case tok::kw_template:
      copy();
      if (is_attribute_start(at_))
        rewrite_attributes_to_gnu();
      return;
    default:
      if (at_ == array_parameter_) {
        emit(tok::star, now);
        copy();
        at_ = skip_group(at_);
        return;
      }
      if (const clang::IdentifierInfo *word = name(at_))
        if (rewrite_word(*word, now))
          return;
      copy();
    }
  }

  bool rewrite_word(const clang::IdentifierInfo &word, const Token &now) {
    if (&word == coherent_ && is_coherence(at_)) {
      at_ += 4;
      return true;
    }
    const bool is_space =
        &word == device_ || &word == constant_ || &word == threadgroup_ || &word == thread_;
    if (is_space && is_member_qualifier(at_)) {
      drops_qualifier_ |= in_record();
      ++at_;
      return true;
    }
    if (is_space && &word != thread_ && parentheses_ > 0)
      note_array_parameter();
    if (&word == kernel_ || &word == vertex_ || &word == fragment_) {
      emit_attribute(gnu_identifier(word), now);
      ++at_;
      if (is_attribute_start(at_))
        rewrite_attributes_to_gnu();
      return true;
    }
    if (&word == thread_) {
      ++at_;
      return true;
    }
    if (&word == device_) {
      emit_attribute(opencl_global_, now);
      ++at_;
      return true;
    }
    if (&word == threadgroup_) {
      if (in_function() && starts_declaration(at_) && declares_object(at_))
        emit(static_, now);
      emit_attribute(opencl_local_, now);
      ++at_;
      return true;
    }
    if (&word == constant_) {
      const bool is_function_constant =
          !in_function() && parentheses_ == 0 && declares_function_constant(at_);
      if (is_function_constant)
        emit_extern(now);
      emit(const_, now);
      emit_attribute(opencl_constant_, now);
      ++at_;
      while (is_function_constant && is_replaced_by_extern(token(at_)))
        ++at_;
      return true;
    }
    return false;
  }

  // ---- scopes

  bool in_function() const { return !scopes_.empty() && scopes_.back().kind == Scope::function; }
  bool in_record() const {
    return !scopes_.empty() && scopes_.back().kind == Scope::record && parentheses_ == 0;
  }

  void begin_statement() {
    statement_ = at_;
    out_statement_ = out_.size();
    drops_qualifier_ = false;
  }

  // ---- members that differ in the address space of the object only: the first of them stays

  /// What is written of the current member up to its body, or to the end of its parameters.
  std::string member_signature() {
    std::string signature;
    llvm::SmallString<32> buffer;
    int depth = 0;
    for (size_t i = out_statement_; i < out_.size(); ++i) {
      const Token &now = out_[i];
      depth += now.is(tok::l_paren);
      depth -= now.is(tok::r_paren);
      if (now.is(tok::colon) && depth == 0)
        break;
      if (now.isAnnotation())
        continue;
      signature += preprocessor_.getSpelling(now, buffer);
      signature += ' ';
    }
    return signature;
  }

  bool is_repeated_member() {
    if (out_statement_ == out_.size() ||
        !llvm::any_of(llvm::ArrayRef(out_).drop_front(out_statement_),
                      [](const Token &now) { return now.is(tok::l_paren); }))
      return false;
    return !scopes_.back().members.insert(member_signature()).second && drops_qualifier_;
  }

  void drop_member(size_t end) {
    out_.resize(out_statement_);
    at_ = end;
    begin_statement();
  }

  Scope opened_scope() const {
    bool is_namespace = false, is_record = false, has_parameters = false;
    for (size_t i = statement_; i < at_; ++i) {
      switch (token(i).getKind()) {
      case tok::kw_namespace:
        is_namespace = true;
        break;
      case tok::kw_extern:
        is_namespace |= i + 2 == at_ && is(i + 1, tok::string_literal);
        break;
      case tok::kw_template:
        if (is(i + 1, tok::less))
          i = skip_angles(i + 1) - 1;
        break;
      case tok::kw_struct:
      case tok::kw_class:
      case tok::kw_union:
      case tok::kw_enum:
        is_record |= !has_parameters;
        break;
      case tok::kw_alignas:
      case tok::kw___attribute:
        if (is(i + 1, tok::l_paren))
          i = skip_group(i + 1) - 1;
        break;
      case tok::l_square:
        i = skip_group(i) - 1;
        break;
      case tok::l_paren:
        has_parameters = true;
        break;
      default:
        break;
      }
    }
    if (is_namespace)
      return Scope::outside;
    if (is_record && !has_parameters)
      return Scope::record;
    if (has_parameters || in_function())
      return Scope::function;
    return Scope::other;
  }

  /// Index after the group that opens at `index`.
  size_t skip_group(size_t index) const {
    int depth = 0;
    for (; index < in_.size() && !is(index, tok::eof); ++index) {
      const Token &now = in_[index];
      if (now.isOneOf(tok::l_paren, tok::l_square, tok::l_brace))
        ++depth;
      else if (now.isOneOf(tok::r_paren, tok::r_square, tok::r_brace) && --depth == 0)
        return index + 1;
    }
    return index;
  }

  /// Index after the template argument list that opens at `index`.
  size_t skip_angles(size_t index) const {
    int depth = 0;
    while (index < in_.size()) {
      switch (in_[index].getKind()) {
      case tok::less:
        ++depth;
        ++index;
        break;
      case tok::greater:
      case tok::greatergreater:
        depth -= is(index, tok::greater) ? 1 : 2;
        ++index;
        if (depth <= 0)
          return index;
        break;
      case tok::l_paren:
      case tok::l_square:
      case tok::l_brace:
        index = skip_group(index);
        break;
      case tok::semi:
      case tok::eof:
        return index;
      default:
        ++index;
      }
    }
    return index;
  }

  // ---- address spaces

  /// `coherent(device)` and the like, before a type: all memory is coherent here.
  bool is_coherence(size_t index) const {
    const Token &after = token(index + 4);
    return is(index + 1, tok::l_paren) && name(index + 2) && is(index + 3, tok::r_paren) &&
           (after.is(tok::identifier) || tok::getKeywordSpelling(after.getKind()));
  }

  /// `) device {`, `) const threadgroup;` and the like.
  bool is_member_qualifier(size_t index) const {
    size_t before = index;
    while (before > 0 && (token(before - 1).isOneOf(tok::kw_const, tok::kw_volatile) ||
                          is_space_word(before - 1)))
      --before;
    if (before == 0 || !is(before - 1, tok::r_paren))
      return false;
    size_t after = index + 1;
    while (token(after).isOneOf(tok::kw_const, tok::kw_volatile) || is_space_word(after))
      ++after;
    return token(after).isOneOf(tok::l_brace, tok::semi, tok::equal, tok::arrow, tok::colon,
                                tok::kw_noexcept);
  }

  /// `constant T x[n]` among parameters is a pointer, which clang does not make of an array in an
  /// address space.
  void note_array_parameter() {
    for (size_t i = at_ + 1; i < in_.size();) {
      switch (token(i).getKind()) {
      case tok::less:
        i = skip_angles(i);
        break;
      case tok::l_square:
        if (!is_attribute_start(i) && is(i - 1, tok::identifier) &&
            token(skip_group(i)).isOneOf(tok::comma, tok::r_paren))
          array_parameter_ = i - 1;
        return;
      case tok::identifier:
      case tok::coloncolon:
      case tok::kw_const:
      case tok::kw_typename:
        ++i;
        break;
      default:
        if (!token(i).isSimpleTypeSpecifier(preprocessor_.getLangOpts()))
          return;
        ++i;
      }
    }
  }

  bool is_space_word(size_t index) const {
    const clang::IdentifierInfo *word = name(index);
    return word &&
           (word == device_ || word == constant_ || word == threadgroup_ || word == thread_);
  }

  /// Whether the type that ends before `index` names an address space.
  bool follows_space_word(size_t index) const {
    while (index > statement_) {
      const Token &before = token(--index);
      if (is_space_word(index))
        return true;
      switch (before.getKind()) {
      case tok::greater:
      case tok::greatergreater:
        index = skip_angles_back(index);
        break;
      case tok::r_paren: // decltype(x), alignas(8)
      case tok::r_square:
        index = skip_group_back(index);
        break;
      case tok::l_paren: // T (&x)[4]
      case tok::identifier:
      case tok::coloncolon:
      case tok::kw_const:
      case tok::kw_volatile:
      case tok::kw_typename:
      case tok::kw_struct:
      case tok::kw_class:
      case tok::kw_union:
      case tok::kw_enum:
      case tok::kw_auto:
      case tok::kw_template:
      case tok::kw_decltype:
      case tok::kw_alignas:
        break;
      default:
        if (!before.isSimpleTypeSpecifier(preprocessor_.getLangOpts()))
          return false;
      }
    }
    return false;
  }

  /// Index of what opens the group that `index` closes.
  size_t skip_group_back(size_t index) const {
    for (int depth = 0; index > statement_; --index) {
      depth += token(index).isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
      depth -= token(index).isOneOf(tok::l_paren, tok::l_square, tok::l_brace);
      if (depth == 0)
        break;
    }
    return index;
  }

  /// The same for a template's arguments.
  size_t skip_angles_back(size_t index) const {
    for (int depth = 0;; --index) {
      if (token(index).isOneOf(tok::r_paren, tok::r_square, tok::r_brace))
        index = skip_group_back(index);
      depth += is(index, tok::greater) + 2 * is(index, tok::greatergreater);
      depth -= is(index, tok::less);
      // A group that nothing opens reaches back to the statement's beginning.
      if (depth <= 0 || index <= statement_)
        return index;
    }
  }

  bool starts_declaration(size_t index) const {
    while (index > statement_) {
      const Token &before = token(index - 1);
      if (before.isOneOf(tok::kw_const, tok::kw_volatile, tok::kw_constexpr, tok::kw_static)) {
        if (before.is(tok::kw_static))
          return false;
        --index;
      } else if (before.is(tok::r_paren) || before.is(tok::r_square)) {
        // alignas(16) threadgroup float x[4]; [[maybe_unused]] threadgroup float y;
        size_t open = index - 1;
        for (int depth = 0; open > statement_; --open) {
          depth += token(open).isOneOf(tok::r_paren, tok::r_square);
          depth -= token(open).isOneOf(tok::l_paren, tok::l_square);
          if (depth == 0)
            break;
        }
        if (before.is(tok::r_paren)) {
          if (open == 0 || !is(open - 1, tok::kw_alignas))
            return before_is_case_label(index);
          --open;
        }
        index = open;
      } else {
        return before_is_case_label(index);
      }
    }
    return true;
  }

  bool before_is_case_label(size_t index) const { return is(index - 1, tok::colon); }

  /// The declaration at `index` is of an object, not of a pointer or reference.
  bool declares_object(size_t index) const {
    for (size_t i = index + 1; i < in_.size();) {
      switch (token(i).getKind()) {
      case tok::less:
        i = skip_angles(i);
        break;
      case tok::star:
      case tok::amp:
      case tok::ampamp:
        return false;
      case tok::l_paren:
        // decltype(x) y; alignas(8) z;
        if (!token(i - 1).isOneOf(tok::kw_decltype, tok::kw_alignas, tok::kw_typeof))
          return false;
        i = skip_group(i);
        break;
      case tok::semi:
      case tok::equal:
      case tok::comma:
      case tok::l_square:
      case tok::l_brace:
        return true;
      case tok::eof:
        return false;
      default:
        ++i;
      }
    }
    return false;
  }

  bool declares_function_constant(size_t index) const {
    for (size_t i = index + 1; i < in_.size(); ++i) {
      if (token(i).isOneOf(tok::semi, tok::equal, tok::l_brace, tok::l_paren, tok::eof))
        return name(i - 1) == function_constant_ && is(i, tok::l_paren);
    }
    return false;
  }

  /// `static constexpr constant bool x [[function_constant(0)]];` would have a storage class too
  /// many, and no value.
  static bool is_replaced_by_extern(const Token &word) {
    return word.isOneOf(tok::kw_static, tok::kw_constexpr);
  }

  void emit_extern(const Token &like) {
    while (!out_.empty() && is_replaced_by_extern(out_.back()))
      out_.pop_back();
    emit(extern_, like);
  }

  // ---- attributes and literals

  bool is_attribute_start(size_t index) const {
    return is(index, tok::l_square) && is(index + 1, tok::l_square);
  }

  /// clang takes a lone name for a word of the attribute's own; in parentheses it is an expression:
  /// `buffer(n)`. That of a parameter's `function_constant(has_bias)` has no value yet, so it
  /// becomes an address: instances of templates must have something constant.
  void copy_in_attribute() {
    if (!is(at_, tok::identifier) || at_ == 0 || !token(at_ - 1).is(tok::l_paren) ||
        !token(at_ + 1).is(tok::r_paren)) {
      copy();
      return;
    }
    emit(tok::l_paren, token(at_));
    if (parentheses_ > 0 && at_ > 1 && name(at_ - 2) == function_constant_)
      emit(tok::amp, token(at_));
    copy();
    emit(tok::r_paren, token(at_ - 1));
  }

  void copy_attributes() {
    while (is_attribute_start(at_))
      for (const size_t end = skip_group(at_); at_ < end;)
        copy_in_attribute();
  }

  /// `T x[2] [[id(0)]]` is an attribute of the member in MSL, of its type in C++: it goes before.
  void copy_bounds() {
    size_t end = at_;
    while (is(end, tok::l_square) && !is_attribute_start(end))
      end = skip_group(end);
    if (!in_record() || at_ == 0 || !is(at_ - 1, tok::identifier) || !is_attribute_start(end)) {
      copy();
      return;
    }
    const size_t bounds = at_;
    at_ = end;
    copy_attributes();
    out_.insert(out_.end(), in_.begin() + static_cast<std::ptrdiff_t>(bounds),
                in_.begin() + static_cast<std::ptrdiff_t>(end));
  }

  void rewrite_attributes_to_gnu() {
    while (is_attribute_start(at_)) {
      const size_t end = skip_group(at_);
      open_attribute(token(at_));
      at_ += 2;
      if (const clang::IdentifierInfo *word = name(at_))
        emit(gnu_identifier(*word), token(at_++));
      while (at_ + 2 < end)
        copy_in_attribute();
      close_attribute(token(at_));
      at_ = end;
    }
  }

  void rewrite_literal(const Token &now) {
    llvm::SmallString<32> buffer;
    bool is_invalid = false;
    const llvm::StringRef text = preprocessor_.getSpelling(now, buffer, &is_invalid);
    const bool is_hexadecimal = text.starts_with_insensitive("0x");
    const bool is_floating = is_hexadecimal ? text.contains_insensitive('p')
                                            : text.contains('.') || text.contains_insensitive('e');
    if (is_invalid || !is_floating) {
      copy();
      return;
    }
    if (text.ends_with_insensitive("bf")) {
      emit(bfloat_, now);
      emit(tok::l_paren, now);
      emit_number(now, text.drop_back(2), "f");
      emit(tok::r_paren, now);
      ++at_;
    } else if (text.ends_with_insensitive("h")) {
      emit_number(now, text.drop_back(1), "F16");
      ++at_;
    } else if (!text.ends_with_insensitive("f") && !text.ends_with_insensitive("l")) {
      // A float, in templates too: clang's own option loses the conversion when it instantiates.
      emit_number(now, text, "f");
      ++at_;
    } else {
      copy();
    }
  }

  void emit_number(const Token &like, llvm::StringRef digits, llvm::StringRef suffix) {
    const size_t size = digits.size() + suffix.size();
    auto *text =
        static_cast<char *>(preprocessor_.getPreprocessorAllocator().Allocate(size + 1, 1));
    llvm::copy(digits, text);
    llvm::copy(suffix, text + digits.size());
    text[size] = 0;
    Token made = like;
    made.setLength(size);
    made.setLiteralData(text);
    made.clearFlag(Token::NeedsCleaning);
    out_.push_back(made);
  }

  const std::vector<Token> &in_;
  clang::Preprocessor &preprocessor_;
  std::vector<Token> out_;
  llvm::DenseSet<clang::SourceLocation> in_space_;
  size_t at_ = 0;
  size_t statement_ = 0; // first token of the current statement
  int parentheses_ = 0;
  size_t array_parameter_ = SIZE_MAX; // its name
  size_t out_statement_ = 0;          // its first token in out_
  bool drops_qualifier_ = false;      // the current member lost an address space
  struct OpenScope {
    Scope kind;
    llvm::StringSet<> members; // signatures, of a record
  };
  std::vector<OpenScope> scopes_;
  clang::IdentifierInfo *device_, *constant_, *threadgroup_, *thread_, *coherent_, *kernel_,
      *vertex_, *fragment_, *function_constant_, *attribute_, *opencl_global_, *opencl_local_,
      *opencl_constant_, *const_, *static_, *extern_, *bfloat_;
};

} // namespace

RewrittenTokens rewrite_tokens(const std::vector<Token> &tokens,
                               clang::Preprocessor &preprocessor) {
  return Rewriter(tokens, preprocessor).run();
}

} // namespace hostmetal::frontend
