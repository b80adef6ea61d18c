// The table of all fields of the document.

import type { AwsEnv } from '../contract/environment.ts'
import { authSchemes } from '../contract/headers.ts'
import { clientDefaults, limits } from '../contract/limits.ts'
import { nestedSchemaVersion } from '../contract/served-document.ts'
import { vendor } from '../vendor.ts'
import { defineField, defineFields, defineOidcFields, type FieldRow, rules } from './define-field.ts'
import { credentialKinds, type Field, findFlatKey, textFormats, toParentPath } from './field.ts'

const positive = rules.integer(1, Number.MAX_SAFE_INTEGER)
const authScheme = rules.choice(...authSchemes)
const authFlow = rules.choice('browser', 'broker')
const authFlowSummary = "Sign in with the browser, or with the system's identity broker."

const windowsPath = new RegExp(textFormats['windows-path'].pattern)

/** Returns whether a text is an absolute path on Windows that begins with a drive letter. */
export function isDrivePath(text: string): boolean {
  return windowsPath.test(text)
}

/** The first client release that reads the kind `external-idp`, and therefore any of its fields. */
export const externalIdpSince = '2.7032.0'

/** The fields of the document itself. */
export const documentRows = {
  $schemaVersion: defineField(
    undefined,
    { type: 'number', constant: nestedSchemaVersion },
    undefined,
    'Marks the nested form.',
  ),
  expiresAt: defineField(
    undefined,
    { type: 'number', above: 0 },
    undefined,
    'When to fetch the document again, in seconds or milliseconds since 1970.',
  ),
  inference: defineField(undefined, rules.object, undefined, 'Where inference requests go and what authorizes them.'),
}

/** The fields of `inference`. */
export const inferenceRows = {
  provider: defineField('inferenceProvider', rules.choice('gateway'), '1.2581.0', 'Turns third-party mode on.'),
  baseUrl: defineField('inferenceGatewayBaseUrl', rules.uri, '1.2581.0', 'Full URL of the gateway.', {
    consent: true,
    pin: 'server-issued-credential',
    required: true,
  }),
  streamIdleTimeoutSec: defineField(
    'inferenceStreamIdleTimeoutSec',
    rules.integer(300, 1800),
    '1.44121.1',
    'Extra wait for output on a stream that carries only keep-alive pings.',
    { default: 300 },
  ),
  customHeaders: defineField(
    'inferenceCustomHeaders',
    { type: 'header-map' },
    '1.8089.0',
    'Routing and tenant headers on every inference request; never a credential.',
  ),
  sessionLifetimeSec: defineField(
    'inferenceSessionLifetimeSec',
    positive,
    '1.14271.0',
    'How long a sign-in stays valid; a banner asks to renew it before the end.',
  ),
  credential: defineField(undefined, rules.object, undefined, 'The source of the credential.'),
}

/** The fields of a credential of every kind. */
const credentialRows = {
  kind: defineField(
    'inferenceCredentialKind',
    rules.choice(...credentialKinds),
    '1.8555.0',
    'Names the only source to use; there is no fallback to another.',
  ),
}

/** The fields of an API key in the document. */
export const staticRows = {
  apiKey: defineField('inferenceGatewayApiKey', rules.text, '1.2581.0', 'API key for the gateway.', {
    source: true,
    required: true,
    secret: true,
  }),
  authScheme: defineAuthScheme('the key', {}),
}

/** The fields of a sign-in with the gateway. */
export const interactiveRows = {
  authFlow: defineField('inferenceGatewayOidcAuthFlow', authFlow, '1.25927.0', authFlowSummary, {
    default: 'browser',
    deprecation: 'inferenceIdpAuthFlow',
  }),
  oidc: defineField(
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
}

/** The fields of a sign-in with the organization's identity provider. */
export const externalIdpRows = {
  authFlow: defineField('inferenceIdpAuthFlow', authFlow, externalIdpSince, authFlowSummary, {
    default: 'browser',
  }),
  oidc: defineField('inferenceIdpOidc', rules.object, externalIdpSince, "The organization's identity provider.", {
    consent: true,
    source: true,
    required: true,
  }),
}

/** The fields of a credential helper. */
export const helperScriptRows = {
  command: defineField('inferenceCredentialHelper', rules.text, '1.2581.0', 'Absolute path of the helper.', {
    consent: true,
    source: true,
  }),
  commandWindows: defineField(
    'inferenceCredentialHelperWindows',
    { type: 'text', minLength: 1, format: 'windows-path' },
    '2.2553.0',
    'Path of the helper on Windows, instead of `command`.',
    { consent: true, source: true },
  ),
  args: defineField(
    'inferenceCredentialHelperArgs',
    { type: 'text-list', itemMaxLength: limits.argumentLength, itemPattern: '^[^"%\\u0000-\\u001f]*$' },
    '2.110.0',
    'Arguments for the helper, in order.',
    { consent: true },
  ),
  ttlSec: defineField(
    'inferenceCredentialHelperTtlSec',
    positive,
    '1.2581.0',
    'How long the output is cached before the helper runs again; above 120 this is checked before every turn.',
    { consent: true, default: clientDefaults.ttlSec },
  ),
  timeoutSec: defineField(
    'inferenceCredentialHelperTimeoutSec',
    rules.integer(1, limits.timeoutSec),
    '1.8089.0',
    'Longest wait for the helper.',
    { consent: true, default: clientDefaults.timeoutSec },
  ),
  silentRefreshEnabled: defineField(
    'inferenceCredentialHelperSilentRefreshEnabled',
    rules.boolean,
    '1.10628.0',
    `Run the helper again, with \`${vendor.contextVariable}\` = \`mid-session-refresh\`, when its credential expires.`,
    { consent: true, default: clientDefaults.silentRefreshEnabled, defaultFinding: 'silent-refresh-unreadable' },
  ),
  authScheme: defineAuthScheme("the helper's token", { observed: true }),
  awsEnv: defineField(undefined, rules.object, undefined, "Cloud settings for the helper's environment.", {
    alternatePath: 'inference.awsEnv',
  }),
}

/** The fields of `awsEnv`. */
const awsRows = {
  profile: defineField(`inference${vendor.cloudWord}Profile`, rules.text, '1.2581.0', 'Name of the cloud profile.', {
    consent: true,
  }),
  awsDir: defineField(
    vendor.cloudConfigDirKey,
    rules.text,
    '1.2581.0',
    "Directory of the cloud tools' config and credentials files.",
    { consent: true },
  ),
  awsCliPath: defineField(
    vendor.cloudCliPathKey,
    rules.text,
    '1.13576.0',
    "Absolute path of the cloud's command-line program; the helper does not see it.",
    { consent: true },
  ),
} satisfies Record<keyof AwsEnv, FieldRow>

/**
 * Every field of the document, in the specification's order. The type of a document, reader, checks, converter, exports, JSON Schema and
 * the page of fields are derived from these rows.
 */
export const fields: readonly Field[] = [
  ...defineFields('', documentRows),
  ...defineFields('inference.', inferenceRows),
  ...defineFields('inference.credential.', credentialRows),
  ...defineFields('inference.credential.', staticRows, 'static'),
  ...defineFields('inference.credential.', interactiveRows, 'interactive'),
  ...defineOidcFields('interactive', interactiveRows.oidc),
  ...defineFields('inference.credential.', externalIdpRows, 'external-idp'),
  ...defineOidcFields('external-idp', externalIdpRows.oidc),
  ...defineFields('inference.credential.', helperScriptRows, 'helper-script'),
  ...defineFields('inference.credential.awsEnv.', awsRows, 'helper-script'),
]

/** Defines the row of `authScheme`. @param what The credential in the summary. */
function defineAuthScheme(what: string, details: Pick<Field, 'observed'>): FieldRow<typeof authScheme> {
  const summary = `How ${what} is sent: \`Authorization: Bearer\`, or \`x-api-key\`.`
  return defineField('inferenceGatewayAuthScheme', authScheme, '1.3036.0', summary, {
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
