// Vectors of FIPS 180-4's published examples, and lengths around a block against one call.
#include "compiler/io/sha256.h"

#include <catch2/catch.hpp>
#include <string>

namespace atc {
namespace {

std::string Of(const std::string& text) { return Sha256Hex(std::as_bytes(std::span(text.data(), text.size()))); }

TEST_CASE("SHA-256 of the published examples") {
  CHECK(Of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(Of(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("pieces give the hash of the whole, at every length around a block") {
  for (size_t length = 0; length < 200; ++length) {
    const std::string text(length, 'x');
    Sha256 hash;
    for (size_t at = 0; at < length; at += 7) {
      hash.Add(std::as_bytes(std::span(text.data() + at, std::min<size_t>(7, length - at))));
    }
    CHECK(hash.Hex() == Of(text));
  }
}

}  // namespace
}  // namespace atc
