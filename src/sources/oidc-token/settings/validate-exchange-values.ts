import { parseTokenType } from '../../oauth/exchange/token-types.ts'
import type { ExchangeOptions } from './exchange-options.ts'
import type { Problem } from './problem.ts'

/** What is wrong with the values of single options. No message repeats one. */
export function validateExchangeValues(options: ExchangeOptions): Problem[] {
  return rules.flatMap((rule) => rule(options))
}

const rules: readonly ((options: ExchangeOptions) => readonly Problem[])[] = [
  function validateResources({ 'exchange-resource': resources }) {
    // RFC 8707, section 2.
    if (resources.every((text) => URL.canParse(text) && !text.includes('#'))) return []
    return [
      toUsage(
        'exchange-resource has one that is no address',
        'write it in full, without #, such as https://api.example.com',
      ),
    ]
  },

  function validateScope({ 'exchange-scope': scope }) {
    // RFC 6749, section 3.3.
    if (scope === undefined || /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(scope)) return []
    return [toUsage('exchange-scope has a character that no scope has', 'write the scopes with one space between them')]
  },

  function validateTokenType({ 'exchange-requested-token-type': type }) {
    if (type === undefined || parseTokenType(type) !== undefined) return []
    return [
      toUsage(
        'exchange-requested-token-type is no type of a token',
        'write access_token, jwt, id_token or the whole URI of the type',
      ),
    ]
  },

  function validateParameters({ 'exchange-parameter': texts }) {
    const names = texts.map((text) => /^([\w.-]+)=/.exec(text)?.[1])
    if (names.includes(undefined))
      return [toUsage('exchange-parameter has one without a name', 'write each as NAME=VALUE')]
    const own = [...new Set(names)].filter((name) => name !== undefined && Object.hasOwn(ownParameters, name))
    return own.map((name) => toUsage(`exchange-parameter sets ${name}, which has its own way`, ownParameters[name!]!))
  },

  function validateSecret(options) {
    const { 'exchange-secret-file': file, 'exchange-secret-variable': variable, exchange } = options
    if (file !== undefined && variable !== undefined)
      return [toUsage('exchange-secret-file and exchange-secret-variable are both set', 'leave out one of them')]
    const name = file === undefined ? 'exchange-secret-variable' : 'exchange-secret-file'
    const hasSecret = file !== undefined || variable !== undefined
    if (!hasSecret && options['exchange-client-auth'] !== undefined)
      return [
        toUsage(
          'exchange-client-auth is set, and no secret is',
          'set exchange-secret-file or exchange-secret-variable, or leave out exchange-client-auth',
        ),
      ]
    const isElsewhere = options['exchange-url'] !== undefined || options['exchange-issuer'] !== undefined
    if (!hasSecret || exchange === 'id-jag' || !isElsewhere || options['exchange-client-id'] !== undefined) return []
    return [
      {
        kind: 'not-configured',
        message: `${name} is set, and exchange-client-id is not`,
        hint: 'set exchange-client-id to the client that the secret is of',
      },
    ]
  },
]

/** Parameters that nobody else may set, and what sets them. No argument may hold a secret. */
const ownParameters: Readonly<Record<string, string>> = {
  audience: 'set exchange-audience',
  resource: 'set exchange-resource',
  scope: 'set exchange-scope',
  requested_token_type: 'set exchange-requested-token-type',
  client_id: 'set exchange-client-id',
  client_secret: 'set exchange-secret-file or exchange-secret-variable',
  ...Object.fromEntries(
    ['grant_type', 'subject_token', 'assertion', 'actor_token', 'client_assertion', 'client_assertion_type'].map(
      (name) => [name, `leave out ${name}`],
    ),
  ),
}

function toUsage(message: string, hint: string): Problem {
  return { kind: 'usage', message, hint }
}
