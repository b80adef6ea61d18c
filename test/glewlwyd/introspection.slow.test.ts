import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, startVerifierProcess } from '../cli/gateway/verifier/verifier-process.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { type Glewlwyd, startGlewlwyd } from '../stand-ins/glewlwyd/start-glewlwyd.ts'

/** A provider that nobody in this field wrote in JavaScript: glewlwyd, in C, as Debian has it. */
let glewlwyd: Glewlwyd

beforeAll(async () => {
  glewlwyd = await startGlewlwyd()
})

afterAll(() => glewlwyd?.[Symbol.asyncDispose]())

/** Starts the built verifier with a policy whose rule asks the provider. */
async function startVerifier(changes: Readonly<Record<string, unknown>> = {}, secret = glewlwyd.machine.secret) {
  const directory = await temporaryDirectory()
  const { issuer, machine } = glewlwyd
  const introspection = { url: `${issuer}/introspect`, clientId: machine.id, secretFile: 'machine.secret' }
  const trust = { issuer, audiences: ['https://gateway.example'], longestLifeSec: 3600 }
  const policy = {
    issuers: [{ ...trust, introspection: { ...introspection, cacheSec: 1, ...changes } }],
    rules: [{ name: 'machines', issuer, claims: { client_id: [machine.id] }, headers: { 'x-user': '{sub}' } }],
  }
  await writeFile(join(directory, 'policy.json'), JSON.stringify(policy))
  await writeFile(join(directory, 'machine.secret'), `${secret}\n`)
  return startVerifierProcess(
    ...['--policy', join(directory, 'policy.json'), '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0'],
  )
}

async function post(path: string, form: Readonly<Record<string, string>>): Promise<Response> {
  const { id, secret } = glewlwyd.machine
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  return fetch(glewlwyd.issuer + path, { method: 'POST', headers: { authorization }, body: new URLSearchParams(form) })
}

async function fetchToken(): Promise<string> {
  const form = { grant_type: 'client_credentials', scope: 'gateway', resource: 'https://gateway.example' }
  const { access_token: token } = (await (await post('/token', form)).json()) as { access_token: string }
  return token
}

/** Returns the status and what the headers say, as a gateway sees them. */
async function askShort(address: string, token: string) {
  const answer = await ask(address, token)
  if ('code' in answer) return answer.code
  const { 'x-user': user, 'gatepass-refusal': reason } = answer.headers
  return [answer.status, user ?? reason]
}

async function fetchCounts(admin: string | undefined): Promise<string[]> {
  const text = await (await fetch(`${admin}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => /^gatepass_introspection(s_total|_away)/.test(line))
    .map((line) => line.replace(/issuer="[^"]*",?/, ''))
    .filter((line) => !line.endsWith(' 0'))
}

test('a token that is revoked at the provider is refused within the time for which the answer counts', async () => {
  const [verifier, token, other] = await Promise.all([startVerifier(), fetchToken(), fetchToken()])
  const { listen, admin } = verifier.addresses
  const before = [await askShort(listen, token), await askShort(listen, token), await askShort(listen, other)]
  await post('/revoke', { token, token_type_hint: 'access_token' })
  const since = performance.now()
  let answer = await askShort(listen, token)
  while (answer[0] === 200 && performance.now() - since < 10_000) {
    await sleep(20)
    answer = await askShort(listen, token)
  }
  const refusedMs = performance.now() - since
  const after = [answer, await askShort(listen, token), await askShort(listen, other)]
  expect({ before, after }).toEqual({
    before: Array(3).fill([200, 'machine']),
    after: [
      [401, 'inactive'],
      [401, 'inactive'],
      [200, 'machine'],
    ],
  })
  // A second is the bound; a busy machine gets more.
  expect(refusedMs).toBeLessThan(5_000)
  const counts = await fetchCounts(admin)
  expect(counts.filter((line) => line.includes('refused'))).toEqual([
    'gatepass_introspections_total{outcome="refused"} 1',
  ])
})

test('nobody passes with a wrong secret, unless the policy says so', async () => {
  const token = await fetchToken()
  const [strict, lenient] = await Promise.all([
    startVerifier({}, 'another secret'),
    startVerifier({ whileUnavailable: 'pass' }, 'another secret'),
  ])
  const answers = [await askShort(strict.addresses.listen, token), await askShort(lenient.addresses.listen, token)]
  const counts = await Promise.all([strict, lenient].map(({ addresses }) => fetchCounts(addresses.admin)))
  const told = strict.log().filter(({ event }) => event === 'introspection-unavailable')
  const where = `${new URL(glewlwyd.issuer).host} answered HTTP 401 at /api/oidc/introspect`
  expect({ answers, counts, told }).toEqual({
    answers: [
      [503, 'introspection-unavailable'],
      [200, 'machine'],
    ],
    counts: [
      ['gatepass_introspections_total{outcome="unavailable"} 1', 'gatepass_introspection_away{} 1'],
      ['gatepass_introspections_total{outcome="passed"} 1', 'gatepass_introspection_away{} 1'],
    ],
    told: [
      {
        time: expect.any(String),
        level: 'warning',
        event: 'introspection-unavailable',
        message: `the provider ${glewlwyd.issuer} cannot be asked whether tokens are active`,
        issuer: glewlwyd.issuer,
        cause: where,
      },
    ],
  })
  expect(JSON.stringify([strict.log(), lenient.log()]).includes('another secret')).toBe(false)
})

test('a verifier without the file of the secret does not start, and names its place', async () => {
  const started = startVerifier({ secretFile: 'other.secret' })
  await expect(started).rejects.toThrow(
    /the server has ended: .*gatepass: the file .*\/other\.secret, which should hold the secret of the client, does not exist or is empty\ngatepass: hint: put the secret there, or correct --provider-secrets\n$/s,
  )
})
