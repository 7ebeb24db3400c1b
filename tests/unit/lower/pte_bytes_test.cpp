// The lowest layers of the reader: FlatBuffers, and which definition each byte of an arena holds.
#include "src/lower/pte/memory.h"
#include "src/text/flat.h"
#include "tests/unit/lower/pte_program.h"

namespace pte_bytes_test {

using namespace noclobber;

namespace {

void put_word(std::string& bytes, std::size_t at, std::uint32_t word) {
  std::memcpy(bytes.data() + at, &word, sizeof(word));
}

/// A root table at byte 16, its layout at byte 8, and as its one field a list of `count` bytes.
std::string flat_list(std::uint32_t count) {
  std::string out(28 + count, '\0');
  put_word(out, 0, 16);
  put_word(out, 8, 8U << 16U | 6U);  // sizes of the layout and of the table
  put_word(out, 12, 4);              // where the field lies in the table
  put_word(out, 16, 8);              // how far before the table its layout lies
  put_word(out, 20, 4);
  put_word(out, 24, count);
  return out;
}

std::string pieces_of(const PteMemory& memory, std::int64_t begin, std::int64_t end) {
  std::string out;
  for (const PteMemory::Piece& piece : memory.read(1, begin, end))
    out += (out.empty() ? "" : " ") + std::to_string(piece.begin) + "-" + std::to_string(piece.end) + ":" +
           (piece.by == PteMemory::kNobody ? "-" : std::to_string(piece.by));
  return out;
}

}  // namespace

TEST_CASE("pte memory: what is written last is read, and what is left of others beside it", "[pte]") {
  PteMemory memory;
  CHECK(pieces_of(memory, 0, 8) == "0-8:-");
  memory.write(1, 0, 16, 1);
  memory.write(1, 8, 16, 2);  // up to the end of the one before
  CHECK(pieces_of(memory, 0, 16) == "0-8:1 8-16:2");
  memory.write(1, 2, 4, 3);  // in the middle
  CHECK(pieces_of(memory, 0, 16) == "0-2:1 2-4:3 4-8:1 8-16:2");
  CHECK(pieces_of(memory, 3, 9) == "3-4:3 4-8:1 8-9:2");
  CHECK(pieces_of(memory, 4, 8) == "4-8:1");
  memory.write(1, 1, 20, 4);  // over several
  CHECK(pieces_of(memory, 0, 24) == "0-1:1 1-20:4 20-24:-");
  memory.write(1, 6, 10, 5);  // beginning in the middle
  memory.write(1, 8, 12, 6);
  CHECK(pieces_of(memory, 0, 24) == "0-1:1 1-6:4 6-8:5 8-12:6 12-20:4 20-24:-");
  memory.write(1, 9, 9, 7);  // no bytes
  memory.write(2, 0, 24, 8);
  CHECK(pieces_of(memory, 6, 12) == "6-8:5 8-12:6");
}

TEST_CASE("pte memory: neighbours of one definition are one piece", "[pte]") {
  PteMemory memory;
  memory.write(1, 0, 4, 1);
  memory.write(1, 4, 8, 1);
  CHECK(pieces_of(memory, 0, 8) == "0-8:1");
}

TEST_CASE("pte: a file of eight bytes is whole, and its offset leads nowhere", "[pte]") {
  const auto where = [](const std::string& bytes) {
    const auto read = open_pte(bytes);
    REQUIRE_FALSE(read);
    return read.fault().where + ": " + read.fault().message;
  };
  const std::string eight("\x10\0\0\0ET12", 8);
  CHECK(where(eight.substr(0, 7)) == "byte 7: the file is cut off");
  CHECK(where(eight) == "byte 0: an offset leads outside the file");
}

TEST_CASE("pte: a table's layout lies anywhere in the file, also at its first byte", "[pte]") {
  const std::uint32_t at = 4U << 16U | 4U;  // read as a layout: of no fields, of a table of four bytes
  std::string bytes(at + 4, '\0');
  put_word(bytes, 0, at);
  put_word(bytes, at, at);
  FlatBytes flat(bytes);
  CHECK(flat.root().there());
  CHECK_FALSE(flat.failed());
  put_word(bytes, at, at + 1);  // one byte before the file
  FlatBytes before(bytes);
  CHECK_FALSE(before.root().there());
  REQUIRE(before.failed());
  CHECK(before.fault().message == "a table's layout lies outside the file");
}

TEST_CASE("pte: lists hold together 32 elements for each byte of the file, and not one more", "[pte]") {
  const std::string bytes = flat_list(4);
  REQUIRE(bytes.size() == 32);
  FlatBytes flat(bytes);
  const FlatTable root = flat.root();
  for (int k = 0; k < 32 * 32 / 4; ++k) CHECK(flat.vector(root, 0, 1).count == 4);
  CHECK_FALSE(flat.failed());
  CHECK(flat.vector(root, 0, 1).count == 0);
  REQUIRE(flat.failed());
  CHECK(flat.fault().where == "byte 24");
  CHECK(flat.fault().message == "the lists of this file overlap too much");
}

}  // namespace pte_bytes_test
