import { HelperError } from '../../../runtime/failure.ts'
import { describeApi, findElement } from './aws-error.ts'
import { interceptionHint, refuseForeignText } from './foreign-answer.ts'
import { toFailure } from './request-failures.ts'
import { sendOperation } from './send-operation.ts'
import type { RequestContext, SigningKeys } from './signing-keys.ts'

/**
 * Asks AWS STS whose keys these are (`GetCallerIdentity`), which every caller may do (AWS STS API, `GetCallerIdentity`).
 * @param renewalHint The hint for expired keys, imperative.
 * @throws {HelperError}
 */
export async function fetchCaller(
  keys: SigningKeys,
  renewalHint: string,
  context: RequestContext,
): Promise<{ readonly arn: string; readonly clockOffsetMs: number }> {
  const service = describeApi('sts', context.plan)
  try {
    const { text, clockOffsetMs } = await sendOperation(operation, keys, context)
    return { arn: parseArn(text, service), clockOffsetMs }
  } catch (error) {
    throw toFailure(error, {
      service,
      refusal: callerRefusal,
      hint: 'have the policies of this identity allow sts:GetCallerIdentity, or remove the headers that need it',
      proof: { name: 'the credentials', renewalHint },
    })
  }
}

const operation = { api: 'sts', name: 'GetCallerIdentity', input: {} } as const

function parseArn(text: string, service: string): string {
  refuseForeignText(text, operation.name, service)
  const arn = findElement(text, 'Arn')
  if (arn?.startsWith('arn:')) return arn
  throw new HelperError('refused', `${service} did not say who the caller is`, interceptionHint)
}

/** The message where AWS STS refuses `GetCallerIdentity`. */
export const callerRefusal = 'AWS STS did not say who the caller is'
