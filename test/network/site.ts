import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Call,
  keysOf,
  role,
  startWorkbench,
  user,
  type Workbench,
} from '../helpers/aws-bedrock-token/workbench.ts'
import type { Outcome } from '../setup/run-program.ts'
import { type Front, startFront } from '../stand-ins/front/front.ts'
import { type Authority, createAuthority, type Subject } from '../stand-ins/tls/certificate.ts'

export const region = 'eu-central-1'
/** A name that leads nowhere but through a proxy (RFC 6761). */
export const host = 'sts.gatepass.invalid'
/** Profile `build`, whose every mint asks AWS STS once. */
export const argv = ['--profile', 'build']

/** A workplace whose AWS STS is reached over TLS, signed by the organization's own authority. */
export interface Site extends AsyncDisposable {
  readonly bench: Workbench
  readonly front: Front
  readonly authority: Authority
  /** The file with the authority's certificate. */
  readonly caPath: string
  /** Runs the helper, with STS directly behind TLS unless the call says otherwise. */
  run(call?: Call): Promise<Outcome>
}

export async function startSite(subject: Partial<Subject> = {}): Promise<Site> {
  const authority = createAuthority('Example Corp Root CA')
  const bench = await startRoleBench()
  const front = await startFront(bench.aws.url, authority.issue({ names: [host, '127.0.0.1'], ...subject }))
  const caPath = join(bench.home, 'corp.pem')
  await writeFile(caPath, authority.cert)
  return {
    bench,
    front,
    authority,
    caPath,
    run: (call = {}) => bench.run({ argv, ...call, env: { AWS_ENDPOINT_URL_STS: front.url, ...call.env } }),
    [Symbol.asyncDispose]: async () => {
      await front[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}

/** Starts a workbench with profile `build`, which assumes a role with the keys of profile `dev`. */
export async function startRoleBench(): Promise<Workbench> {
  const bench = await startWorkbench()
  bench.aws.addRole({ arn: role, trusts: [user] })
  await bench.write({
    config: { 'profile build': { role_arn: role, source_profile: 'dev', region } },
    credentials: { dev: keysOf(bench.aws) },
  })
  return bench
}
