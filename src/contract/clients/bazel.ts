import type { HelperClient } from './client.ts'

/**
 * `--credential_helper` of Bazel. Read in bazelbuild/bazel, `src/main/java/com/google/devtools/build/lib/authandtls`:
 * `credentialhelper/CredentialHelper.java` (the argument `get` alone, the request on stdin, stderr only in the message about a
 * failure), `credentialhelper/GetCredentialsResponse.java` (`expires` without fractions of a second) and
 * `AuthAndTLSOptions.java` (timeout; how long a response without `expires` is kept). A refused credential is not asked for
 * again before it ends.
 */
export const bazel: HelperClient = {
  title: 'Bazel',
  format: 'bazel',
  start: 'path',
  request: 'bazel',
  context: 'not-told',
  variables: [],
  stdin: 'at-its-end',
  waiting: { timeoutSec: 10, timeoutSetting: '--credential_helper_timeout' },
  refresh: {
    intervalSec: 1800,
    intervalSetting: '--credential_helper_cache_duration',
    afterRefusal: 'nothing',
    keptFor: 'session',
  },
  sentAs: ['headers'],
  headers: 'sent',
  stderrOnSuccess: 'dropped',
  onFailure: 'request-lost',
  hosts: 'limited-by-configuration',
}
