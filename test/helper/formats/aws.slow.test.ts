import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { quoteForShell } from '../../../src/runtime/text/quote.ts'
import { findAwsCli } from '../../aws-parity/aws-cli.ts'
import { failure, keysOf, role, startWorkbench, user } from '../../helpers/aws-bedrock-token/workbench.ts'
import { prints } from '../../setup/run-program.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { runClient } from './start-consumer.ts'

const region = 'eu-central-1'

/** Renders a helper as the `credential_process` of a profile; the AWS tools split the line into words as a shell does. */
function renderProcess(...argv: string[]): string {
  return quoteForShell([process.execPath, toBundlePath('aws-bedrock-token'), '--format', 'credential-process', ...argv])
}

/** Prepares a home where profile `build` assumes a role, and profile `tools` takes its credentials from the helper. */
async function startTools(process: string) {
  const bench = await startWorkbench()
  const keys = keysOf(bench.aws)
  bench.aws.addRole({ arn: role, trusts: [user] })
  await bench.write({
    config: {
      'profile build': { region, role_arn: role, source_profile: 'dev' },
      'profile tools': { region, credential_process: process },
    },
    credentials: { dev: keys },
  })
  const cli = await findAwsCli()
  const env = { ...bench.environment, HOME: bench.home }
  // Version 2.9 knows no variable for the address.
  const address = ['--endpoint-url', bench.aws.environment.AWS_ENDPOINT_URL_STS ?? '', '--profile', 'tools']
  const aws = (...argv: string[]) => runClient(cli?.program ?? 'no aws', [...address, ...argv], env)
  return { bench, aws }
}

test('the AWS CLI uses the credentials of a role, and its next command gets them from the cache', async () => {
  const { bench, aws } = await startTools(renderProcess('--profile', 'build'))
  await using _ = bench
  const identity = ['sts', 'get-caller-identity', '--query', 'Arn', '--output', 'text']
  const outcome = prints('arn:aws:sts::444455556666:assumed-role/build/gatepass-N\n')
  const ask = async () => {
    const { stdout, ...rest } = await aws(...identity)
    return { ...rest, stdout: stdout.replace(/\d+\n$/, 'N\n') }
  }
  expect([await ask(), await ask()]).toEqual([outcome, outcome])
  expect(bench.asked()).toEqual(['AssumeRole', 'GetCallerIdentity', 'GetCallerIdentity'])
  const files = await readdir(join(bench.home, '.cache', 'gatepass'))
  expect(files.filter((name) => name.endsWith('.json'))).toHaveLength(1)
})

const ownProcess =
  'the credential_process of profile "tools" is a credential helper, which would ask that profile again'
const ownHint = 'give profile "tools" a credential_process that prints AWS credentials, or another kind of credentials'

test('a helper that is the credential_process of its own profile refuses to ask that profile', async () => {
  const { bench } = await startTools(renderProcess('--profile', 'tools'))
  await using _ = bench
  const outcome = await bench.run({ argv: ['--profile', 'tools', '--format', 'credential-process'] })
  expect({ outcome, asked: bench.asked() }).toEqual({ outcome: failure(3, ownProcess, ownHint), asked: [] })
})

test('the AWS CLI ends with the message of a helper that is the credential_process of its own profile', async () => {
  const { bench, aws } = await startTools(renderProcess('--profile', 'tools'))
  await using _ = bench
  const { status, stdout, stderr } = await aws('sts', 'get-caller-identity')
  // The status, and the words around those of the helper, depend on the version of the AWS CLI.
  const said = stderr.slice(stderr.indexOf('aws-bedrock-token: ')).trimEnd()
  expect({ isRefused: status !== 0, stdout, said, asked: bench.asked() }).toEqual({
    isRefused: true,
    stdout: '',
    said: `aws-bedrock-token: ${ownProcess}\naws-bedrock-token: hint: ${ownHint}`,
    asked: [],
  })
})

test('a helper whose profile takes its credentials from another helper gets them', async () => {
  const { bench } = await startTools(renderProcess('--profile', 'build'))
  await using _ = bench
  expect(toStableValue(await bench.run({ argv: ['--profile', 'tools'] }))).toEqual(prints('{"token":"BEDROCK-KEY"}\n'))
  expect(bench.asked()).toEqual(['AssumeRole'])
})
