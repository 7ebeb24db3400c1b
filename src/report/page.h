// A self-contained HTML page: no network, no framework. It embeds the records and can be read in their place.
#pragma once
#include <string>
#include <string_view>

#include "src/report/report.h"

namespace noclobber {

/// The findings by cause with their pictures, errors, reasons for unknown, a table of the checks, assumptions
/// and the records. Equal reports give equal bytes.
std::string to_html(const Report& report);

/// True if the text begins as a page of to_html() does.
bool is_page(std::string_view text);
/// The records in a page, as JSON Lines; "" if it has none. Of a truncated page, the records up to the cut,
/// the last one incomplete so that a reader reports the damage.
std::string records_in_page(std::string_view text);

}  // namespace noclobber
