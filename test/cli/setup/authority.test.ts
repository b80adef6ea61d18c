import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { questions } from '../../../src/cli/setup/questions.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startFront } from '../../stand-ins/front/front.ts'
import { createAuthority, inHours } from '../../stand-ins/tls/certificate.ts'
import { createTestCli, runHere } from '../run-here.ts'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

const authority = createAuthority('Example Corp')
const nobody = { asked: [], left: [] }
const flags = [...toFlags(oktaAnswers), '--systems', 'linux']

/** Writes a file on the administrator's machine, in a folder whose name has a blank. */
async function writePem(text: string): Promise<string> {
  const folder = join(await temporaryDirectory(), 'our files')
  await mkdir(folder)
  const path = join(folder, 'corp root.pem')
  await writeFile(path, text)
  return path
}

/** Writes a folder for the desktops of every system, with our authority in it. */
async function writeFolder() {
  const folder = await nameFolder()
  // OpenSSL writes a line for people above the certificate.
  const file = await writePem(`subject=/CN=Example Corp – \u00e4\n${authority.cert.replaceAll('\n', '\r\n')}`)
  const { status, stderr } = await runSetup(folder, [...toFlags(oktaAnswers), '--management', 'ansible', '--ca', file])
  return { ran: { status, stderr }, read: (path: string) => readFile(join(folder, path), 'utf8') }
}

test('the authority is copied into the folder, where a second run finds it', async () => {
  const { ran, read } = await writeFolder()
  expect({
    ran,
    copy: await read('machine/authority.pem'),
    ofHelper: JSON.parse(await read('machine/oidc-token.json')).ca,
    ofAnswers: JSON.parse(await read('answers.json')).ca,
  }).toEqual({
    ran: { status: 0, stderr: '' },
    copy: authority.cert,
    ofHelper: './authority.pem',
    ofAnswers: 'machine/authority.pem',
  })
})

test('each system puts the authority beside the machine’s file, and the way back removes both', async () => {
  const { read } = await writeFolder()
  const toPlaced = async (system: string, pattern: RegExp) =>
    [...(await read(system)).matchAll(pattern)].map(([, path]) => path!.split(/[/\\]/).slice(0, -1).join('/'))
  const placed = {
    linux: await toPlaced('linux/place-files.sh', /^place '(.*authority\.pem)' <<'END_OF_GATEPASS_FILE'$/gm),
    macos: await toPlaced('macos/place-files.sh', /^place '(.*authority\.pem)' <<'END_OF_GATEPASS_FILE'$/gm),
    windows: await toPlaced('windows/place-files.ps1', /^Set-MachineFile '(.*authority\.pem)' @\(/gm),
    playbook: await toPlaced('linux/playbook.yml', /dest: (.*authority\.pem)$/gm),
    playbookOfMacos: await toPlaced('macos/playbook.yml', /dest: (.*authority\.pem)$/gm),
  }
  const macos = '/Library/Application Support/Gatepass'
  const waysBack = (await read('back.md')).match(/`[^`]*authority\.pem`/g)
  expect({ ...placed, waysBack: waysBack?.length }).toEqual({
    linux: ['/etc/gatepass'],
    macos: [macos],
    windows: ['C:/Program Files/Gatepass'],
    playbook: ['/etc/gatepass'],
    playbookOfMacos: [macos],
    waysBack: 3,
  })
})

test('the script places the authority before the file that names it', async () => {
  const folder = await nameFolder()
  await runSetup(folder, [...flags, '--ca', await writePem(authority.cert)])
  const script = await readFile(join(folder, 'linux/place-files.sh'), 'utf8')
  const [, placed] =
    /^place '\/etc\/gatepass\/authority\.pem' <<'END_OF_GATEPASS_FILE'\n(.*?)END_OF_GATEPASS_FILE$/ms.exec(script)!
  expect({ order: script.match(/authority\.pem|oidc-token\.json/g)?.slice(0, 1), placed }).toEqual({
    order: ['authority.pem'],
    placed: authority.cert,
  })
})

const server = authority.issue({ names: ['proxy.example'] })
const old = authority.issue({ names: ['old.example'], from: inHours(-48), until: inHours(-24) })
const next = authority.issue({ names: ['next.example'], from: inHours(24), until: inHours(48) })
const toDay = (date: Date) => date.toISOString().slice(0, 10)

test.each<[what: string, text: string | undefined, problem: string]>([
  [
    'no file',
    undefined,
    'the file of certificate authorities FILE (--ca) does not exist; correct the path, or put the file there',
  ],
  [
    'DER',
    '\u0000\u0001',
    "FILE (--ca) holds no certificate in PEM form; name a file in PEM form; if this one is in DER, convert it with: openssl x509 -inform der -in 'FILE' -out authority.pem",
  ],
  [
    'half a certificate',
    authority.cert.slice(0, 200),
    "FILE (--ca) holds a certificate that cannot be read; list the certificates up to the broken one with: openssl storeutl -noout -certs 'FILE'",
  ],
  [
    'a private key',
    authority.cert + server.key,
    "FILE holds a private key, which every desktop would get; write its certificates alone into another file: openssl crl2pkcs7 -nocrl -certfile 'FILE' | openssl pkcs7 -print_certs -out authority.pem",
  ],
  [
    'one that has ended',
    authority.cert + old.cert,
    `FILE: the certificate of old.example ended on ${toDay(inHours(-24))}; ask for the one that follows it, or remove it from the file`,
  ],
  [
    'one that has not begun',
    authority.cert + next.cert,
    `FILE: the certificate of next.example begins on ${toDay(inHours(24))}; ask for the one in force, or correct the clock of this machine`,
  ],
  [
    'a server',
    server.cert,
    'FILE holds the certificate of proxy.example, which is a server and no authority; ask for the certificate of the authority that issued it',
  ],
])('refuses %s, and writes nothing', async (_what, text, problem) => {
  const folder = await nameFolder()
  const file = await writePem(text ?? '')
  if (text === undefined) await rm(file)
  const { stderr, ...refused } = await runSetup(folder, [...flags, '--ca', file])
  expect({ ...refused, stderr: stderr.replaceAll(file, 'FILE') }).toEqual({
    status: 2,
    stdout: '',
    ...nobody,
    stderr: `gatepass: --ca cannot be used: ${problem}\ngatepass: hint: correct it; see: gatepass setup --help\n`,
  })
  expect(existsSync(join(folder, 'answers.json'))).toBe(false)
})

/** Writes a folder whose authority came from a file that is gone. */
async function writeLinuxFolder(text = authority.cert) {
  const folder = await nameFolder()
  const file = await writePem(text)
  await runSetup(folder, [...flags, '--ca', file])
  await rm(file)
  return folder
}

const unchanged = { status: 0, stdout: 'Nothing changes in FOLDER.\n', stderr: '', ...nobody }

test('a second run needs the folder alone', async () => {
  expect(await runSetup(await writeLinuxFolder(), [])).toEqual(unchanged)
})

test('another authority is shown as a change until it is written', async () => {
  const folder = await writeLinuxFolder()
  const second = await writePem(createAuthority('Example Corp 2').cert)
  const shown = await runSetup(folder, ['--ca', second])
  const written = await runSetup(folder, ['--ca', second, '--write'])
  expect({
    shown: { status: shown.status, files: shown.stdout.match(/^\w.*$/gm) },
    written: written.status,
    next: await runSetup(folder, []),
  }).toEqual({
    shown: { status: 1, files: ['changes  machine/authority.pem', 'changes  linux/place-files.sh'] },
    written: 0,
    next: unchanged,
  })
})

test('an authority that somebody puts into the folder is taken as the answer', async () => {
  const folder = await writeLinuxFolder(createAuthority('Example Corp 2').cert)
  await writeFile(join(folder, 'machine/authority.pem'), authority.cert)
  expect(await runSetup(folder, ['--write'])).toEqual({
    status: 0,
    stderr: '',
    ...nobody,
    stdout: 'changes  linux/place-files.sh\nWrote 1 change in FOLDER.\n',
  })
})

test('without an authority, its file goes and everything that names it changes', async () => {
  const folder = await writeLinuxFolder()
  expect((await runSetup(folder, ['--ca', 'none', '--write'])).stdout.match(/^(removed|changes) .*$/gm)).toEqual([
    'changes  README.md',
    ...[
      'changes  machine/oidc-token.json',
      'changes  linux/place-files.sh',
      'changes  linux/detection.sh',
      'changes  back.md',
      'changes  answers.json',
    ],
    'removed  machine/authority.pem',
  ])
})

test('where the client itself signs people in, no script places the authority', async () => {
  const folder = await nameFolder()
  const own = ['--identity', 'external-idp', '--ca', await writePem(authority.cert)]
  const { stdout: changes, ...done } = await runSetup(folder, [...flags, ...own])
  const paths = ['README.md', 'linux/place-files.sh'].map((path) =>
    readFile(join(folder, path), 'utf8').catch(() => ''),
  )
  const [readme, script] = await Promise.all(paths)
  expect({
    done,
    rows: readme!.match(/^.*authority\.pem.*$/gm),
    script: script!.match(/authority/g),
  }).toEqual({
    done: { status: 0, stderr: '', asked: [], left: [] },
    rows: [
      '| `machine/authority.pem` | the authority of your network, for `gatepass setup try`; the client trusts those of the system, so put it into the store of each desktop |',
    ],
    script: null,
  })
})

test('the question accepts a path with ~, and is repeated until the file is good', async () => {
  const folder = await nameFolder()
  const file = await writePem(authority.cert)
  const rest = ['--proxy', 'http://proxy.example:3128']
  const answers = ['~/corp.pem', file, ...Array(20).fill('')]
  const { status, stderr, asked } = await runSetup(folder, [...flags, ...rest], answers)
  expect({ status, asked: asked.slice(0, 2), told: stderr.split('\n')[0] }).toEqual({
    status: 0,
    asked: Array(2).fill(
      'PEM file on this machine with your own certificate authority, such as that of a proxy that opens TLS? [none] ',
    ),
    told: '  the file of certificate authorities /nowhere/corp.pem (--ca) does not exist; correct the path, or put the file there',
  })
})

test('the gateway that was not trusted is tried again with the authority', async () => {
  await using gateway = await startFront('http://127.0.0.1:9', authority.issue({ names: ['127.0.0.1'] }))
  gateway.behave({ status: 401 })
  const { cli } = await createTestCli([])
  const question = questions.find(({ name }) => name === 'ca')!
  const examine = async (text: string, isUntrusted: boolean) => {
    const ca = await writePem(text)
    const answers = { 'base-url': gateway.url, ca }
    return question.examine!(ca, { cli, answers, isUntrusted })
  }
  const other = await examine(createAuthority('Another').cert, true)
  expect({
    right: await examine(authority.cert, true),
    other: { ...other, lines: other.lines.map((line) => line.split(': ')[0]) },
    trusted: await examine(authority.cert, false),
  }).toEqual({
    right: { lines: [`${gateway.url}/ answers 401 to a request without a token, as it should`] },
    other: {
      lines: [
        `${gateway.url}/ was tried`,
        "if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS",
      ],
      trouble: 'wrong',
    },
    trusted: { lines: [] },
  })
})

test('setup try trusts the authority of the folder', async () => {
  await using gateway = await startFront('http://127.0.0.1:9', authority.issue({ names: ['127.0.0.1'] }))
  gateway.behave({ status: 401 })
  const folder = await nameFolder()
  const key = join(await temporaryDirectory(), 'key')
  await writeFile(key, 'sk-1234567890abcdef')
  const own = toFlags({ client: 'in-force', 'base-url': gateway.url, identity: 'static', 'api-key-file': key })
  await runSetup(folder, [...own, '--systems', 'linux', '--ca', await writePem(authority.cert)])
  const { stdout, ...trial } = await runHere(['setup', 'try', folder, '--yes'])
  expect({ ...trial, answers: stdout.match(/HTTP \d+/g) }).toEqual({
    status: 1,
    stderr: `This sends to:  ${gateway.url}/\n`,
    answers: ['HTTP 401'],
  })
})

test('setup try says where a kept file names an authority that is not here', async () => {
  const folder = await nameFolder()
  await runSetup(folder, [...flags, '--ca', await writePem(authority.cert)])
  const file = join(folder, 'machine/oidc-token.json')
  await writeFile(file, (await readFile(file, 'utf8')).replace('./authority.pem', '/none/corp.pem'))
  const { stderr } = await runHere(['setup', 'try', folder, '--helper', '/none/helper'])
  expect(stderr.replaceAll(folder, 'FOLDER').split('\n').slice(0, 2)).toEqual([
    'gatepass: warning: FOLDER/machine/oidc-token.json names /none/corp.pem, which this machine does not have, so that the trial does not trust it',
    "gatepass: hint: have setup hand the file out: gatepass setup 'FOLDER' --write --ca FILE",
  ])
})

test.runIf(process.platform !== 'win32')('setup try trusts what the machine’s file of the folder names', async () => {
  await using gateway = await startFront('http://127.0.0.1:9', authority.issue({ names: ['127.0.0.1'] }))
  gateway.behave({ status: 401 })
  const folder = await nameFolder()
  const helper = join(await temporaryDirectory(), 'helper')
  await writeFile(helper, '#!/bin/sh\necho a-token-of-a-person\n', { mode: 0o755 })
  await runSetup(folder, [...flags, '--base-url', gateway.url, '--ca', await writePem(authority.cert)])
  const { status, stdout } = await runHere(['setup', 'try', folder, '--helper', helper, '--yes'])
  expect({ status, answers: stdout.match(/HTTP \d+/g) }).toEqual({ status: 1, answers: ['HTTP 401'] })
})
