import { dirname } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type AwsDirectory, type AwsDirectoryContent, writeAwsDirectory } from '../../stand-ins/aws/aws-directory.ts'
import { type AwsStandIn, startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'
import { writeTemporary } from '../run-gatepass.ts'
import { startServer } from '../start-server.ts'

export const account = '111122223333'
export const user = `arn:aws:iam::${account}:user/dev`
export const role = `arn:aws:iam::${account}:role/build`

/** The gateway's answer to every turn. */
interface GatewayAnswer {
  readonly status: number
  readonly body: string
}

/** The differences between runs of the doctor. */
interface DoctorRun {
  readonly flags?: readonly string[]
  readonly helper?: string
  /** Arguments of the helper. */
  readonly args?: readonly string[]
}

/** Starts an AWS, a home directory and a gateway, and `gatepass doctor` for a document that runs a helper there. */
export async function startAwsStage(answer: GatewayAnswer = { status: 403, body: '{}' }) {
  const home = await temporaryDirectory()
  const aws = await startAwsStandIn()
  onTestFinished(() => aws[Symbol.asyncDispose]())
  const url = await startServer((_request, response) =>
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body),
  )
  let directory: AwsDirectory | undefined
  return {
    home,
    aws,
    write: async (content: AwsDirectoryContent) => {
      directory = await writeAwsDirectory(home, content)
      return directory
    },
    /** Returns the parts of the examination by their titles: mark and lines. */
    diagnose: async (profile: string, { flags = [], helper = 'aws-bedrock-token', args = [] }: DoctorRun = {}) => {
      const command = toBundlePath(helper)
      const credential = { kind: 'helper-script', command, args: ['--profile', profile, '--cache', 'none', ...args] }
      const inference = { provider: 'gateway', baseUrl: url, credential }
      const document = await writeTemporary('document.json', JSON.stringify({ $schemaVersion: 2, inference }))
      const argv = [toBundlePath('gatepass'), 'doctor', document, '--yes', ...flags]
      const env = {
        ...aws.environment,
        ...directory?.environment,
        PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
      }
      const options = { env, extendEnv: false, reject: false, stripFinalNewline: false } as const
      const { exitCode, stdout, stderr } = await execa(process.execPath, argv, options)
      expect(secretsOf(aws).filter((secret) => (stdout + stderr).includes(secret))).toEqual([])
      return { status: exitCode, stdout, parts: toParts(stdout), stderr }
    },
  }
}

/** Returns each part of what a person reads, by its title. */
function toParts(stdout: string): Record<string, string> {
  const blocks = stdout
    .split('\n\n')
    .map((block) => /^(?<mark>.{4}) {2}(?<title>[^\n]+)\n(?<lines>.*)$/s.exec(block)?.groups)
  return Object.fromEntries(blocks.flatMap((found) => (found ? [[found.title, `${found.mark}\n${found.lines}`]] : [])))
}

function secretsOf(aws: AwsStandIn): string[] {
  const ids = Array.from({ length: 30 }, (_, index) => `STANDIN${String(index + 1).padStart(9, '0')}`)
  const keys = ids.flatMap((id) => [aws.secretOf(`AKIA${id}`), aws.secretOf(`ASIA${id}`)])
  const secrets = keys.flatMap((key) => (key ? [key.secretAccessKey, key.sessionToken] : []))
  return ['canary', 'bedrock-api-key-', 'eyJ', ...secrets.filter((secret) => secret !== undefined)]
}

/** Returns the same with what differs between runs replaced. */
export function clean(text: string | undefined, home: string): string {
  return (text ?? 'no such part')
    .replaceAll(home, 'HOME')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE')
    .replace(/(gatepass|aws-sdk-js)-\d+/g, 'SESSION')
    .replace(/\b\d+ ms/g, 'N ms')
}
