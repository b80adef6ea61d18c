import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Outcome } from '../../setup/run-program.ts'
import { toStableText, toStableValue } from '../../setup/to-stable-text.ts'
import { type OidcDesk, startDesk } from './desk.ts'
import { type SeededTokens, toUnsignedJwt } from './seed-sign-in.ts'

const claims = { iss: 'https://id.example.com', sub: 'dana-1', name: 'Dana', email: 'dana@example.com' }
const tokens = { idToken: toUnsignedJwt(claims), lifeSec: 3_000.5, ageSec: 7_200 }
const store = (desk: OidcDesk) => join(desk.home, '.local/state/gatepass/sign-ins')

/** What `whoami` says of a sign-in with these tokens, kept under `kept`; no secret is in it. */
async function ask(seeded: SeededTokens | undefined, argv: readonly string[] = [], kept: readonly string[] = []) {
  const desk = await startDesk()
  if (seeded) await desk.signIn(seeded, [...desk.site, ...kept])
  const read = async () => {
    const names = (await readdir(store(desk)).catch(() => [])).toSorted()
    return Promise.all(names.map((name) => readFile(join(store(desk), name), 'utf8')))
  }
  const before = await read()
  const outcome = await desk.run({
    argv: ['whoami', ...desk.site, ...argv],
    env: { VENDOR_HELPER_CONTEXT: 'background' },
  })
  expect(await read()).toEqual(before)
  expect(outcome.stdout).not.toMatch(/canary|eyJ/)
  expect(desk.provider.asked()).toBe(0)
  return { ...outcome, host: new URL(desk.provider.url).host }
}

const good = { status: 0, stderr: '' }

/** Returns the outcome with its JSON as a value. */
function withJson({ status, stdout, stderr }: Outcome) {
  return { status, stderr, answer: JSON.parse(toStableText(stdout)) }
}

test('says who is signed in, for what, since when and until when', async () => {
  const { status, stdout, stderr, host } = await ask(tokens)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  // A second may have passed since the token was made.
  expect(toStableText(stdout).replace('in 50 min', 'in 49 min')).toBe(`\
Dana (dana@example.com)
  signed in to  ${toStableText(host)}, for the client gatepass
  since         DATE, 2 h 0 min ago
  until         DATE, in 49 min (the ID token)
  renewed       by a person, because no refresh token is kept; set refresh-token-store to file or keychain, or sign in again when it has ended
`)
})

test('names the kept refresh token that renews the sign-in', async () => {
  const renewable = { ...tokens, refreshToken: 'canary-refresh', lifeSec: -60 }
  expect(withJson(await ask(renewable, ['--json'], ['--refresh-token-store', 'file']))).toEqual({
    ...good,
    answer: {
      account: 'Dana (dana@example.com)',
      for: 'the client gatepass',
      of: 'the ID token',
      signedInTo: '127.0.0.1:PORT',
      since: 'DATE',
      until: 'DATE',
      renewal: {
        withoutPerson: true,
        how: 'without a person, by the refresh token that is kept, whose key is in a file',
      },
    },
  })
})

test('a refused token that can be renewed does not end the sign-in', async () => {
  const kept = ['--refresh-token-store', 'file']
  const refused = { ...tokens, refreshToken: 'canary-refresh', refusedAfterSec: 9 }
  const { status, stdout, stderr } = await ask(refused, kept, kept)
  expect({ status, stderr, title: stdout.split('\n')[0] }).toEqual({ ...good, title: 'Dana (dana@example.com)' })
})

test('a sign-in of which the provider wants a newer one is not renewed without a person', async () => {
  const asked = { ...tokens, refreshToken: 'canary-refresh', challenge: { maxAge: 600 } }
  const kept = ['--refresh-token-store', 'file']
  const { answer, ...ended } = withJson(await ask(asked, ['--json', ...kept], kept))
  expect({ ...ended, renewal: answer.renewal }).toEqual({
    ...good,
    renewal: { withoutPerson: false, how: 'by a person, because the provider wants a newer or stronger sign-in' },
  })
  expect(toStableValue(await ask({ ...asked, lifeSec: -60 }, kept, kept))).toEqual({
    status: 4,
    stdout: '',
    stderr: `\
oidc-token: the sign-in of Dana (dana@example.com) to 127.0.0.1:PORT ended at DATE, 1 min ago
oidc-token: hint: sign in: oidc-token sign-in --client-id gatepass --authorization-url http://127.0.0.1:PORT/authorize --token-url http://127.0.0.1:PORT/token --refresh-token-store file
`,
    host: '127.0.0.1:PORT',
  })
})

test('the subject of an access token without an ID token is known', async () => {
  expect(withJson(await ask({ accessToken: 'canary', lifeSec: 100 }, ['--json']))).toEqual({
    ...good,
    answer: {
      account: 'dana',
      of: 'the ID token',
      signedInTo: '127.0.0.1:PORT',
      for: 'the client gatepass',
      since: 'DATE',
      until: 'DATE',
      renewal: {
        withoutPerson: false,
        how: 'by a person, because no refresh token is kept; set refresh-token-store to file or keychain, or sign in again when it has ended',
      },
    },
  })
})

test.each<[what: string, seeded: SeededTokens | undefined, message: string]>([
  ['nobody is signed in', undefined, 'nobody is signed in to 127.0.0.1:PORT'],
  [
    'the sign-in has ended',
    { ...tokens, lifeSec: -60 },
    'the sign-in of Dana (dana@example.com) to 127.0.0.1:PORT ended at DATE, 1 min ago',
  ],
  [
    'the gateway has refused it',
    { ...tokens, refusedAfterSec: 1_200 },
    'the gateway refused the token of the sign-in to 127.0.0.1:PORT at DATE, N s after a client had got it',
  ],
])('where %s, the status is 4', async (_, seeded, message) => {
  expect(toStableValue(await ask(seeded))).toEqual({
    status: 4,
    stdout: '',
    host: '127.0.0.1:PORT',
    stderr: `\
oidc-token: ${message}
oidc-token: hint: sign in: oidc-token sign-in --client-id gatepass --authorization-url http://127.0.0.1:PORT/authorize --token-url http://127.0.0.1:PORT/token
`,
  })
})

test('a file that is damaged is named, and counts as no sign-in', async () => {
  const desk = await startDesk()
  await desk.signIn(tokens)
  const name = (await readdir(store(desk))).find((file) => file.endsWith('.sealed')) ?? ''
  const path = join(store(desk), name)
  await writeFile(path, `${(await readFile(path, 'utf8')).slice(0, 90)}`)
  const outcome = await desk.run({ argv: ['whoami', ...desk.site] })
  expect(
    toStableValue(
      { ...outcome, stderr: outcome.stderr.replace(/[0-9a-f]{40}(?=\.key)/, 'NAME') },
      { [store(desk)]: 'STORE', [join(desk.home, '.local/share/gatepass/keys')]: 'KEYS' },
    ),
  ).toEqual({
    status: 4,
    stdout: '',
    stderr: `\
oidc-token: STORE/KEY.sealed is damaged, or does not belong to its key KEYS/NAME.key: nobody counts as signed in
oidc-token: hint: sign in: oidc-token sign-in --client-id gatepass --authorization-url http://127.0.0.1:PORT/authorize --token-url http://127.0.0.1:PORT/token
`,
  })
})
