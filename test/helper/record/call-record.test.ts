import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { version } from '../../../src/version.ts'
import { readToken } from '../../helpers/aws-bedrock-token/read-token.ts'
import { program, role } from '../../helpers/aws-bedrock-token/workbench.ts'
import { region, startRoleBench } from '../../network/site.ts'

const argv = ['--profile', 'build']

const readLog = async (path: string) =>
  (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('a call is one line: when, why, with which settings, what it waited for, how it ended', async () => {
  await using bench = await startRoleBench()
  const path = join(bench.home, 'calls.log')
  const env = { GATEPASS_LOG_FILE: path, VENDOR_HELPER_CONTEXT: 'background' }
  readToken(await bench.run({ argv, env }))
  const [line] = await readLog(path)
  const number = expect.any(Number)
  expect(line).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    program,
    version,
    process: number,
    context: 'background',
    options: [
      'client-ttl = 3600 (default)',
      'client-timeout = 60 (default)',
      'format = json (default)',
      'cache = disk (default)',
      'renew-early = 25 (default)',
      `log-file = ${path} (variable GATEPASS_LOG_FILE)`,
      'profile = build (argument)',
      'aws-chain = auto (default)',
      'sign-in = auto (default)',
      'service = bedrock (default)',
    ],
    uses: expect.arrayContaining([
      `profile "build": assumes ${role} with`,
      expect.stringMatching(/^profile "dev"/),
      `region ${region}`,
      expect.stringMatching(/^STS at http.*, by AWS_ENDPOINT_URL_STS$/),
    ]),
    source: 'aws-keys',
    entry: expect.stringMatching(/^[0-9a-f]+$/),
    stages: expect.arrayContaining([
      { stage: 'reading the configuration files', ms: number },
      { stage: 'reading the configuration', ms: number },
      { stage: expect.stringMatching(/^AWS STS in .*\(reading the answer of 127\.0\.0\.1:\d+\)$/), ms: number },
      { stage: 'getting a token', ms: number },
    ]),
    served: 'mint',
    warnings: [],
    status: 0,
    ms: number,
  })
})

test.each<[what: string, prepare: (path: string, home: string) => Promise<unknown>, problem: RegExp]>([
  ['is a link', (path) => symlink('/dev/null', path), /calls\.log is a link: name the file itself/],
  ['is a directory', (path) => mkdir(path), /EISDIR at /],
  ['lies below a file', (_path, home) => writeFile(join(home, 'logs'), ''), /(EEXIST|ENOTDIR) at /],
])('a log that %s costs one warning and never the token', async (_, prepare, problem) => {
  await using bench = await startRoleBench()
  const directory = join(bench.home, 'logs')
  const path = join(directory, 'calls.log')
  if (!problem.source.includes('ENOTDIR')) await mkdir(directory, { mode: 0o700 })
  await prepare(path, bench.home)
  const { status, stdout, stderr } = await bench.run({ argv: [...argv, '--log-file', path] })
  expect({ status, hasToken: stdout.includes('bedrock-api-key-') }).toEqual({ status: 0, hasToken: true })
  expect(stderr).toMatch(new RegExp(`^${program}: warning: cannot write the log: .*\\n$`))
  expect(stderr).toMatch(problem)
})
