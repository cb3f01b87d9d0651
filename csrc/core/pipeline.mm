#include "core/pipeline_impl.hpp"

#include "core/binary_archive.hpp"
#include "core/device_impl.hpp"
#include "core/function_constants.hpp"
#include "core/pipeline_store.hpp"
#include "core/reflection.hpp"
#include "metalcore/error.hpp"
#include "objc/autorelease_pool.hpp"
#include "objc/error.hpp"
#include "objc/strings.hpp"
#include "support/trace.hpp"

#include <stdexcept>

namespace metalcore {

using objc::Retained;

namespace {

std::string in_quotes(const std::string &text) { return '"' + text + '"'; }

std::string place(const std::string &constant, const std::string &kernel) {
  return "function constant " + in_quotes(constant) + " of kernel " + in_quotes(kernel);
}

ScalarBytes convert(const FunctionConstants::value_type &given, MTLDataType declared,
                    const std::string &kernel) {
  const auto &[name, value] = given;
  const TypeDescription type = describe_type(declared);
  if (!type.dtype || type.vector_width != 1)
    throw std::invalid_argument("The " + place(name, kernel) + " has the type " + type.name +
                                ", which no number fits.");
  const auto bytes = convert_scalar(value, *type.dtype);
  if (!bytes)
    throw std::invalid_argument("The value " + scalar_text(value) + " of " + place(name, kernel) +
                                " does not fit its type (" + type.name + ").");
  return *bytes;
}

/// The values as Metal takes them; checked against what the kernel declares.
Retained<MTLFunctionConstantValues *> values_of(const PipelineRequest &request,
                                                id<MTLFunction> function) {
  NSDictionary<NSString *, MTLFunctionConstant *> *declared =
      [function functionConstantsDictionary];
  auto values =
      Retained<MTLFunctionConstantValues *>::adopt([[MTLFunctionConstantValues alloc] init]);
  for (const auto &given : request.constants) {
    NSString *name = objc::to_nsstring(given.first);
    MTLFunctionConstant *constant = name ? [declared objectForKey:name] : nil;
    if (!constant)
      throw std::invalid_argument("Kernel " + in_quotes(request.kernel) +
                                  " has no function constant " + in_quotes(given.first) + '.');
    const ScalarBytes bytes = convert(given, [constant type], request.kernel);
    [values.get() setConstantValue:bytes.data.data() type:[constant type] atIndex:[constant index]];
  }
  for (NSString *name in declared) {
    MTLFunctionConstant *constant = [declared objectForKey:name];
    if ([constant required] && !request.constants.contains(objc::to_string(name)))
      throw std::invalid_argument("The " + place(objc::to_string(name), request.kernel) +
                                  " needs a value (" + describe_type([constant type]).name + ").");
  }
  return values;
}

Retained<id<MTLFunction>> specialised(const Library::Impl &library,
                                      const PipelineRequest &request) {
  auto function = kernel_of(library, request.kernel);
  if (request.constants.empty() && [[function.get() functionConstantsDictionary] count] == 0)
    return function;
  const auto values = values_of(request, function.get());
  NSError *error = nil;
  auto result = Retained<id<MTLFunction>>::adopt([library.metal.get()
      newFunctionWithName:[function.get() name]
           constantValues:values.get()
                    error:&error]);
  if (!result)
    throw Error(ErrorKind::pipeline, "Kernel " + in_quotes(request.kernel) +
                                         " cannot be specialised: " + objc::describe(error) + '.');
  return result;
}

LaunchLimits limits_of(const Pipeline::Impl &pipeline) {
  return {pipeline.name,
          pipeline.arguments,
          [pipeline.metal.get() maxTotalThreadsPerThreadgroup],
          pipeline.device->max_group_size,
          [pipeline.metal.get() staticThreadgroupMemoryLength],
          pipeline.device->max_threadgroup_memory_length};
}

} // namespace

Pipeline::Impl::Impl(std::shared_ptr<Device::Impl> device, id<MTLComputePipelineState> state,
                     std::string name, std::vector<Argument> arguments, bool logs)
    : device(std::move(device)), metal(Retained<id<MTLComputePipelineState>>::retain(state)),
      name(std::move(name)), arguments(std::move(arguments)), width([state threadExecutionWidth]),
      limits(limits_of(*this)), logs(logs) {}

namespace {

Retained<MTLComputePipelineDescriptor *> describe(const Library::Impl &library,
                                                  const PipelineRequest &request) {
  auto descriptor =
      Retained<MTLComputePipelineDescriptor *>::adopt([[MTLComputePipelineDescriptor alloc] init]);
  [descriptor.get() setComputeFunction:specialised(library, request).get()];
  [descriptor.get() setLabel:objc::to_nsstring(request.kernel)];
  return descriptor;
}

/// Throws; null instead where the options forbid to compile and there is nothing compiled.
std::shared_ptr<Pipeline::Impl> build(const Library::Impl &library, const PipelineRequest &request,
                                      MTLComputePipelineDescriptor *descriptor,
                                      MTLPipelineOption options) {
  MTLComputePipelineReflection *reflection = nil;
  NSError *error = nil;
  const auto state = Retained<id<MTLComputePipelineState>>::adopt([library.device->metal.get()
      newComputePipelineStateWithDescriptor:descriptor
                                    options:options | MTLPipelineOptionBindingInfo |
                                            MTLPipelineOptionBufferTypeInfo
                                 reflection:&reflection
                                      error:&error]);
  if (!state && (options & MTLPipelineOptionFailOnBinaryArchiveMiss) != 0)
    return nullptr;
  if (!state)
    throw Error(ErrorKind::pipeline, "Pipeline " + in_quotes(request.kernel) +
                                         " cannot be built: " + objc::describe(error) + '.');
  std::string unsupported;
  auto arguments = reflect(reflection, unsupported);
  if (!arguments)
    throw Error(ErrorKind::unsupported, "Argument " + in_quotes(unsupported) + " of kernel " +
                                            in_quotes(request.kernel) +
                                            " is neither a buffer nor threadgroup memory.");
  ++pipelines_built();
  return std::make_shared<Pipeline::Impl>(library.device, state.get(), request.kernel,
                                          std::move(*arguments), library.logs());
}

/// From what was kept; null where that is of no use.
std::shared_ptr<Pipeline::Impl> load(const Library::Impl &library, const PipelineRequest &request,
                                     MTLComputePipelineDescriptor *descriptor,
                                     const std::string &bytes) {
  const auto archive = OpenArchive::holding(library.device->metal.get(), bytes);
  if (!archive)
    return nullptr;
  [descriptor setBinaryArchives:@[ archive->metal() ]];
  auto pipeline = build(library, request, descriptor, MTLPipelineOptionFailOnBinaryArchiveMiss);
  [descriptor setBinaryArchives:nil];
  return pipeline;
}

} // namespace

std::shared_ptr<Pipeline::Impl> find_pipeline(const Library::Impl &library,
                                              const PipelineRequest &request) {
  trace::Span span("compile", request.kernel);
  PipelineStore *store = library.identity ? pipeline_store() : nullptr;
  if (!store)
    return build_pipeline(library, request);
  const objc::AutoreleasePool pool;
  const auto descriptor = describe(library, request);
  const Digest key = pipeline_key(*library.identity, library.device->identity, request);
  if (trace::is_on())
    span.add("key", to_hex(key).substr(0, 12));
  bool is_repair = false;
  if (const auto bytes = store->load(key, is_repair)) {
    if (auto pipeline = load(library, request, descriptor.get(), *bytes)) {
      span.add("from", "disk");
      return pipeline;
    }
    store->note_unusable();
    is_repair = true;
  }
  span.add("from", "compiler");
  auto pipeline = build(library, request, descriptor.get(), MTLPipelineOptionNone);
  // The pipeline lives until it is kept: its code needs not be made twice then.
  store->keep_later(key, request.kernel, is_repair, [pipeline, descriptor](DiskStore &files) {
    return archived(pipeline->device->metal.get(), descriptor.get(), files);
  });
  return pipeline;
}

std::shared_ptr<Pipeline::Impl> build_pipeline(const Library::Impl &library,
                                               const PipelineRequest &request) {
  const objc::AutoreleasePool pool;
  return build(library, request, describe(library, request).get(), MTLPipelineOptionNone);
}

const std::string &Pipeline::name() const { return impl_->name; }
const std::vector<Argument> &Pipeline::arguments() const { return impl_->arguments; }
std::size_t Pipeline::max_total_threads_per_threadgroup() const {
  return impl_->limits.max_total_threads;
}
std::size_t Pipeline::thread_execution_width() const { return impl_->width; }
std::size_t Pipeline::static_threadgroup_memory_length() const {
  return impl_->limits.static_threadgroup_memory;
}
Device Pipeline::device() const { return Device(impl_->device); }

} // namespace metalcore
