import { expect } from 'vitest'
import { runBundle } from '../../setup/run-bundle.ts'
import { fails, type Outcome } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startTraces } from '../../setup/traces.ts'
import { type AwsDirectory, type AwsDirectoryContent, writeAwsDirectory } from '../../stand-ins/aws/aws-directory.ts'
import { type AwsStandIn, startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'
import type { SigningKey } from '../../stand-ins/bedrock/sigv4-verify.ts'

export const program = 'aws-bedrock-token'
export const user = 'arn:aws:iam::111122223333:user/dev'
export const role = 'arn:aws:iam::444455556666:role/build'

/** A part of every secret that a test invents, so that one search finds them all. */
export const canary = 'canary'

export interface Call {
  /** Another helper over the same profiles. */
  readonly helper?: string
  readonly argv?: readonly string[]
  /** Added to the workbench's own; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Is given what it has written to stderr, piece by piece. */
  readonly hear?: (text: string) => void
}

/** A home directory and an AWS for one test, and the built helper between the two. */
export interface Workbench extends AsyncDisposable {
  readonly home: string
  readonly aws: AwsStandIn
  /** The defaults of every run. */
  readonly environment: Readonly<Record<string, string>>
  write(content: AwsDirectoryContent): Promise<AwsDirectory>
  /** Runs the built helper as a client does, and searches what it says and leaves behind for secrets. */
  run(call?: Call): Promise<Outcome>
  /** The operations that AWS was asked for, in order. */
  asked(): string[]
}

export async function startWorkbench(content: AwsDirectoryContent = {}): Promise<Workbench> {
  const home = await temporaryDirectory()
  const traces = await startTraces(home)
  const aws = await startAwsStandIn()
  const { environment } = await writeAwsDirectory(home, content)
  return {
    home,
    aws,
    environment: { ...aws.environment, ...environment },
    write: (next) => writeAwsDirectory(home, next),
    run: async ({ helper = program, argv = [], env = {}, hear } = {}) => {
      const whole = traces.logIn({ argv, env: defined({ ...environment, ...aws.environment, ...env }) })
      const outcome = await runBundle(helper, { argv, env: whole, ...(hear && { hear }) })
      expectNoSecret(`${outcome.stderr}${await traces.read()}`, aws)
      return outcome
    },
    asked: () => aws.requests.map(({ operation }) => operation),
    [Symbol.asyncDispose]: () => aws[Symbol.asyncDispose](),
  }
}

/** Returns a user of the stand-in, as the settings of a profile. */
export function keysOf(aws: AwsStandIn, arn = user): Record<string, string> {
  const { accessKeyId, secretAccessKey } = aws.addAccessKey({ arn, secretAccessKey: `${canary}/secret+${arn.length}=` })
  return { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey }
}

export const failure = (status: number, message: string, hint: string, helper = program) =>
  fails(helper, status, message, hint)

/** Returns the secrets that only stdout may hold: those that a test invents, every token, and every key that AWS issued. */
export function secretsOfBench(aws: AwsStandIn): string[] {
  return [canary, 'bedrock-api-key-', ...issuedKeys(aws).flatMap(secretsOf)]
}

function expectNoSecret(said: string, aws: AwsStandIn): void {
  expect(
    secretsOfBench(aws).filter((secret) => said.includes(secret)),
    'secrets on stderr, in the log or in the cache',
  ).toEqual([])
}

/** The stand-in numbers its keys in the order in which it makes them. */
function issuedKeys(aws: AwsStandIn): SigningKey[] {
  const numbers = Array.from({ length: 50 }, (_, index) => `STANDIN${String(index + 1).padStart(9, '0')}`)
  return numbers
    .flatMap((number) => [`AKIA${number}`, `ASIA${number}`])
    .map((id) => aws.secretOf(id))
    .filter((key) => key !== undefined)
}

function secretsOf({ secretAccessKey, sessionToken }: SigningKey): string[] {
  return sessionToken === undefined ? [secretAccessKey] : [secretAccessKey, sessionToken]
}

function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
