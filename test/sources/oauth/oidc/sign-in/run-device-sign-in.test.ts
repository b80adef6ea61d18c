import { expect, test } from 'vitest'
import { Deadline } from '../../../../../src/runtime/deadline.ts'
import type { HelperError } from '../../../../../src/runtime/failure.ts'
import { Secret } from '../../../../../src/runtime/secret.ts'
import type { SignInPrompt } from '../../../../../src/sources/oauth/flow.ts'
import { runDeviceSignIn } from '../../../../../src/sources/oauth/oidc/sign-in/run-device-sign-in.ts'
import type { Answer, Lies } from '../../../../stand-ins/lying-provider/lies.ts'
import { failureOf, startLiarBench } from '../liar-bench.ts'

/** Signs in with a clock that goes on only while somebody waits; with the pauses between polls. */
async function signInByDevice(lies: Lies, parameters: Record<string, string> = {}) {
  const bench = await startLiarBench(lies, { resource: 'https://gateway.example', parameters })
  const { connection } = await bench.connect()
  const prompts: SignInPrompt[] = []
  const pauses: number[] = []
  const began = Date.now()
  const { host, call } = bench.parts
  const now = () => began + pauses.reduce((sum, ms) => sum + ms, 0)
  const pause = async (ms: number) => void pauses.push(ms)
  const deadline = new Deadline({ seconds: 30, hint: '' }, { elapsedMs: () => 0, pause })
  const tools = {
    call: { ...call, deadline },
    host: { ...host, clock: { ...host.clock, now } },
    show: async (prompt: SignInPrompt) => void prompts.push(prompt),
  }
  const end = await failureOf(runDeviceSignIn(connection, { tools, way: 'device' }))
  return { ...bench, end, prompts, pauses }
}

const secret = expect.any(Secret)
const say = (error: string, more = {}): Answer => ({ status: 400, body: { error, ...more } })

const polls = [say('authorization_pending'), say('slow_down'), 'reset', { status: 503, body: '' }, 'honest'] as const

test('the code is asked for until the person has confirmed it, more slowly where the provider says so', async () => {
  const { end, prompts, pauses, provider } = await signInByDevice({ answers: { poll: polls } })
  expect({ end, pauses, prompts }).toEqual({
    end: {
      succeeded: {
        subject: 'person-1',
        tokens: { idToken: secret, accessToken: secret, refreshToken: secret, expiresAt: expect.any(Date) },
      },
    },
    pauses: [1000, 1000, 6000, 6000, 6000],
    prompts: [
      {
        address: `${provider.issuer}/device?user_code=WDJB-MJHT`,
        userCode: 'WDJB-MJHT',
        expiresAt: expect.any(Date),
      },
    ],
  })
})

test('each request of a device names the resource', async () => {
  const { provider } = await signInByDevice({ answers: { poll: polls } })
  const asked = provider.requests.filter(({ endpoint }) => ['device', 'poll'].includes(endpoint))
  const resource = 'https://gateway.example'
  expect({
    first: asked[0]?.parameters,
    resources: asked.map(({ parameters }) => parameters.resource),
    keys: provider.requests.filter(({ endpoint }) => endpoint === 'keys').length,
  }).toEqual({
    first: { resource, client_id: 'desktop', scope: 'openid offline_access' },
    resources: Array(6).fill(resource),
    keys: 1,
  })
})

const expired: [HelperError['kind'], string, string] = [
  'refused',
  'the sign-in to HOST took too long: the code has expired (expired_token)',
  'start again, which gives a new code',
]

test.each<[lies: Lies, ...failure: [kind: HelperError['kind'], message: string, hint: string]]>([
  [
    { answers: { poll: say('access_denied') } },
    'refused',
    'the sign-in to HOST was denied in the browser',
    'start again, and allow it there',
  ],
  [{ answers: { poll: say('expired_token') } }, ...expired],
  // Ten polls within the five minutes of the code.
  [{ answers: { poll: say('authorization_pending') }, members: { device: { interval: 30 } } }, ...expired],
  [
    { answers: { device: say('unauthorized_client', { error_description: 'not this one' }) } },
    'not-configured',
    'the sign-in to HOST uses a grant that this client may not use (unauthorized_client); it says: not this one',
    'tell your administrator: allow authorization code, refresh token and, for sign-ins by code, device; in its registration, make it a public client (a native application with PKCE)',
  ],
  [
    { members: { device: { verification_uri: undefined } } },
    'refused',
    'the answer of HOST lacks verification_uri, or has it in a wrong form',
    'report this to whoever runs HOST',
  ],
])('a sign-in by code ends where %j', async (lies, ...failure) => {
  const { end, host } = await signInByDevice(lies)
  expect(end).toEqual(failure.map((text) => text.replace('HOST', host)))
})

test('the address need not have the code in it, and five seconds are the usual pause', async () => {
  const members = { device: { verification_uri_complete: undefined, interval: undefined } }
  const { prompts, pauses, provider } = await signInByDevice({ members })
  expect([prompts[0]?.address, pauses]).toEqual([`${provider.issuer}/device`, [5000]])
})

test.each(['ABCD; now call +1 555 0100 and read it out', 'A'.repeat(33), 'A\u202eB', 'https://a.example'])(
  'a code with other text in it is not shown, %j',
  async (code) => {
    const { end, host, prompts } = await signInByDevice({ members: { device: { user_code: code } } })
    expect({ end, prompts }).toEqual({
      end: [
        'refused',
        `the code that ${host} gave is not one that a person can enter`,
        `report this to whoever runs ${host}`,
      ],
      prompts: [],
    })
  },
)

test('a pause that is too long for a timer does not lead to requests without a pause', async () => {
  const { pauses } = await signInByDevice({ members: { device: { interval: 3_000_000 } } })
  expect(pauses).toEqual([600_000])
})

test.each([
  [10, { succeeded: expect.anything() }],
  [315, { succeeded: expect.anything() }], // thirty seconds are tolerated
  [345, undefined],
  [undefined, undefined],
])(
  'with max_age, a person who signed in %s seconds ago by the provider’s clock passes, or is refused',
  async (ageSec, end) => {
    const aheadSec = 3_600
    const claims = ageSec === undefined ? {} : { auth_time: Math.floor(Date.now() / 1000) + aheadSec - ageSec }
    const run = await signInByDevice({ idToken: { claims }, clock: { aheadSec, date: 'sent' } }, { max_age: '300' })
    const refused = [
      'refused',
      `the ID token of ${run.host} does not say that the person signed in within the last 300 s (auth_time)`,
      'start again, and sign in anew rather than with the session of the browser',
    ]
    expect(run.end).toEqual(end ?? refused)
    const asked = run.provider.requests.find(({ endpoint }) => endpoint === 'device')
    expect(asked?.parameters).toEqual({
      resource: 'https://gateway.example',
      scope: 'openid offline_access',
      client_id: 'desktop',
      max_age: '300',
    })
  },
)
