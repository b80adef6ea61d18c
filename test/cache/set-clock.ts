import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** The environment of a process whose clock is that many minutes from this machine's. */
type SetClock = (minutes: number, moment?: 'from the start' | 'once it has begun') => Record<string, string>

/**
 * Sets the clock of a process, and not what counts its own time. `once it has begun` is the first reading after those
 * two by which a run notes when it and the machine started.
 */
export async function startClocks(): Promise<SetClock> {
  const preload = join(await temporaryDirectory(), 'set-clock.cjs')
  await writeFile(
    preload,
    `const Real = Date, shift = Number(process.env.TEST_CLOCK_SHIFT)
let right = Number(process.env.TEST_CLOCK_RIGHT)
const now = () => Real.now() + (right-- > 0 ? 0 : shift)
globalThis.Date = class Date extends Real {
  constructor(...parts) { super(...(parts.length > 0 ? parts : [now()])) }
  static now() { return now() }
}
// A helper keeps these variables from the processes that outlive it, whose clock is that of this machine all the same.
const processes = require('node:child_process')
const { spawn } = processes
const { NODE_OPTIONS, TEST_CLOCK_SHIFT } = process.env
processes.spawn = (file, argv, options) =>
  spawn(file, argv, { ...options, env: { ...options.env, NODE_OPTIONS, TEST_CLOCK_SHIFT, TEST_CLOCK_RIGHT: '0' } })
require('node:module').syncBuiltinESMExports()`,
  )
  return (minutes, moment = 'from the start') => ({
    NODE_OPTIONS: `--require "${preload}"`,
    TEST_CLOCK_SHIFT: String(minutes * 60_000),
    TEST_CLOCK_RIGHT: moment === 'from the start' ? '0' : '2',
  })
}
