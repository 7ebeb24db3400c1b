#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "src/base/packed.h"
#include "src/text/file.h"
#include "tests/catch.h"

namespace file_test {

using namespace noclobber;

namespace {

/// A file that is gone at the end of the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) {
    path_ = std::filesystem::temp_directory_path() / ("noclobber_file_test_" + std::to_string(::getpid()));
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string gzipped(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string read_back(const std::string& bytes, std::size_t max_bytes = 1000000) {
  const TemporaryFile file(bytes);
  const auto result = read_file(file.path(), max_bytes);
  return result ? *result : "fault: " + result.fault().message;
}

}  // namespace

TEST_CASE("file: plain, packed, packed in several members") {
  CHECK(read_back("") == "");
  CHECK(read_back("hello") == "hello");
  CHECK(read_back(gzipped("hello")) == "hello");
  CHECK(read_back(gzipped("hello") + gzipped(" you") + std::string(10, '\0')) == "hello you");
  const std::string large(300000, 'x');
  CHECK(read_back(gzipped(large)) == large);
}

TEST_CASE("file: damaged and too large ones are refused") {
  const std::string good = gzipped(std::string(5000, 'a') + "hello");
  CHECK(read_back(good.substr(0, good.size() - 4)) == "fault: cannot be unpacked: it ends too early");
  CHECK(read_back(good.substr(0, 5)) == "fault: cannot be unpacked: it ends too early");
  CHECK(read_back(good + "junk") == "fault: cannot be unpacked: other bytes follow the gzip data");
  std::string bad = good;
  bad[good.size() / 2] = static_cast<char>(bad[good.size() / 2] ^ 0x55);
  CHECK(read_back(bad).starts_with("fault: cannot be unpacked: "));
  CHECK(read_back(gzipped(std::string(300000, 'x')), 1000) == "fault: is larger than 1000 bytes");
  CHECK(read_back(std::string(1001, 'x'), 1000) == "fault: is larger than 1000 bytes");
  CHECK(read_back(std::string(1000, 'x'), 1000) == std::string(1000, 'x'));
}

TEST_CASE("file: one that is not there") {
  const auto result = read_file("no/such/file");
  REQUIRE_FALSE(result);
  CHECK(result.fault().where == "no/such/file");
  CHECK(result.fault().message == "cannot be opened: No such file or directory");
  const auto folder = read_file("/");
  REQUIRE_FALSE(folder);
  CHECK(folder.fault().message.starts_with("cannot be read: "));
}

TEST_CASE("what is packed as text comes back, and what is damaged comes back as far as it goes", "[packed]") {
  std::string text;
  for (int k = 0; k < 5000; ++k) text += std::to_string(k * 7919 % 10007) + '\0';
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{2}, text.size()}) {
    const std::string bytes = text.substr(0, size), as_text = packed(bytes);
    CHECK(as_text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") ==
          std::string::npos);
    CHECK(unpacked(as_text, text.size() + 1).bytes == bytes);
    CHECK(unpacked(as_text, text.size() + 1).whole);
  }
  const std::string as_text = packed(text);
  CHECK(unpacked(as_text, 100).bytes == text.substr(0, 100));
  CHECK_FALSE(unpacked(as_text, 100).whole);
  const Unpacked cut = unpacked(as_text.substr(0, as_text.size() / 2), text.size());
  CHECK_FALSE(cut.whole);
  CHECK(cut.bytes.size() > text.size() / 3);
  CHECK(text.starts_with(cut.bytes));
  std::string checksum = as_text;  // the last four bytes
  char& letter =
      checksum[checksum.find('=') == std::string::npos ? checksum.size() - 2 : checksum.find('=') - 2];
  letter = letter == 'A' ? 'B' : 'A';
  CHECK_FALSE(unpacked(checksum, 2 * text.size()).whole);
  CHECK_FALSE(unpacked("", 10).whole);
  CHECK_FALSE(unpacked("<>", 10).whole);
}

}  // namespace file_test
