#include "fixture.hpp"

#include "hostmetal/api/constant_values.hpp"

#include <future>
#include <thread>

using namespace metal_library;

namespace {

class FunctionConstantsTest : public MetalTest {
protected:
  LibraryPointer library_ = compile("kernel k\n"
                                    "constant count 0 29 required\n"
                                    "constant scale 3 5 optional\n"
                                    "constant fast 7 53 optional\n");
  Retained<MTLFunctionConstantValues *> values_ =
      Retained<MTLFunctionConstantValues *>::adopt([[MTLFunctionConstantValues alloc] init]);

  FunctionPointer specialise(NSError **error) {
    return FunctionPointer::adopt([library_.get() newFunctionWithName:@"k"
                                                       constantValues:values_.get()
                                                                error:error]);
  }

  /// The constants that the compiler was given for the kernel.
  std::vector<std::string> given() {
    NSError *error = nil;
    const FunctionPointer function = specialise(&error);
    EXPECT_TRUE(function) << message(error);
    MTLComputePipelineReflection *reflection = nil;
    const auto pipeline = PipelinePointer::adopt([device()
        newComputePipelineStateWithFunction:function.get()
                                    options:MTLPipelineOptionBindingInfo
                                 reflection:&reflection
                                      error:&error]);
    EXPECT_TRUE(pipeline) << message(error);
    std::vector<std::string> names;
    for (id<MTLBinding> binding in [reflection bindings])
      names.push_back(text([binding name]));
    return names;
  }
};

} // namespace

TEST_F(FunctionConstantsTest, AreListed) {
  NSDictionary *constants = [function(library_, "k").get() functionConstantsDictionary];
  ASSERT_EQ([constants count], 3u);
  MTLFunctionConstant *count = [constants objectForKey:@"count"];
  EXPECT_EQ(text([count name]), "count");
  EXPECT_EQ([count type], MTLDataTypeInt);
  EXPECT_EQ([count index], 0u);
  EXPECT_TRUE([count required]);
  MTLFunctionConstant *scale = [constants objectForKey:@"scale"];
  EXPECT_EQ([scale type], MTLDataTypeFloat3);
  EXPECT_EQ([scale index], 3u);
  EXPECT_FALSE([scale required]);
}

TEST_F(FunctionConstantsTest, ReachTheCompiler) {
  const int count = 0x01020304;
  [values_.get() setConstantValue:&count type:MTLDataTypeInt atIndex:0];
  EXPECT_EQ(given(), (std::vector<std::string>{"0 29 04030201"}));

  const float scale[3] = {1, 2, 3};
  const bool fast = true;
  [values_.get() setConstantValue:scale type:MTLDataTypeFloat3 withName:@"scale"];
  [values_.get() setConstantValue:&fast type:MTLDataTypeBool atIndex:7];
  EXPECT_EQ(given(), (std::vector<std::string>{"0 29 04030201",
                                               "3 5 0000803f000000400000404000000000", "7 53 01"}));
}

TEST_F(FunctionConstantsTest, GoByNameBeforeIndex) {
  const int by_index = 1, by_name = 2;
  [values_.get() setConstantValue:&by_name type:MTLDataTypeInt withName:@"count"];
  [values_.get() setConstantValue:&by_index type:MTLDataTypeInt atIndex:0];
  EXPECT_EQ(given(), (std::vector<std::string>{"0 29 02000000"}));
}

TEST_F(FunctionConstantsTest, AreSetForARangeOfIndices) {
  const int counts[] = {5, 6, 7};
  [values_.get() setConstantValues:counts type:MTLDataTypeInt withRange:NSMakeRange(0, 3)];
  EXPECT_EQ(given(), (std::vector<std::string>{"0 29 05000000"}));
  [values_.get() setConstantValues:counts type:MTLDataTypeInt withRange:NSMakeRange(9, 0)];
  [values_.get() setConstantValues:counts type:MTLDataTypeInt withRange:NSMakeRange(65533, 3)];
}

TEST_F(FunctionConstantsTest, AreCopied) {
  int count = 1;
  [values_.get() setConstantValue:&count type:MTLDataTypeInt atIndex:0];
  MTLFunctionConstantValues *copy = [[values_.get() copy] autorelease];
  count = 2;
  [values_.get() reset];
  values_ = Retained<MTLFunctionConstantValues *>::retain(copy);
  EXPECT_EQ(given(), (std::vector<std::string>{"0 29 01000000"}));
}

TEST_F(FunctionConstantsTest, AreRequired) {
  NSError *error = nil;
  EXPECT_FALSE(specialise(&error));
  const std::string expected =
      "Function constant \"count\" (index 0) of function \"k\" must be given a value of type int.";
  EXPECT_EQ(message(error), expected);
  EXPECT_EQ([error code], MTLLibraryErrorCompileFailure);

  const FunctionPointer plain = function(library_, "k");
  error = nil;
  EXPECT_EQ([device() newComputePipelineStateWithFunction:plain.get() error:&error], nil);
  EXPECT_EQ(message(error), expected);
}

TEST_F(FunctionConstantsTest, HaveOneType) {
  const float count = 1;
  [values_.get() setConstantValue:&count type:MTLDataTypeFloat atIndex:0];
  NSError *error = nil;
  EXPECT_FALSE(specialise(&error));
  EXPECT_EQ(message(error), "Function constant \"count\" (index 0) of function \"k\" is of type "
                            "int, and the value given is of type float.");
}

TEST_F(FunctionConstantsTest, AreScalarsOrVectorsInRange) {
  const int value = 1;
  const void *nothing = nullptr;
  MTLFunctionConstantValues *values = values_.get();
  EXPECT_ANY_THROW([values setConstantValue:&value type:MTLDataTypeStruct atIndex:0]);
  EXPECT_ANY_THROW([values setConstantValue:&value type:MTLDataTypeFloat2x2 atIndex:0]);
  EXPECT_ANY_THROW([values setConstantValue:nothing type:MTLDataTypeInt atIndex:0]);
  EXPECT_ANY_THROW([values setConstantValue:&value type:MTLDataTypeInt atIndex:65536]);
  EXPECT_ANY_THROW([values setConstantValues:&value
                                        type:MTLDataTypeInt
                                   withRange:NSMakeRange(1, NSUIntegerMax)]);
}

TEST_F(FunctionConstantsTest, NameASpecialisedFunction) {
  const int count = 1;
  [values_.get() setConstantValue:&count type:MTLDataTypeInt atIndex:0];
  MTLFunctionDescriptor *descriptor = [MTLFunctionDescriptor functionDescriptor];
  [descriptor setName:@"k"];
  [descriptor setSpecializedName:@"k_1"];
  [descriptor setConstantValues:values_.get()];
  [descriptor setOptions:MTLFunctionOptionCompileToBinary];
  NSError *error = nil;
  const auto made = FunctionPointer::adopt([library_.get() newFunctionWithDescriptor:descriptor
                                                                               error:&error]);
  ASSERT_TRUE(made) << message(error);
  EXPECT_EQ(text([made.get() name]), "k_1");
  EXPECT_EQ([made.get() options], MTLFunctionOptionCompileToBinary);
}

TEST_F(FunctionConstantsTest, AnswerOnAnotherThread) {
  const int count = 1;
  [values_.get() setConstantValue:&count type:MTLDataTypeInt atIndex:0];
  using Answer = std::pair<FunctionPointer, std::thread::id>;
  auto promise = std::make_shared<std::promise<Answer>>();
  [library_.get()
      newFunctionWithName:@"k"
           constantValues:values_.get()
        completionHandler:^(id<MTLFunction> function, NSError *error) {
          EXPECT_EQ(error, nil);
          promise->set_value({FunctionPointer::retain(function), std::this_thread::get_id()});
        }];
  [values_.get() reset]; // the request has its own copy
  const Answer answer = promise->get_future().get();
  EXPECT_TRUE(answer.first);
  EXPECT_NE(answer.second, std::this_thread::get_id());
}

TEST(ConstantValues, HaveMSLsSizesAndNames) {
  using hostmetal::api::name_of;
  using hostmetal::api::size_of;
  EXPECT_EQ(size_of(MTLDataTypeHalf3), 8u);
  EXPECT_EQ(size_of(MTLDataTypeFloat4), 16u);
  EXPECT_EQ(size_of(MTLDataTypeULong2), 16u);
  EXPECT_EQ(size_of(MTLDataTypeBFloat), 2u);
  EXPECT_EQ(size_of(MTLDataTypePointer), 0u);
  EXPECT_EQ(name_of(MTLDataTypeUShort4), "ushort4");
  EXPECT_EQ(name_of(MTLDataTypeBool), "bool");
  EXPECT_EQ(name_of(MTLDataTypePointer), "type 60");
}
