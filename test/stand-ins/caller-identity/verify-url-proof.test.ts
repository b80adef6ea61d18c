import { HttpRequest } from '@smithy/core/protocols'
import { Hash } from '@smithy/core/serde'
import { SignatureV4 } from '@smithy/signature-v4'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AwsStandIn, startAwsStandIn } from '../aws/aws-stand-in.ts'
import { isStsHost, type PartitionName } from './sts-hosts.ts'
import { verifyUrlProof } from './verify-url-proof.ts'

const arn = 'arn:aws:iam::111122223333:user/dev'
const audience = 'cluster-1'
const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '')

const encode = (url: string) => `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`
const plain = (host: string, more: string) =>
  encode(`https://${host}/?action=GetCallerIdentity&x-amz-signedheaders=x-k8s-aws-id&${more}`)

let aws: AwsStandIn
let credentials: { accessKeyId: string; secretAccessKey: string }
beforeAll(async () => {
  aws = await startAwsStandIn()
  credentials = aws.addAccessKey({ arn })
  return () => aws.close()
})

const verify = (token: string) => verifyUrlProof(token, { audience }, aws)

/** Makes a proof that differs from a good one only in the given parts; made by the AWS SDK's signer. */
async function makeProof(changes: { host?: string; audience?: string; expiresIn?: number; at?: number } = {}) {
  const { host = 'sts.eu-central-1.amazonaws.com', expiresIn = 60, at = Date.now() } = changes
  const signer = new SignatureV4({
    service: 'sts',
    region: 'eu-central-1',
    sha256: Hash.bind(null, 'sha256'),
    credentials,
  })
  const request = new HttpRequest({
    method: 'GET',
    hostname: host,
    query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    headers: { host, 'x-k8s-aws-id': changes.audience ?? audience },
  })
  const { query = {} } = await signer.presign(request, { signingDate: new Date(at), expiresIn })
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return `https://${host}/?${pairs.join('&')}`
}

test('a good proof is accepted with its owner', async () => {
  expect(await verify(encode(await makeProof()))).toEqual({ ok: true, arn, account: '111122223333' })
})

/** The request is what it should be, and nobody has signed it. */
const unsigned = 'AWS STS: MissingAuthenticationToken'

/** The 22 rows of `TestVerifyTokenPreSTSValidations` of aws-iam-authenticator, 17 of which are refused before AWS is asked. */
describe('by the published cases', () => {
  test.each<[what: string, token: string, reason: string]>([
    ['a token above 4096 bytes', 'x'.repeat(4097), 'too large'],
    ['another version in the prefix', 'k8s-aws-v2.asdfasdfa', 'another prefix'],
    ['no base64', 'k8s-aws-v1.decodingerror!', 'not base64url'],
    ['a URL without a scheme', encode(':ab:cd.af:/asda'), 'no URL'],
    ['http', encode('http://sts.amazonaws.com'), 'another scheme'],
    ['a host that is not of AWS STS', encode('https://google.com'), 'another host'],
    ['a path, in China', encode('https://sts.cn-north-1.amazonaws.com.cn/abc'), 'another host'],
    ['a path', encode('https://sts.amazonaws.com/abc'), 'a path'],
    ['an unknown parameter', encode('https://sts.amazonaws.com/?NoInWhiteList=abc'), 'an unknown parameter'],
    ['a parameter twice', encode('https://sts.amazonaws.com/?action=get&action=post'), 'a parameter twice'],
    ['another action', encode('https://sts.amazonaws.com/?action=NotGetCallerIdenity'), 'another action'],
    [
      'an audience that is not signed',
      encode('https://sts.amazonaws.com/?action=GetCallerIdentity&x-amz-signedheaders=abc%3bx-k8s-aws-i%3bdef'),
      'the audience is not signed',
    ],
    ['a long life', plain('sts.amazonaws.com', `x-amz-date=${date}&x-amz-expires=9999999`), 'X-Amz-Expires'],
    ['no date', plain('sts.amazonaws.com', 'x-amz-date=xxxxxxx&x-amz-expires=60'), 'X-Amz-Date'],
    ['a date of 1990', plain('sts.amazonaws.com', 'x-amz-date=19900422T010203Z&x-amz-expires=60'), 'expired'],
    [
      'a broken escape',
      plain('sts.sa-east-1.amazonaws.com', `x-amz-date=${date}&x-amz-expires=60%gh`),
      'malformed query',
    ],
    [
      'a parameter twice, in another case',
      plain('sts.us-west-2.amazonaws.com', `X-Amz-Date=${date}&X-Amz-Expires=900&Action=GetCallerIdentity`),
      'a parameter twice',
    ],
    ...['us-east-2', 'ap-northeast-2', 'ca-central-1', 'eu-west-1', 'sa-east-1'].map(
      (region): [string, string, string] => [
        `a request in ${region} that nobody signed, which AWS alone can know`,
        encode(
          `https://sts.${region}.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-SignedHeaders=x-k8s-aws-id&X-Amz-Date=${date}&X-Amz-Expires=60`,
        ),
        unsigned,
      ],
    ),
  ])('refuses %s', async (_, token, reason) => {
    expect(await verify(token)).toEqual({ ok: false, reason })
  })
})

const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000

describe('by cases of our own', () => {
  test.each<[what: string, make: () => Promise<string>, reason: string]>([
    ['another audience', () => makeProof({ audience: 'cluster-2' }), 'AWS STS: SignatureDoesNotMatch'],
    [
      'another date',
      async () =>
        (await makeProof()).replace(/(Date=\d{8}T\d{5})(\d)/, (_, rest, last) => rest + ((Number(last) + 1) % 10)),
      'AWS STS: SignatureDoesNotMatch',
    ],
    ['sixteen minutes', () => makeProof({ at: minutesAgo(16) }), 'expired'],
    ['no signature', async () => (await makeProof()).replace(/&X-Amz-Signature=\w+/, ''), unsigned],
    ['another host', () => makeProof({ host: 'sts.cn-north-1.amazonaws.com.cn' }), 'another host'],
    [
      'another key',
      async () => (await makeProof()).replace(/AKIA\w+/, 'AKIANOBODY0000000000'),
      'AWS STS: InvalidClientTokenId',
    ],
    [
      'another region in the host',
      async () => (await makeProof()).replace('sts.eu-central-1', 'sts.eu-west-1'),
      'AWS STS: SignatureDoesNotMatch',
    ],
  ])('refuses %s', async (_, make, reason) => {
    expect(await verify(encode(await make()))).toEqual({ ok: false, reason })
  })

  test('accepts a proof fourteen minutes after its date, although it states 60 s', async () => {
    expect(await verify(encode(await makeProof({ at: minutesAgo(14) })))).toEqual({
      ok: true,
      arn: 'arn:aws:iam::111122223333:user/dev',
      account: '111122223333',
    })
  })
})

/** Rows of `TestSTSEndpoints` of aws-iam-authenticator. */
test.each<[partition: PartitionName, host: string, isValid: boolean]>([
  ['aws', 'sts.amazonaws.com', true],
  ['aws-cn', 'sts.amazonaws.com', false],
  ['aws-us-gov', 'sts.amazonaws.com', false],
  ['aws-cn', 'sts.cn-northwest-1.amazonaws.com.cn', true],
  ['aws-cn', 'sts.us-iso-east-1.c2s.ic.gov', false],
  ['aws', 'sts-fips.us-west-2.amazonaws.com', true],
  ['aws', 'sts.eu-central-1.amazonaws.com', true],
  ['aws', 'sts.amazonaws.com.cn', false],
  ['aws', 'website.amazonaws.com', false],
  ['aws-iso', 'sts.us-iso-east-1.c2s.ic.gov', true],
  ['aws-iso-b', 'sts.cn-north-1.amazonaws.com.cn', false],
  ['aws-us-gov', 'sts.us-gov-east-1.amazonaws.com', true],
  ['aws-cn', 'sts-fips.us-east-1.amazonaws.com', false],
  ['aws-cn', 'sts.us-isob-east-1.amazonaws.com.cn', false],
  ['aws', 'sts.us-west-2.api.aws', true],
  ['aws-cn', 'sts.cn-north-1.api.amazonwebservices.com.cn', true],
  ['aws', 'sts.cn-north-1.api.amazonwebservices.com.cn', false],
])('in %s, %s is a host of AWS STS: %s', (partition, host, isValid) => {
  expect(isStsHost(host, partition)).toBe(isValid)
})
