import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { onTestFinished } from 'vitest'
import { type ExecutableOptions, type Outcome, runExecutable } from '../setup/run-program.ts'

/** Busy loops on each core: with twelve runs at a time they make a load of more than twenty on two cores. */
const loopsPerCore = 5

/**
 * Runs a program many times, 12 at a time, beside busy loops on each core.
 * @returns How often each outcome was seen.
 */
export async function runStorm(
  path: string,
  times: number,
  options: ExecutableOptions,
  describe: (outcome: Outcome) => Outcome = (outcome) => outcome,
): Promise<[count: number, outcome: Outcome][]> {
  startBusyLoops()
  const counts = new Map<string, number>()
  let left = times
  const runInTurn = async () => {
    while (left-- > 0) {
      const outcome = JSON.stringify(describe(await runExecutable(path, { timeoutMs: 60_000, ...options })))
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 12 }, runInTurn))
  return [...counts].map(([outcome, count]) => [count, JSON.parse(outcome) as Outcome])
}

function startBusyLoops(): void {
  const loops = Array.from({ length: loopsPerCore * availableParallelism() }, () =>
    spawn('/bin/sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
  )
  onTestFinished(() => {
    for (const loop of loops) loop.kill('SIGKILL')
  })
}

/** A call that fails at once, with the whole message that it has to print. */
export const failingCall = {
  argv: ['--header', 'X-Team:', 'sk-1'],
  outcome: {
    status: 2,
    stdout: '',
    stderr:
      'aws-bedrock-token: --header is followed by more than one argument: write the whole header in quotes, as in --header "X-Team: {account}"\n' +
      'aws-bedrock-token: hint: see: aws-bedrock-token --help\n',
  },
}

/** The variables of a call that mints a token without a request. */
export const mintingCall = {
  AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'example',
  AWS_REGION: 'eu-central-1',
  AWS_EC2_METADATA_DISABLED: 'true',
}

/** Returns an outcome of which the document is named in place of its token, which differs from call to call. */
export function nameToken({ stdout, ...rest }: Outcome): Outcome {
  return { ...rest, stdout: /^\{"token":"bedrock-api-key-[\w+/=]+"\}\n$/.test(stdout) ? 'one token' : stdout }
}
