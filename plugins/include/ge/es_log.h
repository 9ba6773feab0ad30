// Checks that functions around graph builders end with. They print what failed.
#pragma once

#include <cstdio>

#define OPENATC_ES_CHECK(holds, text, result)                                 \
  do {                                                                        \
    if (!(holds)) {                                                           \
      std::fprintf(stderr, "%s:%d: %s fails\n", __FILE__, __LINE__, text);    \
      return result;                                                          \
    }                                                                         \
  } while (false)

#define ES_ASSERT_NOTNULL(v, ...) OPENATC_ES_CHECK((v) != nullptr, #v " != nullptr", {})
#define ES_ASSERT_TRUE(v, ...) OPENATC_ES_CHECK(v, #v, {})
#define ES_ASSERT_SUCCESS(v, ...) OPENATC_ES_CHECK((v) == 0, #v, {})
#define ES_ASSERT_GRAPH_SUCCESS(v, ...) OPENATC_ES_CHECK((v) == 0, #v, {})
