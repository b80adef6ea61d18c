import { expect, test } from 'vitest'
import { vendor } from '../../../src/vendor.ts'
import { verifyBedrockToken } from '../../stand-ins/bedrock/verify-bedrock-token.ts'
import { failure, keysOf, program, startWorkbench } from './workbench.ts'

const service = vendor.awsService

async function startWithKeys() {
  const bench = await startWorkbench()
  await bench.write({ config: { default: { region: 'eu-central-1', ...keysOf(bench.aws) } } })
  return bench
}

test('a key for the vendor’s platform on AWS is one that it accepts, with the header of the workspace', async () => {
  await using bench = await startWithKeys()
  const { stdout, ...rest } = await bench.run({ argv: ['--service', service, '--workspace', 'wrkspc_1'] })
  const { token, headers } = JSON.parse(stdout)
  const verify = (expected: string) =>
    verifyBedrockToken(token, { service: expected, secretOf: bench.aws.secretOf, now: new Date() })
  expect({ ...rest, headers, verdicts: [verify(service), verify('bedrock')], asked: bench.asked() }).toEqual({
    status: 0,
    stderr: '',
    headers: { 'vendor-workspace-id': 'wrkspc_1' },
    verdicts: [
      { ok: true, accessKeyId: 'AKIASTANDIN000000001', expiresAt: expect.any(Date) },
      { ok: false, reason: 'not a key of bedrock' },
    ],
    asked: [],
  })
})

test.each([
  [
    ['--service', service],
    3,
    'service is aws-external-vendor, and workspace is not set: every request needs the header vendor-workspace-id',
    `name the workspace with --workspace, a variable or a file; see: ${program} --help`,
  ],
  [
    ['--workspace', 'wrkspc_1'],
    2,
    'workspace is set, and service is bedrock, which has no workspaces',
    'remove workspace, or set service to aws-external-vendor',
  ],
  [
    ['--service', service, '--workspace', 'wrkspc\u{e4}'],
    2,
    'workspace: the value of "vendor-workspace-id" has a character beyond visible ASCII and spaces',
    'correct the setting workspace',
  ],
])('%j is refused before anything is asked', async (argv, status, message, hint) => {
  await using bench = await startWithKeys()
  expect(await bench.run({ argv })).toEqual(failure(status, message, hint))
})
