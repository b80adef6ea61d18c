import { describe, expect, test } from 'vitest'
import { readToken } from '../helpers/aws-bedrock-token/read-token.ts'
import { startWorkbench, type Workbench } from '../helpers/aws-bedrock-token/workbench.ts'
import type { AccessKey } from '../stand-ins/aws/aws-identities.ts'
import { findAwsCli } from './aws-cli.ts'
import { profileKinds } from './profile-kinds.ts'
import { codeNeeded } from './settings.ts'
import { startAwsByName } from './start-aws-by-name.ts'

const cli = await findAwsCli()

/** Finds the owner of an access key, without the name of a role's session. */
function findIdentity({ aws }: Workbench, accessKeyId: string): string | undefined {
  const { arn } = (aws.secretOf(accessKeyId) ?? {}) as Partial<AccessKey> // the stand-in's own record of the key
  return arn?.replace(/(:assumed-role\/[^/]+)\/.*$/, '$1')
}

describe.each(Object.entries(profileKinds))('%s', (_, { identity, since = [2, 9], prepare }) => {
  test(`is ${identity ?? 'refused'}, at AWS's own hosts`, async () => {
    await using bench = await startWorkbench()
    await using route = await startAwsByName(bench)
    const { env = {}, profile } = await prepare(bench)
    const argv = profile === undefined ? [] : ['--profile', profile]
    const outcome = await bench.run({ argv, env: { ...env, ...route.environment } })
    if (identity === undefined) return expect(outcome).toEqual(codeNeeded)
    expect(findIdentity(bench, readToken(outcome).accessKeyId)).toBe(identity)
  })

  // Runs where there is one, and it knows this kind.
  if (!cli || identity === undefined || cli.version[1] < since[1]) return
  test('is the same identity in the AWS CLI', async () => {
    await using bench = await startWorkbench()
    await using route = await startAwsByName(bench)
    const { env = {}, profile } = await prepare(bench)
    const whole = { PATH: '/usr/bin:/bin', ...bench.environment, ...env, ...route.environment }
    const defined = Object.entries(whole).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const accessKeyId = await cli.findAccessKey(Object.fromEntries(defined), profile)
    expect(findIdentity(bench, accessKeyId) ?? accessKeyId).toBe(identity)
  })
})
