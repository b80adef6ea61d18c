import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { type SeededTokens, seedSignIn, toUnsignedJwt } from '../../helpers/oidc-token/seed-sign-in.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { otherSetting } from '../../vendor/machine-desk.ts'
import { startServer } from '../start-server.ts'
import { type Ending, message, toEnding } from './broken-stage.ts'

const idToken = toUnsignedJwt({ iss: 'https://id.example.com', sub: 'dana', email: 'dana@example.com' })

interface Desktop {
  /** The tokens of a stored sign-in; if absent, nobody has signed in. */
  readonly signedIn?: SeededTokens
  /** The provider's clock less this machine's, in seconds. */
  readonly aheadSec?: number
  /** The first arguments of the command. */
  readonly flags?: readonly string[]
}

/** `gatepass doctor` on the desktop of a person, with the built `oidc-token`; what differs between runs is replaced. */
async function examineDesktop({ signedIn, aheadSec = 0, flags = [] }: Desktop): Promise<Ending & { report: string }> {
  const home = await temporaryDirectory()
  const provider = await startServer((_request, response) =>
    response.writeHead(404, { date: new Date(Date.now() + aheadSec * 1000).toUTCString() }).end(),
  )
  const gateway = await startServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(message),
  )
  const urls = ['--authorization-url', `${provider}/authorize`, '--token-url', `${provider}/token`]
  const args = ['--client-id', 'desk', ...urls]
  if (signedIn) await seedSignIn(home, args, signedIn)
  const command = join(home, 'bin', 'oidc-token')
  await mkdir(dirname(command))
  await symlink(toBundlePath('oidc-token'), command)
  await writeFile(join(home, 'vendor.json'), JSON.stringify(otherSetting))
  const credential = { kind: 'helper-script', command, args, ttlSec: 240 }
  const document = join(home, 'document.json')
  const inference = { provider: 'gateway', baseUrl: gateway, credential }
  await writeFile(document, JSON.stringify({ $schemaVersion: 2, inference }))
  const env = { HOME: home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }
  const argv = [...flags.map((flag) => flag.replace('HOME', home)), 'doctor', document, '--yes']
  const { status, stdout } = await runBundle('gatepass', { argv, env })
  const report = stdout
    .replaceAll(home, 'HOME')
    .replaceAll(new URL(provider).host, 'PROVIDER')
    .replace(/\d{4}-\d\d-\S+Z/g, 'TIME')
  return { ...toEnding(report, status), report }
}

const setClock = 'set the clock of this machine'
const clock = (words: string) => ({
  first: `A turn fails: this machine's clock is ${words} that of PROVIDER`,
  hint: setClock,
  verdict: 'A turn fails.',
  status: 1,
})

/** Returns the part of a report about who is signed in. */
const identityOf = (report: string) =>
  /^\w+ +The identity behind it\n(?: .*\n)*/m.exec(report)?.[0].replace(/(?<=the client \()[0-9a-f]{8}/, 'DIGEST')
const asked = `\
    client-id = desk (argument)
    authorization-url = http://PROVIDER/authorize (argument)
    token-url = http://PROVIDER/token (argument)
    asked the helper itself, because it has other names of the client (DIGEST):
`
const signInHint =
  'sign in: oidc-token sign-in --client-id desk --authorization-url http://PROVIDER/authorize --token-url http://PROVIDER/token'

const signInAgain = (words: string) => ({
  first: `A turn fails: the helper failed with exit status 4: oidc-token: ${words}`,
  hint: 'start a new session, which lets a person sign in, or run: oidc-token sign-in --client-id desk --authorization-url http://PROVIDER/authorize --token-url http://PROVIDER/token',
  verdict: 'A turn fails.',
  status: 1,
})

test.each<[what: string, desktop: Desktop, ending: Ending]>([
  ['a clock that is behind', { signedIn: { idToken, lifeSec: -1 }, aheadSec: 600 }, clock('10 min behind')],
  ['a clock that is ahead', { signedIn: { idToken, lifeSec: -3600 }, aheadSec: -7200 }, clock('120 min ahead of')],
  [
    'a sign-in that has ended, and a clock that is right',
    { signedIn: { idToken, lifeSec: -3600 } },
    signInAgain('the sign-in to PROVIDER expired at TIME'),
  ],
  ['nobody who is signed in', {}, signInAgain('nobody is signed in to PROVIDER')],
])('doctor gives one diagnosis of oidc-token with %s', async (_, desktop, ending) => {
  const { report, ...found } = await examineDesktop(desktop)
  expect(found, report).toEqual(ending)
})

test('where the helper has other names than the command, doctor asks it who is signed in', async () => {
  const signedIn = { idToken, lifeSec: 3600, ageSec: 120 }
  const { report, ...ending } = await examineDesktop({ signedIn, flags: ['--vendor', 'HOME/vendor.json'] })
  expect(ending, report).toEqual({
    first: 'A turn succeeds: the gateway answered it',
    hint: undefined,
    verdict: 'A turn succeeds.',
    status: 0,
  })
  expect(identityOf(report)).toBe(`\
good  The identity behind it
${asked}\
      dana@example.com
        signed in to  PROVIDER, for the client desk
        since         TIME, 2 min ago
        until         TIME, in 59 min (the ID token)
        renewed       by a person, because no refresh token is kept; set refresh-token-store to file or keychain, or sign in again when it has ended
`)
})

test('where the helper has other names than the command, doctor repeats its words when nobody is signed in', async () => {
  const { report } = await examineDesktop({ flags: ['--vendor', 'HOME/vendor.json'] })
  expect(identityOf(report)).toBe(`\
bad   The identity behind it
${asked}\
      oidc-token: nobody is signed in to PROVIDER
      oidc-token: hint: ${signInHint}
    → ${signInHint}
`)
})
