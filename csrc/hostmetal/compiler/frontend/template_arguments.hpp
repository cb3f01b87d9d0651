/// Names that nobody declared, nested as templates: `a<a<a<…`. Whether a list of template arguments
/// follows, clang finds out by looking ahead, asks the same of the names that it finds there, and
/// forgets the answers: with every level the time doubles. So there is a limit to such levels, in
/// front of clang's own function.
#pragma once

namespace hostmetal::frontend {

/// To be called before a parse: the last one on this thread may have ended in the midst of them.
void forget_template_questions();

} // namespace hostmetal::frontend
