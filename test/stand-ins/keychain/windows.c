// Stands for kernel32, advapi32 and crypt32 of Windows, with what the program calls of them. Credentials are files beside this
// library; files there also say how it behaves. The compiler lays out the structures. What is called in another way than
// Microsoft documents ends the process.
#include "beside.h"
#include <stdint.h>

typedef uint32_t DWORD;
typedef struct { DWORD low, high; } FILETIME;
typedef struct {
  DWORD Flags, Type;
  uint16_t *TargetName, *Comment;
  FILETIME LastWritten;
  DWORD CredentialBlobSize;
  uint8_t *CredentialBlob;
  DWORD Persist, AttributeCount;
  void *Attributes;
  uint16_t *TargetAlias, *UserName;
} CREDENTIALW;
typedef struct { DWORD cbData; uint8_t *pbData; } DATA_BLOB;

static DWORD last_error;
DWORD GetLastError(void) { return last_error; }
void SetLastError(DWORD code) { last_error = code; }

// The runtime may call Windows between our calls, whose code is then lost: so often.
static int fail(DWORD code) {
  static int lost;
  if (lost < number("lost", 0)) {
    lost += 1;
    SetLastError(0);
  } else SetLastError(code);
  return 0;
}

static const char *path_of(const uint16_t *target) {
  char name[2048] = "credential ";
  for (; *target; target += 1) sprintf(name + strlen(name), "%04x", *target);
  return beside(name);
}

static int enter(void) {
  if (is("hang")) hang();
  if (is("no session")) return fail(1312), 0;
  int status = number("status", 0);
  return status == 0 ? 1 : fail(status);
}

static void check_kept(const CREDENTIALW *credential) {
  require(credential->Type == 1 && credential->Flags == 0 && credential->Persist == 2, "type and persistence");
  require(credential->AttributeCount == 0 && !credential->Attributes && !credential->TargetAlias, "attributes");
  require(credential->Comment && credential->Comment[0] == 'G' && credential->UserName, "comment and name");
}

int CredWriteW(const CREDENTIALW *credential, DWORD flags) {
  require(flags == 0, "CredWriteW");
  check_kept(credential);
  require(credential->CredentialBlobSize <= 2560, "CredentialBlobSize");
  if (!enter()) return 0;
  FILE *file = fopen(path_of(credential->TargetName), "w");
  fwrite(credential->CredentialBlob, 1, credential->CredentialBlobSize, file);
  fclose(file);
  return 1;
}

int CredReadW(const uint16_t *target, DWORD type, DWORD flags, CREDENTIALW **found) {
  require(type == 1 && flags == 0, "CredReadW");
  if (!enter()) return 0;
  FILE *file = fopen(path_of(target), "r");
  if (!file) return fail(1168);
  *found = calloc(1, sizeof **found);
  (*found)->Type = 1;
  (*found)->CredentialBlob = malloc(2560);
  (*found)->CredentialBlobSize = fread((*found)->CredentialBlob, 1, 2560, file);
  fclose(file);
  return 1;
}

int CredDeleteW(const uint16_t *target, DWORD type, DWORD flags) {
  require(type == 1 && flags == 0, "CredDeleteW");
  if (!enter()) return 0;
  return unlink(path_of(target)) == 0 ? 1 : fail(1168);
}

void CredFree(CREDENTIALW *credential) {
  memset(credential->CredentialBlob, 0, 2560);
  free(credential->CredentialBlob);
  free(credential);
}

// Sealed is: how long what was mixed in is, that, and every byte of the text turned over.
static int seal(const DATA_BLOB *in, const DATA_BLOB *mixed, DATA_BLOB *out) {
  out->cbData = 1 + mixed->cbData + in->cbData;
  out->pbData = malloc(out->cbData);
  out->pbData[0] = mixed->cbData;
  memcpy(out->pbData + 1, mixed->pbData, mixed->cbData);
  for (DWORD index = 0; index < in->cbData; index += 1) out->pbData[1 + mixed->cbData + index] = ~in->pbData[index];
  return 1;
}

static void check_protection(const void *text, const void *reserved, const void *prompt, DWORD flags) {
  require(text == NULL && reserved == NULL && prompt == NULL && flags == 1, "arguments of the Data Protection API");
}

int CryptProtectData(const DATA_BLOB *in, const uint16_t *text, const DATA_BLOB *mixed, void *reserved, void *prompt, DWORD flags, DATA_BLOB *out) {
  check_protection(text, reserved, prompt, flags);
  return is("no key") ? fail(0x80090345) : seal(in, mixed, out);
}

int CryptUnprotectData(const DATA_BLOB *in, uint16_t **text, const DATA_BLOB *mixed, void *reserved, void *prompt, DWORD flags, DATA_BLOB *out) {
  check_protection(text, reserved, prompt, flags);
  if (is("no key")) return fail(0x8009000b);
  DWORD before = 1 + mixed->cbData;
  if (in->cbData < before || in->pbData[0] != mixed->cbData || memcmp(in->pbData + 1, mixed->pbData, mixed->cbData) != 0) return fail(13);
  out->cbData = in->cbData - before;
  out->pbData = malloc(out->cbData);
  for (DWORD index = 0; index < out->cbData; index += 1) out->pbData[index] = ~in->pbData[before + index];
  return 1;
}
