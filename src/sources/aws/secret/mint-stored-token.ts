// Folder: the helper that prints a token from Secrets Manager or Parameter Store.

import type { Headers } from '../../../contract/headers.ts'
import type { MintCall, MintedToken } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { Secret } from '../../../runtime/secret.ts'
import { parseMoment } from '../../../runtime/values/duration.ts'
import { findMember, parseObject, type RawObject } from '../../../runtime/values/json-value.ts'
import { parseTokenHeaders, requireTokenText } from '../../token-members.ts'
import type { AwsContext, AwsCredentials } from '../credentials/credential-source.ts'
import { fetchAwsCredentials, toAwsFacts } from '../credentials/credentials.ts'
import { type AwsOperation, describeApi } from '../request/aws-error.ts'
import { interceptionHint } from '../request/foreign-answer.ts'
import { type AwsAnswer, sendOperation } from '../request/send-operation.ts'
import {
  describeSecret,
  type SecretOptions,
  type SecretPlan,
  type StoredSecret,
  secretServices,
} from './plan-secret.ts'
import { toSecretFailure } from './secret-failures.ts'

/** Reads a token from AWS. Its expiry is known only if the stored text has one. */
export async function mintStoredToken(
  host: Host,
  { path, 'json-key': jsonKey }: Pick<SecretOptions, 'path' | 'json-key'>,
  call: MintCall,
  { stored, aws }: SecretPlan,
): Promise<MintedToken> {
  const context = { host, call, plan: aws, path }
  const credentials = await fetchAwsCredentials(context)
  const { text, version, clockOffsetMs } = await fetchSecret(stored, credentials, context)
  const name = describeSecret(stored)
  const { token, headers, expiresAt } = parseStoredToken(text.reveal(), { name, jsonKey })
  if (expiresAt) refuseExpired(name, expiresAt, host.clock.now() + clockOffsetMs)
  return {
    token: new Secret(token),
    expiresAt: expiresAt && new Date(expiresAt.getTime() - clockOffsetMs),
    clockOffsetMs,
    facts: { ...toAwsFacts(credentials, aws), ...(version !== undefined && { version }) },
    headers,
  }
}

/** Reads a secret or parameter, decrypted. @throws {HelperError} */
async function fetchSecret(
  stored: StoredSecret,
  credentials: AwsCredentials,
  context: AwsContext,
): Promise<FetchedSecret> {
  const { clockOffsetMs, text } = await send(stored, credentials, context)
  const answer = parseObject(text)
  const found = stored.api === 'ssm' ? parseParameter(answer) : parseSecretValue(answer, stored)
  if (found) return { text: new Secret(found.text), version: found.version, clockOffsetMs }
  const message = `${describeApi(stored.api, context.plan)} answered without ${describeSecret(stored)}`
  throw new HelperError('refused', message, interceptionHint)
}

function refuseExpired(name: string, expiresAt: Date, now: number): void {
  if (expiresAt.getTime() > now) return
  throw new HelperError(
    'refused',
    `${name} says that its token expired at ${expiresAt.toISOString()}`,
    'have it rotated; a new value is taken at the next call',
  )
}

interface FetchedSecret {
  readonly text: Secret
  /** The ID of a secret's version, or the number of a parameter's version; `undefined` if AWS did not state it. */
  readonly version: string | undefined
  /** See `toClockOffset`. */
  readonly clockOffsetMs: number
}

async function send(stored: StoredSecret, credentials: AwsCredentials, context: AwsContext): Promise<AwsAnswer> {
  try {
    return await sendOperation(toOperation(stored), credentials, context)
  } catch (error) {
    throw toSecretFailure(error, stored, context.plan)
  }
}

function toOperation({ api, id, versionStage, versionId }: StoredSecret): AwsOperation {
  const name = secretServices[api].operation
  if (api === 'ssm') return { api, name, input: { Name: id, WithDecryption: true } }
  const version = { ...(versionStage && { VersionStage: versionStage }), ...(versionId && { VersionId: versionId }) }
  return { api, name, input: { SecretId: id, ...version } }
}

type FoundSecret = { readonly text: string; readonly version: string | undefined } | undefined

function parseParameter(answer: RawObject | undefined): FoundSecret {
  const { Value: text, Version: version } = (answer?.Parameter ?? {}) as { Value?: unknown; Version?: unknown }
  if (typeof text !== 'string') return undefined
  return { text, version: typeof version === 'number' ? String(version) : undefined }
}

function parseSecretValue(answer: RawObject | undefined, stored: StoredSecret): FoundSecret {
  const { SecretString, SecretBinary, VersionId } = answer ?? {}
  const text = typeof SecretBinary === 'string' ? decodeBinary(SecretBinary, stored) : SecretString
  if (typeof text !== 'string') return undefined
  return { text, version: typeof VersionId === 'string' ? VersionId : undefined }
}

/** Decodes a secret that was stored as bytes, for example from a file. */
function decodeBinary(base64: string, stored: StoredSecret): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    throw new HelperError(
      'not-configured',
      `${describeSecret(stored)} is binary, not text`,
      'store the token as text: aws secretsmanager put-secret-value with --secret-string file://FILE-WITH-TOKEN',
    )
  }
}

/** A stored token, with the headers and the expiry beside it. */
interface StoredToken {
  readonly token: string
  readonly headers: Headers | undefined
  /** `undefined` if its expiry is not stated. */
  readonly expiresAt: Date | undefined
}

/** The location of a stored text, and its member that is the token. */
interface SecretPart {
  /** For messages, such as `the secret "ai/key"`. */
  readonly name: string
  readonly jsonKey: string | undefined
}

/**
 * Parses a stored text: the text itself, without spaces and line breaks around it; the named member of a JSON object; or an object's
 * members `token`, `headers` and `expiresAt`.
 * @throws {HelperError} `not-configured`; the message repeats nothing of the text.
 */
export function parseStoredToken(text: string, location: SecretPart): StoredToken {
  const { name, jsonKey } = location
  const bare = text.trim()
  const object = bare.startsWith('{') || jsonKey !== undefined ? parseObject(bare) : undefined
  if (jsonKey !== undefined && !object)
    throw toUnusable(
      `${name} is not a JSON object, and json-key names a member of one`,
      'remove json-key, or store an object',
    )
  if (!object && /^[{[]/.test(bare))
    throw toUnusable(
      `${name} begins like JSON but is not a JSON object`,
      'correct what is stored: an object, or the token alone',
    )
  if (!object) return { token: requireToken(bare, name), headers: undefined, expiresAt: undefined }
  const expiresAt = parseEnd(object.expiresAt, name)
  if (jsonKey !== undefined)
    return {
      token: requireToken(findMember(object, jsonKey), `"${jsonKey}" of ${name}`),
      headers: undefined,
      expiresAt,
    }
  if (!Object.hasOwn(object, 'token'))
    throw toUnusable(`${name} is a JSON object without "token"`, 'name the member that is the token with json-key')
  return {
    token: requireToken(object.token, `"token" of ${name}`),
    headers: parseTokenHeaders(object.headers, { name, verb: 'store' }),
    expiresAt,
  }
}

function requireToken(value: unknown, name: string): string {
  if (typeof value !== 'string')
    throw toUnusable(`${name} is missing, or is not a text`, 'correct json-key, or what is stored')
  return requireTokenText(value, { name, verb: 'store' })
}

/** Parses a date with its zone, or seconds since the epoch as in the `exp` of a JWT. */
function parseEnd(value: unknown, name: string): Date | undefined {
  if (value === undefined || value === null) return undefined
  const date = typeof value === 'number' ? new Date(value * 1000) : parseMoment(value)
  if (date && !Number.isNaN(date.getTime())) return date
  throw toUnusable(
    `"expiresAt" of ${name} is not a date`,
    'store a date such as "2026-01-15T12:00:00Z", or seconds since 1970',
  )
}

function toUnusable(message: string, hint: string): HelperError {
  return new HelperError('not-configured', message, hint)
}
