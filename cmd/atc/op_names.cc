#include "cmd/atc/op_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "compiler/ir/op_def.h"

namespace atc::cli {
namespace {

// Keywords of C++20, of C99, and the one that GNU compilers add.
constexpr std::string_view kKeywords[] = {
    "alignas",   "alignof",  "and",       "and_eq",     "asm",          "auto",       "bitand",        "bitor",
    "bool",      "break",    "case",      "catch",      "char",         "char16_t",   "char32_t",      "char8_t",
    "class",     "co_await", "co_return", "co_yield",   "compl",        "concept",    "const",         "const_cast",
    "consteval", "constexpr", "constinit", "continue",  "decltype",     "default",    "delete",        "do",
    "double",    "dynamic_cast", "else",  "enum",       "explicit",     "export",     "extern",        "false",
    "float",     "for",      "friend",    "goto",       "if",           "inline",     "int",           "long",
    "mutable",   "namespace", "new",      "noexcept",   "not",          "not_eq",     "nullptr",       "operator",
    "or",        "or_eq",    "private",   "protected",  "public",       "register",   "reinterpret_cast", "requires",
    "restrict",  "return",   "short",     "signed",     "sizeof",       "static",     "static_assert", "static_cast",
    "struct",    "switch",   "template",  "this",       "thread_local", "throw",      "true",          "try",
    "typedef",   "typeid",   "typename",  "typeof",     "union",        "unsigned",   "using",         "virtual",
    "void",      "volatile", "wchar_t",   "while",      "xor",          "xor_eq",
};
// Parameters of the aclnn functions themselves, and what their bodies and the test call their own or use unqualified.
constexpr std::string_view kGenerated[] = {
    "allInputs", "allOutputs", "callStatus", "executor", "int64_t", "opAttr", "size_t", "uint64_t", "workspace", "workspaceSize",
};
// Macros of the C library's headers and of compilers.
constexpr std::string_view kMacros[] = {
    "BUFSIZ",   "EOF",      "L_ctermid", "L_cuserid", "L_tmpnam", "NULL",     "P_tmpdir", "RENAME_EXCHANGE", "RENAME_NOREPLACE",
    "RENAME_WHITEOUT", "SEEK_CUR", "SEEK_DATA", "SEEK_END", "SEEK_HOLE", "SEEK_SET", "linux", "unix",
};
constexpr std::string_view kMacroEndings[] = {"_MAX", "_MIN", "_WIDTH"};
// Functions, types and constants of the headers that the project includes.
constexpr std::string_view kApiBeginnings[] = {"ACL", "Acl", "OPENATC", "RT_", "acl", "openatc"};
// aclnn functions that are no operator's: aclnnInit, aclnnFinalize.
constexpr std::string_view kApiFunctions[] = {"Finalize", "Init"};

template <size_t kCount>
bool IsOneOf(const std::string_view (&words)[kCount], std::string_view name) {
  return std::find(std::begin(words), std::end(words), name) != std::end(words);
}

bool IsMacro(std::string_view name) {
  if (IsOneOf(kMacros, name)) return true;
  const bool small = std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0; });
  return !small && std::any_of(std::begin(kMacroEndings), std::end(kMacroEndings), [&](auto end) { return name.ends_with(end); });
}

}  // namespace

std::string FaultOfParameterName(const std::string& name) {
  if (IsOneOf(kKeywords, name)) return "is a keyword of C or C++";
  if (IsOneOf(kGenerated, name)) return "is a name that the generated functions use themselves";
  if (IsMacro(name)) return "is a macro of the C library or the compiler";
  for (const std::string_view begin : kApiBeginnings) {
    if (name.starts_with(begin)) return "begins with '" + std::string(begin) + "', as names of the ACL headers do";
  }
  return "";
}

std::string FaultOfOperatorName(const std::string& name) {
  if (OpRegistry::Get().Find(Name(name)) != nullptr) return "is an operator that is here already";
  if (IsOneOf(kApiFunctions, name)) return "would give the function aclnn" + name + ", which ACL has";
  return "";
}

}  // namespace atc::cli
