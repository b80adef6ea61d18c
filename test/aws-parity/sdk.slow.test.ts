import { describe, expect, test } from 'vitest'
import { differences } from '../../src/sources/aws/diagnosis/compare-chains.ts'
import { readToken } from '../helpers/aws-bedrock-token/read-token.ts'
import { failure, keysOf, role, startWorkbench, user, type Workbench } from '../helpers/aws-bedrock-token/workbench.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import type { AccessKey } from '../stand-ins/aws/aws-identities.ts'
import { profileKinds } from './profile-kinds.ts'
import { readRows } from './read-tables.ts'
import { startAwsByName } from './start-aws-by-name.ts'

/** Finds the owner of an access key, without the name of a role's session. */
function findIdentity({ aws }: Workbench, accessKeyId: string): string | undefined {
  const { arn } = (aws.secretOf(accessKeyId) ?? {}) as Partial<AccessKey> // the stand-in's own record of the key
  return arn?.replace(/(:assumed-role\/[^/]+)\/.*$/, '$1')
}

describe.each(Object.entries(profileKinds))('%s', (_, { identity, prepare }) => {
  test(`is ${identity ?? 'refused'} for the AWS SDK`, async () => {
    await using bench = await startWorkbench()
    await using route = await startAwsByName(bench)
    const { env = {}, profile } = await prepare(bench)
    const argv = ['--aws-chain', 'sdk', ...(profile === undefined ? [] : ['--profile', profile])]
    const outcome = await bench.run({ argv, env: { ...env, ...route.environment } })
    if (identity === undefined) return expect(toStableValue(outcome)).toEqual(codeNeeded)
    expect(findIdentity(bench, readToken(outcome).accessKeyId)).toBe(identity)
  })
})

const codeNeeded = failure(
  3,
  'the AWS SDK found no credentials for profile "dev": Profile dev requires multi-factor authentication, but no MFA code callback was provided.',
  'correct profile "dev" in TEMPORARY/.aws/config, or sign in with the tool that it is for',
)

const region = 'eu-central-1'
const session = 'arn:aws:sts::444455556666:assumed-role/build'
const onHost = 'arn:aws:iam::111122223333:role/host'

/** A profile that shows one difference: who its credentials are for each chain, or the status of the run that gets none. */
interface Difference {
  readonly own: string | number
  readonly sdk: string | number
  /** Profile `dev`. */
  prepare(bench: Workbench): Promise<Record<string, string>>
}

async function writeRole(
  bench: Workbench,
  settings: Record<string, string>,
  env = {},
): Promise<Record<string, string>> {
  bench.aws.addRole({ arn: role, trusts: [user, onHost] })
  bench.aws.addInstanceRole({ arn: onHost })
  const dev = { role_arn: role, region, ...settings }
  await bench.write({ config: { 'profile dev': dev }, credentials: { base: keysOf(bench.aws) } })
  return env
}

/** By the name of the row in docs/aws.md. */
const shown: Readonly<Record<string, Difference>> = {
  'a circle of source_profiles with keys in it': {
    own: 3,
    sdk: session,
    prepare: async (bench) => {
      bench.aws.addRole({ arn: role, trusts: [user, role] })
      const dev = { role_arn: role, source_profile: 'other', region, ...keysOf(bench.aws) }
      const other = { role_arn: role, source_profile: 'dev', region }
      await bench.write({ config: { 'profile dev': dev, 'profile other': other } })
      return {}
    },
  },
  'credential_source without role_arn': {
    own: 'arn:aws:sts::111122223333:assumed-role/host',
    sdk: 3,
    prepare: async (bench) => {
      bench.aws.addInstanceRole({ arn: onHost })
      await bench.write({ config: { 'profile dev': { credential_source: 'Ec2InstanceMetadata', region } } })
      return {}
    },
  },
  'the case of credential_source': {
    own: session,
    sdk: 3,
    prepare: (bench) => writeRole(bench, { credential_source: 'ec2instancemetadata' }),
  },
  'duration_seconds outside of 900 to 43200': {
    own: 3,
    sdk: 5,
    prepare: (bench) => writeRole(bench, { source_profile: 'base', duration_seconds: '600' }),
  },
  'AWS_REGION beside the region of a role': {
    own: session,
    sdk: 6,
    prepare: (bench) => writeRole(bench, { source_profile: 'base', region: 'us-west-2' }, { AWS_REGION: region }),
  },
  'sts_regional_endpoints = legacy': {
    own: 6,
    sdk: session,
    prepare: (bench) => writeRole(bench, { source_profile: 'base', sts_regional_endpoints: 'legacy' }),
  },
  'a key in capitals': {
    own: user,
    sdk: 3,
    prepare: async (bench) => {
      const { aws_access_key_id: id, aws_secret_access_key: secret } = keysOf(bench.aws)
      const config = `[profile dev]\nAWS_ACCESS_KEY_ID = ${id}\naws_secret_access_key = ${secret}\nregion = ${region}\n`
      await bench.write({ config })
      return {}
    },
  },
}

test('docs/aws.md, "The AWS SDK", lists the differences that are shown here and that doctor knows', async () => {
  const rows = (await readRows('The AWS SDK')).map(({ name }) => name).toSorted()
  const known = Object.keys(differences).map((name) => name.replaceAll('`', ''))
  expect(rows).toEqual(Object.keys(shown).toSorted())
  expect(rows).toEqual([...known, 'a key in capitals'].toSorted())
})

describe.each(Object.entries(shown))('%s', (_, { own, sdk, prepare }) => {
  test.each([
    ['own', own],
    ['sdk', sdk],
  ])('by --aws-chain %s gives %s', async (chain, expected) => {
    await using bench = await startWorkbench()
    await using route = await startAwsByName(bench)
    const env = await prepare(bench)
    const argv = ['--profile', 'dev', '--aws-chain', chain]
    const outcome = await bench.run({ argv, env: { ...route.environment, ...env } })
    const found = outcome.status === 0 ? findIdentity(bench, readToken(outcome).accessKeyId) : outcome.status
    expect({ found, stderr: outcome.stderr }).toEqual({
      found: expected,
      stderr: typeof expected === 'number' ? expect.stringContaining('aws-bedrock-token: hint:') : '',
    })
  })
})
