import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundlePath } from '../../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { runOnPath } from '../run-gatepass.ts'
import { startServer } from '../start-server.ts'

const canary = 'canary-7f3a91c2d4'
const env = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: canary,
  HTTPS_PROXY: `http://user:${canary}@127.0.0.1:9`,
  VENDOR_API_KEY: canary,
}

/** Short, so that no pattern of long words finds them. */
const secretArgs = ['--header', 'X-Auth: canary-1']

/** A folder with a document for the suite's helper, and a gateway that refuses it with all that it was sent. */
async function prepare(helper = 'aws-bedrock-token') {
  const cwd = await temporaryDirectory()
  const url = await startServer((request, response) => response.writeHead(401).end(JSON.stringify(request.headers)))
  const command = join(cwd, helper)
  await symlink(bundlePath('aws-bedrock-token'), command)
  const credential = { kind: 'helper-script', command, args: ['--region', 'us-east-1', ...secretArgs], ttlSec: 3600 }
  const inference = {
    provider: 'gateway',
    baseUrl: `${url}/?key=${canary}`,
    customHeaders: { 'x-tenant': canary },
    credential,
  }
  await writeFile(join(cwd, 'doc.json'), JSON.stringify({ inference }))
  const run = (...words: string[]) => runOnPath('sh', ['-c', 'exec gatepass doctor "$@"', 'sh', ...words], { cwd, env })
  return { cwd, run, report: join(cwd, 'report.txt') }
}

const titlesOf = (text: string) => text.match(/^(gatepass|[A-Z])[\w ]+$/gm)

test('one file holds what a support ticket needs, without secrets, for its owner alone', async () => {
  const { cwd, run, report } = await prepare()
  const { status, stderr, stdout } = await run('doc.json', '--yes', '--report', 'report.txt')
  expect({ status, last: stderr.split('\n').at(-2) }).toEqual({
    status: 1,
    last: 'The report is in report.txt: read it before you send it.',
  })
  const text = await readFile(report, 'utf8')
  expect(titlesOf(text)).toEqual([
    ...['gatepass doctor', 'System', 'Settings of the document', 'Files', 'Variables that are set'],
    ...['Network of this command', 'The helper explains itself', 'Examination'],
  ])
  for (const line of [
    '  inference.credential.ttlSec = 3600\n',
    '  inference.customHeaders = x-tenant: ***\n',
    `  ${cwd}/.config/gatepass/aws-bedrock-token.json: not there\n`,
    '  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ',
    '  is reached without a proxy'.trim(),
    '  proxy = http://…@127.0.0.1:9 (variable HTTPS_PROXY)\n',
    '  |   region = us-east-1 (argument)\n',
    stdout,
  ])
    expect(text).toContain(line)
  expect(text).not.toContain('canary')
  expect((await stat(report)).mode & 0o777).toBe(0o600)
})

test('an existing file is replaced with --force only, and nothing is run before', async () => {
  const { run, report } = await prepare()
  await writeFile(report, 'mine', { mode: 0o644 })
  expect(await run('doc.json', '--yes', '--report', 'report.txt')).toEqual({
    status: 5,
    stdout: '',
    stderr: 'gatepass: report.txt exists already\ngatepass: hint: name another file, or pass --force\n',
  })
  expect(await readFile(report, 'utf8')).toBe('mine')
  expect((await run('doc.json', '--yes', '--report', 'report.txt', '--force')).status).toBe(1)
  expect(await readFile(report, 'utf8')).toMatch(/^gatepass doctor\n/)
  expect((await stat(report)).mode & 0o777).toBe(0o600)
})

test('a file that cannot be written is said after the examination', async () => {
  const { run } = await prepare()
  const { status, stdout, stderr } = await run('doc.json', '--yes', '--report', 'doc.json/report.txt')
  expect({ status, stdout, stderr }).toEqual({
    status: 5,
    stdout: expect.stringMatching(/A turn fails\.\n$/),
    stderr: expect.stringMatching(
      /gatepass: doc\.json\/report\.txt cannot be written \(ENOTDIR\)\ngatepass: hint: name another/,
    ),
  })
})

test.each<[what: string, words: string[], said: string]>([
  ['a document that does not work', ['broken.json', '--yes'], '  it was not run: an earlier part failed\n'],
  ['a document that cannot be read', ['nowhere.json', '--yes'], '  the document names none\n'],
])('of %s no helper is run', async (_what, words, said) => {
  const { cwd, run, report } = await prepare()
  const credential = { kind: 'helper-script', command: '/nowhere/aws-bedrock-token' }
  await writeFile(join(cwd, 'broken.json'), JSON.stringify({ inference: { provider: 'gateway', credential } }))
  await run(...words, '--report', 'report.txt')
  expect(await readFile(report, 'utf8')).toContain(`The helper explains itself\n${said}`)
})

test('a helper of somebody else is not asked to explain itself', async () => {
  const { run, report } = await prepare('their-helper')
  await run('doc.json', '--yes', '--report', 'report.txt')
  expect(await readFile(report, 'utf8')).toContain('  it does not belong to this suite, so it was not asked\n')
})

test('--force without --report is refused', async () => {
  const { run } = await prepare()
  expect(await run('doc.json', '--yes', '--force')).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'gatepass: --force is for the file of --report\ngatepass: hint: name that file with --report, or remove --force\n',
  })
})
