import type { HelperClient } from './client.ts'

/**
 * Credential plugins of kubectl and other programs on client-go (`users[].user.exec`). Read in kubernetes/kubernetes:
 * `staging/src/k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go` (no shell and no timeout; stderr is the person's; run
 * again when the stated end has passed and after a 401, whose own request is not repeated), and in the reference "Client
 * Authentication (v1)". With `interactiveMode: Never` stdin is at its end,
 * which was not verified.
 */
export const kubernetes: HelperClient = {
  title: 'kubectl',
  format: 'exec-credential',
  start: 'arguments',
  request: 'none',
  context: 'not-told',
  variables: ['KUBERNETES_EXEC_INFO'],
  stdin: 'at-its-end',
  waiting: {},
  refresh: { afterRefusal: 'next-request', keptFor: 'session' },
  sentAs: ['bearer'],
  headers: 'not-taken',
  stderrOnSuccess: 'shown',
  onFailure: 'request-lost',
  hosts: 'one-server',
}
