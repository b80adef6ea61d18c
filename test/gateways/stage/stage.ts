import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAwsHosts } from '../../stand-ins/aws/aws-hosts.ts'
import { type AwsStandIn, startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'
import { type RotatingIssuer, startRotatingIssuer } from '../../stand-ins/issuer/rotating-issuer.ts'
import { type ModelStandIn, startModel } from '../../stand-ins/model/model.ts'
import { renderPolicy } from './policy.ts'
import { type PrintedTokens, printTokens } from './print-tokens.ts'
import { startVerifier, type VerifierProcess } from './start-verifier.ts'

/** Everything around a gateway: issuers, AWS, the verifier as a process, the model behind, and tokens of real helpers. */
export interface Stage {
  /** A directory of its own, without a space in its name: for the configuration and the files of a gateway. */
  readonly directory: string
  readonly aws: AwsStandIn
  readonly model: ModelStandIn
  readonly verifier: VerifierProcess
  readonly tokens: PrintedTokens
  /** Trusted; it keeps its keys. */
  readonly issuer: RotatingIssuer
  /** Trusted, and free to change its keys. */
  readonly rotatingIssuer: RotatingIssuer
  /** Trusted, and never up. */
  readonly absentIssuer: RotatingIssuer
  /** Not trusted. */
  readonly foreignIssuer: RotatingIssuer
  close(): Promise<void>
}

/** Starts all of it; takes two seconds. */
export async function startStage(): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'gatepass-gateway-'))
  const aws = await startAwsStandIn()
  const hosts = await startAwsHosts(aws, directory)
  const model = await startModel()
  const [issuer, rotatingIssuer, absentIssuer, foreignIssuer] = await startIssuers()
  absentIssuer.go('down')
  const policy = join(directory, 'policy.json')
  const policyText = renderPolicy({
    issuers: [issuer, rotatingIssuer, absentIssuer].map((one) => one.issuer),
    awsIssuer: aws.outboundIdentity.issuer,
  })
  await writeFile(policy, policyText)
  const [verifier, tokens] = await Promise.all([
    startVerifier({ policy, socket: join(directory, 'verifier.sock'), env: { HOME: directory, ...hosts.environment } }),
    printTokens(directory, aws, issuer),
  ])
  return {
    directory,
    aws,
    model,
    verifier,
    tokens,
    issuer,
    rotatingIssuer,
    absentIssuer,
    foreignIssuer,
    close: async () => {
      await verifier.stop()
      for (const one of [issuer, rotatingIssuer, absentIssuer, foreignIssuer, model, hosts, aws])
        await one[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function startIssuers() {
  const start = () => startRotatingIssuer()
  return await Promise.all([start(), start(), start(), start()])
}
