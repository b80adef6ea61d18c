import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startVerifier } from '../../gateways/stage/start-verifier.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { type AwsHosts, startAwsHosts } from '../../stand-ins/aws/aws-hosts.ts'
import { type AwsStandIn, startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'

export const audience = 'gateway.example'
export const session = 'arn:aws:sts::111122223333:assumed-role/build/dana@corp.example'
export const onceSession = 'arn:aws:sts::111122223333:assumed-role/batch/nightly'
export const stranger = 'arn:aws:sts::999988887777:assumed-role/build/dana@corp.example'

/** A policy by which any proof of a build passes, and each proof of a batch job once. */
const policy = {
  aws: { audience },
  rules: [
    {
      name: 'batch',
      aws: { accounts: ['111122223333'], roles: ['batch'] },
      use: 'once',
      headers: { 'x-user': '{role}' },
    },
    {
      name: 'builders',
      aws: { accounts: ['111122223333'], roles: ['build'] },
      headers: { 'x-user': '{arn}', 'x-account': '{account}' },
    },
  ],
}

/** The gateway's answer: who the caller is, or why it is refused. */
type Answered =
  | { readonly status: 200; readonly user: string; readonly account: string }
  | { readonly status: number; readonly reason: string; readonly detail: string | undefined }

/** Helper, verifier and AWS STS; the first two are processes of the built programs. */
export interface ProofStage {
  readonly hosts: AwsHosts
  /** The token that a helper prints for the keys of somebody. */
  print(arn: string, argv?: readonly string[], helper?: string): Promise<string>
  /** Asks the verifier as a gateway does. */
  ask(token: string): Promise<Answered>
  /** Ends the verifier, and gives all that it has written. */
  stop(): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>
  /** Every secret that was in a proof or its credentials. */
  readonly secrets: readonly string[]
  close(): Promise<void>
}

export async function startProofStage(): Promise<ProofStage> {
  const directory = await mkdtemp(join(tmpdir(), 'gatepass-proofs-'))
  const aws = await startAwsStandIn()
  const hosts = await startAwsHosts(aws, directory)
  const socket = join(directory, 'verifier.sock')
  const file = join(directory, 'policy.json')
  await writeFile(file, JSON.stringify(policy), { mode: 0o600 })
  const env = { HOME: directory, ...hosts.environment }
  const verifier = await startVerifier({ policy: file, socket, env, argv: ['--log-accepted'] })
  const secrets: string[] = []
  return {
    hosts,
    secrets,
    async print(arn, argv = ['--audience', audience], helper = 'aws-caller-identity') {
      const env = createKeys(aws, directory, arn)
      const words = [...argv, '--format', 'token', '--client-ttl', '600']
      const { status, stdout, stderr } = await runBundle(helper, { argv: words, env })
      if (status !== 0) throw new Error(stderr)
      secrets.push(stdout.trim(), env.AWS_SESSION_TOKEN, env.AWS_SECRET_ACCESS_KEY)
      return stdout.trim()
    },
    ask: (token) => ask(socket, token),
    stop: () => verifier.stop(),
    close: async () => {
      await verifier.kill()
      await hosts[Symbol.asyncDispose]()
      await aws.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

let issued = 0

/** Creates temporary keys, as an SSO sign-in gives them: their session token is as long as AWS's own. */
function createKeys(aws: AwsStandIn, home: string, arn: string) {
  issued += 1
  const key = aws.addAccessKey({
    arn,
    accessKeyId: `ASIAPROOFSTAGE${String(issued).padStart(6, '0')}`,
    sessionToken: `canary${'IQoJb3JpZ2luX2Vj+/='.repeat(30)}${issued}`,
  })
  return {
    HOME: home,
    GATEPASS_CACHE: 'none',
    AWS_REGION: 'eu-central-1',
    ...aws.environment,
    AWS_ACCESS_KEY_ID: key.accessKeyId,
    AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
    AWS_SESSION_TOKEN: key.sessionToken!,
  }
}

async function ask(socketPath: string, token: string): Promise<Answered> {
  const sent = request({ socketPath, agent: false, headers: { authorization: `Bearer ${token}` } })
  sent.end()
  const [answer] = await once(sent, 'response')
  await text(answer)
  const {
    'x-user': user,
    'x-account': account,
    'gatepass-refusal': reason,
    'gatepass-refusal-detail': detail,
  } = answer.headers
  return answer.statusCode === 200 ? { status: 200, user, account } : { status: answer.statusCode, reason, detail }
}
