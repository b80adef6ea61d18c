// Several verifier processes at one address: the process that starts them, and their messages.

import cluster, { type Worker } from 'node:cluster'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import { HelperError } from '../../../runtime/failure.ts'
import { observeProcessId, prepareOwnProgram } from '../../../runtime/host.ts'
import type { Log } from '../../../verify/server/log.ts'
import type { Metrics, MetricsJson } from '../../../verify/server/metrics.ts'
import { openNotifier } from '../../../verify/server/systemd.ts'
import type { Cli } from '../../cli.ts'
import { waitForSignal } from '../../terminal.ts'

/** Returns whether this process is one of several, started by another one. */
export function isOneOfSeveral(): boolean {
  return cluster.isWorker
}

/** Closes the channel to the first process, if there is one, because an open channel keeps this process alive. */
export function closeProcessChannel(): void {
  cluster.worker?.disconnect()
}

/**
 * Starts this command `count` times and serves until a signal ends it. The first process accepts connections and distributes them in turn;
 * a serving process that ends is replaced.
 * @throws {HelperError} `unavailable` if the first serving process cannot start, after it has printed why.
 */
export async function runProcesses({ host, terminal }: Cli, count: number, log: Log): Promise<void> {
  const signal = waitForSignal()
  const notifier = await openNotifier({ env: host.env, processId: observeProcessId() }, log)
  const [exec = '', ...args] = prepareOwnProgram(process.argv.slice(2)).args.slice(process.execArgv.length)
  cluster.setupPrimary({ exec, args, stdio: ['ignore', 'pipe', 'inherit', 'ipc'], serialization: 'advanced' })
  const metrics = createMetricsOfAll()
  const first = await startProcess(metrics) // alone, so that a problem is reported only once
  if (first.line === undefined) {
    notifier.close()
    throw new HelperError('unavailable', 'no process could start', 'correct the cause that the message above names')
  }
  const others = await Promise.all(Array.from({ length: count - 1 }, () => startProcess(metrics)))
  const ending = new AbortController()
  const running = [first, ...others].map((each) => runWithReplacements(each, { metrics, log, ending: ending.signal }))
  const tellReady = () => notifier.ready(`${count} processes answer`)
  const reload = async () => {
    notifier.reloading()
    await askAllToReload()
    tellReady()
  }
  process.on('SIGHUP', reload)
  const watch = startEndingHung()
  terminal.print(`${first.line}\n`)
  tellReady()
  await signal
  ending.abort()
  clearInterval(watch)
  notifier.stopping()
  for (const worker of listWorkers()) worker.process.kill('SIGTERM')
  await Promise.race([Promise.all(running), Promise.all(listWorkers().map(waitForEnd))])
  notifier.close()
  process.off('SIGHUP', reload)
}

/** A started process, with the line of its addresses; absent if the process has already ended. */
interface StartedProcess {
  readonly worker: Worker
  readonly line: string | undefined
}

/** Starts a process, and waits for the line with its addresses. */
async function startProcess(metrics: MetricsOfAll): Promise<StartedProcess> {
  const worker = cluster.fork({ NOTIFY_SOCKET: '', WATCHDOG_USEC: '' }) // only this process reports to the service manager
  worker.on('message', (message: ProcessQuestion) => {
    if (message.ask === 'metrics of all')
      metrics.render().then((value) => sendMessage(worker, { answer: message.id, value }))
  })
  return { worker, line: await readFirstLine(worker) }
}

function listWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
}

function waitForEnd(worker: Worker): Promise<void> {
  return new Promise((resolve) => (worker.isDead() ? resolve() : worker.once('exit', () => resolve())))
}

async function readFirstLine(worker: Worker): Promise<string | undefined> {
  const { stdout } = worker.process
  const lines = createInterface({ input: stdout! }) // stdout is a pipe
  return new Promise((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(undefined))
  })
}

/**
 * Joins the metrics of every process that answers in time, by the aggregator of each metric. The counts of an ended process stay in the
 * sums, because Prometheus treats a smaller sum as a restart and would count everything again.
 */
function createMetricsOfAll(): MetricsOfAll {
  const counted = new Map<Worker, MetricsJson>()
  let ended = Promise.resolve<MetricsJson>([])
  return {
    async render() {
      const all = await Promise.all(
        listWorkers().map(async (worker) => {
          const metrics = await askForMetrics(worker)
          if (metrics) counted.set(worker, metrics.filter(isCounted))
          return metrics ?? counted.get(worker) ?? []
        }),
      )
      return AggregatorRegistry.aggregate([...all, await ended]).metrics()
    },
    drop(worker) {
      const last = counted.get(worker)
      counted.delete(worker)
      if (last) ended = ended.then((before) => AggregatorRegistry.aggregate([before, last]).getMetricsAsJSON())
    },
  }
}

interface MetricsOfAll {
  render(): Promise<string>
  /** Adds the counts of an ended process to the sums. */
  drop(worker: Worker): void
}

/** Replaces each process that ends, until the command ends. After repeated failures, it waits longer each time. */
async function runWithReplacements(first: StartedProcess, { metrics, log, ending }: ReplacementParts): Promise<void> {
  let [current, failures] = [first, 0]
  for (;;) {
    await waitForEnd(current.worker)
    metrics.drop(current.worker)
    if (ending.aborted) return
    failures = current.line === undefined ? failures + 1 : 0
    log.tell({ level: 'error', event: 'process', message: describeEnd(current.worker) })
    await sleep(Math.min(longestPauseMs, shortestPauseMs * 2 ** failures))
    if (ending.aborted) return
    current = await startProcess(metrics)
  }
}

interface ReplacementParts {
  readonly metrics: MetricsOfAll
  readonly log: Log
  /** Aborted when the command ends. */
  readonly ending: AbortSignal
}

/**
 * A request between processes. A serving process requests the metrics of all; the first process requests each one's own metrics, a reload,
 * or a sign of life.
 */
interface ProcessQuestion {
  readonly ask: 'metrics of all' | 'metrics' | 'reload' | 'sign of life'
  readonly id: number
}

const [shortestPauseMs, longestPauseMs] = [500, 30_000]

function describeEnd({ process: { pid, exitCode, signalCode } }: Worker): string {
  return `process ${pid} has ended with ${signalCode ?? exitCode}, and another one takes its place`
}

async function askForMetrics(worker: Worker): Promise<MetricsJson | undefined> {
  // A process that has ended, or does not answer in time, contributes only its earlier counts.
  const answer = await exchange(worker, worker.process, 'metrics').catch(() => undefined)
  return answer as MetricsJson | undefined
}

/** Returns whether a metric only grows. The library's types use an enum, its JSON uses words. */
function isCounted({ type }: { readonly type: unknown }): boolean {
  return type === 'counter' || type === 'histogram'
}

/** How long one process waits for another: less than the 10 s timeout of a Prometheus scrape. */
const answerMs = 3_000

/** Lets every process read everything again; a process that has ended, or does not answer in time, is skipped. */
async function askAllToReload(): Promise<void> {
  await Promise.allSettled(listWorkers().map((worker) => exchange(worker, worker.process, 'reload')))
}

/**
 * The time between two signs of life, and how many may be missing in a row: after 20 s, the service manager would also end its own process.
 */
const [signMs, maxMissedSigns] = [5_000, 4]

/** Ends processes that hang, so that they are replaced: the service manager watches only the first process. */
function startEndingHung(): NodeJS.Timeout {
  const missed = new WeakMap<Worker, number>()
  return setInterval(() => {
    for (const worker of listWorkers()) {
      exchange(worker, worker.process, 'sign of life').then(
        () => missed.delete(worker),
        () => {
          const count = (missed.get(worker) ?? 0) + 1
          missed.set(worker, count)
          if (count >= maxMissedSigns) worker.process.kill('SIGKILL')
        },
      )
    }
  }, signMs)
}

/** One side of a channel between processes. */
interface Channel {
  send?(message: ProcessQuestion | ProcessAnswer): unknown
  on(event: 'message', listen: (message: ProcessAnswer) => void): unknown
  off(event: 'message', listen: (message: ProcessAnswer) => void): unknown
}

interface ProcessAnswer {
  readonly answer: number
  readonly value: unknown
}

let lastQuestionId = 0

/** @throws if no answer arrives within {@link answerMs}. */
function exchange(
  channel: Channel,
  { connected }: { readonly connected: boolean },
  ask: ProcessQuestion['ask'],
): Promise<unknown> {
  lastQuestionId += 1
  const id = lastQuestionId
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const listen = ({ answer, value }: ProcessAnswer) => answer === id && resolve(value)
  const timer = setTimeout(() => reject(new Error('no answer of a process')), connected ? answerMs : 0)
  channel.on('message', listen)
  if (connected) sendMessage(channel, { ask, id })
  return promise.finally(() => {
    clearTimeout(timer)
    channel.off('message', listen)
  })
}

/** Sends a message; a channel that has just closed is not a failure, because every wait for an answer is bounded. */
function sendMessage(channel: Pick<Channel, 'send'>, message: ProcessQuestion | ProcessAnswer): void {
  try {
    channel.send?.(message)
  } catch {
    // the channel has just closed
  }
}

/** Answers the first process, and returns the metrics of all processes instead of this one's. */
export function createSharedMetrics<Own extends Pick<Metrics, 'render' | 'collectJson'>>(
  metrics: Own,
  look: () => Promise<unknown>,
): Own {
  process.on('message', async ({ ask, id }: ProcessQuestion) => {
    if (ask === 'metrics') sendMessage(process, { answer: id, value: await metrics.collectJson() })
    if (ask === 'reload') sendMessage(process, { answer: id, value: await look() })
    if (ask === 'sign of life') sendMessage(process, { answer: id, value: undefined })
  })
  return { ...metrics, render: async () => String(await exchange(process, process, 'metrics of all')) }
}
