import { dirname } from 'node:path'
import type { ClientEvent } from '../../src/client/client-event.ts'
import { startClient } from '../../src/client/start-client.ts'
import type { ConfigDocument } from '../../src/config/document.ts'
import { readDocument } from '../../src/config/read-document.ts'
import { verifyBedrockToken } from '../../src/gateway/bedrock-token.ts'
import { type Gateway, startGateway } from '../../src/gateway/start-gateway.ts'
import { writeAwsDirectory } from '../../test/stand-ins/aws/aws-directory.ts'
import { startAwsStandIn } from '../../test/stand-ins/aws/aws-stand-in.ts'
import { bundlePath } from '../helpers.ts'

/** One act of the demo, told by the events that happened in it. */
export interface Scene {
  readonly title: string
  readonly events: readonly ClientEvent[]
  /** Whether the helper in it is one that works, so that no turn may be lost. */
  readonly isHealthy: boolean
}

const minute = 60_000
const roleArn = 'arn:aws:iam::123456789012:role/inference'

/** Plays a session with a real helper over a real AWS profile, and two with helpers that do not behave. */
export async function* playScenes(home: string, verification: 'on' | 'off'): AsyncGenerator<Scene> {
  const aws = await startAwsStandIn()
  const gateway = await startGateway({
    verify:
      verification === 'off'
        ? 'off'
        : (token) => verifyBedrockToken(token, { secretOf: (id) => aws.secretOf(id), now: new Date() }),
  })
  try {
    const person = aws.addAccessKey({ arn: 'arn:aws:iam::123456789012:user/dana' })
    aws.addRole({ arn: roleArn })
    const directory = await writeAwsDirectory(home, {
      config: { 'profile team': { region: 'eu-central-1', role_arn: roleArn, source_profile: 'dana' } },
      credentials: { dana: { aws_access_key_id: person.accessKeyId, aws_secret_access_key: person.secretAccessKey } },
    })
    const env = { HOME: home, PATH: process.env.PATH, ...aws.environment, GATEPASS_CACHE: 'none' }
    const awsDir = dirname(directory.configPath)
    yield await playWorkday(gateway, bedrockDocument(gateway, awsDir), env)
    yield await playHelper('A helper that hangs', gateway, env, {
      script: 'setInterval(() => {}, 1000)',
      timeoutSec: 1,
    })
    yield await playHelper('A helper that prints the wrong thing: credentials for the AWS tools', gateway, env, {
      script: "console.log(JSON.stringify({ Version: 1, AccessKeyId: 'AKIA', SecretAccessKey: 'x' }))",
    })
  } finally {
    await gateway.close()
    await aws.close()
  }
}

async function playWorkday(gateway: Gateway, document: ConfigDocument, env: NodeJS.ProcessEnv): Promise<Scene> {
  const stage = setStage(document, env)
  const session = await stage.client.startSession()
  await session.sendTurn('Good morning.')
  stage.pass(20 * minute)
  await session.sendTurn('Where were we?')
  stage.pass(45 * minute)
  await session.sendTurn('And after the ttl?')
  stage.pass(5 * minute)
  gateway.revokeAll()
  await session.sendTurn('And after an administrator revoked every token?')
  return { title: 'A morning with aws-bedrock-token', events: stage.events, isHealthy: true }
}

async function playHelper(
  title: string,
  gateway: Gateway,
  env: NodeJS.ProcessEnv,
  { script, timeoutSec }: { script: string; timeoutSec?: number },
): Promise<Scene> {
  const credential = {
    kind: 'helper-script',
    command: process.execPath,
    args: ['-e', script],
    ttlSec: 3600,
    timeoutSec,
  }
  const stage = setStage(readValid(gateway, credential), env)
  const session = await stage.client.startSession()
  await session.sendTurn('Hello?')
  return { title, events: stage.events, isHealthy: false }
}

function bedrockDocument(gateway: Gateway, awsDir: string): ConfigDocument {
  return readValid(gateway, {
    kind: 'helper-script',
    command: process.execPath,
    args: [bundlePath('aws-bedrock-token'), '--header', 'X-Account: {account}'],
    ttlSec: 3600,
    timeoutSec: 30,
    awsEnv: { profile: 'team', awsDir },
  })
}

/** The demo's documents go the way of every document: as text through the reader. */
function readValid({ url }: Gateway, credential: Record<string, unknown>): ConfigDocument {
  const customHeaders = { 'X-Organization': 'example' }
  const text = JSON.stringify({
    $schemaVersion: 2,
    inference: { provider: 'gateway', baseUrl: url, customHeaders, credential },
  })
  const { document, findings } = readDocument(Buffer.from(text))
  const error = findings.find(({ severity }) => severity === 'error')
  if (!document || error) throw new Error(`the demo's document: ${error?.path} ${error?.message}`)
  return document
}

/** A client whose clock stands still until it is told. */
function setStage(document: ConfigDocument, env: NodeJS.ProcessEnv) {
  let now = Date.parse('2026-03-02T09:00:00Z')
  const events: ClientEvent[] = []
  const client = startClient({
    document,
    env,
    platform: process.platform,
    now: () => now,
    onEvent: (event) => events.push(event),
  })
  return {
    client,
    events,
    pass: (ms: number) => {
      now += ms
    },
  }
}
