import { beforeAll, describe, expect, test } from 'vitest'
import { examineProof, parseProof } from '../../../src/verify/aws/parse-proof.ts'
import type { AwsTrust } from '../../../src/verify/policy/policy.ts'
import { encodeUrl, signUrl } from '../../stand-ins/caller-identity/sign-proof.ts'
import { audience, credentials, findOutcome, noon, trust } from './outcome.ts'

let url: string
beforeAll(async () => {
  url = await signUrl({ credentials, audience, at: noon })
})

const host = 'sts.eu-central-1.amazonaws.com'
const noHost = (text: string, partition = 'aws') => `host host: ${text} is not a host of AWS STS in ${partition}`
const unnamed = noHost('what stands in place of the host')
const strangePath = 'malformed path: the path is not / alone'
const strangeQuery = 'malformed parameters: the query is malformed'
const twice = 'malformed parameters: the query has a parameter twice'
const unknown = 'malformed parameters: the query has a parameter that no proof has'
const action = 'malformed action: the request is not GetCallerIdentity of 2011-06-15'
const encoding = 'malformed encoding: it is not base64url as an encoder writes it, without padding'
const noUrl = 'malformed url: the encoded text is not a URL'
const insecure = 'malformed https: the address does not begin with https://'
const unsigned = 'audience audience: the header x-k8s-aws-id is not signed, which names the audience'
const noAlgorithm = 'algorithm algorithm: the request is not signed by AWS4-HMAC-SHA256'
const otherDay = 'malformed credential scope: the credential is for another day than the date of the request'
const noNumber = 'malformed expires: X-Amz-Expires is not a number of seconds'
const noSignature = 'malformed signature form: there is no signature of 64 hexadecimal digits'
const expired = 'expired expiry: it was signed 900 s ago, and AWS STS accepts it for 900 s'
const noScope = 'malformed credential scope: the credential is malformed'

test('a proof is taken apart into the request that is sent to AWS STS, with no other header than this audience', () => {
  expect(parseProof(encodeUrl(url), { trust, now: noon, clockSkewSec: 30 })).toEqual({
    form: 'url',
    host,
    partition: 'aws',
    request: { method: 'GET', url, headers: { accept: 'application/json', 'x-k8s-aws-id': audience } },
    signedAt: noon,
    accessKeyId: 'AKIASTANDIN000000001',
    expiresAt: noon + 900_000,
    signature: url.slice(-64),
  })
})

test('every check is listed by its name, also after one that fails', () => {
  const terms = { trust: { ...trust, longestAgeSec: 300 }, now: noon + 400_000, clockSkewSec: 30 }
  const outcomes = (token: string) =>
    examineProof(token, terms).map(({ name, outcome, reason }) =>
      [name, outcome, ...(reason ? [reason] : [])].join(' '),
    )
  expect(outcomes(encodeUrl(url.replace(host, 'sts.evil.example')))).toEqual([
    ...['size pass', 'prefix pass', 'encoding pass', 'url pass', 'https pass', 'host fail host', 'path pass'],
    ...['parameters pass', 'action pass', 'audience pass', 'algorithm pass', 'signature form pass'],
    ...['credential scope skipped', 'signed headers pass', 'expires pass', 'date pass', 'not before pass'],
    ...['expiry pass', 'age fail too-old'],
  ])
  expect(outcomes('x'.repeat(5000)).filter((line) => !line.endsWith(' skipped'))).toEqual(['size fail malformed'])
})

test('a check that passes says what was seen, without the signature', () => {
  const listed = examineProof(encodeUrl(url), { trust, now: noon + 5000, clockSkewSec: 30 })
  expect(listed.map(({ outcome, note }) => (outcome === 'pass' ? note : outcome))).toEqual([
    ...[
      `it has ${encodeUrl(url).length} bytes`,
      'it begins with k8s-aws-v1.',
      'it is base64url as an encoder writes it',
    ],
    ...['it is an absolute URL', 'it begins with https://', `${host} is of aws`, 'it is / alone'],
    ...['they are those of a proof, each once', 'it is GetCallerIdentity of 2011-06-15'],
    ...['x-k8s-aws-id is signed, whose value AWS STS compares', 'it is AWS4-HMAC-SHA256'],
    ...['it has 64 hexadecimal digits, which AWS STS verifies', 'it is signed for sts in eu-central-1'],
    ...['these are signed: host, x-k8s-aws-id', 'X-Amz-Expires is 60, which AWS STS ignores'],
    ...['it is dated 20260115T120000Z', ...Array.from({ length: 3 }, () => 'it was signed 5 s ago')],
  ])
})

/** The same kinds of cases as `TestVerifyTokenPreSTSValidations` of aws-iam-authenticator has; the last ones AWS alone can know there. */
describe('the check of a proof, against published attacks,', () => {
  const plain = (more: string, at = 'sts.amazonaws.com') =>
    encodeUrl(
      `https://${at}/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-SignedHeaders=host%3Bx-k8s-aws-id&${more}`,
    )
  test.each<[what: string, token: string, outcome: string]>([
    ['too many bytes', 'x'.repeat(4097), 'malformed size: it has 4097 bytes, above 4096'],
    ['another version in the prefix', 'k8s-aws-v2.asdf', 'unknown-kind prefix: it does not begin with k8s-aws-v1.'],
    ['no base64', 'k8s-aws-v1.not!base64', encoding],
    ['a text without a scheme', encodeUrl(':ab:cd.af:/x'), noUrl],
    ['http without a host', encodeUrl('http://'), insecure],
    ['a host of others', encodeUrl('https://google.com'), noHost('google.com')],
    [
      'a path in China',
      encodeUrl('https://sts.cn-north-1.amazonaws.com.cn/a'),
      noHost('sts.cn-north-1.amazonaws.com.cn'),
    ],
    ['a path', encodeUrl('https://sts.amazonaws.com/abc'), strangePath],
    ['an unknown parameter', encodeUrl('https://sts.amazonaws.com/?Unheard=abc'), unknown],
    ['a parameter twice', encodeUrl('https://sts.amazonaws.com/?Action=get&action=post'), twice],
    ['another action', encodeUrl('https://sts.amazonaws.com/?Action=NotGetCallerIdentity'), action],
    [
      'another signed header with a name that begins like the audience',
      encodeUrl(
        'https://sts.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-SignedHeaders=a%3bx-k8s-aws-i%3bd',
      ),
      unsigned,
    ],
    ['an end far away', plain('X-Amz-Expires=9999999'), noAlgorithm],
    ...['us-east-2', 'ap-northeast-2', 'ca-central-1', 'eu-west-1', 'sa-east-1'].map(
      (region): [string, string, string] => [
        `nobody's signature in ${region}`,
        plain('X-Amz-Date=20260115T120000Z&X-Amz-Expires=60', `sts.${region}.amazonaws.com`),
        noAlgorithm,
      ],
    ),
  ])('refuses %s', (_, token, outcome) => {
    expect(findOutcome(token)).toBe(outcome)
  })

  test.each<[what: string, edit: (good: string) => string, outcome: string]>([
    [
      'an end far away',
      (good) => good.replace('Expires=60', 'Expires=9999999'),
      'too-old expires: X-Amz-Expires is 9999999, above 900',
    ],
    ['a negative end', (good) => good.replace('Expires=60', 'Expires=-1'), noNumber],
    ['no end', (good) => good.replace('&X-Amz-Expires=60', ''), noNumber],
    ['no date', (good) => good.replace('Date=20260115T120000Z', 'Date=xxxxxxx'), otherDay],
    [
      'a date of 1990',
      (good) => good.replaceAll('20260115', '19900422'),
      `expired expiry: it was signed ${(noon - Date.UTC(1990, 3, 22, 12)) / 1000} s ago, and AWS STS accepts it for 900 s`,
    ],
    [
      'a day that does not exist',
      (good) => good.replaceAll('20260115', '20260231'),
      'malformed date: there is no date such as 20260115T120000Z',
    ],
  ])('refuses a signed proof with %s', (_, edit, outcome) => {
    expect(findOutcome(encodeUrl(edit(url)))).toBe(outcome)
  })
})

describe('the host', () => {
  test.each<[authority: string, outcome: string]>([
    ['sts.amazonaws.com.evil.example', noHost('sts.amazonaws.com.evil.example')],
    ['sts.evil.amazonaws.com', noHost('sts.evil.amazonaws.com')],
    ['sts.us-east-1.amazonaws.com:443@evil', unnamed],
    ['sts.us-east-1.amazonaws.com:443', unnamed],
    ['evil.example\\@sts.us-east-1.amazonaws.com', strangePath],
    ['user@sts.us-east-1.amazonaws.com', unnamed],
    ['STS.us-east-1.amazonaws.com', noHost('STS.us-east-1.amazonaws.com')],
    ['sts.us-east-1.amazonaws.com.', noHost('sts.us-east-1.amazonaws.com.')],
    ['sts.us-east-1.amazonaws%2Ecom', unnamed],
    ['sts。us-east-1.amazonaws.com', noUrl],
    ['xn--sts-us-east-1.amazonaws.com', noHost('xn--sts-us-east-1.amazonaws.com')],
    ['sts.xn--us-east-1.amazonaws.com', noHost('sts.xn--us-east-1.amazonaws.com')],
    ['127.0.0.1', noHost('127.0.0.1')],
    ['[::1]', unnamed],
    ['', unnamed],
    ['sts.us-east-1.api.aws.evil', noHost('sts.us-east-1.api.aws.evil')],
    ['sts.us-east-1.amazonaws.com.cn', noHost('sts.us-east-1.amazonaws.com.cn')],
    ['sts.us-gov-west-1.amazonaws.com', noHost('sts.us-gov-west-1.amazonaws.com')],
    ['iam.us-east-1.amazonaws.com', noHost('iam.us-east-1.amazonaws.com')],
    ['sts-evil.us-east-1.amazonaws.com', noHost('sts-evil.us-east-1.amazonaws.com')],
    ['evil-sts.us-east-1.amazonaws.com', noHost('evil-sts.us-east-1.amazonaws.com')],
    ['sts.s3.amazonaws.com', noHost('sts.s3.amazonaws.com')],
  ])('%s is refused', (authority, outcome) => {
    // With a backslash the path begins earlier, for every reader.
    const expected = authority.includes('\\') ? noHost('evil.example') : outcome
    expect(findOutcome(encodeUrl(url.replace(host, authority)))).toBe(expected)
  })

  test.each<[partition: string, name: string, region: string]>([
    ['aws', 'sts.amazonaws.com', 'us-east-1'],
    ['aws', 'sts-fips.us-west-2.amazonaws.com', 'us-west-2'],
    ['aws', 'sts.eu-west-3.api.aws', 'eu-west-3'],
    ['aws', 'sts-fips.us-east-1.api.aws', 'us-east-1'],
    ['aws-cn', 'sts.cn-northwest-1.amazonaws.com.cn', 'cn-northwest-1'],
    ['aws-cn', 'sts.cn-north-1.api.amazonwebservices.com.cn', 'cn-north-1'],
    ['aws-us-gov', 'sts.us-gov-east-1.amazonaws.com', 'us-gov-east-1'],
    ['aws-eusc', 'sts.eusc-de-east-1.amazonaws.eu', 'eusc-de-east-1'],
    ['aws-iso', 'sts.us-iso-east-1.c2s.ic.gov', 'us-iso-east-1'],
    ['aws-iso-b', 'sts.us-isob-east-1.sc2s.sgov.gov', 'us-isob-east-1'],
  ])('of %s: %s passes where the partition is trusted, and only there', async (partition, name, region) => {
    const token = encodeUrl(await signUrl({ credentials, audience, at: noon, host: name, region }))
    const other = partition === 'aws' ? 'aws-cn' : 'aws'
    expect({
      trusted: findOutcome(token, { partitions: [other, partition] }),
      other: findOutcome(token, { partitions: [other] }),
    }).toEqual({ trusted: 'passes', other: noHost(name, other) })
  })

  test.each<[what: string, parts: { host?: string; region?: string; service?: string }, outcome: string]>([
    [
      'a region beside the host',
      { region: 'eu-west-1' },
      'malformed credential scope: the request is signed for eu-west-1, but its host is in eu-central-1',
    ],
    [
      'a region at the global host',
      { host: 'sts.amazonaws.com' },
      'malformed credential scope: the request is signed for eu-central-1, but its host is in us-east-1',
    ],
    ['another service', { service: 's3' }, 'malformed credential scope: the request is signed for s3, not for sts'],
  ])('agrees with the scope of the signature, which refuses %s', async (_, parts, outcome) => {
    expect(findOutcome(encodeUrl(await signUrl({ credentials, audience, at: noon, ...parts })))).toBe(outcome)
  })
})

describe('the check of a proof, against attacks of our own,', () => {
  test.each<[what: string, edit: (good: string) => string, outcome: string]>([
    ['the action twice', (good) => good.replace('Action=', 'Action=GetCallerIdentity&Action=AssumeRole&x='), twice],
    ['the action twice, and nothing else', (good) => `${good}&Action=AssumeRole`, twice],
    ['the action twice in another case', (good) => `${good}&aCtion=AssumeRole`, twice],
    ['a parameter in another case, for which AWS does not look', (good) => good.replace('Action', 'action'), unknown],
    ['a parameter twice in another encoding', (good) => `${good}&%41ction=AssumeRole`, strangeQuery],
    ['a parameter of the operation that another action takes', (good) => `${good}&RoleArn=arn`, unknown],
    ['a plus sign', (good) => good.replace('GetCallerIdentity', 'GetCaller+Identity'), strangeQuery],
    ['a space in the action', (good) => good.replace('GetCallerIdentity', 'GetCallerIdentity%20'), action],
    [
      'a control character in a value',
      (good) => good.replace('GetCallerIdentity', 'GetCallerIdentity%0A'),
      strangeQuery,
    ],
    ['bytes that are no text', (good) => good.replace('GetCallerIdentity', '%ff%fe'), strangeQuery],
    ['a broken escape', (good) => good.replace('Expires=60', 'Expires=60%gh'), strangeQuery],
    ['an empty pair', (good) => `${good}&`, strangeQuery],
    ['a semicolon between pairs', (good) => good.replace('&Version', ';Version'), strangeQuery],
    ['no query', (good) => good.split('?')[0]!, strangeQuery],
    ['a fragment', (good) => `${good}#x`, strangePath],
    ['an empty fragment', (good) => `${good}#`, strangePath],
    ['no path', (good) => good.replace('/?', '?'), strangePath],
    ['a path that is the same for many', (good) => good.replace('/?', '/./?'), strangePath],
    ['http', (good) => good.replace('https', 'http'), insecure],
    ['https in capitals', (good) => good.replace('https', 'HTTPS'), insecure],
    ['a line break before it', (good) => `\n${good}`, noUrl],
    ['a tab in the host', (good) => good.replace('sts.', 's\tts.'), noUrl],
    ['no version', (good) => good.replace('&Version=2011-06-15', ''), action],
    ['another version', (good) => good.replace('2011-06-15', '2010-05-08'), action],
    [
      'host not signed',
      (good) => good.replace('host%3B', ''),
      'malformed signed headers: the header host is not signed',
    ],
    ['the audience not signed', (good) => good.replace('%3Bx-k8s-aws-id', ''), unsigned],
    [
      'one more signed header',
      (good) => good.replace('host%3B', 'host%3Brange%3B'),
      'malformed audience: a header is signed that nobody can send',
    ],
    [
      'a signed header twice',
      (good) => good.replace('host%3B', 'host%3Bhost%3B'),
      'malformed signed headers: the list of signed headers is malformed',
    ],
    ['another algorithm', (good) => good.replace('HMAC-SHA256', 'HMAC-SHA1'), noAlgorithm],
    ['no signature', (good) => good.replace(/&X-Amz-Signature=\w+/, ''), noSignature],
    [
      'a signature in capitals',
      (good) => good.replace(/(Signature=)(\w+)/, (_, name, value) => name + value.toUpperCase()),
      noSignature,
    ],
    ['no credential', (good) => good.replace(/&X-Amz-Credential=[^&]+/, ''), noScope],
    ['a credential with a path', (good) => good.replace('Credential=AKIA', 'Credential=..%2FAKIA'), noScope],
    ['the scope of another day', (good) => good.replace('%2F20260115', '%2F20260114'), otherDay],
  ])('refuses %s', (_, edit, outcome) => {
    expect(findOutcome(encodeUrl(edit(url)))).toBe(outcome)
  })

  test.each<[what: string, change: (token: string) => string, outcome: string]>([
    ['padding', (token) => `${token}=`, encoding],
    ['a line break', (token) => `${token}\n`, encoding],
    ['standard base64', (token) => token.replace(/.$/, '/'), encoding],
    ['nothing behind the prefix', () => 'k8s-aws-v1.', encoding],
    ['the prefix twice', (token) => `k8s-aws-v1.${token}`, encoding],
  ])('refuses another spelling of the token: %s', (_, change, outcome) => {
    expect(findOutcome(change(encodeUrl(url)))).toBe(outcome)
  })

  test('the unused last bits have one spelling, so that a proof has one text', () => {
    // The number of bytes is one that leaves bits over.
    const token = encodeUrl(url.length % 3 === 0 ? url.replace('Expires=60', 'Expires=9') : url)
    const other = token.slice(0, -1) + String.fromCharCode(token.charCodeAt(token.length - 1) + 1)
    const [bytes, otherBytes] = [token, other].map((text) => Buffer.from(text.slice(11), 'base64url'))
    expect([otherBytes, findOutcome(token), findOutcome(other)]).toEqual([bytes, 'passes', encoding])
  })

  test.each<[what: string, changes: Partial<AwsTrust>, outcome: string]>([
    [
      'another header for the audience',
      { audience: { header: 'x-corp', value: 'a' } },
      'audience audience: the header x-corp is not signed, which names the audience',
    ],
    [
      'no audience',
      { audience: 'none' },
      'audience audience: it names an audience in a signed header, and none is accepted here',
    ],
    ['another prefix', { prefix: 'corp.' }, 'unknown-kind prefix: it does not begin with corp.'],
  ])('refuses a proof under a policy with %s', (_, changes, outcome) => {
    expect(findOutcome(encodeUrl(url), changes)).toBe(outcome)
  })

  test('a policy without audience and prefix takes a proof that has none', async () => {
    const bare = await signUrl({ credentials, at: noon })
    expect(findOutcome(encodeUrl(bare, ''), { audience: 'none', prefix: '' })).toBe('passes')
  })

  test.each<[ageSec: number, longestAgeSec: number, outcome: string]>([
    [-31, 900, 'not-yet-valid not before: it was signed 31 s from now: compare the clocks'],
    [-30, 900, 'passes'],
    [899, 900, 'passes'],
    [900, 900, expired],
    [299, 300, 'passes'],
    [300, 300, 'too-old age: it was signed 300 s ago, and is accepted here for 300 s'],
    [900, 300, expired],
  ])('a proof %i s after its date is accepted or refused, where %i s are allowed', (ageSec, longestAgeSec, outcome) => {
    expect(findOutcome(encodeUrl(url), { longestAgeSec }, noon + ageSec * 1000)).toBe(outcome)
  })
})
