import { HelperError } from '../../runtime/failure.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { parseObject, toObject } from '../../runtime/values/json-value.ts'
import { vendor } from '../../vendor.ts'

/** A client that reads a base address and a fixed key from its environment. Each row names its sources. */
export interface KeyedClient {
  /** The name in sentences. */
  readonly title: string
  /** The names of its programs. */
  readonly programs: readonly string[]
  /** The path that the client expects at the end of its base address. */
  readonly basePath: '' | '/v1'
  /** The variables for its start; `undefined` removes a variable. */
  createVariables(access: ClientAccess, env: Environment, provider: string | undefined): Environment
}

/**
 * Read in google-gemini/gemini-cli: `packages/core/src/core/contentGenerator.ts` (the address and the key; two variables choose a sign-in
 * with Google in place of the key) and run: version 0.61.0 sends the key as `x-goog-api-key` and adds `/v1beta/…` to the address.
 */
const gemini: KeyedClient = {
  title: 'Gemini CLI',
  programs: ['gemini'],
  basePath: '',
  createVariables: ({ baseUrl, key }) => ({
    GOOGLE_GEMINI_BASE_URL: baseUrl,
    GEMINI_API_KEY: key,
    GOOGLE_GENAI_USE_GCA: undefined,
    GOOGLE_GENAI_USE_VERTEXAI: undefined,
  }),
}

/**
 * The official libraries for the messages API of the vendor, and programs that use them: they add `/v1/messages` to the address. A
 * bearer token in the environment would be sent beside the key.
 */
const messages: KeyedClient = {
  title: 'a client of the messages API',
  programs: [],
  basePath: '',
  createVariables: ({ baseUrl, key }) => ({
    [vendor.baseUrlVariable]: baseUrl,
    [vendor.apiKeyVariable]: key,
    [`${vendor.envPrefix}_AUTH_TOKEN`]: undefined,
  }),
}

/**
 * The official libraries of OpenAI, and programs that use them (openai/openai-node, `client.ts`; openai/openai-python,
 * `_client.py`): they add `/chat/completions` or `/responses` to the address. Aider reads the older name of the variable
 * (Aider's documentation, "OpenAI compatible APIs"), Qwen Code the newer one (its documentation, "OpenAI Authentication").
 */
const openai: KeyedClient = {
  title: 'a client of the OpenAI API',
  programs: ['aider', 'qwen'],
  basePath: '/v1',
  createVariables: ({ baseUrl, key }) => ({
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_BASE: baseUrl,
    OPENAI_API_KEY: key,
  }),
}

/**
 * opencode takes a configuration from a variable, merged over its files (its documentation, "Config", "Precedence order"; run: version
 * 1.18.33). Address and key belong to one provider, whose library adds `/messages` or `/chat/completions` to the address.
 */
const opencode: KeyedClient = {
  title: 'opencode',
  programs: ['opencode'],
  basePath: '/v1',
  createVariables: ({ baseUrl, key }, { [contentVariable]: given }, provider = vendor.name.toLowerCase()) => {
    const content = given ? parseObject(given) : {}
    if (!content) throw new HelperError('usage', `${contentVariable} is not one JSON object`, 'correct it, or unset it')
    const providers = toObject(content.provider)
    const named = toObject(providers[provider])
    const options = { ...toObject(named.options), baseURL: baseUrl, apiKey: key }
    const merged = { ...content, provider: { ...providers, [provider]: { ...named, options } } }
    return { [contentVariable]: JSON.stringify(merged) }
  },
}

const contentVariable = 'OPENCODE_CONFIG_CONTENT'

/** Every client that is known, by the name that `--client` takes. */
const keyedClients = { gemini, messages, openai, opencode } as const satisfies Readonly<Record<string, KeyedClient>>

/** The name of a client, as `--client` takes it. */
export type KeyedClientName = keyof typeof keyedClients

/** The names of the clients, in the order of the help. */
export const keyedClientNames = Object.keys(keyedClients) as KeyedClientName[] // the keys of a constant

/** How the options describe the client. */
interface ClientFlags {
  readonly client?: KeyedClientName
  readonly baseUrlVariable?: string
  readonly keyVariable?: string
  readonly provider?: string
}

/**
 * Resolves the row of the client: from the two named variables, else from `--client`, else by the program's name.
 * @throws {HelperError} `usage` if none is found, if only one variable is named, or both variables and a client.
 */
export function resolveKeyedClient(
  program: string,
  { client, baseUrlVariable, keyVariable, provider }: ClientFlags,
): KeyedClient {
  const isNamed = baseUrlVariable !== undefined && keyVariable !== undefined
  if (!isNamed && (baseUrlVariable ?? keyVariable) !== undefined)
    throw new HelperError(
      'usage',
      'only one of the two variables is named',
      'pass --base-url-variable and --key-variable',
    )
  if (isNamed && client !== undefined)
    throw new HelperError('usage', '--client names the variables already', 'remove --client, or both variables')
  const row = client === undefined ? findKeyedClient(program) : keyedClients[client]
  const found = isNamed ? createKeyedClient(baseUrlVariable, keyVariable) : row
  if (!found)
    throw new HelperError(
      'usage',
      `${program} is not a client that is known by its name`,
      `pass --client with one of ${keyedClientNames.join(', ')}, or --base-url-variable and --key-variable`,
    )
  if (provider !== undefined && found !== keyedClients.opencode)
    throw new HelperError('usage', `--provider is for opencode, and not for ${found.title}`, 'remove it')
  return found
}

function findKeyedClient(program: string): KeyedClient | undefined {
  const name = program
    .replace(/^.*[\\/]/, '')
    .replace(/\.(exe|cmd|bat|ps1|js)$/i, '')
    .toLowerCase()
  return Object.values<KeyedClient>(keyedClients).find(({ programs }) => programs.includes(name))
}

/** Creates a client that is known only by its two variables. */
function createKeyedClient(baseUrlVariable: string, keyVariable: string): KeyedClient {
  return {
    title: 'the client',
    programs: [],
    basePath: '',
    createVariables: ({ baseUrl, key }) => ({ [baseUrlVariable]: baseUrl, [keyVariable]: key }),
  }
}

/** The gateway's address for a client, and its key. */
interface ClientAccess {
  /** The address, with the path that this client expects. */
  readonly baseUrl: string
  readonly key: string
}
