import { type AwsInput, type AwsOperation, awsApis } from './aws-operation.ts'

/** An operation as the headers and the body of its POST. */
export interface EncodedOperation {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Encodes an operation in the protocol of its service: AWS JSON 1.1, or AWS Query. Smithy, "AWS protocols". */
export function encodeOperation({ api, name, input }: AwsOperation): EncodedOperation {
  const settings = awsApis[api]
  if (settings.protocol === 'json')
    return {
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${settings.target}.${name}` },
      body: JSON.stringify(input),
    }
  const pairs: Pair[] = [['Action', name], ['Version', settings.version], ...listPairs('', input)]
  return {
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: String(new URLSearchParams(pairs)),
  }
}

type Pair = [name: string, value: string]

/** A list is numbered from 1 below `member`, and the members of an object follow a dot: `Tags.member.1.Key`. */
function listPairs(path: string, value: AwsInput): Pair[] {
  if (typeof value !== 'object') return [[path, String(value)]]
  const members: (readonly [string, AwsInput])[] = Array.isArray(value)
    ? value.map((item: AwsInput, index) => [`member.${index + 1}`, item] as const)
    : Object.entries(value)
  return members.flatMap(([name, member]) => listPairs(path === '' ? name : `${path}.${name}`, member))
}
