import { type ChildProcess, spawn } from 'node:child_process'
import type { Environment } from '../../../../runtime/environment.ts'
import type { OwnCommand } from '../../../../runtime/host.ts'
import { type ChildAnswer, type ChildRequest, parseAnswer } from './messages.ts'

/** How a child is started. */
export interface ChildStart {
  readonly command: OwnCommand
  readonly env: Environment
}

/** How a child ended that gave no answer. */
export type ChildFailure = { readonly state: 'hung' } | { readonly state: 'broken'; readonly end: string }

/** Far beyond any answer. */
const longestAnswerBytes = 4 * 1024 * 1024

/**
 * Asks a child, and ends it when it has not answered in time. Request and secret go over its stdin and stdout, because any program
 * of the user can read the arguments and the environment of a process.
 */
export async function askChild(
  { command: { program, args, argv0 }, env }: ChildStart,
  request: ChildRequest,
  limit: { readonly ms: number; readonly signal: AbortSignal },
): Promise<ChildAnswer | ChildFailure> {
  // Its stderr goes nowhere: what it has to say is its answer.
  const stdio: ['pipe', 'pipe', 'ignore'] = ['pipe', 'pipe', 'ignore']
  const child = spawn(program, args, { argv0, env: { ...env }, stdio, windowsHide: true })
  const end = () => child.kill('SIGKILL')
  limit.signal.addEventListener('abort', end)
  let isHung = false
  const timer = setTimeout(() => {
    isHung = true
    end()
  }, limit.ms)
  try {
    child.stdin.on('error', () => undefined) // it has ended, and how is seen below
    child.stdin.end(JSON.stringify(request))
    const [output, how] = await Promise.all([collectOutput(child), waitForEnd(child)])
    return isHung ? { state: 'hung' } : (parseAnswer(output) ?? { state: 'broken', end: how })
  } finally {
    clearTimeout(timer)
    limit.signal.removeEventListener('abort', end)
  }
}

function collectOutput(child: ChildProcess): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= longestAnswerBytes) chunks.push(chunk)
      else child.kill('SIGKILL')
    })
    child.stdout?.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

/** How it ended, in words. */
function waitForEnd(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => resolve(`it could not be started (${error.code})`))
    child.on('exit', (status, signal) => resolve(signal ? `it was ended by ${signal}` : `it ended with ${status}`))
  })
}
