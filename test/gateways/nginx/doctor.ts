import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { seedSignIn } from '../../helpers/oidc-token/seed-sign-in.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { audience, people } from '../stage/print-tokens.ts'
import type { Played } from '../stage/test-scenarios.ts'
import type { NginxProcess } from './start-nginx.ts'

/** Tests `gatepass doctor` as a person on a desktop runs it, with a real helper, through the gateway. */
export function testDoctor(played: () => Played<NginxProcess>): void {
  test('doctor says that the token is for another audience', async () => {
    const claims = { ...people.dana, aud: 'https://another.example' }
    expect(await runDoctor(played(), claims)).toBe(
      toReport(claims, [
        'HTTP 401',
        "it says: authentication_error: the token is for another audience: it is for 'https://another.example', not for 'https://gateway.example'",
        "the token is for another audience than this gateway: it is for 'https://another.example', not for 'https://gateway.example'",
        '→ ask for a token for the name that the gateway expects: by --audience, or by the scopes or the resource of the gateway',
      ]),
    )
  })

  test('doctor says which claims no rule accepts', async () => {
    const claims = { ...people.guest, aud: audience.jwt }
    expect(await runDoctor(played(), claims)).toBe(
      toReport(claims, [
        'HTTP 403',
        'it says: permission_error: the token is good, and no rule of the policy lets its owner pass: no rule accepts its claims: groups (no accepted value), sub (no accepted value)',
        'the token is good, and no rule of the gateway lets its owner pass: no rule accepts its claims: groups (no accepted value), sub (no accepted value)',
        '→ ask the gateway\'s operators for a rule for this identity of "https://login.example"; tell them the line above',
      ]),
    )
  })

  test('doctor says that nothing is known to be wrong with the token while the verifier is away', async () => {
    const { stage } = played()
    const claims = { ...people.dana, aud: audience.jwt }
    await stage.verifier.stop()
    const report = await runDoctor(played(), claims)
    await stage.verifier.start()
    expect(report).toBe(
      toReport(claims, [
        'HTTP 503',
        'it says: api_error: the verifier of the gateway does not answer',
        'nothing is known to be wrong with the token: the gateway cannot ask its verifier',
        "→ try again; if it stays so, have the gateway's operators look at the verifier: gatepass gateway health HOST:PORT",
      ]),
    )
  })
}

/** Returns the whole report, in which the token is as good as it can be seen on the desktop, and the gateway refuses it. */
function toReport({ email }: { readonly email: string }, refusal: readonly string[]): string {
  return `A turn fails: ${refusal.at(-2)}
    ${refusal.at(-1)}

good  The document
    1 note

good  What is installed
    this command is VERSION
    oidc-token in ~/bin is VERSION

good  The helper
    ~/bin/oidc-token --client-id desk --issuer https://login.example --refresh-token-store file --client-ttl 240

good  One run of it, as a connection test
    exit status 0 and a JSON object on stdout
    it took N ms of the 60 s that the client waits

note  The identity behind it
    client-id = desk (argument)
    issuer = https://login.example (argument)
    refresh-token-store = file (argument)
    ✓ https://login.example answers, and says where its endpoints are
    ✓ ${email} is signed in since TIME, N s ago
      kept in ~/.local/state/gatepass/sign-ins/NAME.sealed, encrypted
      its key is in ~/.local/share/gatepass/keys/NAME.key
    ! the ID token lives until TIME, in 4 min; no refresh token is kept
    ✓ where the browser comes back: register exactly http://127.0.0.1/callback in the registration of the client, for the client desk; where this provider compares the port too (RFC 8252 says it should not), choose a fixed one and register it
    → it is not renewed, because the sign-in has no refresh token; set authorization-parameter to prompt=consent, without which many providers ignore offline_access, and sign in again

good  The token
    a JWT, N bytes
    no headers beside it
    it is valid for another 4 min, until TIME (JWT exp)

bad   One request to the gateway
    one turn was sent, with the token as bearer
    ${refusal.join('\n    ')}

A turn fails.
`
}

/** Returns the doctor's output, with names in place of what differs between runs. */
async function runDoctor(
  { stage, gateway }: Played<NginxProcess>,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const home = await mkdtemp(join(stage.directory, 'desktop-'))
  const args = [
    '--client-id',
    'desk',
    '--issuer',
    stage.issuer.issuer,
    '--refresh-token-store',
    'file',
    '--client-ttl',
    '240',
  ]
  await seedSignIn(home, args, { idToken: await stage.issuer.sign(claims), lifeSec: 300 })
  const command = join(home, 'bin', 'oidc-token')
  await mkdir(dirname(command))
  await symlink(toBundlePath('oidc-token'), command)
  const credential = { kind: 'helper-script', command, args, ttlSec: 240 }
  const document = join(home, 'document.json')
  await writeFile(
    document,
    JSON.stringify({ $schemaVersion: 2, inference: { provider: 'gateway', baseUrl: gateway.url, credential } }),
  )
  const env = { HOME: home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }
  const { stdout, ...rest } = await runBundle('gatepass', { argv: ['doctor', document, '--yes'], env })
  expect(rest).toEqual({
    status: 1,
    stderr: `This runs:      ${[command, ...args].join(' ')}
and sends to:   ${gateway.url}/
gatepass: the names in force are neutral: a file that is made with them reaches no client as it is
gatepass: hint: name your client in a vendor file; see: gatepass vendor --help
`,
  })
  const volatile: readonly [pattern: RegExp | string, name: string][] = [
    [stage.issuer.issuer, 'https://login.example'],
    [home, '~'],
    [/ is \d+\.\d+\.\d+.*/g, ' is VERSION'],
    [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
    [/\d+(?= (?:ms of|s ago|bytes))/g, 'N'],
    [/[\da-f]{40}(?=\.)/g, 'NAME'],
  ]
  return volatile.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), stdout)
}
