import { expect, test } from 'vitest'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { fetchIdentityToken } from '../../../src/sources/identity/fetch-identity-token.ts'

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})

/** Asks where nobody listens; the failure, and what was waited for. */
async function askNobody(scope: 'any-host' | 'metadata') {
  const stages: string[] = []
  const clock = { elapsedMs: () => 0 }
  const deadline = new Deadline({ seconds: 58, hint: '' }, clock, (stage) => stages.push(stage))
  const question = {
    name: 'the service',
    url: new URL('http://127.0.0.1:1/token'),
    headers: [],
    scope,
    field: undefined,
    hint: 'run this where the service is',
  }
  const call = { context: 'interactive', program: 'tool', deadline, network, warn: () => {} } as const
  const failure = await fetchIdentityToken(question, call).catch((error: unknown) => error)
  return { failure, stages }
}

const asked = 'the service (connecting to 127.0.0.1:1)'
const waited = 'the service (waiting to retry)'

test('a metadata service that does not take a connection counts as missing', async () => {
  expect(await askNobody('metadata')).toEqual({
    failure: new HelperError(
      'unavailable',
      'the service: 127.0.0.1:1 cannot be reached (ECONNREFUSED)',
      'run this where the service is',
    ),
    stages: [asked],
  })
})

test('any other service is asked three times', async () => {
  expect(await askNobody('any-host')).toEqual({
    failure: new HelperError(
      'unavailable',
      '127.0.0.1:1 cannot be reached (ECONNREFUSED)',
      'check what runs at 127.0.0.1:1',
    ),
    stages: [asked, waited, asked, waited, asked],
  })
})
