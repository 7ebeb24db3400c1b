// One page of HTML that needs nothing else: no network, no framework. The records are inside, so that the
// page is itself an input of whatever reads records.
#pragma once
#include <string>
#include <string_view>

#include "src/report/report.h"

namespace noclobber {

/// Findings by cause with their pictures, what was judged and what was not, assumptions, records. Equal bytes
/// for equal reports.
std::string to_html(const Report& report);

/// Is the text a page of to_html, as far as its beginning shows?
bool is_page(std::string_view text);
/// The records in a page, as JSON Lines. What of a page that was cut is there is given.
std::string records_in_page(std::string_view text);

}  // namespace noclobber
