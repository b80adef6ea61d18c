import { parseObject } from '../../../runtime/parse-object.ts'
import { type AwsApi, awsApis } from './aws-operation.ts'
import { findElement } from './find-element.ts'

/**
 * A refusal of AWS. Its name is AWS's code, as in the errors of the SDK. The message is AWS's own: it may be searched, and is
 * never shown, because it repeats what was sent.
 */
export class AwsError extends Error {
  readonly $metadata: { readonly httpStatusCode: number }

  constructor(code: string, message: string, httpStatusCode: number) {
    super(message)
    this.name = code
    this.$metadata = { httpStatusCode }
  }
}

/** The name of an error whose answer gives none. */
export const noErrorCode = 'no error code'

/** Errors of AWS STS whose names in the SDK, and in its documentation, are longer than their codes. */
const longNames = new Set(['IDPCommunicationError', 'IDPRejectedClaim', 'InvalidIdentityToken', 'PackedPolicyTooLarge'])

/** The code without the `Exception` that some services append. */
export function toErrorCode({ name }: AwsError): string {
  return name.replace(/Exception$/, '')
}

/** What an answer with an error says. Smithy, "AWS protocols": a JSON code may follow a name space and precede an address. */
export function parseAwsError(api: AwsApi, { status, headers }: Response, text: string): AwsError {
  const isXml = awsApis[api].protocol === 'query'
  const { __type, code, message, Message } = isXml ? {} : (parseObject(text) ?? {})
  const name = isXml ? findElement(text, 'Code') : (headers.get('x-amzn-errortype') ?? __type ?? code)
  const said = isXml ? findElement(text, 'Message') : (message ?? Message)
  const bare = typeof name === 'string' ? name.split(':')[0]!.split('#').at(-1)! : ''
  const named = isXml && longNames.has(bare) ? `${bare}Exception` : bare.trim()
  return new AwsError(named || noErrorCode, typeof said === 'string' ? said : '', status)
}
