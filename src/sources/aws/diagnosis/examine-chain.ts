import type { DiagnosisLine } from '../../../helper/diagnosis.ts'
import { HelperError, requireHelperError } from '../../../runtime/failure.ts'
import { describeMoment } from '../../../runtime/values/duration.ts'
import { describeStep } from '../credentials/aws-source-kinds.ts'
import type { AwsContext, AwsCredentialSource, AwsCredentials } from '../credentials/credential-source.ts'
import { fetchAwsCredentials } from '../credentials/credentials.ts'
import { describeSettings, listChain } from './explain-plan.ts'

/** The result of walking a chain. */
export interface ExaminedChain {
  readonly steps: readonly DiagnosisLine[]
  /** The results of the steps that succeeded. */
  readonly results: ReadonlyMap<AwsCredentialSource, AwsCredentials>
  /** The last credentials; `undefined` if a step failed. */
  readonly credentials: AwsCredentials | undefined
  /** The credentials of the chain, or the failure of a step. */
  readonly outcome: AwsCredentials | HelperError
}

/** Fetches the credentials of a plan again, and reports the result of each step, the innermost first. */
export async function examineChain(context: AwsContext): Promise<ExaminedChain> {
  const { plan, host } = context
  const results = new Map<AwsCredentialSource, AwsCredentials>()
  const outcome = await fetchAwsCredentials({
    ...context,
    onStep: (source, credentials) => results.set(source, credentials),
  }).catch(requireHelperError)
  const chain = listChain(plan.source)
  const walked = chain.map((source, index) => {
    const details = describeSettings(source, chain[index - 1], plan.files)
    const credentials = results.get(source)
    const isReached = source.kind !== 'role' || results.has(source.from)
    return { ...describeResult(source, { credentials, isReached, outcome, now: host.clock.now() }), details }
  })
  return {
    results,
    outcome,
    credentials: outcome instanceof HelperError ? undefined : outcome,
    steps: [...walked.reverse(), ...(results.has(plan.source) ? describeEnd(outcome) : [])],
  }
}

interface StepResult {
  readonly credentials: AwsCredentials | undefined
  /** Whether the inner steps have succeeded. */
  readonly isReached: boolean
  readonly outcome: AwsCredentials | HelperError
  readonly now: number
}

function describeResult(
  source: AwsCredentialSource,
  { credentials, isReached, outcome, now }: StepResult,
): DiagnosisLine {
  const step = describeStep(source).replace(/ with$/, '')
  if (!isReached) return { status: 'unknown', text: `${step}: not reached` }
  if (credentials === undefined) {
    const { message, hint } = outcome as HelperError // a step without a result has failed
    return { status: 'bad', text: `${step}: ${message}`, hint }
  }
  const { expiration } = credentials
  const life = expiration ? `: credentials until ${describeMoment(expiration.getTime(), now)}` : ''
  const key = describeKey(credentials)
  return { ...key, text: `${step}${life}${key.text}` }
}

/** Describes an access key by the first letters of its ID, which show its kind. AWS documentation, "IAM identifiers". */
function describeKey({ accessKeyId, sessionToken }: AwsCredentials): DiagnosisLine {
  if (accessKeyId.startsWith('AKIA'))
    return {
      status: 'note',
      text: ', a long-term key, which is valid until somebody deletes it',
      hint: 'use keys that end by themselves: a sign-in (aws configure sso) or a role',
    }
  if (accessKeyId.startsWith('ASIA') && !sessionToken)
    return {
      status: 'bad',
      text: ', a temporary key without its session token',
      hint: 'set aws_session_token (AWS_SESSION_TOKEN) beside the key, as its issuer gave it',
    }
  return { status: 'good', text: '' }
}

/** Reports credentials that have expired, although every step succeeded. */
function describeEnd(outcome: AwsCredentials | HelperError): DiagnosisLine[] {
  if (!(outcome instanceof HelperError)) return []
  return [{ status: 'bad', text: outcome.message, hint: outcome.hint }]
}
