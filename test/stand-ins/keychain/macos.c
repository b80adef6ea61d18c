// Stands for Security.framework, CoreFoundation and libSystem of macOS, with what the program calls of them. Items are files
// beside this library; files there also say how it behaves. What is called in another way than Apple documents ends the process.
#include "beside.h"
#include <stdint.h>
#include <sys/stat.h>

typedef const struct Object *CFTypeRef;
struct Object {
  char kind; // t: text, d: data, m: dictionary, b: boolean
  long length;
  const unsigned char *bytes;
  CFTypeRef *keys, *values;
};

static const struct Object yes = {'b'};
CFTypeRef kCFBooleanTrue = &yes;
struct { long version; } kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks;

#define CONSTANT(name) \
  static const struct Object object_##name = {'t', sizeof(#name) - 1, (const unsigned char *)#name}; \
  CFTypeRef name = &object_##name;
CONSTANT(kSecClass) CONSTANT(kSecClassGenericPassword) CONSTANT(kSecAttrService) CONSTANT(kSecAttrAccount)
CONSTANT(kSecAttrLabel) CONSTANT(kSecValueData) CONSTANT(kSecReturnData) CONSTANT(kSecMatchLimit) CONSTANT(kSecMatchLimitOne)

static CFTypeRef make(char kind, const void *bytes, long length) {
  unsigned char *copy = malloc(length + 1);
  if (length > 0) memcpy(copy, bytes, length);
  struct Object *made = calloc(1, sizeof *made);
  *made = (struct Object){kind, length, copy, NULL, NULL};
  return made;
}

CFTypeRef CFStringCreateWithBytes(void *allocator, const uint8_t *bytes, long length, uint32_t encoding, uint8_t external) {
  require(allocator == NULL && encoding == 0x08000100 && !external, "CFStringCreateWithBytes");
  return make('t', bytes, length);
}

CFTypeRef CFDataCreate(void *allocator, const uint8_t *bytes, long length) {
  require(allocator == NULL, "CFDataCreate");
  return make('d', bytes, length);
}

long CFDataGetLength(CFTypeRef data) {
  require(data->kind == 'd', "CFDataGetLength");
  return data->length;
}

const uint8_t *CFDataGetBytePtr(CFTypeRef data) {
  require(data->kind == 'd', "CFDataGetBytePtr");
  return data->bytes;
}

CFTypeRef CFDictionaryCreate(void *allocator, CFTypeRef *keys, CFTypeRef *values, long count, void *key_calls, void *value_calls) {
  require(allocator == NULL && key_calls == &kCFTypeDictionaryKeyCallBacks && value_calls == &kCFTypeDictionaryValueCallBacks,
          "CFDictionaryCreate");
  struct Object *made = calloc(1, sizeof *made);
  made->kind = 'm';
  made->length = count;
  made->keys = memcpy(malloc(count * sizeof *keys), keys, count * sizeof *keys);
  made->values = memcpy(malloc(count * sizeof *values), values, count * sizeof *values);
  return made;
}

// Keys are compared as the framework does: by their text, which constants of another address would have too.
static CFTypeRef get(CFTypeRef dictionary, CFTypeRef key) {
  require(dictionary->kind == 'm', "no dictionary");
  for (long index = 0; index < dictionary->length; index += 1) {
    CFTypeRef own = dictionary->keys[index];
    if (own->length == key->length && memcmp(own->bytes, key->bytes, key->length) == 0) return dictionary->values[index];
  }
  return NULL;
}

static const char *path_of(CFTypeRef query) {
  CFTypeRef service = get(query, kSecAttrService), account = get(query, kSecAttrAccount);
  require(get(query, kSecClass) == kSecClassGenericPassword, "kSecClass");
  require(service && service->kind == 't' && account && account->kind == 't', "service and account");
  char name[2048] = "item ";
  CFTypeRef parts[] = {service, account};
  for (int part = 0; part < 2; part += 1) {
    for (long index = 0; index < parts[part]->length; index += 1)
      sprintf(name + strlen(name), "%02x", parts[part]->bytes[index]);
    strcat(name, part == 0 ? "-" : "");
  }
  return beside(name);
}

static uint8_t interaction = 1;

// What every call on an item goes through: the state of the keychain, and its dialogs.
static int enter(void) {
  if (is("hang")) hang();
  if (is("crash")) abort();
  if (is("missing")) return -25307;
  int status = number("status", 0);
  if (status != 0) return status;
  if (!is("locked") && !is("foreign")) return 0;
  if (!interaction) return is("locked") ? -25308 : -25293;
  fclose(fopen(beside("dialog"), "w"));
  if (is("declined")) return -128;
  unlink(beside("locked"));
  unlink(beside("foreign"));
  return 0;
}

static int store(CFTypeRef query, CFTypeRef value) {
  require(value && value->kind == 'd', "kSecValueData");
  FILE *file = fopen(path_of(query), "w");
  fwrite(value->bytes, 1, value->length, file);
  return fclose(file);
}

int32_t SecItemCopyMatching(CFTypeRef query, CFTypeRef *found) {
  require(get(query, kSecReturnData) == kCFBooleanTrue && get(query, kSecMatchLimit) == kSecMatchLimitOne, "SecItemCopyMatching");
  FILE *file = fopen(path_of(query), "r");
  int status = enter();
  // The keychain finds an item without its password, and needs it for the secret.
  if (status == 0 || status == -25293 || status == -25308) if (!file) return -25300;
  if (status != 0) return status;
  unsigned char bytes[65536];
  size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  *found = make('d', bytes, length);
  return 0;
}

int32_t SecItemAdd(CFTypeRef attributes, CFTypeRef *result) {
  require(result == NULL && get(attributes, kSecAttrLabel)->kind == 't', "SecItemAdd");
  int status = enter();
  if (status != 0) return status;
  if (access(path_of(attributes), F_OK) == 0 || unlink(beside("raced")) == 0) {
    fclose(fopen(path_of(attributes), "a"));
    return -25299;
  }
  return store(attributes, get(attributes, kSecValueData));
}

int32_t SecItemUpdate(CFTypeRef query, CFTypeRef changes) {
  require(get(query, kSecValueData) == NULL && changes->length == 1, "SecItemUpdate");
  if (access(path_of(query), F_OK) != 0) return -25300;
  int status = enter();
  return status != 0 ? status : store(query, get(changes, kSecValueData));
}

int32_t SecItemDelete(CFTypeRef query) {
  int status = enter();
  if (status != 0) return status;
  return unlink(path_of(query)) == 0 ? 0 : -25300;
}

int32_t SecKeychainSetUserInteractionAllowed(uint8_t allowed) {
  interaction = allowed;
  return 0;
}

int32_t SecKeychainGetStatus(void *keychain, uint32_t *status) {
  require(keychain == NULL, "SecKeychainGetStatus");
  if (is("missing")) return -25307;
  *status = is("locked") ? 2 : 3;
  return 0;
}

int32_t SessionGetInfo(uint32_t session, uint32_t *id, uint32_t *attributes) {
  require(session == 0xffffffff, "SessionGetInfo");
  *id = 100;
  *attributes = is("headless") ? 0x1000 : 0x1030;
  return 0;
}

static void executable_of(int process, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/exe", process);
  ssize_t length = readlink(link, path, size - 1);
  path[length < 0 ? 0 : length] = '\0';
}

int csops(int process, uint32_t operation, void *bytes, size_t size) {
  require(operation == 5 && size == 20, "csops");
  if (is("unsigned")) return -1;
  char path[4096];
  struct stat status;
  executable_of(process, path, sizeof path);
  if (stat(path, &status) != 0) return -1;
  memset(bytes, 0, size);
  memcpy(bytes, &status.st_ino, sizeof status.st_ino);
  return 0;
}

int proc_pidpath(int process, void *path, uint32_t size) {
  executable_of(process, path, size);
  return strlen(path);
}

int proc_pidinfo(int process, int flavor, uint64_t argument, void *bytes, int size) {
  require(flavor == 17 && argument == 0 && size == 56, "proc_pidinfo");
  memset(bytes, 0, size);
  ((int32_t *)bytes)[8] = process == getppid() ? number("parent now", 7) : 8;
  ((int32_t *)bytes)[9] = number("parent then", 7);
  return size;
}
