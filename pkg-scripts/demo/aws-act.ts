import { dirname } from 'node:path'
import { type Gateway, startGateway } from '../../src/gateway/inference/start-gateway.ts'
import { writeAwsDirectory } from '../../test/stand-ins/aws/aws-directory.ts'
import { startAwsStandIn } from '../../test/stand-ins/aws/aws-stand-in.ts'
import { verifyBedrockToken } from '../../test/stand-ins/bedrock/verify-bedrock-token.ts'
import { bundlePath } from '../tree.ts'
import { type TellEvent, tellHealthyScene, tellScene } from './scene.ts'
import type { Screen } from './screen.ts'
import { minute, readValid, setStage } from './stage.ts'

const roleArn = 'arn:aws:iam::123456789012:role/inference'

/** A person with an AWS profile, and two helpers that do not behave; the number of turns lost with the one that does. */
export async function playAwsAct(screen: Screen, home: string, verification: 'on' | 'off'): Promise<number> {
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
    const lost = await tellHealthyScene(screen, 'A morning with aws-bedrock-token', (tell) =>
      playMorning(gateway, awsDir, env, tell),
    )
    for (const { title, ...credential } of faulty)
      await tellScene(screen, title, (tell) => playHello(gateway, credential, env, tell))
    return lost
  } finally {
    await gateway.close()
    await aws.close()
  }
}

async function playMorning(gateway: Gateway, awsDir: string, env: NodeJS.ProcessEnv, tell: TellEvent): Promise<void> {
  const document = readValid(gateway.url, {
    kind: 'helper-script',
    command: process.execPath,
    args: [bundlePath('aws-bedrock-token'), '--header', 'X-Account: {account}'],
    ...{ ttlSec: 3600, timeoutSec: 30, awsEnv: { profile: 'team', awsDir } },
  })
  const { client, pass, now } = setStage(document, env, tell)
  const session = await client.startSession()
  await session.sendTurn('Good morning.')
  pass(20 * minute)
  await session.sendTurn('Where were we?')
  pass(45 * minute)
  await session.sendTurn('And after the ttl?')
  pass(5 * minute)
  gateway.revokeAll()
  tell({ type: 'aside', who: 'administrator', text: 'an administrator revokes every token', at: now() })
  await session.sendTurn('And now?')
  pass(20 * minute)
  await session.sendTurn('Thank you.')
}

const faulty = [
  { title: 'A helper that hangs', args: ['-e', 'setInterval(() => {}, 1000)'], timeoutSec: 1 },
  {
    title: 'A helper that prints the wrong thing: credentials for the AWS tools',
    args: ['-e', "console.log(JSON.stringify({ Version: 1, AccessKeyId: 'AKIA', SecretAccessKey: 'x' }))"],
  },
]

async function playHello(
  gateway: Gateway,
  credential: { args: string[]; timeoutSec?: number },
  env: NodeJS.ProcessEnv,
  tell: TellEvent,
): Promise<void> {
  const document = readValid(gateway.url, {
    ...{ kind: 'helper-script', command: process.execPath, ttlSec: 3600 },
    ...credential,
  })
  const session = await setStage(document, env, tell).client.startSession()
  await session.sendTurn('Hello?')
}
