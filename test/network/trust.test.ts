import { expect, test } from 'vitest'
import { failure } from '../helpers/aws-bedrock-token/workbench.ts'
import { startSite } from './site.ts'

const missing =
  "if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS"

test.each(['AWS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS', 'GATEPASS_CA'])('%s names a private authority', async (variable) => {
  await using site = await startSite()
  const outcome = await site.run({ env: { [variable]: site.caPath } })
  expect({ status: outcome.status, stderr: outcome.stderr, asked: site.bench.asked() }).toEqual({
    status: 0,
    stderr: '',
    asked: ['AssumeRole'],
  })
})

test('a private authority that is not trusted is named, with the settings that add it, and nothing is sent', async () => {
  await using site = await startSite()
  expect({ outcome: await site.run(), requests: site.front.requests }).toEqual({
    outcome: failure(
      6,
      `127.0.0.1:${site.front.port} presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
      missing,
    ),
    requests: 0,
  })
})

test('a certificate for another host is reported with that host, and nothing is sent', async () => {
  await using site = await startSite({ names: ['other.example'] })
  expect({ outcome: await site.run({ env: { AWS_CA_BUNDLE: site.caPath } }), requests: site.front.requests }).toEqual({
    outcome: failure(
      6,
      `127.0.0.1:${site.front.port} presents a certificate for DNS:other.example (ERR_TLS_CERT_ALTNAME_INVALID)`,
      `find out what answers in place of 127.0.0.1:${site.front.port}, or correct the endpoint`,
    ),
    requests: 0,
  })
})

test('switching verification off is refused with the way out, and nothing was sent', async () => {
  await using site = await startSite()
  expect(await site.run({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })).toEqual(
    failure(
      3,
      'NODE_TLS_REJECT_UNAUTHORIZED=0 lets any server pose as the host that is asked, so nothing is sent',
      "unset it; if your organization has a certificate authority of its own, name its file in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS",
    ),
  )
  expect(site.front.requests).toBe(0)
})

test('plain http beyond this machine is refused before anything is sent', async () => {
  await using site = await startSite()
  expect(await site.run({ env: { AWS_ENDPOINT_URL_STS: 'http://sts.gatepass.invalid' } })).toEqual(
    failure(
      3,
      'sts.gatepass.invalid would be asked over plain http, which anybody on the network can read',
      'write https:// into AWS_ENDPOINT_URL_STS',
    ),
  )
})
