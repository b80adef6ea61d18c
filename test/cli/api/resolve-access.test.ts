import { chmod } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { resolveAccess } from '../../../src/cli/api/resolve-access.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { writeTemporary } from '../run-gatepass.ts'
import { createTestCli } from '../run-here.ts'

/** The places that name a credential or an address; an absent one names nothing. */
interface Places {
  readonly bootstrap?: string
  readonly document?: 'with an address' | 'without an address'
  readonly helper?: true
  readonly baseUrl?: string
  readonly env: Readonly<Record<string, string>>
}

/** Returns the token and the address that these places lead to. */
async function resolve({ bootstrap, document, helper, baseUrl, env }: Places) {
  const { cli } = await createTestCli([])
  const { credentials, baseUrl: address } = await resolveAccess(
    { ...cli, host: { ...cli.host, env } },
    {
      ...(bootstrap !== undefined && { bootstrap }),
      ...(document && { document: await writeDocument(document), yes: true }),
      ...(helper && { helper: await writeHelper() }),
      ...(baseUrl !== undefined && { baseUrl }),
    },
  )
  return { token: (await credentials.current()).token.reveal(), address }
}

function writeDocument(kind: 'with an address' | 'without an address'): Promise<string> {
  const inference = { provider: 'gateway', credential: { kind: 'static', apiKey: 'from the document' } }
  const baseUrl = kind === 'with an address' ? { baseUrl: 'https://document.example' } : {}
  return writeTemporary('document.json', JSON.stringify({ inference: { ...inference, ...baseUrl } }))
}

async function writeHelper(): Promise<string> {
  const path = await writeTemporary('helper', '#!/bin/sh\necho from-the-helper\n')
  await chmod(path, 0o755)
  return path
}

const key = { VENDOR_API_KEY: 'from the environment' }
const variable = { GATEPASS_BASE_URL: 'https://variable.example' }
const both = { ...key, ...variable }

// Each place counts before those of the rows below it.
test.each<[what: string, places: Places, token: string]>([
  ['the document', { document: 'with an address', helper: true, env: both }, 'from the document'],
  ['the helper', { helper: true, env: both }, 'from-the-helper'],
  ['the environment', { env: both }, 'from the environment'],
])('the credential comes from %s', async (_, places, token) => {
  expect((await resolve(places)).token).toBe(token)
})

const baseUrl = 'https://option.example'

// Each place counts before those of the rows below it, whichever the credential comes from.
test.each<[what: string, places: Places, address: string]>([
  ['the option', { baseUrl, document: 'with an address', env: both }, baseUrl],
  ['the option, for a helper', { baseUrl, helper: true, env: both }, baseUrl],
  ['the option, for a key of the environment', { baseUrl, env: both }, baseUrl],
  ['the document', { document: 'with an address', env: both }, 'https://document.example'],
  ['the variable', { document: 'without an address', env: both }, 'https://variable.example'],
  ['the variable, for a helper', { helper: true, env: both }, 'https://variable.example'],
  ['the variable, for a key of the environment', { env: both }, 'https://variable.example'],
])('the address comes from %s', async (_, places, address) => {
  expect((await resolve(places)).address).toBe(address)
})

const noAddress = new HelperError(
  'usage',
  'the address of the API is missing',
  'pass --base-url, or set GATEPASS_BASE_URL',
)

test.each<[what: string, places: Places, failure: HelperError]>([
  [
    'no credential',
    { baseUrl, env: { ...variable, VENDOR_API_KEY: '' } },
    new HelperError(
      'not-configured',
      'there is no credential: VENDOR_API_KEY is not set',
      'set VENDOR_API_KEY, or pass --helper or --document',
    ),
  ],
  ['no address of a document', { document: 'without an address', env: key }, noAddress],
  ['no address for a helper', { helper: true, env: key }, noAddress],
  ['no address for a key', { env: key }, noAddress],
])('the error says that there is %s', async (_, places, failure) => {
  await expect(resolve(places)).rejects.toEqual(failure)
})

test('a configuration server takes precedence over the document, the helper and the environment', async () => {
  const places = { bootstrap: 'ftp://config.example', helper: true, document: 'with an address', env: both } as const
  await expect(resolve(places)).rejects.toEqual(
    new HelperError('usage', '--bootstrap is not an http or https URL', 'write the full URL, beginning with https://'),
  )
})
