#include "hostmetal/compiler/frontend/template_arguments.hpp"

#define IS_TEMPLATE_ARGUMENT_LIST "_ZN5clang6Parser22isTemplateArgumentListEj"

namespace clang {
class Parser;
}

namespace hostmetal::frontend {

// The answer is a clang::Parser::TPResult, which is private.
int is_list_in_clang(clang::Parser *parser,
                     unsigned skipped) asm("__real_" IS_TEMPLATE_ARGUMENT_LIST);
int is_list(clang::Parser *parser, unsigned skipped) asm("__wrap_" IS_TEMPLATE_ARGUMENT_LIST);

namespace {

/// Questions within questions. Of declared templates nobody asks, so an author meets no limit.
constexpr int most_nested = 3;
constexpr int no = 1; ///< TPResult::False

thread_local int nested = 0;

} // namespace

// The linker puts this in front of clang's own (--wrap).
int is_list(clang::Parser *parser, unsigned skipped) {
  if (nested == most_nested)
    return no;
  ++nested;
  const int answer = is_list_in_clang(parser, skipped);
  --nested;
  return answer;
}

void forget_template_questions() {
  nested = 0;
}

} // namespace hostmetal::frontend
