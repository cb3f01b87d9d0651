"""hostmetal's Metal headers against what PyObjC recorded from Apple's framework."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

import apple_metal
import metal_headers

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="hostmetal's headers exist on Linux only"
)

# PyObjC lists a method of a class only if its types need more than the runtime tells (a BOOL, a
# struct, a block); these are the others, under the names of Apple's documentation and metal-cpp.
CLASS_METHODS_WITHOUT_METADATA = {
    "MTLArchitecture": "name",
    "MTLType": "dataType",
    "MTLStructMember": "name offset dataType argumentIndex structType arrayType pointerType",
    "MTLStructType": "members memberByName:",
    "MTLArrayType": "elementType arrayLength stride argumentIndexStride elementStructType"
    " elementArrayType elementPointerType",
    "MTLPointerType": "elementType access alignment dataSize elementStructType elementArrayType",
    "MTLCommandBufferDescriptor": "errorOptions setErrorOptions: logState setLogState:",
    "MTLCommandQueueDescriptor": "maxCommandBufferCount setMaxCommandBufferCount: logState"
    " setLogState:",
    "MTLLogStateDescriptor": "level setLevel: bufferSize setBufferSize:",
    "MTLArgumentDescriptor": "argumentDescriptor dataType setDataType: index setIndex:"
    " arrayLength setArrayLength: access setAccess: constantBlockAlignment"
    " setConstantBlockAlignment:",
    "MTLLinkedFunctions": "linkedFunctions functions setFunctions: binaryFunctions"
    " setBinaryFunctions: groups setGroups: privateFunctions setPrivateFunctions:",
    "MTLVisibleFunctionTableDescriptor": "visibleFunctionTableDescriptor functionCount"
    " setFunctionCount:",
    "MTLPipelineBufferDescriptor": "mutability setMutability:",
    "MTLPipelineBufferDescriptorArray": "objectAtIndexedSubscript: setObject:atIndexedSubscript:",
    "MTLBinaryArchiveDescriptor": "url setUrl:",
    "MTLComputePipelineReflection": "bindings",
    "MTLComputePipelineDescriptor": "label setLabel: computeFunction setComputeFunction:"
    " maxTotalThreadsPerThreadgroup setMaxTotalThreadsPerThreadgroup: buffers"
    " binaryArchives setBinaryArchives: linkedFunctions setLinkedFunctions: maxCallStackDepth"
    " setMaxCallStackDepth: reset",
    "MTLFunctionConstantValues": "setConstantValue:type:atIndex: setConstantValues:type:withRange:"
    " setConstantValue:type:withName: reset",
    "MTLFunctionDescriptor": "functionDescriptor name setName: specializedName setSpecializedName:"
    " constantValues setConstantValues: options setOptions:",
    "MTLFunctionConstant": "name type index",
    "MTLCompileOptions": "preprocessorMacros setPreprocessorMacros: mathMode setMathMode:"
    " mathFloatingPointFunctions setMathFloatingPointFunctions: languageVersion"
    " setLanguageVersion: libraryType setLibraryType: installName setInstallName:"
    " optimizationLevel setOptimizationLevel: maxTotalThreadsPerThreadgroup"
    " setMaxTotalThreadsPerThreadgroup:",
    "MTLSamplerDescriptor": "minFilter setMinFilter: magFilter setMagFilter: mipFilter"
    " setMipFilter: maxAnisotropy setMaxAnisotropy: sAddressMode setSAddressMode: tAddressMode"
    " setTAddressMode: rAddressMode setRAddressMode: borderColor setBorderColor: lodMinClamp"
    " setLodMinClamp: lodMaxClamp setLodMaxClamp: compareFunction setCompareFunction: label"
    " setLabel:",
    "MTLSharedEventHandle": "label",
    "MTLSharedEventListener": "init initWithDispatchQueue: dispatchQueue",
    "MTLTextureDescriptor": "textureBufferDescriptorWithPixelFormat:width:resourceOptions:usage:"
    " textureType setTextureType: pixelFormat setPixelFormat: width setWidth: height setHeight:"
    " depth setDepth: mipmapLevelCount setMipmapLevelCount: sampleCount setSampleCount:"
    " arrayLength setArrayLength: resourceOptions setResourceOptions: cpuCacheMode"
    " setCpuCacheMode: storageMode setStorageMode: hazardTrackingMode setHazardTrackingMode:"
    " usage setUsage:",
}
# PyObjC's table of informal methods has one entry per selector: where several protocols share one,
# the signedness is that of one of them. The protocols in its extension module are exact.
SIGNEDNESS = str.maketrans("Qq", "QQ")


@pytest.fixture(scope="module")
def apple() -> tuple[apple_metal.Metadata, dict[str, apple_metal.Protocol]]:
    try:
        return apple_metal.load()
    except apple_metal.IndexUnreachable as error:
        pytest.skip(f"no package index to take {apple_metal.DISTRIBUTION} from: {error}")


@pytest.fixture(scope="module")
def ours() -> metal_headers.Declarations:
    return metal_headers.read()


def normalised(encoding: str) -> str:
    """The encoding without what recorders spell differently: struct names, BOOL, a byte."""
    encoding = re.sub(r"\{[\w?]+=", "{", encoding)
    return {"c": "Z", "z": "C"}.get(encoding, encoding)


def differences(
    declared: metal_headers.Signature, recorded: apple_metal.Signature, *, exact: bool
) -> list[str]:
    pairs = [("returns", declared.returns, recorded.returns)]
    pairs += [
        (f"argument {index}", declared.arguments.get(index, "missing"), encoding)
        for index, encoding in recorded.arguments.items()
    ]
    problems = []
    for what, mine, apples in pairs:
        mine, apples = normalised(mine), normalised(apples)
        if not exact:
            mine, apples = mine.translate(SIGNEDNESS), apples.translate(SIGNEDNESS)
        if apples and mine != apples:
            problems.append(f"{what}: {mine}, Apple's is {apples}")
    return problems


def wrong_values(
    declarations: metal_headers.Declarations, metadata: apple_metal.Metadata
) -> dict[str, tuple[int, int | None]]:
    wrong = {}
    for name, value in declarations.enums.items():
        apples = metadata.enums.get(name)
        if apples is None or value % 2**64 != apples % 2**64:
            wrong[name] = (value, apples)
    return wrong


def test_every_enum_constant_has_apples_value(ours, apple):
    metadata, _ = apple
    assert len(ours.enums) > 200
    assert wrong_values(ours, metadata) == {}


def test_option_masks_and_shifts_have_apples_value(ours):
    assert ours.macros == {
        "MTLResourceCPUCacheModeMask": 0xF << 0,
        "MTLResourceCPUCacheModeShift": 0,
        "MTLResourceStorageModeMask": 0xF << 4,
        "MTLResourceStorageModeShift": 4,
        "MTLResourceHazardTrackingModeMask": 0x3 << 8,
        "MTLResourceHazardTrackingModeShift": 8,
    }


def test_every_protocol_method_is_apples(ours, apple):
    metadata, protocols = apple
    problems = []
    checked = 0
    for protocol in ours.protocols.values():
        for selector, signature in protocol.methods.items():
            name = f"-[{protocol.name} {selector}]"
            recorded = metadata.methods.get(("NSObject", selector))
            if protocol.name in protocols:
                recorded = protocols[protocol.name].methods.get(selector)
            if recorded is None:
                problems.append(f"{name} is not in Apple's framework")
                continue
            exact = protocol.name in protocols
            found = differences(signature, recorded, exact=exact)
            problems += [f"{name}: {each}" for each in found]
            checked += 1
    assert problems == []
    assert checked > 150


def test_protocols_inherit_from_none_but_apples(ours, apple):
    _, protocols = apple
    shared = {name for name in ours.protocols if name in protocols}
    assert {"MTLResource", "MTLComputeCommandEncoder", "MTLBufferBinding"} <= shared
    for name in shared:
        # Later systems added parents: MTLComputePipelineState became an MTLAllocation in macOS 26.
        assert set(ours.protocols[name].parents) <= set(protocols[name].parents), name


def test_every_class_method_is_apples(ours, apple):
    metadata, _ = apple
    problems = []
    for container in ours.classes.values():
        listed = CLASS_METHODS_WITHOUT_METADATA.get(container.name, "").split()
        for selector, signature in container.methods.items():
            recorded = metadata.methods.get((container.name, selector))
            name = f"[{container.name} {selector}]"
            if recorded is None and selector not in listed:
                problems.append(f"{name} is neither in the metadata nor in the list of this test")
            if recorded is not None:
                problems += [f"{name}: {e}" for e in differences(signature, recorded, exact=True)]
        problems += [
            f"[{container.name} {selector}] is listed in this test, but not declared"
            for selector in listed
            if selector not in container.methods
        ]
    assert problems == []
    assert set(CLASS_METHODS_WITHOUT_METADATA) <= set(ours.classes)


def test_error_domains_are_apples(apple):
    metadata, _ = apple
    headers = "".join(path.read_text() for path in (metal_headers.HEADERS / "Metal").glob("*.h"))
    names = re.findall(r"MTL_EXTERN NSError\w+ const (\w+);", headers)
    assert len(names) >= 3
    assert set(names) <= metadata.constants


@pytest.mark.parametrize(
    ("header", "old", "new"),
    [
        ("MTLResource.h", "MTLStorageModePrivate = 2,", "MTLStorageModePrivate = 4,"),
        ("MTLLibrary.h", "MTLMathModeFast = 2,", "MTLMathModeFast = 2, MTLMathModeLoose = 3,"),
    ],
)
def test_a_wrong_value_is_found(apple, tmp_path: Path, header: str, old: str, new: str):
    metadata, _ = apple
    headers = tmp_path / "include"
    shutil.copytree(metal_headers.HEADERS, headers)
    text = (headers / "Metal" / header).read_text()
    assert text.count(old) == 1
    (headers / "Metal" / header).write_text(text.replace(old, new))
    assert wrong_values(metal_headers.read(headers), metadata) != {}


def test_a_wrong_signature_is_found(apple, tmp_path: Path):
    _, protocols = apple
    headers = tmp_path / "include"
    shutil.copytree(metal_headers.HEADERS, headers)
    path = headers / "Metal/MTLBlitCommandEncoder.h"
    path.write_text(path.read_text().replace("value:(uint8_t)value", "value:(uint32_t)value"))
    selector = "fillBuffer:range:value:"
    declared = metal_headers.read(headers).protocols["MTLBlitCommandEncoder"].methods[selector]
    recorded = protocols["MTLBlitCommandEncoder"].methods[selector]
    assert differences(declared, recorded, exact=True) == ["argument 4: I, Apple's is C"]
