import { describe, expect, test } from 'vitest'
import { prints } from '../../setup/run-program.ts'
import { neutralNote } from '../neutral-note.ts'
import { runGatepass, writeTemporary } from '../run-gatepass.ts'
import { bob, startDesk } from './desk-stage.ts'

const signsIn = `\
This signs in:  a person, in a browser, at ISSUER/ for the client gatepass
and sends to:   SERVER/bootstrap
gatepass: a browser opens for the sign-in to PROVIDER; if you see none, open: ISSUER/authorize?…
`
const runsTokenHelper = 'This runs:      "HOME/token-helper"\nand sends to:   SERVER/bootstrap\n'
const runsGatewayHelper = (destination: string) =>
  `This runs:      "HOME/gateway-helper"\nand sends to:   ${destination}\n`

describe('gatepass simulate --bootstrap', () => {
  test('plays the day with the document that the server gives to the person who signs in', async () => {
    const { run, device, url, provider } = await startDesk()
    const scenario = await writeTemporary('two-hours.yaml', '[start, turn every 30m for 2h]')
    expect(await run(['simulate', device, '--bootstrap', url, '--yes', '--scenario', scenario])).toEqual({
      status: 0,
      stdout: `\
09:00:00  the configuration server gives a document
09:00:00  a session starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  token printed after N ms
09:00:00  2 turns done with the token in memory, until 09:30:00
10:00:00  helper runs (mid-session-refresh), because the ttl has passed
10:00:00  token printed after N ms
10:00:00  turn done
10:30:00  1 turn done with the token in memory
11:00:00  the scenario ends

document asked:   5
restarts:         0
helper runs:      2
turns:            4
turns waited for: 1, N ms in all
longest wait:     N ms
prompts shown:    0
turns lost:       0
`,
      stderr: `${signsIn}${runsGatewayHelper('a gateway in this process')}`,
    })
    const asked = (grant: string) => provider.requests('token', grant).length
    // The access token lives for an hour of the client's clock, and the server is asked every half an hour.
    expect([asked('authorization_code'), asked('refresh_token')]).toEqual([1, 2])
  })

  test('plays a start without a provider while the server is down', async () => {
    const { run, url, server } = await startDesk()
    server.signal('SIGTERM')
    await server.ended
    const scenario = await writeTemporary('half-an-hour.yaml', '[start, turn every 20m for 40m]')
    expect(await run(['simulate', '--bootstrap', url, '--scenario', scenario, '--yes'])).toEqual({
      status: 1,
      stdout: `\
09:00:00  no document (unreachable): SERVER cannot be reached (ECONNREFUSED); the client starts without a provider
09:00:00  a session starts (interactive)
09:00:00  turn lost (no-document): the client has no document: SERVER cannot be reached (ECONNREFUSED)
09:20:00  turn lost (no-document): the client has no document: SERVER cannot be reached (ECONNREFUSED)
09:30:00  no document (unreachable): SERVER cannot be reached (ECONNREFUSED); the client goes on without a provider
09:40:00  the scenario ends

document asked:   2, 2 of them failed
restarts:         0
helper runs:      0
turns:            2
turns waited for: 0
longest wait:     N ms
prompts shown:    0
turns lost:       2
`,
      stderr: 'This sends to:  a gateway in this process\n',
    })
  })
})

describe('gatepass doctor --bootstrap', () => {
  const device = `\
good  The document of the device
    a person signs in at ISSUER, and the access token is sent
`
  const server = (status: number) => `\
good  The configuration server
    GET SERVER/bootstrap
    HTTP ${status}
`
  const noDocument = ` –    The document
    skipped: an earlier part failed

No turn was sent.
`

  test('sends a turn of the person who signs in to the gateway that the document names', async () => {
    const { run, device: path, url, gateway } = await startDesk()
    expect(await run(['doctor', path, '--bootstrap', url, '--yes'])).toEqual({
      status: 0,
      stdout: `\
A turn succeeds: the gateway answered it

${device}
${server(200)}
good  The sign-in at the configuration server
    a person has signed in
    sent: authorization: ***

good  The document
    1 note
    it is valid for another N; clients ask every 30 min at the latest
    asked again with its ETag: nothing has changed (HTTP 304)
    clients that hold another answer ask for a restart, and block after 1 h 0 min

good  The helper
    "HOME/gateway-helper"

good  One run of it, as a connection test
    exit status 0 and a JSON object on stdout
    it took N ms of the 60 s that the client waits

good  The token
    an opaque token, 12 bytes
    no headers beside it
    it does not say when it expires

good  One request to the gateway
    one turn was sent, with the token as bearer
    customHeaders: x-team: ***
    HTTP 200
    the gateway answered the turn

A turn succeeds.
`,
      stderr: `${signsIn}${runsGatewayHelper('https://gateway.gatepass.invalid/')}${neutralNote}`,
    })
    expect(gateway.records).toEqual([{ status: 200, verdict: { ok: true }, headers: { 'x-team': 'engineering' } }])
  })

  test('explains a 403: the rollout has nothing for this person', async () => {
    const { run, device: path, url } = await startDesk()
    const cause =
      'the token is good, and the configuration server has nothing for its owner: no group of the rollout has its claims'
    const hint =
      'ask the owners of the configuration for a group for this identity of "ISSUER"; tell them the line above'
    expect(await run(['doctor', path, '--bootstrap', url, '--yes'], bob)).toEqual({
      status: 1,
      stdout: `\
No turn was sent: ${cause}
    → ${hint}

${device}
${server(403)}
bad   The sign-in at the configuration server
    a person has signed in
    sent: authorization: ***
    HTTP 403
    it says: not-entitled
    ${cause}
    → ${hint}

${noDocument}`,
      stderr: `${signsIn}${neutralNote}`,
    })
  })

  test('explains a 401 by the audience of the token', async () => {
    const { run, url, writeTokenHelper } = await startDesk()
    const helper = await writeTokenHelper('idToken')
    const cause =
      'the token is for another audience than this configuration server: it is for "gatepass", not for "https://config.example.com"'
    const hint =
      'have the configuration server\'s operators accept the audience "gatepass", which is the client that signed in; or send an access token: bearer-token-type access_token, with scopes of the configuration server'
    expect(await run(['doctor', '--bootstrap', url, '--bootstrap-helper', helper, '--yes'])).toEqual({
      status: 1,
      stdout: `\
No turn was sent: ${cause}
    → ${hint}

${server(401)}
bad   The sign-in at the configuration server
    a program has printed what is sent
    sent: authorization: ***
    HTTP 401
    it says: audience
    ${cause}
    → ${hint}

${noDocument}`,
      stderr: `${runsTokenHelper}${neutralNote}`,
    })
  })

  test('reports a server that is down', async () => {
    const { run, url, server: running, writeTokenHelper } = await startDesk()
    const helper = await writeTokenHelper('accessToken')
    running.signal('SIGTERM')
    await running.ended
    expect(await run(['doctor', '--bootstrap', url, '--bootstrap-helper', helper, '--yes'])).toEqual({
      status: 1,
      stdout: `\
No turn was sent: SERVER cannot be reached (ECONNREFUSED)
    → check what runs at SERVER

bad   The configuration server
    GET SERVER/bootstrap
    SERVER cannot be reached (ECONNREFUSED)
    → check what runs at SERVER

 –    The sign-in at the configuration server
    skipped: an earlier part failed

${noDocument}`,
      stderr: `${runsTokenHelper}${neutralNote}`,
    })
  })
})

describe('gatepass api --bootstrap', () => {
  const hello = ['api', 'messages', 'create', 'Hello', '--yes'] as const

  test('sends a request to the gateway of the document, with its credential and its headers', async () => {
    const { run, device, url, gateway } = await startDesk()
    expect(await run([...hello, '--document', device, '--bootstrap', url])).toEqual(
      prints('Hello\n', `${signsIn}${runsGatewayHelper('https://gateway.gatepass.invalid/')}`),
    )
    expect(gateway.records).toEqual([{ status: 200, verdict: { ok: true }, headers: { 'x-team': 'engineering' } }])
  })

  test('without a provider on the device, the document cannot name a gateway of another origin', async () => {
    const { run, url, writeTokenHelper, gateway } = await startDesk()
    const helper = await writeTokenHelper('accessToken')
    expect(await run([...hello, '--bootstrap', url, '--bootstrap-helper', helper])).toEqual({
      status: 2,
      stdout: '',
      stderr: `${runsTokenHelper}\
gatepass: inference.baseUrl: its origin is https://gateway.gatepass.invalid, but the document was served by http://SERVER (url-origin-pinned)
gatepass: hint: use a URL that begins with http://SERVER/
gatepass: the address of the API is missing
gatepass: hint: pass --base-url, or set GATEPASS_BASE_URL
`,
    })
    expect(gateway.records).toEqual([])
  })

  test('sends nothing where the server gives no document', async () => {
    const { run, device, url, gateway } = await startDesk()
    expect(await run([...hello, '--document', device, '--bootstrap', url], bob)).toEqual({
      status: 5,
      stdout: '',
      stderr: `${signsIn}\
gatepass: SERVER/bootstrap gives no document: the server has no document for this person (HTTP 403)
gatepass: hint: ask the owners of the configuration for a group
`,
    })
    expect(gateway.records).toEqual([])
  })
})

test.each([['simulate'], ['doctor'], ['api', 'GET', '/v1/models']])(
  '%s refuses --bootstrap-helper without --bootstrap',
  async (...argv) => {
    expect(await runGatepass(...argv, '--bootstrap-helper', '/opt/acme/helper')).toEqual({
      status: 2,
      stdout: '',
      stderr: `\
gatepass: --bootstrap-helper signs in at a configuration server, and none is named
gatepass: hint: name it with --bootstrap, or remove --bootstrap-helper
`,
    })
  },
)
