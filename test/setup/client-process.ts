import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Outcome } from './run-program.ts'

/** A process that runs helpers, each of which sees it as its parent. */
export interface ClientProcess {
  readonly pid: number
  run(file: string, argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Outcome>
}

/** Starts a process of a client; it ends with the test. */
export function startClientProcess(): ClientProcess {
  const child = fork(fileURLToPath(new URL('./client-process.cjs', import.meta.url)), { stdio: 'inherit' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const waiting = new Map<number, (outcome: Outcome) => void>()
  child.on('message', ({ id, outcome }: { id: number; outcome: Outcome }) => waiting.get(id)?.(outcome))
  let runs = 0
  return {
    pid: child.pid!,
    run: (file, argv, env) =>
      new Promise((resolve) => {
        runs += 1
        waiting.set(runs, resolve)
        child.send({ id: runs, file, argv, env })
      }),
  }
}
