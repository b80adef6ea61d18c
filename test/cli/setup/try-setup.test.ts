import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { examineGateway, examineIssuer, type TriedAddress } from '../../../src/cli/setup/examine-addresses.ts'
import { type ObservedCredential, playWorkingDay } from '../../../src/cli/setup/play-day.ts'
import { resolveTried } from '../../../src/cli/setup/try-setup.ts'
import { createDocument } from '../../../src/config/render/create-document.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { fails } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { createTestCli, runHere } from '../run-here.ts'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

test('refuses a missing helper', async () => {
  const folder = await nameFolder()
  await runSetup(folder, toFlags(oktaAnswers))
  expect(await runHere(['setup', 'try', folder, '--helper', '/nonexistent/helper'])).toEqual(
    fails(
      'gatepass',
      2,
      'there is no helper /nonexistent/helper on this machine',
      'install it as packages.md says, or name it with --helper',
    ),
  )
})

test('refuses an option of setup', async () => {
  const folder = await nameFolder()
  expect(await runHere(['setup', 'try', folder, '--ttl', '5'])).toEqual(
    fails('gatepass', 2, '--ttl is an option of setup, not of its trial', 'remove it'),
  )
})

test.each([
  ['linux', 'oidc-token.cjs', true],
  ['win32', 'oidc-token.exe', true],
  ['win32', 'oidc-token.cjs', false], // a system without file modes starts no bundle by itself
] as const)('on %s, %s beside this program is the helper: %s', async (platform, name, isHelper) => {
  const root = await temporaryDirectory()
  await writeFile(join(root, name), '#!/usr/bin/env node\n', { mode: 0o755 })
  startFrom(join(root, 'gatepass.cjs'))
  const credential = { kind: 'helper-script', command: '/none/oidc-token', ttlSec: 240 } as const
  const tried = resolveTried({ env: { PATH: '/none' }, platform }, credential, undefined, ['oidc-token'])
  const found = await tried.then(
    ({ command }) => command,
    ({ message }) => message,
  )
  expect(found).toBe(isHelper ? join(root, name) : 'there is no helper /none/oidc-token on this machine')
})

/** Lets this process look as if this program had started it, until the test ends. */
function startFrom(program: string): void {
  const { argv } = process
  process.argv = [argv[0]!, program]
  onTestFinished(() => {
    process.argv = argv
  })
}

/** A place where a helper is present. */
type HelperPlace = 'option' | 'document' | 'beside' | 'path'

// Each place counts before those of the rows below it.
test.each<[what: HelperPlace, present: readonly HelperPlace[]]>([
  ['option', ['option', 'document', 'beside', 'path']],
  ['document', ['document', 'beside', 'path']],
  ['beside', ['beside', 'path']],
  ['path', ['path']],
])('the helper that is tried comes from: %s', async (what, present) => {
  const root = await temporaryDirectory()
  const toPath = (place: HelperPlace) => join(root, place, 'oidc-token')
  for (const place of present) {
    await mkdir(join(root, place))
    await writeFile(toPath(place), '#!/bin/sh\n', { mode: 0o755 })
  }
  startFrom(join(root, 'beside', 'gatepass'))
  const credential = { kind: 'helper-script', command: toPath('document'), ttlSec: 240 } as const
  const given = present.includes('option') ? toPath('option') : undefined
  const host = { env: { PATH: join(root, 'path') }, platform: 'linux' } as const
  expect(await resolveTried(host, credential, given, ['oidc-token'])).toEqual({ ...credential, command: toPath(what) })
})

test.each([
  [401, undefined, undefined, ', as it should'],
  [200, undefined, undefined, ': it lets anybody pass'],
  [302, 'https://login.example.com/', 'wrong', ', with a redirect to https://login.example.com/'],
  [404, undefined, 'wrong', ': there is no /v1/messages below this address'],
  [403, undefined, undefined, '; a gateway that asks for one answers 401'],
] as const)('a gateway that answers %s without a token is described', async (status, location, trouble, remark) => {
  const server = createServer((_, answer) => answer.writeHead(status, location && { location }).end())
  const address = `http://127.0.0.1:${await listenDuringTest(server)}`
  const { cli } = await createTestCli([])
  const { lines, trouble: found } = await examineGateway(cli.host, {}, address)
  expect([found, lines[0]]).toEqual([trouble, `${address}/ answers ${status} to a request without a token${remark}`])
})

test.each(['http://127.0.0.1:9', 'http://no-proxy.invalid:3128'])(
  'the lines report that the proxy %s is out of reach',
  async (proxy) => {
    const { cli } = await createTestCli([])
    const address = 'https://gateway.example.com'
    const gateway = await examineGateway(cli.host, { proxy }, address)
    const issuer = await examineIssuer(cli.host, { proxy }, address)
    // The code depends on the name service of the machine.
    const hide = ({ lines, ...sight }: TriedAddress) => ({
      ...sight,
      lines: lines.map((line) => line.replace(/ \(E\w+\)/, '')),
    })
    const hint = "check the network, the VPN and the proxy's address (--proxy)"
    expect([gateway, issuer].map(hide)).toEqual([
      { lines: [`${address}/ was tried: the proxy ${proxy} cannot be reached`, hint], trouble: 'unreached' },
      { lines: [`the proxy ${proxy} cannot be reached`, hint], trouble: 'unreached' },
    ])
  },
)

const document = createDocument({ baseUrl: 'https://gateway.example.com', command: '/opt/gatepass/x', ttlSec: 240 })

const often = ['09:00', '10:00', '11:00', '13:00', '14:00', '15:00', '16:00']

test.each<[string, ObservedCredential, object]>([
  [
    'renewed by itself',
    { lifeSec: 3600, isRenewable: true, renewalMs: 1 },
    { askedAt: ['09:00'], waits: 9, lost: 0, refusal: 'rescued' },
  ],
  [
    'never renewed',
    { lifeSec: 3600, isRenewable: false, renewalMs: 1 },
    { askedAt: often, waits: 0, lost: 6, refusal: 'asks' },
  ],
])('a day with tokens that are %s is described', async (_what, observed, expected) => {
  const day = await playWorkingDay({ env: {}, platform: 'linux' }, document, observed)
  const askedAt = day.askedAt.map((at) => new Date(at).toISOString().slice(11, 16))
  expect({ ...day, askedAt }).toEqual({ turns: 84, ...expected })
})
