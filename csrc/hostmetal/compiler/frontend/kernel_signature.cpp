#include "hostmetal/compiler/frontend/kernel_signature.hpp"

#include "hostmetal/compiler/frontend/argument_buffer.hpp"
#include "hostmetal/compiler/frontend/attributes.hpp"
#include "hostmetal/compiler/frontend/diagnostics.hpp"
#include "hostmetal/compiler/frontend/type_names.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <set>

namespace hostmetal::frontend {
namespace {

constexpr uint32_t max_buffers = 31;
constexpr uint32_t max_textures = 128;
constexpr uint32_t max_samplers = 16;
constexpr uint32_t max_threads = 1024;

struct Slot {
  const char *attribute;
  uint32_t limit;
};

Slot slot_of(ArgumentKind kind) {
  switch (kind) {
  case ArgumentKind::buffer:
  case ArgumentKind::function_table:
    return {"buffer", max_buffers};
  case ArgumentKind::threadgroup_memory:
    return {"threadgroup", max_buffers};
  case ArgumentKind::texture:
    return {"texture", max_textures};
  case ArgumentKind::sampler:
    return {"sampler", max_samplers};
  case ArgumentKind::thread_value:
    break;
  }
  return {"", 0};
}

class Collector {
public:
  explicit Collector(clang::Sema &sema)
      : sema_(sema), context_(sema.Context), argument_buffers_(sema) {}

  void add(clang::FunctionDecl &function) {
    const bool is_kernel = find_attribute(function, "kernel");
    for (const char *stage : {"vertex", "fragment"})
      if (find_attribute(function, stage))
        error(function.getLocation(),
              llvm::Twine("'") + stage + "' functions are not supported: only kernels are");
    if (is_kernel || is_visible(function)) {
      add_signature(function, is_kernel);
      // Code is made for it whatever its linkage.
      function.addAttr(clang::UsedAttr::CreateImplicit(context_));
    }
  }

  std::vector<KernelSignature> take() { return std::move(kernels_); }

private:
  void error(clang::SourceLocation where, const llvm::Twine &message) {
    report_error(sema_.Diags, where, message);
  }

  void add_signature(clang::FunctionDecl &function, bool is_kernel) {
    KernelSignature kernel;
    kernel.function = &function;
    kernel.is_kernel = is_kernel;
    if (is_kernel && !function.getReturnType()->isVoidType())
      error(function.getLocation(), "kernel must have void return type, not '" +
                                        function.getReturnType().getAsString() + "'");
    read_host_names(kernel);
    if (const auto *attribute = find_attribute(function, "max_total_threads_per_threadgroup")) {
      const auto count = integer_argument(*attribute, context_);
      if (!count || *count == 0)
        error(attribute->getLocation(),
              "'max_total_threads_per_threadgroup' requires a positive integer constant");
      else
        kernel.max_total_threads_per_threadgroup =
            static_cast<uint32_t>(std::min<uint64_t>(*count, max_threads));
    }
    if (is_kernel)
      read_arguments(kernel);
    kernels_.push_back(std::move(kernel));
  }

  void read_host_names(KernelSignature &kernel) {
    const clang::FunctionDecl &function = *kernel.function;
    for (const auto *attribute : function.specific_attrs<clang::AnnotateAttr>()) {
      if (attribute_name(*attribute) != "host_name")
        continue;
      const clang::StringLiteral *text =
          attribute->args_size() == 1
              ? llvm::dyn_cast<clang::StringLiteral>((*attribute->args_begin())->IgnoreParenCasts())
              : nullptr;
      if (text && !text->getString().empty())
        kernel.host_names.push_back(text->getString().str());
      else
        error(attribute->getLocation(), "'host_name' requires a string that is not empty");
    }
    if (kernel.host_names.empty()) {
      // An instance without a host name has no name that a caller could ask for.
      if (function.isTemplateInstantiation())
        kernel.host_names.push_back(sema_mangled_name(function));
      else
        kernel.host_names.push_back(function.getQualifiedNameAsString());
    }
    for (const std::string &name : kernel.host_names) {
      const auto [entry, is_new] = names_.try_emplace(name, &function);
      if (!is_new) {
        error(function.getLocation(), "function name '" + name + "' is used more than once");
        report_note(sema_.Diags, entry->second->getLocation(), "the other function is here");
      }
    }
  }

  std::string sema_mangled_name(const clang::FunctionDecl &function) const {
    std::string name;
    llvm::raw_string_ostream stream(name);
    function.getNameForDiagnostic(stream, context_.getPrintingPolicy(), /*Qualified=*/true);
    return name;
  }

  void read_arguments(KernelSignature &kernel) {
    std::map<const char *, std::set<uint32_t>> used;
    std::vector<size_t> unplaced;
    for (const clang::ParmVarDecl *parameter : kernel.function->parameters()) {
      ArgumentSignature argument;
      argument.parameter = parameter;
      if (!classify(argument))
        continue;
      read_predicate(argument);
      check_slots(argument);
      if (argument.kind != ArgumentKind::thread_value) {
        const Slot slot = slot_of(argument.kind);
        if (const auto *attribute = find_attribute(*parameter, slot.attribute))
          place(argument, *attribute, slot, used[slot.attribute]);
        else
          unplaced.push_back(kernel.arguments.size());
      }
      kernel.arguments.push_back(argument);
    }
    for (const size_t number : unplaced) {
      ArgumentSignature &argument = kernel.arguments[number];
      const Slot slot = slot_of(argument.kind);
      auto &taken = used[slot.attribute];
      while (argument.index < slot.limit && !is_free(argument, taken))
        ++argument.index;
      take(argument, taken);
      if (argument.index + place_count(argument) > slot.limit)
        error(argument.parameter->getLocation(), llvm::Twine("no '") + slot.attribute +
                                                     "' index is left below the limit " +
                                                     llvm::Twine(slot.limit));
    }
  }

  /// How many indices it takes.
  static uint32_t place_count(const ArgumentSignature &argument) {
    return std::max(argument.array_length, 1u);
  }
  static bool is_free(const ArgumentSignature &argument, const std::set<uint32_t> &taken) {
    const auto next = taken.lower_bound(argument.index);
    return next == taken.end() || *next >= argument.index + place_count(argument);
  }
  static void take(const ArgumentSignature &argument, std::set<uint32_t> &taken) {
    for (uint32_t i = 0; i < place_count(argument); ++i)
      taken.insert(argument.index + i);
  }

  /// A slot of another kind would be taken for none at all.
  void check_slots(const ArgumentSignature &argument) {
    const llvm::StringRef own = slot_of(argument.kind).attribute;
    size_t count = 0;
    for (const auto *attribute : argument.parameter->specific_attrs<clang::AnnotateAttr>()) {
      const llvm::StringRef name = attribute_name(*attribute);
      if (name != "buffer" && name != "texture" && name != "sampler" && name != "threadgroup")
        continue;
      if (name != own)
        error(attribute->getLocation(), llvm::Twine("'") + name +
                                            "' attribute is not valid for argument '" +
                                            argument.parameter->getName() + "'");
      else if (++count > 1)
        error(attribute->getLocation(), llvm::Twine("argument '") + argument.parameter->getName() +
                                            "' has more than one '" + name + "' attribute");
    }
  }

  void place(ArgumentSignature &argument, const clang::AnnotateAttr &attribute, const Slot &slot,
             std::set<uint32_t> &taken) {
    const auto index = integer_argument(attribute, context_);
    if (!index) {
      error(attribute.getLocation(), llvm::Twine("'") + slot.attribute +
                                         "' attribute requires a non-negative integer constant");
      return;
    }
    if (*index >= slot.limit) {
      error(attribute.getLocation(),
            llvm::Twine("'") + slot.attribute + "' attribute index " + llvm::Twine(*index) +
                " is out of range: it must be below " + llvm::Twine(slot.limit));
      return;
    }
    argument.index = static_cast<uint32_t>(*index);
    if (argument.array_length > slot.limit - argument.index)
      error(attribute.getLocation(), llvm::Twine("the array of ") +
                                         llvm::Twine(argument.array_length) + " from '" +
                                         slot.attribute + "' index " + llvm::Twine(*index) +
                                         " on goes beyond the limit " + llvm::Twine(slot.limit));
    // Arguments under a function constant may share an index: at most one of them exists.
    const auto first = taken.lower_bound(argument.index);
    if (!is_free(argument, taken) && !argument.predicate)
      error(attribute.getLocation(), llvm::Twine("'") + slot.attribute + "' index " +
                                         llvm::Twine(*first) +
                                         " is used by more than one argument");
    take(argument, taken);
  }

  void read_predicate(ArgumentSignature &argument) {
    const auto *attribute = find_attribute(*argument.parameter, "function_constant");
    if (!attribute)
      return;
    if (attribute->args_size() == 1) {
      const clang::Expr *named = (*attribute->args_begin())->IgnoreParenImpCasts();
      // Its address: see token_rewriter.cpp.
      if (const auto *address = llvm::dyn_cast<clang::UnaryOperator>(named))
        named = address->getSubExpr()->IgnoreParens();
      if (const auto *use = llvm::dyn_cast<clang::DeclRefExpr>(named))
        argument.predicate = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
    }
    if (!argument.predicate)
      error(attribute->getLocation(),
            "'function_constant' on an argument requires the name of a function constant");
  }

  bool classify(ArgumentSignature &argument) {
    const clang::ParmVarDecl &parameter = *argument.parameter;
    const clang::QualType type = parameter.getType();
    for (const auto *attribute : parameter.specific_attrs<clang::AnnotateAttr>()) {
      const llvm::StringRef name = attribute_name(*attribute);
      if (is_thread_attribute(name)) {
        argument.kind = ArgumentKind::thread_value;
        argument.thread_attribute = name.str();
        return check_thread_value(parameter, name);
      }
    }
    if (type->isPointerType() || type->isReferenceType()) {
      argument.address_space = air_address_space(type->getPointeeType().getAddressSpace());
      argument.kind =
          argument.address_space == 3 ? ArgumentKind::threadgroup_memory : ArgumentKind::buffer;
      if (argument.address_space == 0) {
        error(parameter.getLocation(),
              llvm::Twine(type->isPointerType() ? "pointer" : "reference") +
                  " argument of a kernel must be in the address space 'device', 'constant' or "
                  "'threadgroup'");
        return false;
      }
      const clang::QualType pointee = type->getPointeeType();
      // A template that nothing else uses is completed here.
      if (pointee->isPointerType() || !sema_.isCompleteType(parameter.getLocation(), pointee)) {
        if (!pointee->isVoidType()) {
          error(parameter.getLocation(),
                "a kernel's argument cannot be a pointer to '" + pointee.getAsString() + "'");
          return false;
        }
      }
      argument_buffers_.check(pointee);
      return true;
    }
    if (metal_record(type, "visible_function_table")) {
      argument.kind = ArgumentKind::function_table;
      return true;
    }
    const ArrayShape shape = array_shape(type, context_);
    const std::string name = msl_type_name(shape.element);
    const bool is_texture =
        llvm::StringRef(name).starts_with("texture") || llvm::StringRef(name).starts_with("depth");
    if (is_texture || name == "sampler") {
      argument.kind = is_texture ? ArgumentKind::texture : ArgumentKind::sampler;
      // Longer ones would not fit anyhow.
      argument.array_length = static_cast<uint32_t>(std::min<uint64_t>(shape.length, max_threads));
      return true;
    }
    error(parameter.getLocation(), "argument '" + parameter.getNameAsString() + "' of type '" +
                                       msl_type_name(type) +
                                       "' needs an attribute that says where its value comes from");
    return false;
  }

  bool check_thread_value(const clang::ParmVarDecl &parameter, llvm::StringRef attribute) {
    const auto shape = vector_shape(parameter.getType());
    const std::string name = msl_type_name(parameter.getType());
    const bool is_scalar_only =
        attribute.contains("_index_in_") || attribute.contains("simdgroups_per_") ||
        attribute.contains("quadgroups_per_") || attribute == "threads_per_simdgroup" ||
        attribute == "thread_execution_width" || attribute == "simdgroup_index_in_threadgroup";
    const std::string element = shape ? msl_type_name(shape->element) : std::string();
    if (shape && !shape->is_packed && (element == "uint" || element == "ushort") &&
        shape->count <= (is_scalar_only ? 1u : 3u))
      return true;
    error(parameter.getLocation(), "type '" + name + "' is not valid for attribute '" + attribute +
                                       "': it must be " +
                                       (is_scalar_only ? "uint or ushort"
                                                       : "uint, uint2, uint3, ushort, ushort2 or "
                                                         "ushort3"));
    return false;
  }

  clang::Sema &sema_;
  clang::ASTContext &context_;
  ArgumentBufferCheck argument_buffers_;
  std::vector<KernelSignature> kernels_;
  llvm::StringMap<const clang::FunctionDecl *> names_;
};

} // namespace

uint32_t air_address_space(clang::LangAS space) {
  switch (space) {
  case clang::LangAS::sycl_global:
    return 1;
  case clang::LangAS::sycl_global_host:
    return 2;
  case clang::LangAS::sycl_local:
    return 3;
  default:
    return 0;
  }
}

std::vector<KernelSignature> collect_kernels(const std::vector<clang::FunctionDecl *> &functions,
                                             clang::Sema &sema) {
  Collector collector(sema);
  for (clang::FunctionDecl *function : functions)
    collector.add(*function);
  return collector.take();
}

} // namespace hostmetal::frontend
