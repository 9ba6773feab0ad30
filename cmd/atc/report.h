// The messages of a run for programs: what the variable ATC_DIAGNOSTICS asks for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/error.h"

namespace atc::cli {

enum class ReportForm { kJson, kSarif, kGithub };

// "json", "sarif" or "github": to stderr, after all else. "json:FILE": into a file.
struct ReportRequest {
  ReportForm form = ReportForm::kJson;
  std::string path;  // empty: stderr
};

// Nothing for a text that is none of these.
std::optional<ReportRequest> ParseReportRequest(std::string_view text);

// The code of messages about a command line that cannot be read, for which atc has none; its text is "reason".
inline constexpr std::string_view kUsageCode = "usage";

struct RunOutcome {
  std::vector<Diagnostic> diagnostics;
  std::string artifact;  // the file that they are about: the model or the om; may be empty
  int status = 0;        // the exit status
};

// JSON: one object. SARIF: a log of version 2.1.0 with one run. GitHub: a line ::error or ::warning each; nothing where
// all went well. All end in a newline.
std::string FormatReport(ReportForm form, const RunOutcome& outcome);

// Throws Error E13001 where the report could not be written: asked before the work is done.
void CheckReport(const ReportRequest& request);
// Formats and writes. Throws E13001, E13004 when the file cannot be written.
void WriteReport(const ReportRequest& request, const RunOutcome& outcome);

}  // namespace atc::cli
