//===- OpenCLTest.cpp - Tests of unusual OpenCL drivers -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs with FakeOpenCL.cpp, which changes the answers of a real driver, and
// with an LLVM in the process other than the driver's.
//
//===----------------------------------------------------------------------===//

#include "../OpenCL/API.h"
#include "Conformance.h"
#include "TestFolder.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <future>
#include <sys/wait.h>
#include <unistd.h>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::test;

// Sanitizers refuse the flag that separates two versions of LLVM.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
static constexpr bool isSanitized = true;
#else
static constexpr bool isSanitized = false;
#endif

namespace {
/// Changes answers of the library during the lifetime of the object.
struct Lie {
  explicit Lie(const std::string &text) {
    ::setenv("SLUICE_FAKE_OPENCL", text.c_str(), 1);
  }
  ~Lie() { ::unsetenv("SLUICE_FAKE_OPENCL"); }
};

struct OpenCLTest : testing::Test {
  void SetUp() override {
    // Every object must be destroyed before its device.
    module.reset(), buffer.reset(), queue.reset(), device.reset();
    Result<std::unique_ptr<Device>> opened = openDevice("opencl", {});
    if (!opened.ok() && isSanitized)
      GTEST_SKIP() << opened.status().message();
    if (!opened.ok())
      FAIL() << opened.status().message();
    device = std::move(*opened);
    queue = must(device->createQueue());
    buffer = must(device->allocate(64));
    module = must(device->load(sluiceTestKernels));
    kernel = must(module->kernel("count"));
  }
  Result<Event> write() { return queue->write(*buffer, 0, &number, 4); }
  Result<Event> launch() {
    return queue->launch(*kernel, {}, std::array{memory(*buffer)});
  }

  uint32_t number = 0;
  std::unique_ptr<Device> device;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<Buffer> buffer;
  std::unique_ptr<Module> module;
  DeviceKernel *kernel = nullptr;
};
} // namespace

/// The problem of the only entry that was found.
static std::string onlyProblem() {
  std::string problem;
  for (const Found &found : findDevices())
    if (found.properties.kind == Kind::OpenCL)
      problem += found.properties.name + ": " + found.problem + "\n";
  return problem;
}

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_PRED2(contains, std::string(text), std::string(part))

/// Division and square roots match those of the host, if possible.
TEST_F(OpenCLTest, AsksForRounding) {
  for (const char *lie : {"needs-rounding", "no-rounding"}) {
    SCOPED_TRACE(lie);
    Lie lies(lie);
    EXPECT_EQ(device->load(sluiceTestKernels).status().message(), "");
  }
}

TEST_F(OpenCLTest, NamesItsCodes) {
  using opencl::codeName;
  EXPECT_EQ(codeName(0), "CL_SUCCESS (0)");
  EXPECT_EQ(codeName(-5), "CL_OUT_OF_RESOURCES (-5)");
  EXPECT_EQ(codeName(-14),
            "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST (-14)");
  EXPECT_EQ(codeName(-19), "CL_KERNEL_ARG_INFO_NOT_AVAILABLE (-19)");
  EXPECT_EQ(codeName(-20), "an error of the driver (-20)");
  EXPECT_EQ(codeName(-30), "CL_INVALID_VALUE (-30)");
  EXPECT_EQ(codeName(-52), "CL_INVALID_KERNEL_ARGS (-52)");
  EXPECT_EQ(codeName(-61), "CL_INVALID_BUFFER_SIZE (-61)");
  EXPECT_EQ(codeName(-72), "CL_MAX_SIZE_RESTRICTION_EXCEEDED (-72)");
  EXPECT_EQ(codeName(-73), "an error of the driver (-73)");
  EXPECT_EQ(codeName(INT32_MIN), "an error of the driver (-2147483648)");
  EXPECT_EQ(codeName(7), "an error of the driver (7)");
}

TEST_F(OpenCLTest, RunsBesideAnotherLLVM) {
  must(must(write()).wait());
  must(must(launch()).wait());
  must(must(queue->read(&number, *buffer, 0, 4)).wait());
  EXPECT_EQ(number, 1u);
}

TEST_F(OpenCLTest, ReportsCallsThatFail) {
  {
    Lie lie("clEnqueueNDRangeKernel=-5 clEnqueueWriteBuffer=-4 "
            "clEnqueueReadBuffer=-6 clEnqueueMarkerWithWaitList=-59 "
            "clFinish=-5");
    EXPECT_EQ(launch().status().message(),
              "kernel 'count': clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES "
              "(-5)");
    EXPECT_EQ(launch().status().code(), StatusCode::Exhausted);
    EXPECT_EQ(write().status().message(),
              "clEnqueueWriteBuffer: CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)");
    EXPECT_EQ(queue->read(&number, *buffer, 0, 4).status().message(),
              "clEnqueueReadBuffer: CL_OUT_OF_HOST_MEMORY (-6)");
    EXPECT_FALSE(queue->read(&number, *buffer, 0, 0).ok());
    EXPECT_FALSE(queue->notify([](void *, Status) { FAIL(); }, nullptr).ok());
    EXPECT_EQ(queue->finish().message(), "clFinish: CL_OUT_OF_RESOURCES (-5)");
  }
  auto second = must(device->allocate(4));
  {
    Lie lie("clSetKernelArg=-51 clSetEventCallback=-30 clCreateBuffer=-4 "
            "clCreateCommandQueue=-6 clCreateKernel=-47");
    auto other = must(device->load(sluiceTestKernels));
    EXPECT_EQ(other->kernel("step").status().message(),
              "clCreateKernel: CL_INVALID_KERNEL_DEFINITION (-47)");
    EXPECT_EQ(queue->launch(*kernel, {}, std::array{memory(*second)})
                  .status()
                  .message(),
              "kernel 'count', argument 0: clSetKernelArg: CL_INVALID_ARG_SIZE "
              "(-51)");
    EXPECT_FALSE(queue->notify([](void *, Status) { FAIL(); }, nullptr).ok());
    EXPECT_CONTAINS(device->allocate(77).status().message(), "77 bytes");
    EXPECT_EQ(device->allocate(77).status().code(), StatusCode::Exhausted);
    EXPECT_FALSE(device->allocateHost(77).ok());
    EXPECT_FALSE(device->createQueue().ok());
  }
  EXPECT_TRUE(device->isUsable());
  must(must(write()).wait());
  must(must(launch()).wait());
}

TEST_F(OpenCLTest, ReportsOperationsThatFail) {
  Event end = must(launch());
  Lie lie("event=-5 callback=-5");
  EXPECT_TRUE(end.hasEnded());
  EXPECT_EQ(end.wait().message(),
            "clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES (-5)");
  std::promise<std::string> promise;
  must(queue->notify(
      [](void *context, Status status) {
        static_cast<std::promise<std::string> *>(context)->set_value(
            status.message());
      },
      &promise));
  EXPECT_EQ(promise.get_future().get(),
            "an operation before: CL_OUT_OF_RESOURCES (-5)");
  EXPECT_TRUE(device->isUsable());
}

TEST_F(OpenCLTest, NoticesThatTheDeviceIsLost) {
  for (const char *lie : {"clEnqueueWriteBuffer=-36", "clEnqueueWriteBuffer=-2",
                          "clEnqueueWriteBuffer=-9999"}) {
    SetUp();
    {
      Lie now(lie);
      EXPECT_FALSE(write().ok());
    }
    EXPECT_FALSE(device->isUsable());
    EXPECT_EQ(write().status().message(), "device opencl:0 was lost earlier");
    EXPECT_FALSE(launch().ok());
    EXPECT_FALSE(queue->finish().ok());
    EXPECT_FALSE(queue->notify([](void *, Status) { FAIL(); }, nullptr).ok());
    EXPECT_FALSE(device->allocate(4).ok());
    EXPECT_FALSE(device->allocateHost(4).ok());
    EXPECT_FALSE(device->createQueue().ok());
    EXPECT_FALSE(device->load(sluiceTestKernels).ok());
  }
}

TEST_F(OpenCLTest, NoticesLossesByEventsAndNotifications) {
  Event end = must(launch());
  {
    Lie lie("event=-9999");
    EXPECT_FALSE(end.wait().ok());
  }
  EXPECT_FALSE(device->isUsable());
}

TEST_F(OpenCLTest, PassesOverFormatsThatAreRefused) {
  Lie lie("il");
  auto other = must(openDevice("opencl", {}));
  EXPECT_EQ(other->properties().formats,
            (std::vector{SLUICE_DEVICE_SPIRV, SLUICE_DEVICE_SPIR}));
  auto loaded = must(other->load(sluiceTestKernels));
  EXPECT_TRUE(loaded->kernel("count").ok());
}

TEST_F(OpenCLTest, TakesSPIRVWhereItWorks) {
  Lie lie("il-works");
  auto other = must(openDevice("opencl", {}));
  // The image that this library accepts as SPIR-V, and nothing else.
  SluiceDeviceImage image{};
  for (uint32_t i = 0; i != sluiceTestKernels.numImages; ++i)
    if (sluiceTestKernels.images[i].format == SLUICE_DEVICE_SPIR)
      image = sluiceTestKernels.images[i];
  if (!image.code)
    FAIL() << "no SPIR was made of the kernels";
  image.format = SLUICE_DEVICE_SPIRV;
  SluiceDeviceModule one = sluiceTestKernels;
  one.images = &image;
  one.numImages = 1;
  auto loaded = must(other->load(one));
  EXPECT_TRUE(loaded->kernel("count").ok());
}

TEST_F(OpenCLTest, SaysWhichFormatsThereAre) {
  SluiceDeviceModule ptx = sluiceTestKernels;
  ptx.images += ptx.numImages - 1;
  ptx.numImages = 1;
  ASSERT_EQ(ptx.images->format, uint32_t(SLUICE_DEVICE_PTX));
  EXPECT_EQ(device->load(ptx).status().message(),
            "kernels 'sluiceTestKernels' were compiled to PTX, but opencl:0 (" +
                device->properties().description + ") takes SPIR");
}

TEST_F(OpenCLTest, ShowsBuildLogs) {
  Lie lie("il clBuildProgram=-11");
  auto other = must(openDevice("opencl", {}));
  Status status = other->load(sluiceTestKernels).takeStatus();
  EXPECT_CONTAINS(status.message(), "cannot be built for opencl:0");
  EXPECT_CONTAINS(status.message(),
                  "SPIR-V: clCreateProgramWithIL: CL_INVALID_VALUE (-30)");
  EXPECT_CONTAINS(status.message(),
                  "SPIR: clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11):\n"
                  "line 1: wrong\nline 2: wrong too");
}

/// CPU drivers abort the process on code that their compiler does not support.
TEST_F(OpenCLTest, OutlivesADriverThatAborts) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers do not follow copies of processes";
#endif
  {
    Lie lie("abort");
    auto other = must(openDevice("opencl", {}));
    Status status = other->load(sluiceTestKernels).takeStatus();
    EXPECT_CONTAINS(status.message(), "cannot be built for opencl:0");
    EXPECT_CONTAINS(status.message(), "SPIR: the driver was ended by signal 6");
    EXPECT_CONTAINS(status.message(), "LLVM ERROR: cannot select");
  }
  EXPECT_TRUE(must(device->load(sluiceTestKernels))->kernel("count").ok());
}

TEST_F(OpenCLTest, BuildsAgainWhatTheDriverNoLongerTakes) {
  sluice::test::TestFolder folder;
  auto other = must(openDevice(
      "opencl", {.withTiming = false, .cacheDirectory = folder.path}));
  must(other->load(sluiceTestKernels));
  ASSERT_FALSE(std::filesystem::is_empty(folder.path)) << "nothing was kept";
  {
    Lie lie("refuse-binaries");
    EXPECT_TRUE(must(other->load(sluiceTestKernels))->kernel("count").ok());
  }
}

TEST_F(OpenCLTest, SaysWhyThereAreNoDevices) {
  {
    Lie lie("rusticl");
    EXPECT_CONTAINS(onlyProblem(), "opencl: this driver is not used");
    EXPECT_CONTAINS(openDevice("opencl", {}).status().message(),
                    "cannot use 'opencl' (rusticl): this driver");
    EXPECT_FALSE(openDevice("opencl:0", {}).ok());
  }
  {
    Lie lie("clGetPlatformIDs=-1001");
    EXPECT_CONTAINS(onlyProblem(), "install one, for instance");
    EXPECT_CONTAINS(openDevice("opencl:0", {}).status().message(),
                    "install one, for instance");
  }
  {
    Lie lie("clGetPlatformIDs=-6");
    EXPECT_CONTAINS(onlyProblem(), "CL_OUT_OF_HOST_MEMORY");
  }
  {
    Lie lie("clGetDeviceIDs=-1");
    EXPECT_CONTAINS(onlyProblem(), "this platform has no devices");
  }
  {
    Lie lie("unavailable");
    EXPECT_CONTAINS(onlyProblem(), "opencl:0: its driver says");
    EXPECT_FALSE(openDevice("opencl", {}).ok());
    EXPECT_CONTAINS(openDevice("opencl:0", {}).status().message(),
                    "not available");
  }
  {
    Lie lie("no-formats");
    EXPECT_CONTAINS(onlyProblem(), "takes neither SPIR-V");
  }
  EXPECT_EQ(openDevice("opencl:7", {}).status().message(),
            "there is no device 'opencl:7'; 'sluice devices' lists those that "
            "were found");
  for (const char *name : {"", "opencl:", "opencl:x", "opencl:-1", "opencl:0x",
                           "OpenCL", "host:0", "opencl:99999999999", ":0"})
    EXPECT_EQ(openDevice(name, {}).status().code(), StatusCode::InvalidArgument)
        << name;
}

TEST_F(OpenCLTest, ReportsDevicesThatCannotBeOpened) {
  Lie lie("clCreateContext=-6");
  EXPECT_EQ(openDevice("opencl:0", {}).status().message(),
            "cannot open 'opencl:0': clCreateContext: CL_OUT_OF_HOST_MEMORY "
            "(-6)");
}

TEST_F(OpenCLTest, ReportsTimesThatAreNotToBeHad) {
  auto timed =
      must(openDevice("opencl", {.withTiming = true, .cacheDirectory = ""}));
  auto other = must(timed->createQueue());
  auto memory = must(timed->allocate(4));
  Event end = must(other->write(*memory, 0, &number, 4));
  must(end.wait());
  Lie lie("clGetEventProfilingInfo=-7");
  EXPECT_EQ(end.interval().status().message(),
            "clGetEventProfilingInfo: CL_PROFILING_INFO_NOT_AVAILABLE (-7)");
  EXPECT_FALSE(
      openDevice("opencl", {.withTiming = true, .cacheDirectory = ""}).ok());
}

/// A forked child neither hangs nor uses the driver.
TEST_F(OpenCLTest, LeavesTheDriverAloneInForkedProcesses) {
  Event end = must(launch());
  void *pinned = must(device->allocateHost(16));
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(300);
    bool isRight = !write().ok() && !launch().ok() && !queue->finish().ok() &&
                   !device->allocate(1).ok() && end.hasEnded() &&
                   !end.wait().ok() && !openDevice("opencl", {}).ok();
    device->freeHost(pinned);
    end = Event();
    module.reset(), buffer.reset(), queue.reset(), device.reset();
    ::_exit(isRight ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  device->freeHost(pinned);
  must(end.wait());
}

TEST(OpenCLLibraryDeathTest, SaysThatThereIsNoLibrary) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        ::setenv("SLUICE_OPENCL_LIBRARY", "/nowhere/libOpenCL.so", 1);
        std::string problem = onlyProblem();
        Status status = openDevice("opencl", {}).takeStatus();
        ::fprintf(stderr, "%s%s\n", problem.c_str(), status.message().c_str());
        ::_exit(status.ok() ? 1 : 0);
      },
      testing::ExitedWithCode(0),
      "opencl: OpenCL's library cannot be opened .*/nowhere/libOpenCL.so.*"
      "ocl-icd-libopencl1.*\n.*cannot use 'opencl': OpenCL's library");
  EXPECT_EXIT(
      {
        // A library, but the wrong one.
        ::setenv("SLUICE_OPENCL_LIBRARY", "libm.so.6", 1);
        std::string problem = onlyProblem();
        ::fprintf(stderr, "%s", problem.c_str());
        ::_exit(0);
      },
      testing::ExitedWithCode(0),
      "'libm.so.6' has no function clGetPlatformIDs");
}

static constexpr bool hasOtherLLVM = !isSanitized && *SLUICE_TEST_LLVM != 0;

int main(int argc, char **argv) {
  // The driver has its own LLVM; the symbols of both must not mix.
  if (hasOtherLLVM && !::dlopen(SLUICE_TEST_LLVM, RTLD_NOW | RTLD_GLOBAL))
    ::fprintf(stderr, "%s\n", ::dlerror());
  ::setenv("SLUICE_OPENCL_LIBRARY", SLUICE_FAKE_OPENCL_LIBRARY, 0);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
