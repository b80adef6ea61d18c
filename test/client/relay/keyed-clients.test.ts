import { expect, test } from 'vitest'
import { type KeyedClientName, resolveKeyedClient } from '../../../src/client/relay/keyed-clients.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { vendor } from '../../../src/vendor.ts'

const access = { baseUrl: 'http://127.0.0.1:1/v1', key: 'a-key' }

test.each<[KeyedClientName, path: string, variables: Readonly<Record<string, string | undefined>>]>([
  [
    'gemini',
    '',
    {
      GOOGLE_GEMINI_BASE_URL: access.baseUrl,
      GEMINI_API_KEY: 'a-key',
      GOOGLE_GENAI_USE_GCA: undefined,
      GOOGLE_GENAI_USE_VERTEXAI: undefined,
    },
  ],
  ['messages', '', { VENDOR_BASE_URL: access.baseUrl, VENDOR_API_KEY: 'a-key', VENDOR_AUTH_TOKEN: undefined }],
  ['openai', '/v1', { OPENAI_BASE_URL: access.baseUrl, OPENAI_API_BASE: access.baseUrl, OPENAI_API_KEY: 'a-key' }],
  [
    'opencode',
    '/v1',
    {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        provider: { [vendor.name.toLowerCase()]: { options: { baseURL: access.baseUrl, apiKey: 'a-key' } } },
      }),
    },
  ],
])(
  '%s is started with its address and its key, and without variables that would replace them',
  (name, path, variables) => {
    const { basePath, createVariables } = resolveKeyedClient('cat', { client: name })
    expect({ path: basePath, variables: createVariables(access, {}, undefined) }).toEqual({ path, variables })
  },
)

test('settings that a person has given opencode are kept, but for the address and the key of the provider', () => {
  const given = {
    model: 'acme/m',
    provider: { acme: { npm: 'x', options: { apiKey: 'old', setCacheKey: true } }, other: {} },
  }
  const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(given) }
  const { OPENCODE_CONFIG_CONTENT: content } = resolveKeyedClient('opencode', {}).createVariables(access, env, 'acme')
  const options = { apiKey: 'a-key', setCacheKey: true, baseURL: access.baseUrl }
  expect(JSON.parse(content!)).toEqual({ model: 'acme/m', provider: { acme: { npm: 'x', options }, other: {} } })
})

test('a configuration of opencode that cannot be read is not replaced', () => {
  const env = { OPENCODE_CONFIG_CONTENT: '{' }
  expect(() => resolveKeyedClient('opencode', {}).createVariables(access, env, undefined)).toThrow(
    new HelperError('usage', 'OPENCODE_CONFIG_CONTENT is not one JSON object', 'correct it, or unset it'),
  )
})

const both = { baseUrlVariable: 'MODEL_URL', keyVariable: 'MODEL_KEY' }

test.each<[program: string, flags: Parameters<typeof resolveKeyedClient>[1], title: string]>([
  ['gemini', both, 'the client'],
  ['gemini', { client: 'openai' }, 'a client of the OpenAI API'],
  ['gemini', {}, 'Gemini CLI'],
  ['/usr/bin/gemini', {}, 'Gemini CLI'],
  ['C:\\Users\\dana\\npm\\gemini.cmd', {}, 'Gemini CLI'],
  ['./Aider.EXE', {}, 'a client of the OpenAI API'],
  ['opencode', { provider: 'acme' }, 'opencode'],
])('%s with %j is started as %s', (program, flags, title) => {
  expect(resolveKeyedClient(program, flags).title).toBe(title)
})

test('a client that is known by two variables alone gets both', () => {
  expect(resolveKeyedClient('cat', both).createVariables(access, {}, undefined)).toEqual({
    MODEL_URL: access.baseUrl,
    MODEL_KEY: 'a-key',
  })
})

test.each<[program: string, flags: Parameters<typeof resolveKeyedClient>[1], message: string, hint: string]>([
  [
    '/opt/opencode/other',
    {},
    '/opt/opencode/other is not a client that is known by its name',
    'pass --client with one of gemini, messages, openai, opencode, or --base-url-variable and --key-variable',
  ],
  [
    'gemini',
    { keyVariable: 'MODEL_KEY' },
    'only one of the two variables is named',
    'pass --base-url-variable and --key-variable',
  ],
  [
    'gemini',
    { ...both, client: 'openai' },
    '--client names the variables already',
    'remove --client, or both variables',
  ],
  ['aider', { provider: 'acme' }, '--provider is for opencode, and not for a client of the OpenAI API', 'remove it'],
])('%s with %j is refused', (program, flags, message, hint) => {
  expect(() => resolveKeyedClient(program, flags)).toThrow(new HelperError('usage', message, hint))
})
