// Runs in the child that `ask-keychain.ts` starts; `answer-macos.ts` and `answer-windows.ts` call the system there.

import { createReadStream, fstatSync } from 'node:fs'
import { exitStatus, HelperError, renderFailure } from '../../../runtime/failure.ts'
import type { WindowsLibraries } from '../../../runtime/foreign-functions.ts'
import { endProcess, type Host, observeParentProcessId, observeProcessId } from '../../../runtime/host.ts'
import type { MacosLibraries } from './answer-macos.ts'
import { keychainChildCommand } from './child-command.ts'
import { type ChildAnswer, type ChildRequest, longestMessageBytes, parseRequest } from './child-messages.ts'

/**
 * Runs the child process that calls the system's keychain: reads a request on stdin, writes the answer to stdout and ends.
 * @param system The system whose keychain is called; `undefined` if none is called in a child.
 */
export async function runKeychainChild(
  program: string,
  { platform, streams }: Host,
  system = findSystem(platform),
): Promise<void> {
  const request = system !== undefined && isPipe() ? parseRequest(await readInput()) : undefined
  if (request === undefined || system === undefined) {
    streams.stderr(renderFailure(program, createRefusal(program, system === undefined ? platform : undefined)))
    await streams.flush()
    return endProcess(exitStatus.usage, 'finished')
  }
  const answer = await answerRequest(system, request, { child: observeProcessId(), parent: observeParentProcessId() })
  await streams.stdout(JSON.stringify(answer))
  endProcess(0, 'finished')
}

/** A system with a keychain, and its libraries if they are not the system's own. */
type KeychainSystem =
  | { readonly platform: 'darwin'; readonly libraries?: MacosLibraries }
  | { readonly platform: 'win32'; readonly libraries?: WindowsLibraries }

function findSystem(platform: NodeJS.Platform): KeychainSystem | undefined {
  return platform === 'darwin' || platform === 'win32' ? { platform } : undefined
}

/** Returns whether stdin is a pipe, or a socket, which Node creates for a child instead of a pipe. */
function isPipe(): boolean {
  try {
    const type = fstatSync(0).mode & fileType.mask
    return type === fileType.pipe || type === fileType.socket
  } catch {
    return false // it is closed
  }
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  const input = createReadStream('', { fd: 0, end: longestMessageBytes })
  for await (const chunk of input) chunks.push(chunk as Buffer) // chunks are bytes without an encoding
  return Buffer.concat(chunks).toString()
}

/** Creates the failure for a person who types this command. */
function createRefusal(program: string, platform: NodeJS.Platform | undefined): HelperError {
  const what = `${keychainChildCommand} is not for people: ${program} starts itself with it to ask the system's keychain`
  const otherwise = platform === undefined ? '' : ` (on ${platform} it is asked in another way)`
  return new HelperError('usage', `${what}${otherwise}`, `see what there is: ${program} --help`)
}

/** Types of files with their POSIX numbers. Windows has pipes too, although Node's `isFIFO` is never true there. */
const fileType = { mask: 0o170000, pipe: 0o010000, socket: 0o140000 } as const

/** Answers a request through the system's libraries. Their calls block this process, and its parent can end it. */
async function answerRequest(
  system: KeychainSystem,
  request: ChildRequest,
  { child, parent }: { readonly child: number; readonly parent: number },
): Promise<ChildAnswer> {
  const ffi = await import('node:ffi')
  if (system.platform === 'win32') {
    const { answerOnWindows } = await import('./answer-windows.ts')
    const { locateWindowsLibraries } = await import('../../../runtime/foreign-functions.ts')
    return answerOnWindows(ffi, system.libraries ?? locateWindowsLibraries(ffi), request)
  }
  const { answerOnMacos, macosLibraries } = await import('./answer-macos.ts')
  const { openMacosProcess } = await import('./macos-process.ts')
  const libraries = system.libraries ?? macosLibraries
  const self = openMacosProcess(ffi, libraries.system)
  self.endAfter(request.limitSec)
  // The keychain returns an item only to the program that stored it, and asks a person about every other program. Any program that started
  // this process would count as that program. Windows returns a user's items to all programs of the user.
  if (!self.isStartedBySameCode(child, parent)) return { state: 'stranger' }
  return answerOnMacos(ffi, libraries, request)
}
