import { createReadStream, fstatSync } from 'node:fs'
import { exitStatus, HelperError, renderFailure } from '../../../../runtime/failure.ts'
import { endProcess, findParentProcessId, findProcessId, type Host } from '../../../../runtime/host.ts'
import { keychainChildCommand } from '../exchange/child-command.ts'
import { parseRequest } from '../exchange/messages.ts'
import { answerRequest, type KeychainSystem } from './answer-request.ts'

/**
 * The outermost line of a child that asks the system's keychain: reads a request on stdin, answers on stdout and ends.
 * @param system Another one than the host's, in tests.
 */
export async function runKeychainChild(
  program: string,
  { platform, streams }: Host,
  system: KeychainSystem | undefined = findSystem(platform),
): Promise<void> {
  const request = system !== undefined && isPipe() ? parseRequest(await readInput()) : undefined
  if (request === undefined || system === undefined) {
    streams.stderr(renderFailure(program, createRefusal(program, system === undefined ? platform : undefined)))
    await streams.flush()
    return endProcess(exitStatus.usage, 'finished')
  }
  const answer = await answerRequest(system, request, { child: findProcessId(), parent: findParentProcessId() })
  await streams.stdout(JSON.stringify(answer), 'finished')
  endProcess(0, 'finished')
}

function findSystem(platform: NodeJS.Platform): KeychainSystem | undefined {
  return platform === 'darwin' || platform === 'win32' ? { platform } : undefined
}

/** To a person who has found the command and types it. */
function createRefusal(program: string, platform: NodeJS.Platform | undefined): HelperError {
  const what = `${keychainChildCommand} is not for people: with it ${program} starts itself, to ask the keychain of the system`
  const otherwise = platform === undefined ? '' : ` (${platform} has none that is asked so)`
  return new HelperError('usage', `${what}${otherwise}`, `see what there is: ${program} --help`)
}

/** Types of files as POSIX numbers them. Windows has the first one too, although Node's `isFIFO` never says so there. */
const fileType = { mask: 0o170000, pipe: 0o010000, socket: 0o140000 } as const

/** Node gives a child a socket for a pipe. */
function isPipe(): boolean {
  try {
    const type = fstatSync(0).mode & fileType.mask
    return type === fileType.pipe || type === fileType.socket
  } catch {
    return false // it is closed
  }
}

/** Far beyond any request. */
const longestInputBytes = 4 * 1024 * 1024

async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  const input = createReadStream('', { fd: 0, end: longestInputBytes })
  for await (const chunk of input) chunks.push(chunk as Buffer) // a stream without an encoding gives bytes
  return Buffer.concat(chunks).toString()
}
