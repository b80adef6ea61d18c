// Holds the rows of developer tools that run helpers, such as Git.

import { defineClients } from '../client.ts'
import { execInfoVariable, silentExecInfo } from '../exec-credential.ts'

/** Programs for developers that run helpers. */
export const tools = defineClients({
  /**
   * Credential plugins of kubectl and other programs on client-go (`users[].user.exec`). Read in kubernetes/kubernetes:
   * `staging/src/k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go` (no shell and no timeout; stderr is the person's; run
   * again when the stated end has passed and after a 401, whose own request is not repeated), and in the reference "Client
   * Authentication (v1)". With `interactiveMode: Never` stdin is at its end,
   * which was not verified.
   */
  kubernetes: {
    title: 'kubectl',
    format: 'exec-credential',
    start: 'arguments',
    context: 'not-told',
    variables: { [execInfoVariable]: silentExecInfo },
    stdin: 'at-its-end',
    waiting: {},
    refresh: { afterRefusal: 'next-request', keptFor: 'session' },
    sentAs: ['bearer'],
    headers: 'not-taken',
    stderrOnSuccess: 'shown',
    hosts: 'one-server',
    entries: 'named',
  },
  /**
   * `credential_process` of AWS tools. Read in boto/botocore: `botocore/credentials.py` (`ProcessProvider`: the line is split
   * into words without a shell, stdin is inherited, no timeout, stderr only in the message about a failure; refreshable
   * credentials are renewed before `Expiration`, from 15 minutes before, which was not verified; nothing else ends them), and in the AWS CLI user guide,
   * "Sourcing credentials with an external process": without `Expiration` they count as long-term credentials.
   */
  aws: {
    title: 'AWS tools',
    format: 'credential-process',
    start: 'words',
    context: 'not-told',
    stdin: 'inherited',
    waiting: {},
    refresh: { afterRefusal: 'nothing', keptFor: 'session' },
    sentAs: ['signature'],
    headers: 'not-taken',
    stderrOnSuccess: 'dropped',
    hosts: 'any',
    entries: 'named',
  },
  /**
   * `--credential_helper` of Bazel. Read in bazelbuild/bazel, `src/main/java/com/google/devtools/build/lib/authandtls`:
   * `credentialhelper/CredentialHelper.java` (the argument `get` alone, the request on stdin, stderr only in the message about a
   * failure), `credentialhelper/GetCredentialsResponse.java` (`expires` without fractions of a second) and
   * `AuthAndTLSOptions.java` (timeout; how long a response without `expires` is kept). A refused credential is not asked for
   * again before it ends.
   */
  bazel: {
    title: 'Bazel',
    format: 'bazel',
    start: 'path',
    context: 'not-told',
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
    hosts: 'limited-by-configuration',
    entries: 'one',
  },
  /**
   * A credential helper of Git. Read in git/git: `Documentation/git-credential.txt`, `Documentation/gitcredentials.txt` and
   * `credential.c` (a line for a shell with the operation behind it, the request on stdin, stderr is the person's, no timeout;
   * a helper that fails or prints nothing hands over to the next one, and the last one to the person), `http.c` (a credential
   * that is refused is erased and the command fails; the next command asks again).
   */
  git: {
    title: 'Git',
    format: 'git',
    start: 'shell-line',
    context: 'not-told',
    stdin: 'at-its-end',
    waiting: {},
    refresh: { afterRefusal: 'erase', keptFor: 'request' },
    sentAs: ['basic'],
    headers: 'not-taken',
    stderrOnSuccess: 'shown',
    hosts: 'limited-by-configuration',
    entries: 'one',
  },
})
