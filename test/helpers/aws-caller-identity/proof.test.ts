import { expect, test } from 'vitest'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { verifyQuerySignature } from '../../stand-ins/bedrock/sigv4-verify.ts'
import { verifyUrlProof } from '../../stand-ins/caller-identity/verify-url-proof.ts'
import { verifyVaultLogin } from '../../stand-ins/caller-identity/verify-vault-login.ts'
import { signInToSso } from '../aws-bedrock-token/sign-in.ts'
import { keysOf, startWorkbench, user, type Workbench } from '../aws-bedrock-token/workbench.ts'

const helper = 'aws-caller-identity'
const audience = 'gateway.example'
const who = { ok: true, arn: user, account: '111122223333' }

async function startWithKeys(region = 'eu-central-1') {
  const bench = await startWorkbench()
  await bench.write({ config: { default: { region, ...keysOf(bench.aws) } } })
  return bench
}

/** Returns the token of a run that has nothing to say. */
async function prove(bench: Workbench, ...argv: string[]): Promise<string> {
  const run = await bench.run({ helper, argv: ['--audience', audience, '--client-ttl', '600', ...argv] })
  expect({ ...run, stdout: '' }).toEqual({ status: 0, stdout: '', stderr: '' })
  return JSON.parse(run.stdout).token
}

const decode = (text: string) => Buffer.from(text, 'base64').toString()

test('the proof is a signed URL', async () => {
  await using bench = await startWithKeys()
  const url = new URL(decode((await prove(bench)).replace('k8s-aws-v1.', '')))
  expect(toStableValue([url.origin, Object.fromEntries(url.searchParams)])).toEqual([
    'https://sts.eu-central-1.amazonaws.com',
    {
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIASTANDIN000000001/DATE/eu-central-1/sts/aws4_request',
      'X-Amz-Date': 'DATE',
      'X-Amz-Expires': '60',
      'X-Amz-Signature': 'SHA256',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    },
  ])
})

test('the proof is made without a request, and AWS answers it for this audience, and for no other', async () => {
  await using bench = await startWithKeys()
  const token = await prove(bench)
  const asked = bench.asked()
  const verify = (of: string) => verifyUrlProof(token, { audience: of }, bench.aws)
  expect([asked, await verify(audience), await verify('other.example')]).toEqual([
    [],
    who,
    { ok: false, reason: 'AWS STS: SignatureDoesNotMatch' },
  ])
})

test('the signature of a proof is the one that a second implementation computes, of temporary credentials too', async () => {
  await using bench = await startWorkbench()
  await signInToSso(bench)
  const url = decode((await prove(bench, '--profile', 'dev')).replace('k8s-aws-v1.', ''))
  const { secretOf } = bench.aws
  const request = { method: 'GET', url, secretOf, now: new Date() }
  expect(verifyQuerySignature({ ...request, headers: { 'x-k8s-aws-id': audience } })).toEqual({
    ok: true,
    accessKeyId: 'ASIASTANDIN000000001',
    signedAt: expect.any(Date),
    expiresAt: expect.any(Date),
    region: 'eu-central-1',
    service: 'sts',
  })
  expect(verifyQuerySignature({ ...request, headers: { 'x-k8s-aws-id': 'other' } })).toEqual({
    ok: false,
    reason: 'wrong-signature',
    detail: 'ASIASTANDIN000000001 did not sign this request',
  })
})

test('header and prefix are those of the server', async () => {
  await using bench = await startWithKeys()
  const header = 'X-Corp-Gateway'
  const token = await prove(bench, '--audience-header', header, '--prefix', 'corp:')
  const bare = await prove(bench, '--audience-header', header, '--prefix', 'none')
  expect([
    await verifyUrlProof(token, { audience, header, prefix: 'corp:' }, bench.aws),
    await verifyUrlProof(bare, { audience, header, prefix: '' }, bench.aws),
  ]).toEqual([who, who])
})

test('without an audience any server gets an answer, and one that expects an audience refuses it', async () => {
  await using bench = await startWithKeys()
  const run = await bench.run({ helper, argv: ['--audience', 'none', '--client-ttl', '600'] })
  const { token } = JSON.parse(run.stdout)
  expect(await verifyUrlProof(token, { audience: undefined }, bench.aws)).toEqual(who)
  expect(await verifyUrlProof(token, { audience }, bench.aws)).toEqual({
    ok: false,
    reason: 'the audience is not signed',
  })
})

test('the login of Vault is accepted by it, with its server id', async () => {
  await using bench = await startWithKeys()
  const login = JSON.parse(decode(await prove(bench, '--form', 'vault')))
  expect(await verifyVaultLogin(login, { serverId: audience }, bench.aws)).toEqual(who)
})

test('the login of Vault in one region is accepted at the host of that region alone', async () => {
  await using bench = await startWithKeys()
  const regional = JSON.parse(decode(await prove(bench, '--form', 'vault', '--sts-endpoint', 'regional')))
  const stsHost = 'sts.eu-central-1.amazonaws.com'
  expect([
    await verifyVaultLogin(regional, { serverId: audience, stsHost }, bench.aws),
    await verifyVaultLogin(regional, { serverId: audience }, bench.aws),
  ]).toEqual([who, { ok: false, reason: 'AWS STS: SignatureDoesNotMatch' }])
})

/** What Vault's own tests refuse, and what AWS finds. */
test('a login of Vault that was changed is refused', async () => {
  await using bench = await startWithKeys()
  const login = JSON.parse(decode(await prove(bench, '--form', 'vault')))
  const encode = (text: string) => Buffer.from(text).toString('base64')
  const edit = (field: string, from: string | RegExp, to: string) => ({
    ...login,
    [field]: encode(decode(login[field]).replace(from, to)),
  })
  const cases: [changed: Record<string, unknown>, reason: string][] = [
    [{ ...login, iam_http_request_method: 'GET' }, 'another method'],
    [{ ...login, iam_request_url: '' }, 'no URL'],
    [{ ...login, iam_request_headers: 'e30' }, 'no headers'],
    [edit('iam_request_url', /$/, '?Action=GetSessionToken'), 'a query'],
    [edit('iam_request_body', 'GetCallerIdentity', 'GetSessionToken'), 'another body'],
    [edit('iam_request_body', /$/, '&RoleArn=x'), 'another body'],
    [edit('iam_request_headers', 'X-Vault-AWS-IAM-Server-ID', 'X-Other'), 'no server id'],
    [edit('iam_request_headers', audience, 'other.example'), 'another server id'],
    [edit('iam_request_headers', ';x-vault-aws-iam-server-id', ''), 'the server id is not signed'],
    [edit('iam_request_headers', '{', '{"X-Amz-Target":["x"],'), 'a header of AWS that is not passed on'],
    [edit('iam_request_headers', /Signature=\w{4}/, 'Signature=0000'), 'AWS STS: SignatureDoesNotMatch'],
    [edit('iam_request_body', 'Version=2011-06-15', 'Version=2011-06-15&'), 'AWS STS: SignatureDoesNotMatch'],
  ]
  const found = await Promise.all(
    cases.map(([changed]) => verifyVaultLogin(changed, { serverId: audience }, bench.aws)),
  )
  expect(found).toEqual(cases.map(([, reason]) => ({ ok: false, reason })))
})
