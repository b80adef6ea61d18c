import type { OidcTokenOptions } from './options.ts'
import type { Problem } from './problem.ts'

/** What is wrong with the options that say what is asked of the provider, and where the browser comes back. */
export function validateRequest(options: OidcTokenOptions): Problem[] {
  return rules.flatMap((rule) => rule(options))
}

const rules: readonly ((options: OidcTokenOptions) => readonly Problem[])[] = [
  function validateScopes({ scopes, 'bearer-token-type': type }) {
    if (scopes === undefined && type === 'access_token')
      return [
        {
          kind: 'not-configured',
          message: 'bearer-token-type is access_token, and scopes is not set',
          hint: "set scopes to the scope of the gateway's API, because an access token without one is valid for no service",
        },
      ]
    if (scopes === undefined) return []
    const names = scopes.split(/ +/).filter(Boolean)
    // RFC 6749, section 3.3.
    const isGood = names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name))
    return isGood
      ? []
      : [toUsage('scopes has a character that no scope has', 'write the scopes with spaces between them')]
  },

  function validateSecret({ 'client-secret-file': file, 'client-auth': authentication }) {
    if (file !== undefined || authentication === undefined) return []
    return [toUsage('client-auth is set, and no secret is', 'set client-secret-file, or leave out client-auth')]
  },

  function validateRedirectPath({ 'redirect-path': path }) {
    if (path === undefined || isPath(path)) return []
    return [
      toUsage(
        'redirect-path is no path of an address',
        'write it as the registration has it, from the slash behind host and port on, such as /callback',
      ),
    ]
  },

  function validateReferrerHosts({ 'additional-redirect-referrer-hosts': hosts }) {
    if (hosts === undefined || toHosts(hosts).every((host) => /^[\w-]+(\.[\w-]+)*$/.test(host))) return []
    return [
      toUsage(
        'additional-redirect-referrer-hosts has one that is no name of a host',
        'write names such as login.example.com, without https:// and with spaces between them',
      ),
    ]
  },

  function validateParameters({ 'authorization-parameter': texts }) {
    const names = texts.map((text) => /^([\w.-]+)=/.exec(text)?.[1])
    if (names.includes(undefined))
      return [toUsage('authorization-parameter has one without a name', 'write each as NAME=VALUE')]
    const own = [...new Set(names)].filter((name) => name !== undefined && Object.hasOwn(ownParameters, name))
    const taken = own.map((name) =>
      toUsage(`authorization-parameter sets ${name}, which each sign-in sets itself`, ownParameters[name!]!),
    )
    const isTwice = new Set(names).size < names.length
    return isTwice
      ? [...taken, toUsage('authorization-parameter has two of the same name', 'write each name once')]
      : taken
  },
]

/** Parameters of the request that nobody else may set, and what sets them. */
const ownParameters: Readonly<Record<string, string>> = {
  client_id: 'set client-id',
  client_secret: 'set client-secret-file',
  scope: 'set scopes',
  resource: 'set resource',
  response_mode: 'set response-mode',
  redirect_uri: 'set redirect-host, redirect-port and redirect-path',
  ...Object.fromEntries(
    ['response_type', 'state', 'nonce', 'code_challenge', 'code_challenge_method', 'request', 'request_uri'].map(
      (name) => [name, `leave out ${name}`],
    ),
  ),
}

/** Names of hosts, as the document's field has them. */
export function toHosts(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}

/** Nothing that a browser would write in another way. */
function isPath(text: string): boolean {
  return URL.parse(`http://127.0.0.1${text}`)?.pathname === text
}

function toUsage(message: string, hint: string): Problem {
  return { kind: 'usage', message, hint }
}
