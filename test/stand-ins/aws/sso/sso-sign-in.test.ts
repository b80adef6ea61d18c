import { expect, test } from 'vitest'
import { startAwsStandIn } from '../aws-stand-in.ts'
import { answerQuestion } from '../pages/answer-question.ts'

const startUrl = 'https://corp.awsapps.com/start'
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' // RFC 7636, appendix B
const registration = {
  clientName: 'botocore-client-corp',
  clientType: 'public',
  grantTypes: ['authorization_code', 'refresh_token'],
  redirectUris: ['http://127.0.0.1/oauth/callback'],
  issuerUrl: startUrl,
  scopes: ['sso:account:access'],
}

async function start() {
  const aws = await startAwsStandIn()
  aws.sso.addPortal(startUrl, { assignments: [] })
  const post = async (path: string, body: object): Promise<[status: number, answer: Record<string, string>]> => {
    const response = await fetch(`${aws.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
    return [response.status, (await response.json()) as Record<string, string>]
  }
  return { aws, post, [Symbol.asyncDispose]: () => aws[Symbol.asyncDispose]() }
}

const query = (clientId: string): Record<string, string> => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: 'http://127.0.0.1:9/oauth/callback',
  state: '2f0c3b52-7c1e-4d6a-9a1f-0d1a2b3c4d5e',
  code_challenge_method: 'S256',
  scopes: 'sso:account:access',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
})

/** Starts a client whose authorization request waits on its page, with what a person and the client can do then. */
async function startQuestion() {
  const bench = await start()
  const { aws, post } = bench
  const [, { clientId = '', clientSecret = '' }] = await post('/client/register', registration)
  const page = await (await fetch(`${aws.url}/authorize?${new URLSearchParams(query(clientId))}`)).text()
  const choose = async (choice: string) => {
    const body = new URLSearchParams({ question: '0', choice })
    const answer = await fetch(`${aws.url}/sign-in/decision`, { method: 'POST', body, redirect: 'manual' })
    return new URL(answer.headers.get('location') ?? '').searchParams
  }
  /** Redeems a code, with these changes, once and again. */
  const redeem = async (changes: object) => {
    const code = (await choose('allow')).get('code')
    const redirectUri = query('').redirect_uri
    const grant = { grantType: 'authorization_code', code, codeVerifier: verifier, redirectUri }
    const body = { clientId, clientSecret, ...grant, ...changes }
    return { first: await post('/token', body), again: (await post('/token', body))[0] }
  }
  return { page, choose, redeem, [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose]() }
}

test('a person is asked, and the browser goes back with an error when that is denied', async () => {
  await using question = await startQuestion()
  expect([question.page, Object.fromEntries(await question.choose('deny'))]).toEqual([
    '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Allow client-1 to access your data?</title><h1>Allow client-1 to access your data?</h1><form method="post" action="/sign-in/decision"><input type="hidden" name="question" value="0"><button id="allow" name="choice" value="allow">allow</button><button id="deny" name="choice" value="deny">deny</button></form></html>\n',
    { error: 'access_denied', state: query('').state },
  ])
})

test('a code is redeemed once', async () => {
  await using question = await startQuestion()
  const good = { accessToken: 'canary-sso-access-1', refreshToken: 'canary-sso-refresh-1' }
  expect(await question.redeem({})).toEqual({
    first: [200, { ...good, expiresIn: 28_800, tokenType: 'Bearer' }],
    again: 400,
  })
})

test.each([
  ['verifier', { codeVerifier: verifier.replace('d', 'e') }, 400, 'invalid_grant', 'Invalid code verifier'],
  ['redirect', { redirectUri: 'http://127.0.0.1/oauth/callback' }, 400, 'invalid_request', 'redirectUri differs'],
  ['code', { code: 'x' }, 400, 'invalid_grant', 'Invalid grant provided'],
  ['secret of the client', { clientSecret: 'other' }, 401, 'invalid_client', 'Invalid client provided'],
])('a code is not redeemed with another %s', async (_, changes, status, error, error_description) => {
  await using question = await startQuestion()
  expect((await question.redeem(changes)).first).toEqual([status, { error, error_description }])
})

test.each([
  ['invalid_request', { clientName: 'other' }],
  ['invalid_client_metadata', { clientType: 'confidential' }],
  ['invalid_redirect_uri', { redirectUris: ['http://127.0.0.1:1/oauth/callback'] }],
  ['invalid_request', { issuerUrl: 'https://other.awsapps.com/start' }],
  ['invalid_request', { grantTypes: ['authorization_code'] }],
  ['invalid_scope', { scopes: [] }],
  ['invalid_request', { extra: 1 }],
])('a registration is refused as %s: %j', async (error, changes) => {
  const [member] = Object.keys(changes)
  await using bench = await start()
  expect(await bench.post('/client/register', { ...registration, ...changes })).toEqual([
    400,
    { error, error_description: member === 'extra' ? 'unknown member extra' : member },
  ])
})

test.each([
  ['parameter client_id is wrong', { client_id: 'other' }],
  ['parameter scopes is missing', { scopes: undefined, scope: undefined }],
  ['unknown parameter scope', { scope: 'sso:account:access' }],
  ['parameter code_challenge_method is wrong', { code_challenge_method: 'SHA-256' }],
  ['parameter redirect_uri is wrong', { redirect_uri: 'http://localhost:9/oauth/callback' }],
])('an authorization request is refused: %s', async (problem, changes) => {
  await using bench = await start()
  const [, { clientId = '' }] = await bench.post('/client/register', registration)
  const parameters = new URLSearchParams(JSON.parse(JSON.stringify({ ...query(clientId), ...changes })))
  const page = await fetch(`${bench.aws.url}/authorize?${parameters}`)
  expect([page.status, await page.text()]).toEqual([
    400,
    `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>InvalidRequestException</title><h1>InvalidRequestException</h1><p id="problem">${problem}</p></html>\n`,
  ])
})

test('a device waits for its person, and is told when it polls too fast or is denied', async () => {
  await using bench = await start()
  const { aws, post } = bench
  const [, client] = await post('/client/register', { clientName: 'botocore-client-1', clientType: 'public' })
  const { clientId, clientSecret } = client
  const begin = async () => (await post('/device_authorization', { clientId, clientSecret, startUrl }))[1]
  const poll = async ({ deviceCode }: Record<string, string>) => {
    const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
    const [, answer] = await post('/token', { clientId, clientSecret, grantType, deviceCode })
    return answer.error ?? answer
  }
  const [device, denied] = [await begin(), await begin()]
  expect([await poll(device), await poll(device)]).toEqual(['authorization_pending', 'slow_down'])
  aws.sso.setPollInterval(0)
  await answerQuestion(device.verificationUriComplete!, 'allow')
  await answerQuestion(denied.verificationUriComplete!, 'deny')
  expect([await poll(device), await poll(device), await poll(denied)]).toEqual([
    { accessToken: 'canary-sso-access-1', expiresIn: 28_800, tokenType: 'Bearer' },
    'invalid_grant',
    'access_denied',
  ])
})
