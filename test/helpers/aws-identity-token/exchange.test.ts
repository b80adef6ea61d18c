import { expect, onTestFinished, test } from 'vitest'
import helper from '../../../helpers/aws-identity-token.ts'
import { createIssuer, createRule } from '../../../src/gateway/credentials/federation-rules.ts'
import { seedPlatform } from '../../../src/gateway/seed-platform.ts'
import { startPlatform } from '../../../src/gateway/start-platform.ts'
import { openState } from '../../../src/gateway/store/state.ts'
import { diagnoseHelper } from '../../../src/helper/run/diagnose-helper.ts'
import { parseJwt } from '../../../src/runtime/tokens/jwt.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { role } from '../../stand-ins/aws/start-aws-desk.ts'
import { audience, failure, own, program, startDesk, tokenOf } from './desk.ts'

/** Prepares a desk, and a platform that trusts the issuer of its AWS account. */
async function startBoth(subject = role.replace('teams/', '')) {
  const desk = await startDesk()
  const state = openState({ now: Date.now })
  const seed = seedPlatform(state)
  const { issuer, jwks } = desk.aws.outboundIdentity
  const rule = createRule(state, {
    issuerId: createIssuer(state, { issuer, keys: { inline: jwks() } }),
    serviceAccountId: seed.identities.serviceAccount,
    workspaceId: seed.workspaces.team,
    conditions: { audience, subject, claims: {} },
    lifeSec: 3600,
  })
  const platform = await startPlatform({ state, onRecord: () => {} })
  onTestFinished(async () => {
    await platform.close()
    state.close()
  })
  const target = ['--base-url', platform.url, '--organization', seed.organization, '--federation-rule', rule]
  return { desk, platform, seed, argv: [...own, '--profile', 'build', '--exchange', ...target] }
}

test('the identity token is exchanged for a token that the platform accepts', async () => {
  const { desk, platform, seed, argv } = await startBoth()
  const outcome = await desk.run({ argv: [...argv, '--header', 'X-Who: {role} {account} {organization}'] })
  const { status } = await fetch(`${platform.url}/v1/sessions/${seed.session}/resources`, {
    headers: { authorization: `Bearer ${tokenOf(outcome)}`, 'vendor-beta': 'managed-agents-2026-04-01' },
  })
  expect({ status, headers: JSON.parse(outcome.stdout).headers }).toEqual({
    status: 200,
    headers: { 'X-Who': `build 444455556666 ${seed.organization}` },
  })
  const [, asked] = desk.aws.requests
  expect(asked).toEqual({
    operation: 'GetWebIdentityToken',
    parameters: { DurationSeconds: '300', 'Audience.member.1': 'https://platform.example', SigningAlgorithm: 'ES384' },
    status: 200,
    accessKeyId: 'ASIASTANDIN000000002',
  })
})

test('a rule for another identity refuses, and the hint says for whom the token is', async () => {
  const { desk, argv } = await startBoth('arn:aws:iam::444455556666:role/other')
  const outcome = toStableValue(await desk.run({ argv }))
  expect({ ...outcome, stderr: outcome.stderr.replaceAll(/\b(req|fdrl)_\w+/g, '$1_ID') }).toEqual(
    failure(
      5,
      '127.0.0.1:PORT did not exchange the identity token from AWS STS in eu-central-1 (HTTP 400 invalid_grant, request req_ID)',
      'have the federation rule fdrl_ID accept issuer "https://UUID.tokens.sts.global.api.aws", subject "arn:aws:iam::444455556666:role/build" and audience "https://platform.example", and check organization, service-account and workspace; a token that was exchanged before may have to be renewed first',
    ),
  )
})

test('the target of an exchange has to be named', async () => {
  const desk = await startDesk()
  expect(await desk.run({ argv: [...own, '--exchange', '--organization', 'org-1'] })).toEqual(
    failure(
      3,
      'exchange is set, and base-url, federation-rule are not',
      `set them by argument, variable or file; see: ${program} --help`,
    ),
  )
})

test('doctor is told what would have been exchanged', async () => {
  const { desk, platform, argv } = await startBoth()
  const run = async (words: readonly string[]) =>
    (await diagnoseHelper(program, helper, await desk.createHost({ argv: words }), 'failed'))?.diagnosis
  const { exchange } = (await run(argv)) ?? {}
  const { assertion, federationRuleId: _rule, organizationId: _organization, ...rest } = exchange!
  expect({ ...rest, aud: parseJwt(assertion.reveal())?.claims.aud, outcome: await run(own) }).toEqual({
    audience,
    aud: audience,
    supply: 'created',
    reuse: 'never',
    baseUrl: platform.url,
    outcome: {
      identity: expect.any(Array),
      permissions: [{ action: 'sts:GetWebIdentityToken', resource: '*' }],
      algorithm: { option: 'algorithm', values: ['ES384', 'RS256'] },
    },
  })
})
