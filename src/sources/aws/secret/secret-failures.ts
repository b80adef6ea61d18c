import { HelperError } from '../../../runtime/failure.ts'
import { quoteForAnyShell } from '../../../runtime/text/quote.ts'
import type { AwsPlan } from '../credentials/credential-source.ts'
import { toTerminalHint } from '../files/locate-setting.ts'
import { AwsError, describeApi, type ErrorExplanation, toErrorCode } from '../request/aws-error.ts'
import { describeDenial, toFailure } from '../request/request-failures.ts'
import {
  describeSecret,
  dropSelector,
  type StoredSecret,
  secretServices,
  toPolicyArn,
  toReadAction,
} from './plan-secret.ts'

/** Converts an error of `GetSecretValue` or `GetParameter` to a failure. */
export function toSecretFailure(error: unknown, stored: StoredSecret, plan: AwsPlan): HelperError {
  const service = describeApi(stored.api, plan)
  const refusal = `${service} did not give ${describeSecret(stored)}`
  const explain = error instanceof AwsError ? findExplanation(toErrorCode(error)) : undefined
  if (explain) {
    const { name, message } = error as AwsError
    const [meaning, hint] = explain({ stored, plan, message })
    const where = hint.includes('aws ') ? toTerminalHint(hint, plan.files) : hint
    return new HelperError('refused', `${refusal}: ${name}: ${meaning}`, where, { cause: error })
  }
  const proof = { name: 'the credentials', renewalHint: plan.describeRenewal() }
  const hint = `look the code up in the documentation of ${secretServices[stored.api].operation}`
  return toFailure(error, { service, refusal, hint, proof })
}

/** The inputs of an explanation. `message` is AWS's own, which is searched and never repeated. */
interface RefusedSecret {
  readonly stored: StoredSecret
  readonly plan: AwsPlan
  readonly message: string
}

function findExplanation(code: string): ((refusal: RefusedSecret) => ErrorExplanation) | undefined {
  return Object.hasOwn(explanations, code) ? explanations[code] : undefined
}

/** Explanations by AWS's code, without `Exception`. Source: AWS's documentation of both operations. */
const explanations: Readonly<Record<string, (refusal: RefusedSecret) => ErrorExplanation>> = {
  ResourceNotFound: explainMissing,
  ParameterNotFound: ({ plan }) => explainUnknown('ssm describe-parameters', plan),
  ParameterVersionNotFound: ({ stored, plan }) => [
    'it has no such version or label',
    `correct what follows the colon; its versions are listed by: ${renderCommand(`ssm get-parameter-history ${renderIdOption(stored)}`, plan)}`,
  ],
  AccessDenied: explainDenial,
  DecryptionFailure: explainKey,
  InvalidKeyId: explainKey,
  InvalidRequest: explainState,
  InvalidParameter: () => [
    'AWS does not accept the name or the version',
    'correct secret, version-stage and version-id; a stage and an ID that are both set have to be of one version',
  ],
  Validation: () => ['AWS does not accept the name', 'correct the name, and what follows its colon'],
}

function explainUnknown(list: string, plan: AwsPlan): ErrorExplanation {
  return [
    'there is none of that name in this account and region',
    `correct the name, the region or the profile; the names are listed by: ${renderCommand(list, plan)}`,
  ]
}

/** Explains a secret that does not exist or was deleted, by the words of Secrets Manager's messages in the reports of published clients. */
function explainMissing({ stored, plan, message }: RefusedSecret): ErrorExplanation {
  if (!/staging label|VersionId/.test(message)) return explainUnknown('secretsmanager list-secrets', plan)
  const id = renderIdOption(stored)
  if (stored.versionStage === undefined && stored.versionId === undefined)
    return [
      'it has no value yet',
      `have one stored: ${renderCommand(`secretsmanager put-secret-value ${id} --secret-string file://FILE-WITH-TOKEN`, plan)}`,
    ]
  return [
    'it has no such version',
    `correct version-stage or version-id; its versions are listed by: ${renderCommand(`secretsmanager list-secret-version-ids ${id}`, plan)}`,
  ]
}

/** Explains a denial. Only AWS's message shows whether it concerns the KMS key. */
function explainDenial({ stored, plan, message }: RefusedSecret): ErrorExplanation {
  if (/\bkms\b|customer master key/i.test(message)) {
    const hint = describeDenial({ message }, { action: 'kms:Decrypt', resource: 'ARN-OF-THE-KEY' })
    return ['its KMS key may not be used', `${hint}; the policy of the key has to permit it too`]
  }
  const action = toReadAction(stored.api)
  const hint = describeDenial({ message }, { action, resource: toPolicyArn(stored, plan.region) })
  return [`a policy does not permit ${action}`, hint]
}

function explainKey(): ErrorExplanation {
  return [
    'its KMS key cannot decrypt it',
    'have an administrator of that key enable it, or have the value stored again under another key',
  ]
}

function explainState({ stored, plan, message }: RefusedSecret): ErrorExplanation {
  const id = renderIdOption(stored)
  if (/delet/.test(message))
    return [
      'it is scheduled for deletion',
      `set another secret, or have it restored: ${renderCommand(`secretsmanager restore-secret ${id}`, plan)}`,
    ]
  return ['its state does not permit it', `look at it: ${renderCommand(`secretsmanager describe-secret ${id}`, plan)}`]
}

/** Renders a command of the AWS CLI, such as `ssm describe-parameters`, for the profile and the region of a plan. */
function renderCommand(words: string, { region, source }: Pick<AwsPlan, 'region' | 'source'>): string {
  const profile = 'profile' in source && source.profile ? ` --profile ${quoteForAnyShell(source.profile)}` : ''
  return `aws ${words} --region ${region}${profile}`
}

/** Renders the option of a command that names a secret or a parameter. */
function renderIdOption({ api, id }: Pick<StoredSecret, 'api' | 'id'>): string {
  return api === 'ssm' ? `--name ${quoteForAnyShell(dropSelector(id))}` : `--secret-id ${quoteForAnyShell(id)}`
}
