import { expect, test } from 'vitest'
import type { NetworkCall } from '../../../../src/helper/define-helper.ts'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { runCredentialProcess } from '../../../../src/sources/aws/credentials/credential-process.ts'
import { testHost } from '../../../setup/test-host.ts'

const command = `sleep 0.05; echo '{"Version":1,"AccessKeyId":"AKIAEXAMPLE","SecretAccessKey":"s","AccountId":"'"$DISPLAY"'"}'`

test.each<[what: string, renews: number | undefined, seconds: number, account: string | undefined]>([
  ['has the whole environment', undefined, 30, ':0'],
  ['has no way to a person where the call can do without it, and is waited for', 1, 0.01, undefined],
])('a credential_process %s', async (_, renews, seconds, account) => {
  const begin = performance.now()
  const whole = new Deadline({ seconds: 30, hint: '' }, { elapsedMs: () => performance.now() - begin })
  const call = { deadline: whole.shorten(seconds), renews } as unknown as NetworkCall // no more of it is used
  const host = await testHost({ env: { DISPLAY: ':0', PATH: '/usr/bin:/bin' } })
  const source = { kind: 'process', profile: 'dev', command } as const
  const plan = { describeRenewal: () => '' }
  const keys = await runCredentialProcess(source, { host, call, plan, path: undefined } as never) // no more of it is used
  expect([keys.accessKeyId, keys.account]).toEqual(['AKIAEXAMPLE', account])
})
