import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { toStableText } from '../../setup/to-stable-text.ts'
import { readToken, validateToken } from './read-token.ts'
import { inMinutes, signInToSso } from './sign-in.ts'
import { keysOf, startWorkbench } from './workbench.ts'

const region = 'eu-central-1'

async function startWithKeys() {
  const bench = await startWorkbench()
  const keys = keysOf(bench.aws)
  await bench.write({ config: { default: { region, ...keys } } })
  return { bench, accessKeyId: keys.aws_access_key_id! }
}

test('the token is a signed CallWithBearerToken request, in base64 and with the version at its end', async () => {
  const { bench, accessKeyId } = await startWithKeys()
  await using _ = bench
  const { url, query, signedAt } = readToken(await bench.run())
  const date = signedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const { 'X-Amz-Signature': signature = '', ...signed } = Object.fromEntries(query)
  expect({ address: url.split('?')[0], signature: toStableText(signature), ...signed }).toEqual({
    address: 'https://bedrock.amazonaws.com/',
    signature: 'SHA256',
    Action: 'CallWithBearerToken',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${date.slice(0, 8)}/${region}/bedrock/aws4_request`,
    'X-Amz-Date': date,
    'X-Amz-Expires': '7200',
    'X-Amz-SignedHeaders': 'host',
  })
})

test('the signature is that of an empty body, and of no other', async () => {
  const { bench, accessKeyId } = await startWithKeys()
  await using _ = bench
  const token = readToken(await bench.run())
  const wrong = { ok: false, reason: 'wrong-signature', detail: `${accessKeyId} did not sign this request` }
  expect([
    validateToken(token, bench.aws),
    validateToken(token, bench.aws, { payloadHash: 'UNSIGNED-PAYLOAD' }),
    validateToken(token, bench.aws, { payloadHash: createHash('sha256').update('{}').digest('hex') }),
  ]).toEqual([toAccepted('AKIASTANDIN000000001'), wrong, wrong])
})

test('the session token of temporary credentials is in the signature, whatever characters it has', async () => {
  await using bench = await startWorkbench()
  await signInToSso(bench)
  const token = readToken(await bench.run({ argv: ['--profile', 'dev'] }))
  expect(token.query.get('X-Amz-Security-Token')).toBe(bench.aws.secretOf(token.accessKeyId)?.sessionToken)
  expect(validateToken(token, bench.aws)).toEqual(toAccepted('ASIASTANDIN000000001'))
})

test('the token is refused after its expiry', async () => {
  const { bench } = await startWithKeys()
  await using _ = bench
  const token = readToken(await bench.run())
  expect(validateToken(token, bench.aws, { now: inMinutes(119) })).toEqual(toAccepted('AKIASTANDIN000000001'))
  expect(validateToken(token, bench.aws, { now: inMinutes(121) })).toEqual({
    ok: false,
    reason: 'expired',
    detail: expect.any(String),
  })
})

/** Returns the result for a token that the gateway accepts. */
function toAccepted(accessKeyId: string): object {
  const times = { signedAt: expect.any(Date), expiresAt: expect.any(Date) }
  return { ok: true, accessKeyId, ...times, region: 'eu-central-1', service: 'bedrock' }
}
