// Loaded first by every process that runs tests. It ends a process whose event loop has stood still for so long that no test can intend it,
// and says where: no limit of vitest reaches a test that waits synchronously, so the whole run would wait for it without a word.

import { writeSync } from 'node:fs'
import { Session, url } from 'node:inspector'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** The watching thread sees the watched one through this. */
interface Watched {
  /** The number of turns of the watched event loop. */
  readonly turns: Int32Array
  readonly limitMs: number
}

if (isMainThread) {
  // A person who debugs a test may stand at a breakpoint for as long as they want.
  if (url() === undefined) watchThisThread(Number(process.env.STANDSTILL_LIMIT_MS ?? 5 * 60_000))
} else await endAtStandstill(workerData as Watched)

function watchThisThread(limitMs: number): void {
  // A program that a test starts with the options of this process is not to be watched.
  process.execArgv.splice(process.execArgv.indexOf('--import'), 2)
  const watched: Watched = { turns: new Int32Array(new SharedArrayBuffer(4)), limitMs }
  setInterval(() => Atomics.add(watched.turns, 0, 1), limitMs / 10).unref()
  new Worker(fileURLToPath(import.meta.url), { workerData: watched }).unref()
}

async function endAtStandstill({ turns, limitMs }: Watched): Promise<void> {
  for (let before = -1; before !== turns[0]; await pause(limitMs)) before = turns[0]!
  const where = await Promise.race([
    listFrames(),
    pause(5_000, '    a call outside of JavaScript, such as one that waits for a child process\n'),
  ])
  writeSync(2, `\nThe event loop has stood still for ${limitMs / 1000} s, in:\n${where}`)
  process.kill(process.pid, 'SIGKILL')
}

/** Stops the main thread where it is, and returns its stack, the innermost frame first. */
async function listFrames(): Promise<string> {
  const urls = new Map<string, string>()
  const { promise, resolve } = Promise.withResolvers<string>()
  const session = new Session()
  session.connectToMainThread()
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url))
  session.on('Debugger.paused', ({ params }) => {
    const frames = params.callFrames.map(
      ({ functionName, location: { scriptId, lineNumber } }) =>
        `    ${functionName || '(anonymous)'}, ${urls.get(scriptId)}:${lineNumber + 1}\n`,
    )
    resolve(frames.join(''))
  })
  session.post('Debugger.enable')
  session.post('Debugger.pause')
  return promise
}
