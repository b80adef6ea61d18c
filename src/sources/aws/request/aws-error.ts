// Declares the operations of AWS that are called without its SDK, and parses their errors.

import { formType } from '../../../runtime/network/server-request.ts'
import { parseObject } from '../../../runtime/values/json-value.ts'

/**
 * An error answer of AWS. Its name is AWS's code, as in the errors of the SDK. The message is AWS's own: it may be searched, but is never
 * shown, because it repeats parts of the request.
 */
export class AwsError extends Error {
  readonly $metadata: { readonly httpStatusCode: number }

  constructor(code: string, message: string, httpStatusCode: number) {
    super(message)
    this.name = code
    this.$metadata = { httpStatusCode }
  }
}

/** The meaning of an AWS error for a person, and its hint. */
export type ErrorExplanation = readonly [meaning: string, hint: string]

/** The name of an error without a code in its answer. */
export const noErrorCode = 'no error code'

/** Errors of AWS STS whose names in the SDK and in its documentation have a longer ending than their codes. */
const longNames = new Set(['IDPCommunicationError', 'IDPRejectedClaim', 'InvalidIdentityToken', 'PackedPolicyTooLarge'])

/** Removes the ending `Exception`, which some services append, from the code. */
export function toErrorCode({ name }: Pick<AwsError, 'name'>): string {
  return name.replace(/Exception$/, '')
}

/** Parses an answer with an error. In JSON, a code may follow a name space and precede an address (Smithy, "AWS protocols"). */
export function parseAwsError(api: AwsApi, { status, headers }: Response, text: string): AwsError {
  const isXml = awsApis[api].protocol === 'query'
  const { __type, code, message, Message } = isXml ? {} : (parseObject(text) ?? {})
  const name = isXml ? findElement(text, 'Code') : (headers.get('x-amzn-errortype') ?? __type ?? code)
  const said = isXml ? findElement(text, 'Message') : (message ?? Message)
  const bare = typeof name === 'string' ? name.split(':')[0]!.split('#').at(-1)! : ''
  const named = isXml && longNames.has(bare) ? `${bare}Exception` : bare.trim()
  return new AwsError(named || noErrorCode, typeof said === 'string' ? said : '', status)
}

/** The services that are called without the SDK, by the names under which requests are signed, with their protocols. */
export const awsApis = {
  sts: { name: 'AWS STS', protocol: 'query', version: '2011-06-15' },
  secretsmanager: { name: 'AWS Secrets Manager', protocol: 'json', target: 'secretsmanager' },
  ssm: { name: 'AWS Systems Manager', protocol: 'json', target: 'AmazonSSM' },
} as const

/** The content type of requests in the AWS Query protocol, as AWS's SDKs send it. */
export const queryType = `${formType}; charset=utf-8`

/** See {@link awsApis}. */
export type AwsApi = keyof typeof awsApis

/** A value that the request of an AWS operation can hold. */
export type AwsInput = string | number | boolean | readonly AwsInput[] | { readonly [name: string]: AwsInput }

/** One operation of a service. It only reads, so it may be sent again. */
export interface AwsOperation {
  readonly api: AwsApi
  readonly name: string
  readonly input: Readonly<Record<string, AwsInput>>
  /** `regional` for an operation that the global host of AWS STS does not offer; absent: the settings of endpoints decide. */
  readonly host?: 'regional'
}

/** Names a service and its region in messages. */
export function describeApi(api: AwsApi, { region }: { readonly region: string }): string {
  return `${awsApis[api].name} in ${region}`
}

/** The predefined entities of XML (XML 1.0, section 4.6). */
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Finds the text of the first element with this name in an answer of AWS, whose elements have text or elements, never both; `undefined` if
 * none has text.
 */
export function findElement(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return text?.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => entities[entity]!)
}
