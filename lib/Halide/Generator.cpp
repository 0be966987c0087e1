//===- Generator.cpp - Parameters and arguments of a generator ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "sluice/TaskGraph/Halide.h"

#include <algorithm>
#include <sstream>
#include <unistd.h>

using namespace sluice;
using namespace sluice::halide;
using Halide::Internal::GeneratorBase;
using Halide::Internal::GeneratorParam_Arithmetic;
using Halide::Internal::GeneratorParamBase;
using Halide::Internal::GeneratorParamInfo;

//===----------------------------------------------------------------------===//
// In Halide 14, the list of a generator's parameters is private. Explicit
// instantiations may name private members, so they can expose it.
//===----------------------------------------------------------------------===//

namespace {
using InfoFunction = GeneratorParamInfo &(GeneratorBase::*)();
using DefaultFunction = std::string (GeneratorParamBase::*)() const;
using SyntheticFunction = bool (GeneratorParamBase::*)() const;
using ConfigureFunction = void (GeneratorBase::*)();

InfoFunction infoFunction();
DefaultFunction defaultFunction();
SyntheticFunction syntheticFunction();
ConfigureFunction configureFunction();

template <InfoFunction info, DefaultFunction initial,
          SyntheticFunction synthetic, ConfigureFunction configure>
struct Members {
  friend InfoFunction infoFunction() { return info; }
  friend DefaultFunction defaultFunction() { return initial; }
  friend SyntheticFunction syntheticFunction() { return synthetic; }
  friend ConfigureFunction configureFunction() { return configure; }
};
template struct Members<&GeneratorBase::param_info,
                        &GeneratorParamBase::get_default_value,
                        &GeneratorParamBase::is_synthetic_param,
                        &GeneratorBase::ensure_configure_has_been_called>;
} // namespace

static const std::vector<GeneratorParamBase *> &listOf(GeneratorBase &base) {
  return (base.*infoFunction())().generator_params();
}

static bool isHalides(const std::string &name) {
  return name == "target" || name == "auto_schedule" ||
         name == "machine_params";
}

std::vector<ParameterInfo> halide::parametersOf(const Request &request) {
  std::vector<ParameterInfo> result;
  // Defaults can only be read from a configured generator, whose parameters can
  // no longer be set. So this uses a separate generator.
  auto generator = createGenerator(request);
  ((*generator).*configureFunction())();
  for (GeneratorParamBase *parameter : listOf(*generator)) {
    ParameterInfo info;
    info.name = parameter->name();
    if (isHalides(info.name) || (parameter->*syntheticFunction())())
      continue;
    info.value = (parameter->*defaultFunction())();
    info.isTunable = dynamic_cast<TunableGeneratorParam *>(parameter);
    info.isInput = dynamic_cast<InputGeneratorParam *>(parameter);
    result.push_back(info);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::string halide::plainText(std::string message) {
  while (!message.empty() &&
         isspace(static_cast<unsigned char>(message.back())))
    message.pop_back();
  for (const char *frame : {"Error: ", "User error: "})
    if (message.rfind(frame, 0) == 0)
      message.erase(0, strlen(frame));
  return message;
}

/// Halide forgets the range of a parameter when it reads the parameter from
/// text.
template <typename T>
static void checkRange(GeneratorParamBase *parameter, const std::string &text) {
  auto *number = dynamic_cast<GeneratorParam_Arithmetic<T> *>(parameter);
  if (!number)
    return;
  std::istringstream stream(text);
  // Numbers of one byte are numbers, not characters.
  std::conditional_t<sizeof(T) == 1, int, T> value;
  stream >> value;
  if (value != static_cast<T>(value))
    throw std::out_of_range("value out of range: " + text);
  number->set_impl(static_cast<T>(value));
}

template <typename... T>
static void checkRanges(GeneratorParamBase *parameter,
                        const std::string &text) {
  (checkRange<T>(parameter, text), ...);
}

static void setParameter(GeneratorBase &generator, const std::string &name,
                         const std::string &value) {
  auto &list = listOf(generator);
  auto parameter = std::find_if(list.begin(), list.end(),
                                [&](auto *p) { return p->name() == name; });
  if (parameter == list.end())
    throw ParameterError(name, "");
  try {
    generator.set_generator_param_values({{name, value}});
    checkRanges<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                uint64_t, float, double>(*parameter, value);
  } catch (const std::exception &error) {
    std::string text = plainText(error.what());
    throw ParameterError(name, text.empty() ? "not a value" : text);
  }
}

/// Opens the plugin of an autoscheduler and selects it.
static void useAutoscheduler(const std::string &name) {
  std::string file = name;
  std::transform(file.begin(), file.end(), file.begin(), ::tolower);
  file = SLUICE_HALIDE_PLUGINS "/libautoschedule_" + file + ".so";
  if (name.find('/') != std::string::npos || access(file.c_str(), R_OK) != 0)
    throw ParameterError("autoscheduler",
                         "'" + name +
                             "' is none of Halide's autoschedulers: "
                             "Adams2019, Li2018, Mullapudi2016");
  Halide::load_plugin(file);
  Halide::Pipeline::set_default_autoscheduler_name(name);
}

void halide::setParameters(GeneratorBase &generator,
                           const Parameters &parameters) {
  auto scheduler = parameters.find("autoscheduler");
  if (scheduler != parameters.end()) {
    useAutoscheduler(scheduler->second);
    if (!parameters.count("auto_schedule"))
      setParameter(generator, "auto_schedule", "true");
  }
  for (const auto &[name, value] : parameters)
    if (name != "autoscheduler" && name != "target")
      setParameter(generator, name, value);
}

std::unique_ptr<GeneratorBase> halide::createGenerator(const Request &request) {
  Halide::Target target(request.target);
  return Halide::Internal::GeneratorRegistry::create(
      request.generator, Halide::GeneratorContext(target));
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Names that Halide makes unique end with "$" and a number.
static std::string plainName(const std::string &name) {
  return name.substr(0, name.find('$'));
}

static ArgumentInfo::Code codeOf(Halide::Type type) {
  if (type.is_bfloat() || type.is_handle())
    return ArgumentInfo::Code::Other;
  if (type.is_float())
    return ArgumentInfo::Code::Float;
  return type.is_int() ? ArgumentInfo::Code::Int : ArgumentInfo::Code::UInt;
}

/// The required innermost stride of buffer `index`: evaluates the checks with
/// an impossible stride and reads the required one from the result.
static int strideOf(const Halide::Internal::LoweredFunc &function,
                    size_t index) {
  const int64_t unlikely = 12345679;
  KnownCall call(function.args.size());
  size_t rank = function.args[index].dimensions;
  call[index].extents.assign(rank, -1);
  call[index].strides.assign(rank, -1);
  call[index].strides[0] = unlikely;
  Violation violation = checkCall(function, call);
  if (violation.error != "constraint_violated" || violation.details.size() < 4)
    return 0;
  return atoi(violation.details[3].c_str());
}

std::vector<ArgumentInfo> halide::argumentsOf(const Halide::Module &module,
                                              const std::string &symbol) {
  std::vector<ArgumentInfo> result;
  const auto function = module.get_function_by_name(symbol);
  for (size_t i = 0; i != function.args.size(); ++i) {
    const auto &argument = function.args[i];
    ArgumentInfo info;
    info.name = plainName(argument.name);
    info.kind = argument.is_output()   ? ArgumentInfo::Kind::OutputBuffer
                : argument.is_buffer() ? ArgumentInfo::Kind::InputBuffer
                                       : ArgumentInfo::Kind::Scalar;
    info.code = codeOf(argument.type);
    info.bits = argument.type.bits();
    info.dimensions = argument.dimensions;
    if (argument.is_buffer() && argument.dimensions)
      info.innermostStride = strideOf(function, i);
    result.push_back(info);
  }
  return result;
}
