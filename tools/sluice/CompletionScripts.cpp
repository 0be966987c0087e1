//===- CompletionScripts.cpp - Completion in shells -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scripts contain the table themselves, so that pressing TAB starts no
// program.
//
//===----------------------------------------------------------------------===//

#include "CommandTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;

/// The extensions of program files, and of files that are linked to them.
static constexpr StringLiteral endings[] = {
    "c", "cc", "cpp", "cxx", "C", "ll", "bc", "mlir", "mlirbc", "o", "a", "so"};

static std::string joinEndings(StringRef separator) {
  return join(map_range(endings, [](StringRef text) { return text.str(); }),
              separator);
}

/// "'it'\''s'": quotes a word for a shell.
static std::string quote(StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// The same for fish, which has two escapes within quotes.
static std::string quoteForFish(StringRef text) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "'";
}

/// Commands that accept files with any extension: the programs of `tune`, and
/// traces.
static bool takesAnyFile(const CommandEntry &command) {
  return command.name == "tune" || command.name == "trace";
}

//===----------------------------------------------------------------------===//
// bash
//===----------------------------------------------------------------------===//

static constexpr StringLiteral bashHead =
    R"(# Completion of sluice for bash, as 'sluice completion bash' prints it.

# What is to be completed, without what bash takes for words of their own: the
# '=' of an option and its value.
_sluice_files() { # KIND TEXT
  local file begin=${2//\\/} # as it was typed: 'my\ file'
  if [[ $1 == folder ]]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$begin")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$begin")
  fi
  if [[ $1 == program ]]; then
    local kept=()
    for file in "${COMPREPLY[@]}"; do
      case $file in
      ENDINGS) kept+=("$file") ;;
      *) [[ -d $file ]] && kept+=("$file") ;;
      esac
    done
    COMPREPLY=("${kept[@]}")
  fi
  compopt -o filenames 2>/dev/null
  return 0
}

_sluice_words() { # WORDS TEXT
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] &&
    compopt -o nospace 2>/dev/null
  return 0
}

_sluice_value() { # OPTION TEXT; fails if the option takes no value
  case $1 in
)";

static constexpr StringLiteral bashMiddle = R"(  *) return 1 ;;
  esac
}

_sluice() {
  local word command= option= value= prefix= i
  local current=${COMP_WORDS[COMP_CWORD]}
  local before=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == -- ]]; then # the program's own
      _sluice_files any "$current"
      return
    fi
    [[ -z $command && $word != -* ]] && command=$word
  done
  if [[ $current == = ]]; then
    option=$before
  elif [[ $before == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]} value=$current
  elif [[ $current == -*=* ]]; then # '=' is not in COMP_WORDBREAKS
    option=${current%%=*} value=${current#*=} prefix=$option=
  fi
  if [[ -n $option ]]; then
    _sluice_value "$option" "$value"
    [[ -n $prefix ]] && COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
    return
  fi
  if [[ $before == -* && $current != -* ]] && _sluice_value "$before" "$current"
  then
    return
  fi
  case $command in
)";

static void printBashValues(const std::vector<CommandEntry> &commands,
                            raw_ostream &os) {
  // An option has the same meaning in all commands.
  std::map<std::string, std::string> actions;
  for (const CommandEntry &command : commands)
    for (const CommandOption &option : command.options) {
      std::string name = StringRef(option.name).rtrim('=').str();
      switch (option.value) {
      case WordKind::Nothing:
        break;
      case WordKind::Text:
        if (option.mayBeApart)
          actions[name] = ":";
        break;
      case WordKind::OneOf:
        actions[name] =
            "_sluice_words " + quote(join(option.values, " ")) + " \"$2\"";
        break;
      case WordKind::File:
        actions[name] = "_sluice_files any \"$2\"";
        break;
      case WordKind::Folder:
        actions[name] = "_sluice_files folder \"$2\"";
        break;
      }
    }
  for (const auto &[name, action] : actions)
    os << "  " << name << ") " << action << " ;;\n";
}

static std::string bashOperands(const CommandEntry &command) {
  switch (command.operand) {
  case WordKind::OneOf:
    return "_sluice_words " + quote(join(command.operands, " ")) +
           " \"$current\"";
  case WordKind::File:
    return std::string("_sluice_files ") +
           (takesAnyFile(command) ? "any" : "program") + " \"$current\"";
  case WordKind::Folder:
    return "_sluice_files folder \"$current\"";
  default:
    return ":";
  }
}

static std::string printBash(const std::vector<CommandEntry> &commands) {
  std::string text, names;
  raw_string_ostream os(text);
  std::string head = bashHead.str();
  size_t place = head.find("ENDINGS");
  head.replace(place, 7, "*." + joinEndings(" | *."));
  os << head;
  printBashValues(commands, os);
  os << bashMiddle;
  for (const CommandEntry &command : commands) {
    names += command.name + " ";
    os << "  " << command.name << ")\n    if [[ $current == -* ]]; then\n"
       << "      _sluice_words '";
    for (const CommandOption &option : command.options)
      os << option.name << ' '
         << (option.letter.empty() ? "" : option.letter + " ");
    os << "' \"$current\"\n    else\n      " << bashOperands(command)
       << "\n    fi\n    ;;\n";
  }
  os << "  help) _sluice_words '" << names << "' \"$current\" ;;\n"
     << "  '') _sluice_words '" << names << "help --help --version'"
     << " \"$current\" ;;\n  esac\n}\n\ncomplete -F _sluice sluice\n";
  return text;
}

//===----------------------------------------------------------------------===//
// zsh
//===----------------------------------------------------------------------===//

/// Escapes a part of a specification for _arguments, where some characters are
/// special.
static std::string escapeForZsh(StringRef text) {
  std::string result;
  for (char c : text) {
    if (StringRef("[]:\\").contains(c))
      result += '\\';
    result += c;
  }
  return result;
}

static std::string zshValue(const CommandOption &option) {
  std::string name = ":" + escapeForZsh(StringRef(option.metavar).trim()) + ":";
  switch (option.value) {
  case WordKind::Nothing:
    return "";
  case WordKind::Text:
    return name + " ";
  case WordKind::OneOf:
    return name + "(" + join(option.values, " ") + ")";
  case WordKind::File:
    return name + "_files";
  case WordKind::Folder:
    return name + "_files -/";
  }
  return "";
}

static std::string zshOption(const CommandOption &option) {
  std::string spec = option.name, help = escapeForZsh(option.help);
  // "--x=" already implies that the value may be in the next word.
  if (option.value != WordKind::Nothing && !spec.ends_with("="))
    spec += option.mayBeApart ? "+" : "-";
  return quote("*" + spec + "[" + help + "]" + zshValue(option));
}

static std::string zshOperands(const CommandEntry &command) {
  switch (command.operand) {
  case WordKind::OneOf:
    return quote("*:word:(" + join(command.operands, " ") + ")");
  case WordKind::File:
    return takesAnyFile(command)
               ? quote("*:file:_files")
               : quote("*:file:_files -g \"*.(" + joinEndings("|") + ")(-.)\"");
  case WordKind::Folder:
    return quote("*:folder:_files -/");
  case WordKind::Text:
    return quote("*:layout: ");
  default:
    return "";
  }
}

static std::string printZsh(const std::vector<CommandEntry> &commands) {
  std::string text;
  raw_string_ostream os(text);
  os << "#compdef sluice\n# Completion of sluice for zsh, as 'sluice "
        "completion zsh' prints it.\n\n_sluice() {\n  local -a commands\n"
        "  commands=(\n";
  for (const CommandEntry &command : commands)
    os << "    " << quote(command.name + ":" + escapeForZsh(command.help))
       << '\n';
  os << R"(  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    _arguments '--help[show all commands]' '--version[show versions]'
    return
  fi
  local place=${words[(I)--]}
  if (( place > 0 && place < CURRENT )); then # the program's own
    _files
    return
  fi
  local command=$words[2]
  words=("$words[1]" "${(@)words[3,-1]}")
  (( CURRENT-- ))
  case $command in
)";
  for (const CommandEntry &command : commands) {
    os << "    " << command.name << ")\n      _arguments";
    for (const CommandOption &option : command.options) {
      os << " \\\n        " << zshOption(option);
      if (!option.letter.empty())
        os << " \\\n        "
           << quote("*" + option.letter + "[" + escapeForZsh(option.help) +
                    "]");
    }
    if (std::string operands = zshOperands(command); !operands.empty())
      os << " \\\n        " << operands;
    os << "\n      ;;\n";
  }
  os << R"(    help) _describe -t commands command commands ;;
  esac
}

if [[ $funcstack[1] == _sluice ]]; then
  _sluice "$@" # loaded by the completion system
else
  compdef _sluice sluice
fi
)";
  return text;
}

//===----------------------------------------------------------------------===//
// fish
//===----------------------------------------------------------------------===//

/// "-l color", "-s o", "-o march".
static std::string fishName(StringRef name) {
  name = name.rtrim('=');
  if (name.consume_front("--"))
    return ("-l " + name).str();
  name.consume_front("-");
  return ((name.size() == 1 ? "-s " : "-o ") + name).str();
}

static std::string fishValue(const CommandOption &option) {
  switch (option.value) {
  case WordKind::Nothing:
    return "";
  case WordKind::Text:
    return " -x";
  case WordKind::OneOf:
    return " -x -a " + quoteForFish(join(option.values, " "));
  case WordKind::File:
    return " -r -F";
  case WordKind::Folder:
    return " -x -a '(__fish_complete_directories)'";
  }
  return "";
}

static std::string printFish(const std::vector<CommandEntry> &commands) {
  std::string text;
  raw_string_ostream os(text);
  std::string names;
  os << "# Completion of sluice for fish, as 'sluice completion fish' prints "
        "it.\n\ncomplete -c sluice -f\n";
  StringRef first = "complete -c sluice -n __fish_use_subcommand ";
  for (const CommandEntry &command : commands) {
    os << first << "-a " << command.name << " -d " << quoteForFish(command.help)
       << '\n';
    names += (names.empty() ? "" : " ") + command.name;
  }
  os << first << "-a help -d 'show what a command does'\n"
     << first << "-l help -d 'show all commands'\n"
     << first << "-l version -d 'show versions'\n"
     << "complete -c sluice -n '__fish_seen_subcommand_from help' -a "
     << quoteForFish(names) << '\n';
  for (const CommandEntry &command : commands) {
    std::string start = "complete -c sluice -n '__fish_seen_subcommand_from " +
                        command.name + "'";
    os << '\n';
    for (const CommandOption &option : command.options)
      os << start << ' '
         << (option.letter.empty() ? "" : fishName(option.letter) + " ")
         << fishName(option.name) << fishValue(option) << " -d "
         << quoteForFish(option.help) << '\n';
    if (command.operand == WordKind::OneOf)
      os << start << " -a " << quoteForFish(join(command.operands, " "))
         << '\n';
    else if (command.operand == WordKind::File)
      os << start << " -F\n";
    else if (command.operand == WordKind::Folder)
      os << start << " -a '(__fish_complete_directories)'\n";
  }
  return text;
}

std::string completionScript(StringRef shell) {
  std::vector<CommandEntry> commands = commandTable();
  if (shell == "bash")
    return printBash(commands);
  return shell == "zsh" ? printZsh(commands) : printFish(commands);
}
