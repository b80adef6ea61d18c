import { expect, test } from 'vitest'
import { type ApiSite, host, startApiSite } from '../api/site.ts'
import { writeTemporary } from '../run-gatepass.ts'

/** `gatepass doctor` for a document with a key of the platform. */
async function diagnose({ run, stage }: ApiSite, baseUrl: string, env?: Record<string, string>) {
  const credential = { kind: 'static', apiKey: stage.seed.keys.personal.secret.reveal() }
  const text = JSON.stringify({ $schemaVersion: 2, inference: { provider: 'gateway', baseUrl, credential } })
  const { status, stdout } = await run(['doctor', await writeTemporary('d.json', text), '--yes', '--json'], env)
  return { status, gateway: JSON.parse(stdout).parts.at(-1) }
}

test('the turn goes through the proxy, and trusts the authority of the organization', async () => {
  const site = await startApiSite()
  const { status, gateway } = await diagnose(site, `https://${host}`)
  expect({ status, outcome: gateway.outcome, asked: site.proxy.asked }).toEqual({
    status: 0,
    outcome: 'good',
    asked: [`CONNECT ${host}:443`],
  })
})

test('a gateway with an unknown authority gets nothing, and is reported with its issuer', async () => {
  const site = await startApiSite()
  const { status, gateway } = await diagnose(site, site.front.url, {})
  expect({ status, gateway, requests: site.front.requests }).toEqual({
    status: 1,
    gateway: {
      part: 'gateway',
      outcome: 'bad',
      lines: [
        'one turn was sent, with the token as bearer',
        `127.0.0.1:${site.front.port} presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
      ],
      cause: `127.0.0.1:${site.front.port} presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
      hint: "if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS",
      answer: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    },
    requests: 0,
  })
})

test('a turn is sent only once', async () => {
  const site = await startApiSite()
  site.front.behave({ status: 429, headers: { 'retry-after': '0' } })
  const { status, gateway } = await diagnose(site, `https://${host}`)
  expect([status, gateway.outcome, site.front.requests]).toEqual([1, 'bad', 1])
})

test('a gateway that does not answer is reported as silent', async () => {
  const site = await startApiSite()
  site.front.behave('silence')
  const { status, gateway } = await diagnose(site, `https://${host}`)
  expect([status, gateway.lines.at(-1)]).toEqual([1, 'the gateway cannot be reached (no answer in time)'])
})
