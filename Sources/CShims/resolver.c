#include "resolver.h"

#include <netinet/in.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <resolv.h>
#include <string.h>

// The numbers in <netdb.h>.
_Static_assert(ROLLCALL_NO_SUCH_NAME == HOST_NOT_FOUND, "");
_Static_assert(ROLLCALL_TRY_AGAIN == TRY_AGAIN, "");
_Static_assert(ROLLCALL_NO_SUCH_RECORDS == NO_DATA, "");

int rollcall_resolve(
    const char *name, int type, unsigned char *answer, int capacity, int *error) {
  // A separate state, because the state of res_query belongs to a thread.
  struct __res_state state;
  memset(&state, 0, sizeof state);
  if (res_ninit(&state) != 0) {
    *error = NO_RECOVERY;
    return -1;
  }
  int length = res_nquery(&state, name, ns_c_in, type, answer, capacity);
  *error = state.res_h_errno;
  res_nclose(&state);
  return length;
}
