import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { expect, test } from 'vitest'
import { toStableText } from '../../setup/to-stable-text.ts'
import { fetchCaller, refusalOf } from './aws-test-client.ts'
import { startAwsTestEnvironment } from './aws-test-environment.ts'

const user = 'arn:aws:iam::111122223333:user/dev'
const session = 'arn:aws:sts::444455556666:assumed-role/build/s1'

test.each([
  [
    'a wrong secret',
    { secretAccessKey: 'wrong' },
    {
      name: 'SignatureDoesNotMatch',
      status: 403,
      message:
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
    },
  ],
  [
    'an unknown key',
    { accessKeyId: 'AKIAUNKNOWN000000000' },
    {
      name: 'InvalidClientTokenId',
      status: 403,
      message: 'The security token included in the request is invalid.',
    },
  ],
  [
    'a session token of another key',
    { sessionToken: 'other' },
    {
      name: 'InvalidClientTokenId',
      status: 403,
      message: 'The security token included in the request is invalid.',
    },
  ],
])('refuses %s', async (_, wrong, expected) => {
  await using environment = await startAwsTestEnvironment()
  const { accessKeyId, secretAccessKey } = environment.aws.addAccessKey({ arn: user })
  expect(await refusalOf(fetchCaller({ accessKeyId, secretAccessKey, ...wrong }))).toEqual(expected)
})

test('refuses expired temporary credentials', async () => {
  await using environment = await startAwsTestEnvironment()
  const key = environment.aws.addAccessKey({ arn: session, sessionToken: 'token', expiration: new Date() })
  expect(await refusalOf(fetchCaller(key))).toEqual({
    name: 'ExpiredToken',
    status: 403,
    message: 'The security token included in the request is expired',
  })
})

test('refuses an unsigned request', async () => {
  await using environment = await startAwsTestEnvironment()
  const response = await fetch(`${environment.aws.url}/?Action=GetCallerIdentity&Version=2011-06-15`)
  expect({ status: response.status, body: toStableText(await response.text()) }).toEqual({
    status: 403,
    body: '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>MissingAuthenticationToken</Code><Message>Request is missing Authentication Token</Message></Error><RequestId>UUID</RequestId></ErrorResponse>\n',
  })
})

test.each([
  [
    'sts',
    200,
    '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>arn:aws:sts::444455556666:assumed-role/build/s1</Arn><UserId>AROA053C30ECA84DF481F:s1</UserId><Account>444455556666</Account></GetCallerIdentityResult><ResponseMetadata><RequestId>UUID</RequestId></ResponseMetadata></GetCallerIdentityResponse>\n',
  ],
  [
    'bedrock',
    403,
    '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>SignatureDoesNotMatch</Code><Message>Credential should be scoped to correct service: \'sts\'.</Message></Error><RequestId>UUID</RequestId></ErrorResponse>\n',
  ],
])('answers a presigned URL scoped to %s with %i', async (service, status, body) => {
  await using environment = await startAwsTestEnvironment()
  const temporary = { arn: session, sessionToken: 'a+b/c=', expiration: new Date(Date.now() + 600_000) }
  const credentials = environment.aws.addAccessKey(temporary)
  const { port, host, protocol } = new URL(environment.aws.url)
  const signer = new SignatureV4({ service, region: 'eu-central-1', credentials, sha256: NodeSha256 })
  const request = {
    method: 'GET',
    protocol,
    hostname: '127.0.0.1',
    port: Number(port),
    path: '/',
    query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    headers: { host, 'x-k8s-aws-id': 'inference' },
  }
  const { query, headers } = await signer.presign(request, { expiresIn: 60, unhoistableHeaders: new Set() })
  const url = `${environment.aws.url}/?${new URLSearchParams(query as Record<string, string>)}`
  const response = await fetch(url, { headers: { 'x-k8s-aws-id': headers['x-k8s-aws-id']! } })
  expect({ status: response.status, body: toStableText(await response.text()) }).toEqual({ status, body })
})

/** The hash that the SDK's signer asks for. */
class NodeSha256 {
  readonly #hash: Hash | Hmac

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    const key = secret as string | Uint8Array | undefined // all that the signer passes
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', key)
  }

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes)
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }

  reset(): void {}
}
