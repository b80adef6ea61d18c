import type { HelperClient } from './client.ts'

/**
 * A credential helper of Git. Read in git/git: `Documentation/git-credential.txt`, `Documentation/gitcredentials.txt` and
 * `credential.c` (a line for a shell with the operation behind it, the request on stdin, stderr is the person's, no timeout;
 * a helper that fails or prints nothing hands over to the next one, and the last one to the person), `http.c` (a credential
 * that is refused is erased and the command fails; the next command asks again).
 */
export const git: HelperClient = {
  title: 'Git',
  format: 'git',
  start: 'shell-line',
  request: 'git',
  context: 'not-told',
  variables: [],
  stdin: 'at-its-end',
  waiting: {},
  refresh: { afterRefusal: 'erase', keptFor: 'request' },
  sentAs: ['basic'],
  headers: 'not-taken',
  stderrOnSuccess: 'shown',
  onFailure: 'person-asked',
  hosts: 'limited-by-configuration',
}
