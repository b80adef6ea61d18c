import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { version } from '../../../src/version.ts'
import { readToken } from '../../helpers/aws-bedrock-token/read-token.ts'
import { program, role } from '../../helpers/aws-bedrock-token/workbench.ts'
import { region, startRoleBench } from '../../network/site.ts'
import { prints } from '../../setup/run-program.ts'
import { toStableText, toStableValue } from '../../setup/to-stable-text.ts'

const argv = ['--profile', 'build']

test('a call is one line with its time, reason, settings, waits and end', async () => {
  await using bench = await startRoleBench()
  const path = join(bench.home, 'calls.log')
  const env = { GATEPASS_LOG_FILE: path, VENDOR_HELPER_CONTEXT: 'background' }
  readToken(await bench.run({ argv, env }))
  const known = { [path]: 'LOG', [bench.home]: 'HOME' }
  const number = expect.any(Number)
  const { process: _, ...line } = JSON.parse(toStableText(await readFile(path, 'utf8'), known))
  expect(line).toEqual({
    time: 'DATE',
    program,
    version,
    context: 'background',
    options: [
      'client-ttl = 3600 (default)',
      'client-timeout = 60 (default)',
      'format = json (default)',
      'cache = disk (default)',
      'renew-early = 25 (default)',
      'log-file = LOG (variable GATEPASS_LOG_FILE)',
      'profile = build (argument)',
      'aws-chain = auto (default)',
      'sign-in = auto (default)',
      'service = bedrock (default)',
    ],
    uses: [
      `profile "build": assumes ${role} with`,
      'profile "dev": access key AKIASTANDIN000000001',
      `region ${region}`,
      ...['STS', 'SSO', 'SSO_OIDC', 'SIGNIN', 'SECRETS_MANAGER', 'SSM'].map(
        (service) => `${service} at http://127.0.0.1:PORT, by AWS_ENDPOINT_URL_${service}`,
      ),
    ],
    source: 'aws-keys',
    entry: expect.any(String),
    stages: expect.arrayContaining([
      { stage: 'reading the configuration files', ms: number },
      { stage: 'reading the configuration', ms: number },
      { stage: `AWS STS in ${region} (reading the answer of 127.0.0.1:PORT)`, ms: number },
      { stage: 'getting a token', ms: number },
    ]),
    served: 'mint',
    warnings: [],
    status: 0,
    ms: number,
  })
})

test.each<[what: string, prepare: (path: string, home: string) => Promise<unknown>, problem: string]>([
  ['is a link', (path) => symlink('/dev/null', path), 'HOME/logs/calls.log is a link: name the file itself'],
  ['is a directory', (path) => mkdir(path), 'EISDIR at HOME/logs/calls.log'],
  ['lies below a file', (_path, home) => writeFile(join(home, 'logs'), ''), 'NO-DIRECTORY at HOME/logs/calls.log'],
])('a log that %s costs one warning and never the token', async (what, prepare, problem) => {
  await using bench = await startRoleBench()
  const directory = join(bench.home, 'logs')
  const path = join(directory, 'calls.log')
  if (what !== 'lies below a file') await mkdir(directory, { mode: 0o700 })
  await prepare(path, bench.home)
  const { status, stdout, stderr } = await bench.run({ argv: [...argv, '--log-file', path] })
  expect(
    toStableValue(
      { status, stdout, stderr: stderr.replace(/EEXIST|ENOTDIR/, 'NO-DIRECTORY') },
      { [bench.home]: 'HOME' },
    ),
  ).toEqual(prints('{"token":"BEDROCK-KEY"}\n', `${program}: warning: cannot write the log: ${problem}\n`))
})
