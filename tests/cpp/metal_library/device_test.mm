#include "fixture.hpp"

#include <cstdlib>
#include <optional>

using namespace metal_library;

namespace {

class DeviceTest : public MetalTest {};

/// An environment variable that is set while this lives.
class Setting {
public:
  Setting(const char *name, const char *value) : name_(name) {
    if (const char *before = std::getenv(name))
      before_ = before;
    setenv(name, value, 1);
  }
  ~Setting() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }

private:
  const char *name_;
  std::optional<std::string> before_;
};

} // namespace

TEST_F(DeviceTest, IsOneForTheProcess) {
  const auto first = Retained<id<MTLDevice>>::adopt(MTLCreateSystemDefaultDevice());
  const auto all = Retained<NSArray<id<MTLDevice>> *>::adopt(MTLCopyAllDevices());
  ASSERT_TRUE(first);
  ASSERT_EQ([all.get() count], 1u);
  EXPECT_EQ([all.get() objectAtIndex:0], first.get());
  EXPECT_TRUE(conforms(first.get(), @"MTLDevice"));
}

TEST_F(DeviceTest, IsMissingWhenTheEnvironmentNamesAnother) {
  for (const char *name : {"none", "gpu"}) {
    const Setting setting("HOSTMETAL_DEVICE", name);
    EXPECT_EQ(MTLCreateSystemDefaultDevice(), nil) << name;
    const auto all = Retained<NSArray<id<MTLDevice>> *>::adopt(MTLCopyAllDevices());
    EXPECT_EQ([all.get() count], 0u) << name;
  }
  for (const char *name : {"", "cpu"}) {
    const Setting setting("HOSTMETAL_DEVICE", name);
    const auto device = Retained<id<MTLDevice>>::adopt(MTLCreateSystemDefaultDevice());
    EXPECT_TRUE(device) << name;
  }
}

TEST_F(DeviceTest, HasAnIdentity) {
  const std::string name = text([device() name]);
  EXPECT_EQ(name.substr(0, 15), "hostmetal CPU (");
  EXPECT_EQ(name.back(), ')');
  EXPECT_GT(name.size(), 16u) << "the processor's model is missing";
  EXPECT_NE([device() registryID], 0u);
  EXPECT_NE(text([[device() architecture] name]), "");
  EXPECT_EQ([device() location], MTLDeviceLocationBuiltIn);
  EXPECT_EQ([device() locationNumber], 0u);
  EXPECT_FALSE([device() isLowPower]);
  EXPECT_FALSE([device() isRemovable]);
  EXPECT_TRUE([device() isHeadless]);
  EXPECT_TRUE([device() hasUnifiedMemory]);
}

TEST_F(DeviceTest, HasLimits) {
  const MTLSize threads = [device() maxThreadsPerThreadgroup];
  EXPECT_EQ(threads.width, 1024u);
  EXPECT_EQ(threads.height, 1024u);
  EXPECT_EQ(threads.depth, 1024u);
  EXPECT_EQ([device() maxThreadgroupMemoryLength], 32768u);
  EXPECT_GT([device() maxBufferLength], 1u << 20);
  EXPECT_GT([device() recommendedMaxWorkingSetSize], 1u << 20);
  EXPECT_LE([device() recommendedMaxWorkingSetSize], [device() maxBufferLength]);
  EXPECT_EQ([device() argumentBuffersSupport], MTLArgumentBuffersTier2);
}

TEST_F(DeviceTest, CountsWhatIsAllocated) {
  const NSUInteger before = [device() currentAllocatedSize];
  auto buffer =
      Retained<id<MTLBuffer>>::adopt([device() newBufferWithLength:100000
                                                           options:MTLResourceStorageModeShared]);
  ASSERT_TRUE(buffer);
  EXPECT_GE([device() currentAllocatedSize], before + 100000);
  buffer = nullptr;
  EXPECT_EQ([device() currentAllocatedSize], before);
}

TEST_F(DeviceTest, HasTheFamiliesOfItsComputeFeatures) {
  for (const MTLGPUFamily family : {MTLGPUFamilyMac1, MTLGPUFamilyMac2, MTLGPUFamilyCommon1,
                                    MTLGPUFamilyCommon2, MTLGPUFamilyCommon3, MTLGPUFamilyMetal3})
    EXPECT_TRUE([device() supportsFamily:family]) << family;
  for (const MTLGPUFamily family :
       {MTLGPUFamilyApple1, MTLGPUFamilyApple7, MTLGPUFamilyApple10, MTLGPUFamilyMetal4})
    EXPECT_FALSE([device() supportsFamily:family]) << family;
  EXPECT_FALSE([device() supportsFamily:static_cast<MTLGPUFamily>(123456)]);
}

TEST_F(DeviceTest, HasNoDefaultLibraryInAProgramWithoutOne) {
  EXPECT_EQ([device() newDefaultLibrary], nil);
  NSError *error = nil;
  EXPECT_EQ([device() newDefaultLibraryWithBundle:[NSBundle mainBundle] error:&error], nil);
  EXPECT_EQ([error code], MTLLibraryErrorFileNotFound);
  EXPECT_EQ(message(error), "The bundle holds no default.metallib.");
}
