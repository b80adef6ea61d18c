import { HelperError } from '../../../runtime/failure.ts'
import { parseObject } from '../../../runtime/parse-object.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { AwsContext, AwsCredentials } from '../credentials/aws-credentials.ts'
import { type AwsOperation, describeApi } from '../request/aws-operation.ts'
import { type AwsAnswer, sendOperation } from '../request/send-operation.ts'
import { interceptionHint } from '../sdk/interception-hint.ts'
import { toSecretFailure } from './failures.ts'
import { describeSecret, type StoredSecret } from './stored-secret.ts'

/** A value that AWS keeps. */
export interface FetchedSecret {
  readonly text: Secret
  /** The ID of a secret's version, or the number of a parameter's; `undefined` where AWS did not say it. */
  readonly version: string | undefined
  /** AWS's clock less this machine's, in milliseconds. */
  readonly clockOffsetMs: number
}

/** Reads a secret or parameter, decrypted. @throws {HelperError} */
export async function fetchSecret(
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

async function send(stored: StoredSecret, credentials: AwsCredentials, context: AwsContext): Promise<AwsAnswer> {
  try {
    return await sendOperation(toOperation(stored), credentials, context)
  } catch (error) {
    throw toSecretFailure(error, stored, context.plan)
  }
}

function toOperation({ api, id, versionStage, versionId }: StoredSecret): AwsOperation {
  if (api === 'ssm') return { api, name: 'GetParameter', input: { Name: id, WithDecryption: true } }
  const version = { ...(versionStage && { VersionStage: versionStage }), ...(versionId && { VersionId: versionId }) }
  return { api, name: 'GetSecretValue', input: { SecretId: id, ...version } }
}

type Found = { readonly text: string; readonly version: string | undefined } | undefined
type Answer = Readonly<Record<string, unknown>> | undefined

function parseParameter(answer: Answer): Found {
  const { Value: text, Version: version } = (answer?.Parameter ?? {}) as { Value?: unknown; Version?: unknown }
  if (typeof text !== 'string') return undefined
  return { text, version: typeof version === 'number' ? String(version) : undefined }
}

function parseSecretValue(answer: Answer, stored: StoredSecret): Found {
  const { SecretString, SecretBinary, VersionId } = answer ?? {}
  const text = typeof SecretBinary === 'string' ? decodeBinary(SecretBinary, stored) : SecretString
  if (typeof text !== 'string') return undefined
  return { text, version: typeof VersionId === 'string' ? VersionId : undefined }
}

/** A text that was stored as bytes, such as from a file, is taken as the text. */
function decodeBinary(base64: string, stored: StoredSecret): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    throw new HelperError(
      'not-configured',
      `${describeSecret(stored)} is binary and no text`,
      'store the token as text: aws secretsmanager put-secret-value with --secret-string',
    )
  }
}
