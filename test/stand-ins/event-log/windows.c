// Stands for the Event Log in advapi32 of Windows: notes each call on stdout, and fails where the variable REFUSE names it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t handle = 0xcafe4242cafe4242;

static int refuses(const char *call) {
  const char *named = getenv("REFUSE");
  return named != NULL && strcmp(named, call) == 0;
}

static void print_wide(const uint16_t *text) {
  for (; *text; text++) putchar(*text);
  putchar('\n');
}

uint64_t RegisterEventSourceW(const uint16_t *server, const uint16_t *source) {
  printf("register on %s: ", server ? "a server" : "this machine");
  print_wide(source);
  return refuses("RegisterEventSourceW") ? 0 : handle;
}

int ReportEventW(uint64_t log, uint16_t type, uint16_t category, uint32_t id, void *sid, uint16_t strings, uint32_t bytes,
                 const uint16_t **texts, void *data) {
  int is_plain = log == handle && category == 0 && sid == NULL && bytes == 0 && data == NULL && strings == 1;
  printf("report%s %d %u: ", is_plain ? "" : " oddly", type, id);
  print_wide(texts[0]);
  return !refuses("ReportEventW");
}

int DeregisterEventSource(uint64_t log) {
  printf("deregister%s\n", log == handle ? "" : " another");
  fflush(stdout);
  return 1;
}
