import { dirname } from 'node:path'
import { type Gateway, startGateway } from '../../src/gateway/start-gateway.ts'
import { writeAwsDirectory } from '../../test/stand-ins/aws/aws-directory.ts'
import { startAwsStandIn } from '../../test/stand-ins/aws/aws-stand-in.ts'
import { verifyBedrockToken } from '../../test/stand-ins/bedrock/verify-bedrock-token.ts'
import { toBundlePath } from '../tree.ts'
import { createDemoClient, createDemoDocument, minuteMs } from './demo-client.ts'
import { type EventListener, playHealthyScene, playScene } from './scene.ts'
import type { Screen } from './screen.ts'

/** Plays a person with an AWS profile, then two faulty helpers. Gives the number of turns lost with the healthy helper. */
export async function runAwsAct(screen: Screen, home: string, verification: 'on' | 'off'): Promise<number> {
  const aws = await startAwsStandIn()
  const verify = (token: string) => verifyBedrockToken(token, { secretOf: (id) => aws.secretOf(id), now: new Date() })
  const gateway = await startGateway({ verify: verification === 'off' ? 'off' : verify })
  try {
    const person = aws.addAccessKey({ arn: 'arn:aws:iam::123456789012:user/dana' })
    aws.addRole({ arn: roleArn })
    const directory = await writeAwsDirectory(home, {
      config: { 'profile team': { region: 'eu-central-1', role_arn: roleArn, source_profile: 'dana' } },
      credentials: { dana: { aws_access_key_id: person.accessKeyId, aws_secret_access_key: person.secretAccessKey } },
    })
    const env = { HOME: home, PATH: process.env.PATH, ...aws.environment, GATEPASS_CACHE: 'none' }
    const awsDir = dirname(directory.configPath)
    const lostTurns = await playHealthyScene(screen, 'A morning with aws-bedrock-token', (onEvent) =>
      runMorning(gateway, awsDir, env, onEvent),
    )
    for (const { title, ...credential } of faulty)
      await playScene(screen, title, (onEvent) => runHello(gateway, credential, env, onEvent))
    return lostTurns
  } finally {
    await gateway.close()
    await aws.close()
  }
}

const roleArn = 'arn:aws:iam::123456789012:role/inference'

async function runMorning(
  gateway: Gateway,
  awsDir: string,
  env: NodeJS.ProcessEnv,
  onEvent: EventListener,
): Promise<void> {
  const document = createDemoDocument(gateway.url, {
    kind: 'helper-script',
    command: process.execPath,
    args: [toBundlePath('aws-bedrock-token'), '--header', 'X-Account: {account}'],
    ttlSec: 3600,
    timeoutSec: 30,
    awsEnv: { profile: 'team', awsDir },
  })
  const { client, advance, now } = createDemoClient(document, env, onEvent)
  const session = await client.startSession()
  await session.sendTurn('Good morning.')
  advance(20 * minuteMs)
  await session.sendTurn('Where were we?')
  advance(45 * minuteMs)
  await session.sendTurn('And after the ttl?')
  advance(5 * minuteMs)
  gateway.revokeAll()
  onEvent({ type: 'outside', who: 'administrator', text: 'an administrator revokes every token', at: now() })
  await session.sendTurn('And now?')
  advance(20 * minuteMs)
  await session.sendTurn('Thank you.')
}

const faulty = [
  { title: 'A helper that hangs', args: ['-e', 'setInterval(() => {}, 1000)'], timeoutSec: 1 },
  {
    title: 'A helper that prints the wrong thing: credentials for the AWS tools',
    args: ['-e', "console.log(JSON.stringify({ Version: 1, AccessKeyId: 'AKIA', SecretAccessKey: 'x' }))"],
  },
]

async function runHello(
  gateway: Gateway,
  credential: { args: string[]; timeoutSec?: number },
  env: NodeJS.ProcessEnv,
  onEvent: EventListener,
): Promise<void> {
  const document = createDemoDocument(gateway.url, {
    kind: 'helper-script',
    command: process.execPath,
    ttlSec: 3600,
    ...credential,
  })
  const session = await createDemoClient(document, env, onEvent).client.startSession()
  await session.sendTurn('Hello?')
}
