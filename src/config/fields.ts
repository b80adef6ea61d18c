// The table of all fields of the document.

import { clientDefaults, limits } from '../contract/limits.ts'
import { nestedSchemaVersion } from '../contract/served-document.ts'
import { vendor } from '../vendor.ts'
import { defineField, defineFields, defineForKind, defineOidcFields, rules } from './define-field.ts'
import { credentialKinds } from './document.ts'
import { type Field, findFlatKey, toParentPath } from './field.ts'

const positive = rules.integer(1, Number.MAX_SAFE_INTEGER)
const authScheme = rules.choice('bearer', 'x-api-key')
const authFlow = rules.choice('browser', 'broker')
const authFlowSummary = "Sign in with the browser, or with the system's identity broker."

/** An absolute path on Windows: a drive letter, a colon, then a slash or backslash. */
const windowsPathPattern = '^[A-Za-z]:[/\\\\]'
const windowsPath = new RegExp(windowsPathPattern)

/** Returns whether a text is an absolute path on Windows that begins with a drive letter. */
export function isDrivePath(text: string): boolean {
  return windowsPath.test(text)
}

/** The first client release that reads the kind `external-idp`, and therefore any of its fields. */
export const externalIdpSince = '2.7032.0'

/**
 * Every field of the document, in the specification's order. Reader, checks, converter, exports, JSON Schema and the page of
 * fields are derived from this table.
 */
export const fields: readonly Field[] = [
  defineField(
    '$schemaVersion',
    undefined,
    { type: 'number', constant: nestedSchemaVersion },
    undefined,
    'Marks the nested form.',
  ),
  defineField(
    'expiresAt',
    undefined,
    { type: 'number', above: 0 },
    undefined,
    'When to fetch the document again, in seconds or milliseconds since 1970.',
  ),
  defineField('inference', undefined, rules.object, undefined, 'Where inference requests go and what authorizes them.'),

  ...defineFields('inference', [
    defineField('provider', 'inferenceProvider', rules.choice('gateway'), '1.2581.0', 'Turns third-party mode on.'),
    defineField('baseUrl', 'inferenceGatewayBaseUrl', rules.uri, '1.2581.0', 'Full URL of the gateway.', {
      consent: true,
      pin: 'server-issued-credential',
      required: true,
    }),
    defineField(
      'streamIdleTimeoutSec',
      'inferenceStreamIdleTimeoutSec',
      rules.integer(300, 1800),
      '1.44121.1',
      'Extra wait for output on a stream that carries only keep-alive pings.',
      { default: 300 },
    ),
    defineField(
      'customHeaders',
      'inferenceCustomHeaders',
      { type: 'header-map' },
      '1.8089.0',
      'Routing and tenant headers on every inference request; never a credential.',
    ),
    defineField(
      'sessionLifetimeSec',
      'inferenceSessionLifetimeSec',
      positive,
      '1.14271.0',
      'How long a sign-in stays valid; a banner asks to renew it before the end.',
    ),
    defineField('credential', undefined, rules.object, undefined, 'The source of the credential.'),
  ]),

  ...defineFields('inference.credential', [
    defineField(
      'kind',
      'inferenceCredentialKind',
      rules.choice(...credentialKinds),
      '1.8555.0',
      'Names the only source to use; there is no fallback to another.',
    ),

    ...defineForKind('static', [
      defineField('apiKey', 'inferenceGatewayApiKey', rules.text, '1.2581.0', 'API key for the gateway.', {
        source: true,
        required: true,
        secret: true,
      }),
      defineAuthScheme('the key', {}),
    ]),
    ...defineForKind('interactive', [
      defineField('authFlow', 'inferenceGatewayOidcAuthFlow', authFlow, '1.25927.0', authFlowSummary, {
        default: 'browser',
        deprecation: 'inferenceIdpAuthFlow',
      }),
      defineField(
        'oidc',
        'inferenceGatewayOidc',
        rules.object,
        '1.6889.0',
        'The identity provider for the gateway sign-in.',
        {
          consent: true,
          source: true,
          deprecation: 'inferenceIdpOidc',
        },
      ),
      ...defineOidcFields('inferenceGatewayOidc', '1.6889.0'),
    ]),
    ...defineForKind('external-idp', [
      defineField('authFlow', 'inferenceIdpAuthFlow', authFlow, externalIdpSince, authFlowSummary, {
        default: 'browser',
      }),
      defineField('oidc', 'inferenceIdpOidc', rules.object, externalIdpSince, "The organization's identity provider.", {
        consent: true,
        source: true,
        required: true,
      }),
      ...defineOidcFields('inferenceIdpOidc', externalIdpSince),
    ]),
    ...defineForKind('helper-script', [
      defineField('command', 'inferenceCredentialHelper', rules.text, '1.2581.0', 'Absolute path of the helper.', {
        consent: true,
        source: true,
      }),
      defineField(
        'commandWindows',
        'inferenceCredentialHelperWindows',
        { type: 'text', minLength: 1, pattern: windowsPathPattern },
        '2.2553.0',
        'Path of the helper on Windows, instead of `command`.',
        { consent: true, source: true },
      ),
      defineField(
        'args',
        'inferenceCredentialHelperArgs',
        { type: 'text-list', itemMaxLength: limits.argumentLength, itemPattern: '^[^"%\\u0000-\\u001f]*$' },
        '2.110.0',
        'Arguments for the helper, in order.',
        { consent: true },
      ),
      defineField(
        'ttlSec',
        'inferenceCredentialHelperTtlSec',
        positive,
        '1.2581.0',
        'How long the output is cached before the helper runs again; above 120 this is checked before every turn.',
        { consent: true, default: clientDefaults.ttlSec },
      ),
      defineField(
        'timeoutSec',
        'inferenceCredentialHelperTimeoutSec',
        rules.integer(1, limits.timeoutSec),
        '1.8089.0',
        'Longest wait for the helper.',
        { consent: true, default: clientDefaults.timeoutSec },
      ),
      defineField(
        'silentRefreshEnabled',
        'inferenceCredentialHelperSilentRefreshEnabled',
        rules.boolean,
        '1.10628.0',
        `Run the helper again, with \`${vendor.contextVariable}\` = \`mid-session-refresh\`, when its credential expires.`,
        { consent: true, default: clientDefaults.silentRefreshEnabled, defaultFinding: 'silent-refresh-unreadable' },
      ),
      defineAuthScheme("the helper's token", { observed: true }),
      defineField('awsEnv', undefined, rules.object, undefined, "Cloud settings for the helper's environment.", {
        alternatePath: 'inference.awsEnv',
      }),
      ...defineFields('awsEnv', [
        defineField(
          'profile',
          `inference${vendor.cloudWord}Profile`,
          rules.text,
          '1.2581.0',
          'Name of the cloud profile.',
          {
            consent: true,
          },
        ),
        defineField(
          'awsDir',
          vendor.cloudConfigDirKey,
          rules.text,
          '1.2581.0',
          "Directory of the cloud tools' config and credentials files.",
          { consent: true },
        ),
        defineField(
          'awsCliPath',
          vendor.cloudCliPathKey,
          rules.text,
          '1.13576.0',
          "Absolute path of the cloud's command-line program; the helper does not see it.",
          { consent: true },
        ),
      ]),
    ]),
  ]),
]

/** Defines the row of `authScheme`. @param what The credential in the summary. */
function defineAuthScheme(what: string, details: Pick<Field, 'observed'>): Field {
  const summary = `How ${what} is sent: \`Authorization: Bearer\`, or \`x-api-key\`.`
  return defineField('authScheme', 'inferenceGatewayAuthScheme', authScheme, '1.3036.0', summary, {
    default: 'bearer',
    ...details,
  })
}

/** Every key of the flat form, each once: several rows of the table can share one. */
export const flatKeys: readonly string[] = [...new Set(fields.flatMap((field) => findFlatKey(field) ?? []))]

/** Finds the row whose consent covers this one: itself, or the object that holds it; `undefined` if no consent is needed. */
export function findConsent(field: Field): Field | undefined {
  return field.consent
    ? field
    : fields.find((outer) => outer.consent && outer.kind === field.kind && outer.path === toParentPath(field))
}
