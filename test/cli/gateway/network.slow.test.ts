import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { writeShellHelper } from '../../client/simulation/play.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { toStableText, toStableValue } from '../../setup/to-stable-text.ts'
import { type ApiSite, host, startApiSite } from '../api/site.ts'
import { documentWith, runGatepass, writeTemporary } from '../run-gatepass.ts'
import { startGatewayCommand, startGatewayIn } from './start-gateway-command.ts'

/** Returns the events of one turn, sent to a gateway somewhere, with a helper that prints the same token each time. */
async function simulate(url: string, token: string, run: ApiSite['run'], env?: ApiSite['env']) {
  const document = await writeTemporary('doc.json', documentWith(await writeShellHelper(`echo ${token}`)))
  const scenario = await writeTemporary('one.json', '["turn"]')
  const argv = ['simulate', document, '--yes', '--gateway', url, '--scenario', scenario, '--json']
  const { status, stdout } = await run(argv, env)
  const events: { type: string; status?: number; context?: string; message?: string }[] = JSON.parse(stdout).events
  const told = events.map(({ type, status, context, message }) => [type, status ?? context ?? message].join(' ').trim())
  return { status, told: told.filter((line) => /^(helper-started|request-answered|turn-)/.test(line)) }
}

describe('gatepass simulate --gateway', () => {
  test('goes through the proxy, with the authority of the organization', async () => {
    const { stage, proxy, run } = await startApiSite()
    expect(await simulate(`https://${host}`, stage.seed.keys.personal.secret.reveal(), run)).toEqual({
      status: 0,
      told: ['helper-started interactive', 'request-answered 200', 'turn-succeeded'],
    })
    expect(proxy.asked).toEqual([`CONNECT ${host}:443`])
  })

  test('names the issuer of an untrusted certificate', async () => {
    const { front, run } = await startApiSite()
    const { status, told } = await simulate(front.url, 'token', run, {})
    expect([status, toStableText(told.at(-1) ?? '')]).toEqual([
      1,
      'turn-failed 127.0.0.1:PORT presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
    ])
  })

  test.each<[fault: string, told: string[]]>([
    [
      'POST /v1/messages 401 once',
      ['request-answered 401', 'helper-started mid-session-refresh', 'request-answered 200', 'turn-succeeded'],
    ],
    [
      'POST /v1/messages 429 retry-after=1 once',
      ['request-answered 429', 'turn-failed the gateway answered with HTTP 429'],
    ],
    ['POST /v1/messages slow 200ms', ['request-answered 200', 'turn-succeeded']],
    ['POST /v1/messages reset once', ['turn-failed 127.0.0.1:PORT cannot be reached (ECONNRESET)']],
  ])('meets a fault on demand of the stand-in: %s', async (fault, told) => {
    const { started } = await startGatewayCommand('--fault', fault)
    const run: ApiSite['run'] = (argv) => runGatepass(...argv)
    const outcome = await simulate(started.url, started.keys.personal.secret, run)
    expect(toStableValue(outcome)).toEqual({
      status: told.includes('turn-succeeded') ? 0 : 1,
      told: ['helper-started interactive', ...told],
    })
  })
})

/** Returns a gateway that knows a key by its URL behind the proxy, and the exchange of one token with it. */
async function exchangeThere(env: (site: ApiSite) => ApiSite['env']) {
  const site = await startApiSite()
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const body = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] })
  const headers = { 'content-type': 'application/json' }
  site.front.behave({ status: 200, headers, body })
  const db = join(await temporaryDirectory(), 'state.db')
  const console = async (...argv: string[]) => JSON.parse((await runGatepass('gateway', ...argv, '--db', db)).stdout)
  const { identities, workspaces } = await console('seed')
  const { id } = await console('federation', 'issuer', `https://${host}`, '--jwks-url', `https://${host}/keys`)
  const whose = ['--issuer', id, '--service-account', identities.serviceAccount, '--workspace', workspaces.team]
  const rule = await console('federation', 'rule', ...whose, '--audience', 'platform')
  const { started, stop } = await startGatewayIn(env(site), '--db', db)
  const claims = new SignJWT({ sub: 's', iss: `https://${host}`, aud: 'platform' })
  const { status } = await fetch(`${started.url}/v1/oauth/token`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await claims.setProtectedHeader({ alg: 'ES256', kid: 'k' }).setExpirationTime('5m').sign(privateKey),
      federation_rule_id: rule.id,
      organization_id: rule.organization,
    }),
  })
  return { status, asked: site.proxy.asked, stderr: (await stop()).stderr }
}

describe('the keys of an issuer', () => {
  test('are fetched through the proxy, with the authority of the organization', async () => {
    const { status, asked } = await exchangeThere(({ env }) => env)
    expect([status, asked]).toEqual([200, [`CONNECT ${host}:443`]])
  })

  test('that cannot be fetched make the exchange fail, with the reason in the log', async () => {
    const { status, stderr } = await exchangeThere(({ env: { HTTPS_PROXY = '' } }) => ({ HTTPS_PROXY }))
    expect([status, toStableText(stderr)]).toEqual([
      400,
      `\
gatepass: this is a stand-in for the platform, for trials on this machine only; its state is in TEMPORARY/state.db
POST /v1/oauth/token 400 (the keys of the issuer cannot be fetched: ${host} presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)) req_ID
`,
    ])
  })
})
