import type { HelperClient } from './client.ts'

/**
 * `credential_process` of AWS tools. Read in boto/botocore: `botocore/credentials.py` (`ProcessProvider`: the line is split
 * into words without a shell, stdin is inherited, no timeout, stderr only in the message about a failure; refreshable
 * credentials are renewed before `Expiration`, from 15 minutes before, which was not verified; nothing but that ends them), and in the AWS CLI user guide,
 * "Sourcing credentials with an external process": without `Expiration` they are taken for long-term ones.
 */
export const aws: HelperClient = {
  title: 'AWS tools',
  format: 'credential-process',
  start: 'words',
  request: 'none',
  context: 'not-told',
  variables: [],
  stdin: 'inherited',
  waiting: {},
  refresh: { afterRefusal: 'nothing', keptFor: 'session' },
  sentAs: ['signature'],
  headers: 'not-taken',
  stderrOnSuccess: 'dropped',
  onFailure: 'request-lost',
  hosts: 'any',
}
