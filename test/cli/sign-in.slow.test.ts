import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { examineSignIn } from '../../src/cli/doctor/examine-sign-in.ts'
import { renderExamination } from '../../src/cli/doctor/render-examination.ts'
import { createHost } from '../../src/runtime/host.ts'
import { startTestGateway } from '../client/session/test-gateway.ts'
import { runBundle } from '../setup/run-bundle.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toStableText } from '../setup/to-stable-text.ts'
import { writeBrowser } from '../stand-ins/provider/person/write-browser.ts'
import { startProvider } from '../stand-ins/provider/start-provider.ts'
import { writeTemporary } from './run-gatepass.ts'
import { createTestCli } from './run-here.ts'
import { answerGatepass } from './run-on-terminal.ts'

async function startOrganization() {
  const provider = await startProvider({ lifeSec: { idToken: 3600, accessToken: 3600, refreshToken: 86_400 } })
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const { clientId, issuer } = provider
  const credential = { kind: 'external-idp', oidc: { clientId, issuer } } as const
  const inference = { provider: 'gateway', baseUrl: 'https://gateway.example.com', credential } as const
  const document = await writeTemporary('doc.json', JSON.stringify({ inference }))
  const clean = (text: string) =>
    text
      .replaceAll(issuer, 'ISSUER')
      .replaceAll(new URL(issuer).host, 'PROVIDER')
      .replace(/ after \d+ s/g, ' after N s')
  const env = { ...programs, BROWSER: await writeBrowser(join(await temporaryDirectory(), 'browser')) }
  return { provider, inference, document, clean, env }
}

const programs = { PATH: '/usr/bin:/bin' }

describe('gatepass simulate', () => {
  test('signs a person in after consent, and renews with real requests in simulated time', async () => {
    const { document, clean, provider, env } = await startOrganization()
    const scenario = await writeTemporary('two-hours.yaml', '[start, turn every 30m for 2h]')
    const argv = ['simulate', document, '--yes', '--scenario', scenario]
    const { status, stdout, stderr } = await runBundle('gatepass', { argv, env })
    expect({
      status,
      stdout: toStableText(stdout),
      stderr: clean(stderr).replace(/(?<=open: ISSUER\/)\S+/, 'PATH'),
      renewals: provider.requests('token', 'refresh_token').length,
    }).toEqual({
      status: 0,
      stdout: `\
09:00:00  a session starts (interactive)
09:00:00  a browser opens for the person to sign in
09:00:00  the person is signed in after N s; the token lives 1 h 0 min
09:00:00  2 turns done with the token in memory, until 09:30:00
10:00:00  the token is renewed without the person, because it has expired
10:00:00  token renewed; the token lives 1 h 0 min
10:00:00  turn done
10:30:00  1 turn done with the token in memory
11:00:00  the scenario ends

sign-ins:         1
renewals:         1
turns:            4
turns waited for: 1, N ms in all
longest wait:     N ms
prompts shown:    0
turns lost:       0
`,
      stderr: `\
This signs in:  a person, in a browser, at ISSUER/ for the client gatepass
and sends to:   a gateway in this process
gatepass: a browser opens for the sign-in to PROVIDER; if you see none, open: ISSUER/PATH
`,
      renewals: 1,
    })
  })

  test('opens nothing without a terminal and without --yes', async () => {
    const { document, clean, provider, env } = await startOrganization()
    const { status, stdout, stderr } = await runBundle('gatepass', { argv: ['simulate', document], env })
    expect({ status, stdout, stderr: clean(stderr), asked: provider.requests('authorization') }).toEqual({
      status: 2,
      stdout: '',
      stderr: `\
This signs in:  a person, in a browser, at ISSUER/ for the client gatepass
and sends to:   a gateway in this process
gatepass: standard input is not a terminal
gatepass: hint: read the lines above, then pass --yes
`,
      asked: [],
    })
  })
})

describe('gatepass doctor', () => {
  async function examine(consent: 'agreed' | 'nobody asked', takes: 'every token' | 'none') {
    const { inference, clean, provider, env } = await startOrganization()
    const { url } = await startTestGateway(takes === 'none' ? () => ({ ok: false, reason: 'unknown' }) : 'off')
    const { cli } = await createTestCli([])
    const host = { ...createHost(), home: '/nowhere', env, streams: { ...cli.host.streams } }
    const parts = await examineSignIn({ ...cli, host }, { ...inference, baseUrl: url }, inference.credential, consent)
    const text = clean(renderExamination(parts, { paint: (_, words) => words }))
    const cleaned = text.replace(/\d{3,4} bytes/, 'N bytes').replace(/another .* until \S+/, 'another N, until T')
    return { text: cleaned.replace(/token lives .*/, 'token lives N'), provider }
  }

  const provider = `\
good  The identity provider
    issuer ISSUER, by its discovery document
    sign-in page: ISSUER/authorize
    token endpoint: ISSUER/token
    revocation endpoint: ISSUER/revoke
    asks for: openid offline_access; the gateway gets the id_token
    redirect: register exactly http://127.0.0.1/callback in the registration of the client, for the client gatepass; where this provider compares the port too (RFC 8252 says it should not), choose a fixed one and register it
`

  test('has a person sign in, renews that once and sends one turn', async () => {
    const { text } = await examine('agreed', 'every token')
    expect(text).toBe(`A turn succeeds: the gateway answered it

${provider}
good  One sign-in of a person
    a person signed in, after N s
    the token lives N
    it was renewed once, without the person

good  The token
    a JWT, N bytes
    no headers beside it
    it is valid for another N, until T (JWT exp)
    iss: "ISSUER"
    aud: "gatepass"

good  One request to the gateway
    one turn was sent, with the token as bearer
    HTTP 200
    the gateway answered the turn

A turn succeeds.
`)
  })

  test('compares the token with what the gateway says', async () => {
    const { text } = await examine('agreed', 'none')
    expect(text.slice(text.indexOf('    an ID token'))).toBe(`\
    an ID token is for the client: its aud is "gatepass"
    → have the gateway take that audience and the issuer "ISSUER"; if it checks tokens as an OAuth resource server, set bearerTokenType to access_token, with its API scope

A turn fails.
`)
  })

  test('opens nothing where nobody can be asked, and says what it left out', async () => {
    const { text, provider: asked } = await examine('nobody asked', 'every token')
    expect(text).toBe(`No turn was sent: skipped: standard input is not a terminal, and without --yes no browser opens
    → pass --yes, and sign in in the browser that opens

${provider}
 –    One sign-in of a person
    skipped: standard input is not a terminal, and without --yes no browser opens
    → pass --yes, and sign in in the browser that opens

 –    The token
    skipped: nobody has signed in

 –    One request to the gateway
    skipped: nobody has signed in

No turn was sent.
`)
    expect(asked.requests('authorization')).toEqual([])
  })
})

test.each(['simulate', 'doctor'])('in %s a person who does not agree sees no browser', async (subcommand) => {
  const oidc = { clientId: 'desktop', issuer: 'https://127.0.0.1:9' }
  const inference = {
    provider: 'gateway',
    baseUrl: 'https://gateway.example.com',
    credential: { kind: 'external-idp', oidc },
  }
  const path = await writeTemporary('doc.json', JSON.stringify({ inference }))
  const { status, shown } = await answerGatepass('[y/N]', 'n\n', [subcommand, path])
  expect({ status, shown: shown.replace(/and sends to: .*/, 'and sends to: …') }).toEqual({
    status: 5,
    shown: `\
This signs in:  a person, in a browser, at https://127.0.0.1:9/ for the client desktop
and sends to: …
Go on? [y/N] n
gatepass: you did not agree, so nothing was run and nothing was sent
gatepass: hint: answer y, or pass --yes
`,
  })
})

describe('gatepass api', () => {
  test('asks nobody to sign in without a terminal', async () => {
    const { document, provider, clean, env } = await startOrganization()
    const argv = ['api', 'keys', 'list', '--document', document, '--yes']
    const { status, stdout, stderr } = await runBundle('gatepass', { argv, env })
    expect({ status, stdout, stderr: clean(stderr), asked: provider.requests('authorization') }).toEqual({
      status: 4,
      stdout: '',
      stderr: `\
This signs in:  a person, in a browser, at ISSUER/ for the client gatepass
and sends to:   https://gateway.example.com/
gatepass: a person has to sign in, and standard input is not a terminal
gatepass: hint: run the command in a terminal
`,
      asked: [],
    })
  })

  test.each([
    [
      'authFlow broker',
      { kind: 'external-idp', authFlow: 'broker', oidc: { clientId: 'x', issuer: 'https://login.example.com' } },
      'set authFlow to "browser" to try the same provider here; to try the broker, use the client itself',
    ],
    [
      'a sign-in at the gateway itself',
      { kind: 'interactive' },
      'set kind to "external-idp" and oidc to the identity provider behind the gateway, or try it in the client itself',
    ],
  ])('says why it cannot use %s', async (_, credential, hint) => {
    const inference = { provider: 'gateway', baseUrl: 'https://gateway.example.com', credential }
    const document = await writeTemporary('doc.json', JSON.stringify({ inference }))
    const argv = ['api', 'keys', 'list', '--document', document, '--yes']
    const { status, stdout, stderr } = await runBundle('gatepass', { argv, env: programs })
    expect({ status, stdout, hint: stderr.split('\n').at(-2) }).toEqual({
      status: 3,
      stdout: '',
      hint: `gatepass: hint: ${hint}`,
    })
  })
})
