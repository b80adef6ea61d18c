import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundlePath, helperNames } from '../../../pkg-scripts/tree.ts'
import { checkHelper } from '../../../src/client/check/check-helper.ts'
import { startWorkbench } from '../../helpers/workload-token/workbench.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { writeAwsDirectory } from '../../stand-ins/aws/aws-directory.ts'
import { startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'
import { audience } from '../../stand-ins/identity/identity-provider.ts'
import { outcomeOf } from './gallery.ts'

type Environment = Readonly<Record<string, string>>

/** What each helper needs to have a token, as an environment that stands until it is disposed of. */
const worlds: Readonly<Record<string, (home: string) => Promise<AsyncDisposable & { readonly env: Environment }>>> = {
  'aws-bedrock-token': startRoleWorld,
  'workload-token': startWorkloadWorld,
}

test('every helper has a world to be checked in', () => {
  expect(Object.keys(worlds)).toEqual(helperNames())
})

describe('a helper of ours, as it is built, keeps every rule:', () => {
  test.each(Object.entries(worlds))('%s', async (name, startWorld) => {
    const home = await temporaryDirectory()
    await using world = await startWorld(home)
    const env = { HOME: home, PATH: '/usr/bin:/bin', ...world.env }
    const command = await writeLauncher(home, name)
    const report = await checkHelper({ command, env, platform: process.platform, timeoutSec: 8 })
    expect(outcomeOf(report), JSON.stringify(report.verdicts, undefined, 1)).toEqual({ fails: [], warns: [] })
  })
})

/** What an installation gives a helper: its name, and a runtime that needs no PATH. */
async function writeLauncher(home: string, name: string): Promise<string> {
  const path = join(home, name)
  await writeFile(path, `#!/bin/sh\nexec '${process.execPath}' '${bundlePath(name)}' "$@"\n`, { mode: 0o755 })
  return path
}

/** A profile with a role. */
async function startRoleWorld(home: string) {
  const aws = await startAwsStandIn()
  const role = 'arn:aws:iam::123456789012:role/inference'
  const { accessKeyId, secretAccessKey } = aws.addAccessKey({ arn: 'arn:aws:iam::123456789012:user/dana' })
  aws.addRole({ arn: role })
  const { environment } = await writeAwsDirectory(home, {
    config: { 'profile team': { region: 'eu-central-1', role_arn: role, source_profile: 'dana' } },
    credentials: { dana: { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } },
  })
  const env = { ...environment, ...aws.environment, AWS_PROFILE: 'team' }
  return { env, [Symbol.asyncDispose]: () => aws[Symbol.asyncDispose]() }
}

/** A platform that trusts an identity provider, whose tokens a metadata service hands out. */
async function startWorkloadWorld() {
  const runner = await startWorkbench()
  const { url, seed, rule } = runner.platform
  const env = {
    GATEPASS_BASE_URL: url,
    GATEPASS_ORGANIZATION: seed.organization,
    GATEPASS_FEDERATION_RULE: rule,
    GATEPASS_IDENTITY: 'google',
    GATEPASS_AUDIENCE: audience,
    ...runner.services.environment('google'),
  }
  return { env, [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose]() }
}
