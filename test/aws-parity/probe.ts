import helper from '../../helpers/aws-bedrock-token.ts'
import { runHelper } from '../../src/helper/run/run-helper.ts'
import type { AwsPlan } from '../../src/sources/aws/credentials/credential-source.ts'
import { planAwsCredentials } from '../../src/sources/aws/credentials/plan-credentials.ts'
import type { AwsService } from '../../src/sources/aws/endpoint-settings.ts'
import { resolveEndpoint } from '../../src/sources/aws/resolve-endpoint.ts'
import { testHost } from '../setup/test-host.ts'
import { type AwsDirectoryContent, writeAwsDirectory } from '../stand-ins/aws/aws-directory.ts'

/** A user's files and environment. */
export interface Given extends AwsDirectoryContent {
  readonly env?: Readonly<Record<string, string>>
  /** Whether the files are where the AWS tools look for them without a variable. */
  readonly usualPlace?: true
}

/** Returns the plan that a helper would make, found out in this process. The option `region` is set from its variable. */
export async function probePlan(given: Given, profile?: string): Promise<AwsPlan> {
  const host = await prepareHost(given)
  return planAwsCredentials(host, {
    profile,
    region: host.env.AWS_REGION,
    path: undefined,
    'watch-variable': [],
    'aws-chain': 'auto',
    watch: [],
  })
}

/** Returns the host at which a service would be asked. */
export async function probeHost(given: Given, service: AwsService = 'sts', profile?: string): Promise<string> {
  const { endpoints, region } = await probePlan(given, profile)
  return resolveEndpoint({ service, region }, endpoints).url.host
}

/** Returns the outcome of a whole run in this process, with the token's access key and region instead of the token. */
export async function probeRun(given: Given, argv: readonly string[] = []) {
  const now = Date.now()
  const host = await prepareHost(given, ['--cache', 'none', ...argv])
  const clock = { now: () => now, startedAt: now, elapsedMs: () => 0 }
  const { status } = await runHelper('aws-bedrock-token', helper, { ...host, clock })
  const { stdout, stderr } = host.written
  if (status !== 0) return { status, stdout, stderr }
  const { token } = JSON.parse(stdout) as { token: string } // the document of a run that succeeded
  const url = Buffer.from(token.replace('bedrock-api-key-', ''), 'base64').toString()
  const { host: keyHost, searchParams } = new URL(`https://${url}`)
  const [accessKeyId, , region] = searchParams.get('X-Amz-Credential')?.split('/') ?? []
  return { status, stderr, host: keyHost, accessKeyId, region, isTemporary: searchParams.has('X-Amz-Security-Token') }
}

async function prepareHost({ env = {}, usualPlace, ...content }: Given, argv: readonly string[] = []) {
  const host = await testHost({ argv })
  const { environment } = await writeAwsDirectory(host.home, content)
  return { ...host, env: { ...(usualPlace ? {} : environment), ...env } }
}
