import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { fails } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { toStableText } from '../../setup/to-stable-text.ts'
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

/** Prepares a folder with a document for the suite's helper, and a gateway that refuses it with all that it was sent. */
async function prepare(helper = 'aws-bedrock-token') {
  const cwd = await temporaryDirectory()
  const url = await startServer((request, response) => response.writeHead(401).end(JSON.stringify(request.headers)))
  const command = join(cwd, helper)
  await symlink(toBundlePath('aws-bedrock-token'), command)
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

const titles = [
  ...['gatepass doctor', 'System', 'Settings of the document', 'Files', 'Variables that are set'],
  ...['Network of this command', 'The helper explains itself', 'Examination'],
]

const announced = `\
This runs:      "TEMPORARY/aws-bedrock-token" --region us-east-1 --header "X-Auth: [secret]"
and asks:       AWS again, with the helper's own chain and with the AWS SDK's, and AWS STS, which says whose credentials each of them found
and sends to:   http://127.0.0.1:PORT/?…
gatepass: the names in force are neutral: a file that is made with them reaches no client as it is
gatepass: hint: name your client in a vendor file; see: gatepass vendor --help
`

/** Reads the sections of a report by their titles, in words for what changes. */
function readSections(report: string): Record<string, string> {
  const parts = toStableText(report).split(/^(?=(?:gatepass|[A-Z])[\w ]+$)/m)
  return Object.fromEntries(parts.map((part) => [part.split('\n', 1)[0], part.slice(part.indexOf('\n') + 1)]))
}

test('one file holds what a support ticket needs, without secrets', async () => {
  const { run, report } = await prepare()
  const { status, stderr, stdout } = await run('doc.json', '--yes', '--report', 'report.txt')
  const text = await readFile(report, 'utf8')
  const { 'gatepass doctor': heading, System, Files, ...sections } = readSections(text)
  expect({
    run: { status, stderr: toStableText(stderr) },
    titles: Object.keys(readSections(text)),
    sections,
    heading,
    System,
    files: Files?.split('\n').slice(2),
    secrets: text.match(/canary/g),
    mode: (await stat(report)).mode & 0o777,
  }).toEqual({
    run: { status: 1, stderr: `${announced}The report is in report.txt: read it before you send it.\n` },
    titles,
    sections: {
      'Settings of the document': `\
  inference.provider = gateway
  inference.baseUrl = http://127.0.0.1:PORT/?…
  inference.customHeaders = x-tenant: ***
  inference.credential.kind = helper-script
  inference.credential.command = TEMPORARY/aws-bedrock-token
  inference.credential.args = --region us-east-1 --header X-Auth: [secret]
  inference.credential.ttlSec = 3600

`,
      'Variables that are set':
        '  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, HOME, HTTPS_PROXY, LC_ALL, PATH, VENDOR_API_KEY, VENDOR_HELPER_CONTEXT, VENDOR_HELPER_MANUAL_RUN\n\n',
      'Network of this command': `\
  127.0.0.1:PORT is reached without a proxy
  proxy = http://…@127.0.0.1:PORT (variable HTTPS_PROXY)
  certificates are verified: on

`,
      'The helper explains itself': `\
  exit status 0
  | context
  |   setup-test (VENDOR_HELPER_CONTEXT is "setup-test"); nobody is asked
  |   ends by itself after N s
  | options
  |   client-ttl = 3600 (default)
  |   client-timeout = 60 (default)
  |   header = 1 given (argument)
  |   format = json (default)
  |   cache = disk (default)
  |   renew-early = 25 (default)
  |   proxy = http://[secret]@127.0.0.1:PORT (variable HTTPS_PROXY)
  |   explain = true (argument)
  |   region = us-east-1 (argument)
  |   aws-chain = auto (default)
  |   sign-in = auto (default)
  |   service = bedrock (default)
  | uses
  |   environment: access key [secret]
  |   region us-east-1
  | token
  |   from cache
  |   lives N s, until DATE
  |   region: us-east-1
  | headers
  |   X-Auth
  | cache
  |   TEMPORARY/.cache/gatepass/aws-bedrock-token-KEY.json
  |   renewed from DATE on, N min early on this machine

`,
      Examination: toStableText(stdout),
    },
    heading: '  DATE\n  of doc.json\n\n',
    System: expect.stringMatching(/^ {2}gatepass .*\n {2}linux .*\n {2}time zone .*\n\n$/),
    files: [
      '  TEMPORARY/.config/gatepass/gatepass.json: not there',
      '  /etc/gatepass/gatepass.json: not there',
      '  TEMPORARY/.config/gatepass/aws-bedrock-token.json: not there',
      '  /etc/gatepass/aws-bedrock-token.json: not there',
      '  TEMPORARY/.aws/config: not there',
      '  TEMPORARY/.aws/credentials: not there',
      '',
      '',
    ],
    secrets: null,
    mode: 0o600,
  })
})

test('an existing file is replaced only with --force', async () => {
  const { run, report } = await prepare()
  await writeFile(report, 'mine', { mode: 0o644 })
  const refused = await run('doc.json', '--yes', '--report', 'report.txt')
  const kept = await readFile(report, 'utf8')
  const { status, stderr } = await run('doc.json', '--yes', '--report', 'report.txt', '--force')
  const replaced = {
    status,
    stderr: toStableText(stderr),
    titles: Object.keys(readSections(await readFile(report, 'utf8'))),
  }
  expect({ refused, kept, replaced, mode: (await stat(report)).mode & 0o777 }).toEqual({
    refused: fails('gatepass', 5, 'report.txt exists already', 'name another file, or pass --force'),
    kept: 'mine',
    replaced: {
      status: 1,
      stderr: `${announced}The report is in report.txt: read it before you send it.\n`,
      titles,
    },
    mode: 0o600,
  })
})

test('a file that cannot be written is reported after the examination', async () => {
  const { run } = await prepare()
  const { status, stdout, stderr } = await run('doc.json', '--yes', '--report', 'doc.json/report.txt')
  expect({ status, verdict: stdout.split('\n').at(-2), stderr: toStableText(stderr) }).toEqual({
    status: 5,
    verdict: 'A turn fails.',
    stderr: `${announced}gatepass: doc.json/report.txt cannot be written (ENOTDIR)
gatepass: hint: name another file with --report
`,
  })
})

test.each<[what: string, words: string[], said: string]>([
  ['a document that does not work', ['broken.json', '--yes'], '  it was not run: an earlier part failed\n'],
  ['a document that cannot be read', ['nowhere.json', '--yes'], '  the document names none\n'],
])('no helper is run for %s', async (_what, words, said) => {
  const { cwd, run, report } = await prepare()
  const credential = { kind: 'helper-script', command: '/nowhere/aws-bedrock-token' }
  await writeFile(join(cwd, 'broken.json'), JSON.stringify({ inference: { provider: 'gateway', credential } }))
  await run(...words, '--report', 'report.txt')
  expect(readSections(await readFile(report, 'utf8'))['The helper explains itself']).toBe(`${said}\n`)
})

test('a helper of another suite is not asked to explain itself', async () => {
  const { run, report } = await prepare('their-helper')
  await run('doc.json', '--yes', '--report', 'report.txt')
  expect(readSections(await readFile(report, 'utf8'))['The helper explains itself']).toBe(
    '  it does not belong to this suite, so it was not asked\n\n',
  )
})

test('--force without --report is refused', async () => {
  const { run } = await prepare()
  expect(await run('doc.json', '--yes', '--force')).toEqual(
    fails('gatepass', 2, '--force is for the file of --report', 'name that file with --report, or remove --force'),
  )
})
