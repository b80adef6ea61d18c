import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { writeProgram } from './credential-program.ts'
import { expectToken, readToken } from './read-token.ts'
import { startWorkbench, user } from './workbench.ts'

const region = 'eu-central-1'
const argv = ['--profile', 'dev']

/** Starts a program that prints a user's keys, with the settings of a profile that runs it. */
async function startWithProgram(render: (path: string) => string) {
  const bench = await startWorkbench()
  const { accessKeyId, secretAccessKey } = bench.aws.addAccessKey({ arn: user })
  const document = { Version: 1, AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey }
  const path = await writeProgram(join(bench.home, 'my tools', 'print-keys'), `echo '${JSON.stringify(document)}'`)
  await bench.write({ config: { 'profile dev': { credential_process: render(path), region } } })
  return { bench, accessKeyId, path }
}

test('a credential_process is run by its path, spaces and arguments included', async () => {
  const { bench, accessKeyId } = await startWithProgram((path) => `"${path}" --for 'a b'`)
  await using _ = bench
  expectToken(await bench.run({ argv }), bench.aws, accessKeyId)
})

test('a credential_process is found on the PATH of --path, which a client started from a dock does not have', async () => {
  const { bench, accessKeyId, path } = await startWithProgram(() => 'print-keys')
  await using _ = bench
  const directory = join(path, '..')
  expectToken(
    await bench.run({ argv: [...argv, '--path', directory], env: { PATH: '/usr/bin:/bin' } }),
    bench.aws,
    accessKeyId,
  )
  expect(await bench.run({ argv, env: { PATH: '/usr/bin:/bin' } })).toEqual({
    status: 3,
    stdout: '',
    stderr: `aws-bedrock-token: the credential_process of profile "dev" was not found (print-keys), or a program that it runs was not
aws-bedrock-token: hint: write the absolute path of the program into the profile, or set --path to the directories to look in
`,
  })
})

test('a credential_process has the environment of the client', async () => {
  await using bench = await startWorkbench()
  const {
    accessKeyId,
    secretAccessKey,
    sessionToken = '',
  } = bench.aws.addAccessKey({ arn: user, sessionToken: 'canary+/=' })
  const document = `{"Version":1,"AccessKeyId":"'$ID'","SecretAccessKey":"'$SECRET'","SessionToken":"${sessionToken}","Expiration":"2099-01-01T00:00:00Z"}`
  const path = await writeProgram(join(bench.home, 'print-keys'), `echo '${document}'`)
  await bench.write({ config: { 'profile dev': { credential_process: `"${path}"`, region } } })
  const outcome = await bench.run({ argv, env: { ID: accessKeyId, SECRET: secretAccessKey } })
  expectToken(outcome, bench.aws, accessKeyId)
})

test('the keys of a credential_process are kept for its program, its account, and its file', async () => {
  const { bench, path } = await startWithProgram(() => 'print-keys')
  await using _ = bench
  await writeProgram(path, `printf x >>"$HOME/runs"; ${(await readFile(path, 'utf8')).split('\n')[1]}`)
  const directory = join(path, '..')
  const countRuns = async (env: Readonly<Record<string, string>>, ...options: readonly string[]) => {
    const PATH = `${directory}:/usr/bin:/bin`
    const outcome = await bench.run({ argv: [...argv, ...options], env: { PATH, ...env } })
    expect(toStableValue(outcome)).toEqual({ status: 0, stdout: '{"token":"BEDROCK-KEY"}\n', stderr: '' })
    return (await readFile(join(bench.home, 'runs'), 'utf8')).length
  }
  const first = await countRuns({})
  const other = {
    agent: await countRuns({ PATH: `/tmp/agent-2:${directory}:/usr/bin:/bin`, AGENT_SOCKET: '/tmp/2' }),
    account: await countRuns({ OP_ACCOUNT: 'work' }),
    option: await countRuns({}, '--watch', '~/account'),
  }
  await bench.write({ config: { 'profile dev': { credential_process: 'print-keys', region } } })
  await writeFile(join(bench.home, 'account'), 'another')
  const changed = await countRuns({}, '--watch', '~/account')
  expect({ first, other, changed }).toEqual({ first: 1, other: { agent: 1, account: 2, option: 3 }, changed: 4 })
})

test('the stderr of a credential_process that succeeds is ignored', async () => {
  await using bench = await startWorkbench()
  const { accessKeyId, secretAccessKey } = bench.aws.addAccessKey({ arn: user })
  const document = { Version: 1, AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey }
  const path = await writeProgram(join(bench.home, 'noisy'), `echo 'canary' >&2\necho '${JSON.stringify(document)}'`)
  await bench.write({ config: { 'profile dev': { credential_process: `"${path}"`, region } } })
  expect(readToken(await bench.run({ argv })).accessKeyId).toBe(accessKeyId)
})
