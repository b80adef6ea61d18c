import { seedSignIn } from '../../helpers/oidc-token/seed-sign-in.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import type { AwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'
import type { RotatingIssuer } from '../../stand-ins/issuer/rotating-issuer.ts'

/** The names of the stage's gateway: the audience of JWTs, and of proofs of an AWS identity. */
export const audience = { jwt: 'https://gateway.example', aws: 'gateway.example' } as const

/** The people and workloads of the stage. */
export const people = {
  dana: { sub: '42', email: 'dana@example.com', groups: ['ai-users', 'staff'] },
  /** Nobody lets them pass. */
  guest: { sub: '43', email: 'guest@example.com', groups: ['guests'] },
} as const

/** The ARNs of those with an identity of AWS; only the first account may pass. */
export const callers = {
  own: 'arn:aws:iam::111122223333:user/build',
  foreign: 'arn:aws:iam::999988887777:user/build',
} as const

/** Tokens as real helpers print them, each a process of its own. */
export interface PrintedTokens {
  /** `oidc-token`, of a person who has signed in. */
  readonly person: string
  /** `aws-identity-token`. */
  readonly awsJwt: string
  /** `aws-caller-identity`: for this gateway, for another one, and of a foreign account. */
  readonly proof: string
  readonly proofForAnother: string
  readonly foreignProof: string
}

/** Has the helpers print them. */
export async function printTokens(home: string, aws: AwsStandIn, issuer: RotatingIssuer): Promise<PrintedTokens> {
  const [own, foreign] = [callers.own, callers.foreign].map((arn) => toAwsEnvironment(home, aws, arn))
  const site = ['--client-id', 'desk', '--issuer', issuer.issuer, '--refresh-token-store', 'file']
  const idToken = await issuer.sign({ ...people.dana, aud: audience.jwt })
  await seedSignIn(home, site, { idToken, lifeSec: 300 })
  const [person, awsJwt, proof, proofForAnother, foreignProof] = await Promise.all([
    print('oidc-token', site, { HOME: home }),
    print('aws-identity-token', ['--audience', audience.jwt], own),
    print('aws-caller-identity', ['--audience', audience.aws], own),
    print('aws-caller-identity', ['--audience', 'another.example'], own),
    print('aws-caller-identity', ['--audience', audience.aws], foreign),
  ])
  return { person, awsJwt, proof, proofForAnother, foreignProof } as PrintedTokens // five of five
}

async function print(helper: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  // A life that every token of the stage has, so that no helper warns of it.
  const outcome = await runBundle(helper, { argv: [...argv, '--format', 'token', '--client-ttl', '240'], env })
  if (outcome.status !== 0) throw new Error(`${helper}: ${outcome.stderr}`)
  return outcome.stdout.trim()
}

function toAwsEnvironment(home: string, aws: AwsStandIn, arn: string): Record<string, string> {
  const { accessKeyId, secretAccessKey } = aws.addAccessKey({ arn })
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: 'eu-central-1' }
  return { HOME: home, GATEPASS_CACHE: 'none', ...keys, ...aws.environment }
}
