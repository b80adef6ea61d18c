import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { toNetworkSettings } from '../../../../src/runtime/network/settings.ts'
import { resolveEndpointSettings } from '../../../../src/sources/aws/endpoint-settings.ts'
import { type SsoParts, type SsoSession, toTokenPath } from '../../../../src/sources/aws/sso/sso-session.ts'
import { toFailureParts } from '../../../setup/failure-parts.ts'
import { testHost } from '../../../setup/test-host.ts'
import { type AwsStandIn, startAwsStandIn } from '../../../stand-ins/aws/aws-stand-in.ts'
import type { SsoSession as StandInSession } from '../../../stand-ins/aws/sso/sso-tokens.ts'

export const startUrl = 'https://corp.awsapps.com/start'
export const session = { session: 'corp', startUrl, region: 'eu-central-1' } as const
/** The file in which the AWS CLI keeps the client of this session; Python's hashlib and json.dumps computed its name, as botocore does. */
export const registrationFile = '00f5372d48a2c6a221c5a68a33caf46b053d0ab4.json'
export const client = { clientId: 'client-1', clientSecret: 'canary-client' }
const registrationExpiresAt = '2099-01-01T00:00:00Z'

/** A home directory, an AWS, and what a renewal is given, for one test. The clock is the system's own. */
export interface SsoBench extends AsyncDisposable {
  readonly aws: AwsStandIn
  readonly parts: SsoParts
  readonly warnings: readonly string[]
  readonly path: string
  /** Signs a person in, and stores that as the AWS CLI does. */
  signIn(changes?: Partial<StandInSession>, members?: Record<string, string | undefined>): Promise<void>
  /** The members of the stored sign-in. */
  readStored(): Promise<Record<string, string>>
  asked(): string[]
}

export async function startSsoBench(of: SsoSession = session): Promise<SsoBench> {
  const aws = await startAwsStandIn()
  const clock = { now: Date.now, startedAt: Date.now(), elapsedMs: () => performance.now() - begin }
  const begin = performance.now()
  const host = await testHost({ clock })
  const warnings: string[] = []
  const deadline = new Deadline({ seconds: 30, hint: 'h' }, clock)
  const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
  const files = { configPath: '/c', credentialsPath: '/k', lines: [[], []], profiles: {}, services: {} }
  const path = toTokenPath(of, host)
  const parts: SsoParts = {
    host,
    call: { program: 'p', context: 'unknown', deadline, network, warn: (message) => void warnings.push(message) },
    endpoints: resolveEndpointSettings(undefined, { env: aws.environment, files }),
    region: of.region,
    renewalHint: 'sign in',
  }
  return {
    aws,
    parts,
    warnings,
    path,
    signIn: async (changes = {}, members = {}) => {
      const expiresAt = new Date(Date.now() + 60_000 * 60)
      const issued = { accessToken: 'canary-1', expiresAt, ...client, assignments: [], ...changes }
      aws.addSsoSession(issued)
      const { accessToken, refreshToken } = issued
      const end = `${issued.expiresAt.toISOString().slice(0, 19)}Z`
      const stored = { accessToken, expiresAt: end, ...client, registrationExpiresAt, refreshToken, ...members }
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(path, JSON.stringify({ startUrl, region: of.region, ...stored }), { mode: 0o600 })
    },
    readStored: async () => JSON.parse(await readFile(path, 'utf8')),
    asked: () => aws.requests.map(({ operation, status }) => `${operation} ${status}`),
    [Symbol.asyncDispose]: () => aws[Symbol.asyncDispose](),
  }
}

/** Returns the message of a failure, or what was given instead. */
export function outcomeOf(work: Promise<{ accessToken: { reveal(): string } }>): Promise<unknown> {
  return work.then(({ accessToken }) => accessToken.reveal(), toFailureParts)
}
