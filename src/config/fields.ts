import { clientDefaults, limits } from '../contract/limits.ts'
import { vendor } from '../vendor.ts'
import { type CredentialKind, credentialKinds } from './document.ts'
import { type Field, findFlatKey, toParentPath, type ValueRule } from './field.ts'
import { laterRelease } from './release.ts'

const text = { type: 'text' } as const
const nonEmpty = { type: 'text', minLength: 1 } as const
const uri = { type: 'text', format: 'uri' } as const
const flag = { type: 'boolean' } as const
const cluster = { type: 'cluster' } as const
const choice = (...choices: string[]) => ({ type: 'text', choices }) as const
const integer = (min: number, max: number) => ({ type: 'integer', min, max }) as const
const positive = integer(1, Number.MAX_SAFE_INTEGER)
const authScheme = choice('bearer', 'x-api-key')
const authFlow = choice('browser', 'broker')

/** A drive letter, a colon, then a slash or backslash. */
const windowsPathPattern = '^[A-Za-z]:[/\\\\]'

/** The first client release that knows the kind `external-idp`, and therefore any of its fields. */
export const externalIdpSince = '2.7032.0'

/** Every field of the document in the specification's order. All that this suite knows of the format is derived from it. */
export const fields: readonly Field[] = [
  row('$schemaVersion', undefined, { type: 'number', constant: 2 }, undefined, 'Marks the nested form.'),
  row(
    'expiresAt',
    undefined,
    { type: 'number', above: 0 },
    undefined,
    'When to fetch the document again, in seconds or milliseconds since 1970.',
  ),
  row('inference', undefined, cluster, undefined, 'Where inference requests go and what authorizes them.'),

  ...within('inference', [
    row('provider', 'inferenceProvider', choice('gateway'), '1.2581.0', 'Turns third-party mode on.'),
    row('baseUrl', 'inferenceGatewayBaseUrl', uri, '1.2581.0', 'Full URL of the gateway.', {
      consent: true,
      pin: 'server-issued-credential',
      required: true,
    }),
    row(
      'streamIdleTimeoutSec',
      'inferenceStreamIdleTimeoutSec',
      integer(300, 1800),
      '1.44121.1',
      'Extra wait for output on a stream that carries only keep-alive pings.',
      { default: 300 },
    ),
    row(
      'customHeaders',
      'inferenceCustomHeaders',
      { type: 'header-map' },
      '1.8089.0',
      'Routing and tenant headers on every inference request; never a credential.',
    ),
    row(
      'sessionLifetimeSec',
      'inferenceSessionLifetimeSec',
      positive,
      '1.14271.0',
      'How long a sign-in stays valid; a banner asks to renew it before the end.',
    ),
    row('credential', undefined, cluster, undefined, 'The source of the credential.'),
  ]),

  ...within('inference.credential', [
    row(
      'kind',
      'inferenceCredentialKind',
      choice(...credentialKinds),
      '1.8555.0',
      'Names the only source to use; there is no fallback to another.',
    ),

    ...forKind('static', [
      row('apiKey', 'inferenceGatewayApiKey', text, '1.2581.0', 'API key for the gateway.', {
        source: true,
        required: true,
        secret: true,
      }),
      row(
        'authScheme',
        'inferenceGatewayAuthScheme',
        authScheme,
        '1.3036.0',
        'How the key is sent: `Authorization: Bearer`, or `x-api-key`.',
        { default: 'bearer' },
      ),
    ]),
    ...forKind('interactive', [
      row(
        'authFlow',
        'inferenceGatewayOidcAuthFlow',
        authFlow,
        '1.25927.0',
        "Sign in with the browser, or with the system's identity broker.",
        { default: 'browser', deprecation: 'inferenceIdpAuthFlow' },
      ),
      row('oidc', 'inferenceGatewayOidc', cluster, '1.6889.0', 'The identity provider for the gateway sign-in.', {
        consent: true,
        source: true,
        deprecation: 'inferenceIdpOidc',
      }),
      ...oidcFields('inferenceGatewayOidc', '1.6889.0'),
    ]),
    ...forKind('external-idp', [
      row(
        'authFlow',
        'inferenceIdpAuthFlow',
        authFlow,
        externalIdpSince,
        "Sign in with the browser, or with the system's identity broker.",
        { default: 'browser' },
      ),
      row('oidc', 'inferenceIdpOidc', cluster, externalIdpSince, "The organization's identity provider.", {
        consent: true,
        source: true,
        required: true,
      }),
      ...oidcFields('inferenceIdpOidc', externalIdpSince),
    ]),
    ...forKind('helper-script', [
      row('command', 'inferenceCredentialHelper', text, '1.2581.0', 'Absolute path of the helper.', {
        consent: true,
        source: true,
      }),
      row(
        'commandWindows',
        'inferenceCredentialHelperWindows',
        { type: 'text', minLength: 1, pattern: windowsPathPattern },
        '2.2553.0',
        'Path of the helper on Windows, instead of `command`.',
        { consent: true, source: true },
      ),
      row(
        'args',
        'inferenceCredentialHelperArgs',
        { type: 'text-list', itemMaxLength: limits.argumentLength, itemPattern: '^[^"%\\u0000-\\u001f]*$' },
        '2.110.0',
        'Arguments for the helper, in order.',
        { consent: true },
      ),
      row(
        'ttlSec',
        'inferenceCredentialHelperTtlSec',
        positive,
        '1.2581.0',
        'How long the output is cached before the helper runs again; above 120 this is checked before every turn.',
        { consent: true, default: clientDefaults.ttlSec },
      ),
      row(
        'timeoutSec',
        'inferenceCredentialHelperTimeoutSec',
        integer(1, limits.timeoutSec),
        '1.8089.0',
        'Longest wait for the helper.',
        { consent: true, default: clientDefaults.timeoutSec },
      ),
      row(
        'silentRefreshEnabled',
        'inferenceCredentialHelperSilentRefreshEnabled',
        flag,
        '1.10628.0',
        `Run the helper again, with \`${vendor.contextVariable}\` = \`mid-session-refresh\`, when its credential expires.`,
        { consent: true, default: clientDefaults.silentRefreshEnabled, lenient: true },
      ),
      row(
        'authScheme',
        'inferenceGatewayAuthScheme',
        authScheme,
        '1.3036.0',
        "How the helper's token is sent: `Authorization: Bearer`, or `x-api-key`.",
        { default: 'bearer', seen: true },
      ),
      row('awsEnv', undefined, cluster, undefined, "Cloud settings for the helper's environment.", {
        alsoAt: 'inference.awsEnv',
      }),
      ...within('awsEnv', [
        row('profile', `inference${vendor.cloudWord}Profile`, text, '1.2581.0', 'Name of the cloud profile.', {
          consent: true,
        }),
        row(
          'awsDir',
          `inference${vendor.cloudWord}ConfigDir`,
          text,
          '1.2581.0',
          "Directory of the cloud tools' config and credentials files.",
          { consent: true },
        ),
        row(
          'awsCliPath',
          `inference${vendor.cloudWord}CliPath`,
          text,
          '1.13576.0',
          "Absolute path of the cloud's command-line program; the helper does not see it.",
          { consent: true },
        ),
      ]),
    ]),
  ]),
]

/** Every key of the flat form. */
export const flatKeys: readonly string[] = [...new Set(fields.flatMap((field) => findFlatKey(field) ?? []))]

/** The row that asks for consent to this one: itself, or the object that holds it. */
export function findConsent(field: Field): Field | undefined {
  return field.consent
    ? field
    : fields.find((outer) => outer.consent && outer.kind === field.kind && outer.path === toParentPath(field))
}

/** Rows of `oidc`, the same in both kinds; a row's own release counts where it is later than the object's. */
function oidcFields(flat: string, objectSince: string): Field[] {
  return within('oidc', [
    row(
      'clientId',
      'clientId',
      nonEmpty,
      objectSince,
      'Client ID of the app registration: a public client with PKCE.',
      { required: true },
    ),
    row('issuer', 'issuer', uri, objectSince, 'HTTPS issuer with discovery; set it, or both URLs.'),
    row(
      'authorizationUrl',
      'authorizationUrl',
      uri,
      objectSince,
      'HTTPS authorization endpoint, where there is no issuer.',
    ),
    row('tokenUrl', 'tokenUrl', uri, objectSince, 'HTTPS token endpoint, where there is no issuer.'),
    row(
      'bearerTokenType',
      'bearerTokenType',
      choice('id_token', 'access_token'),
      objectSince,
      'Which token the gateway gets; `access_token` where it checks tokens as an OAuth resource server.',
      { default: 'id_token' },
    ),
    row(
      'scopes',
      'scopes',
      nonEmpty,
      objectSince,
      'Scopes to ask for, with spaces between them; needed with `access_token`.',
    ),
    row(
      'appendOfflineAccess',
      'appendOfflineAccess',
      flag,
      '1.11847.0',
      'Adds `offline_access` to the scopes, so that there is a refresh token.',
      { default: true },
    ),
    row(
      'resource',
      'resource',
      nonEmpty,
      '1.30096.1',
      'Resource indicator (RFC 8707) of the gateway; leave unset for a hosted enterprise directory.',
    ),
    row(
      'redirectPort',
      'redirectPort',
      integer(1024, 65535),
      objectSince,
      'Fixed loopback port for the sign-in redirect; otherwise any free one.',
    ),
    row(
      'redirectHost',
      'redirectHost',
      choice('127.0.0.1', 'localhost'),
      '2.110.0',
      'Host of the sign-in redirect; `localhost` only where the registration says so.',
    ),
    row(
      'additionalRedirectReferrerHosts',
      'additionalRedirectReferrerHosts',
      text,
      '1.20186.0',
      'More hosts, with spaces between them, from which the sign-in may come back.',
    ),
  ]).map((field) => ({ ...field, flat: `${flat}.${field.flat}`, since: laterRelease(field.since!, objectSince) }))
}

type Rest = Omit<Field, 'path' | 'flat' | 'rule' | 'since' | 'summary' | 'availability'>

function row(
  path: string,
  flat: string | undefined,
  rule: ValueRule,
  since: string | undefined,
  summary: string,
  rest: Rest = {},
): Field {
  return { path, ...(flat && { flat }), rule, ...(since && { since }), availability: 'both', ...rest, summary }
}

function within(path: string, rows: readonly Field[]): Field[] {
  return rows.map((field) => ({ ...field, path: `${path}.${field.path}` }))
}

function forKind(kind: CredentialKind, rows: readonly Field[]): Field[] {
  return rows.map((field) => ({ ...field, kind }))
}
