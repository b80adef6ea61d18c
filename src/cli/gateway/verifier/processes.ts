// Several verifiers that share one address: a process that starts them, and what each says to it.

import cluster, { type Worker } from 'node:cluster'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import { HelperError } from '../../../runtime/failure.ts'
import { findOwnProgram } from '../../../runtime/host.ts'
import type { Log } from '../../../verify/server/log.ts'
import type { Metrics, MetricsJson } from '../../../verify/server/metrics.ts'
import { openNotifier } from '../../../verify/server/systemd.ts'
import type { Cli } from '../../cli.ts'
import { waitForSignal } from '../../terminal.ts'

/** Whether this process is one of several that another one has started. */
export function isOneOfSeveral(): boolean {
  return cluster.isWorker
}

/** Closes the channel to the first process, if there is one. While it is open, this process stays alive. */
export function closeProcessChannel(): void {
  cluster.worker?.disconnect()
}

/**
 * Starts this command as often as `count` says and serves until a signal ends it. The first process accepts connections and hands each to the next one
 * of those that serve; one that ends is started again.
 * @throws {HelperError} `unavailable` if the first of them cannot start: it has said why.
 */
export async function runProcesses({ host, terminal }: Cli, count: number, log: Log): Promise<void> {
  const signal = waitForSignal()
  const notifier = await openNotifier({ env: host.env, processId: process.pid }, log)
  const [exec = '', ...args] = findOwnProgram(process.argv.slice(2)).args.slice(process.execArgv.length)
  cluster.setupPrimary({ exec, args, stdio: ['ignore', 'pipe', 'inherit', 'ipc'], serialization: 'advanced' })
  const metrics = createMetricsOfAll()
  const first = await startProcess(metrics) // alone, so that what is wrong is said once
  if (first.line === undefined) {
    notifier.close()
    throw new HelperError('unavailable', 'no process could start', 'correct what the message above says')
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

/** A process that was started, with the line of its addresses; without it if the process has ended before. */
interface StartedProcess {
  readonly worker: Worker
  readonly line: string | undefined
}

/** Starts a process, and waits for the line of its addresses. */
async function startProcess(metrics: MetricsOfAll): Promise<StartedProcess> {
  const worker = cluster.fork({ NOTIFY_SOCKET: '', WATCHDOG_USEC: '' }) // the manager of services hears only from this process
  worker.on('message', (message: ProcessQuestion) => {
    if (message.ask === 'metrics of all') metrics.render().then((value) => tell(worker, { answer: message.id, value }))
  })
  return { worker, line: await readFirstLine(worker) }
}

/** Has another process take the place of one that ends, until the command ends. After failures in a row, it waits for longer each time. */
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
  /** Aborts when the command ends. */
  readonly ending: AbortSignal
}

/** A question between processes. A serving process asks for the metrics of all; the first process asks each for its own, to reload, and whether it hangs. */
interface ProcessQuestion {
  readonly ask: 'metrics of all' | 'metrics' | 'reload' | 'sign of life'
  readonly id: number
}

const [shortestPauseMs, longestPauseMs] = [500, 30_000]

function listWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
}

function waitForEnd(worker: Worker): Promise<void> {
  return new Promise((resolve) => (worker.isDead() ? resolve() : worker.once('exit', () => resolve())))
}

function describeEnd({ process: { pid, exitCode, signalCode } }: Worker): string {
  return `process ${pid} has ended with ${signalCode ?? exitCode}, and another one takes its place`
}

async function readFirstLine(worker: Worker): Promise<string | undefined> {
  const { stdout } = worker.process
  const lines = createInterface({ input: stdout! }) // a pipe, as it was started
  return new Promise((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(undefined))
  })
}

/**
 * The metrics of every process that answers in time, added up, or the one that stands for all, as each metric says. What a process that
 * has ended had counted stays in the sums, since Prometheus takes a smaller sum for a new beginning and counts all of it once more.
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
  /** Adds what a process that has ended had counted to the sums. */
  drop(worker: Worker): void
}

async function askForMetrics(worker: Worker): Promise<MetricsJson | undefined> {
  // One that has ended, or does not answer in time, has only its earlier part in the sums.
  const answer = await exchange(worker, worker.process, 'metrics').catch(() => undefined)
  return answer as MetricsJson | undefined
}

/** Whether a metric only grows. The types of the library name them by an enum, and its JSON by words. */
function isCounted({ type }: { readonly type: unknown }): boolean {
  return type === 'counter' || type === 'histogram'
}

/** How long one process waits for another: less than a scrape of Prometheus, which is 10 s. */
const answerMs = 3_000

/** Has every process read everything again; one that has ended, or does not answer in time, is passed over. */
async function askAllToReload(): Promise<void> {
  await Promise.allSettled(listWorkers().map((worker) => exchange(worker, worker.process, 'reload')))
}

/** The time between two signs of life, and how many a process may miss in a row: 20 s, after which the manager of services would end a process that it sees itself. */
const [signMs, maxMissedSigns] = [5_000, 4]

/** Ends processes that hang, so that others take their places: the manager of services sees the first process alone. */
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

let asked = 0

/** @throws if there is no answer within {@link answerMs}. */
function exchange(
  channel: Channel,
  { connected }: { readonly connected: boolean },
  ask: ProcessQuestion['ask'],
): Promise<unknown> {
  asked += 1
  const id = asked
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const listen = ({ answer, value }: ProcessAnswer) => answer === id && resolve(value)
  const timer = setTimeout(() => reject(new Error('no answer of a process')), connected ? answerMs : 0)
  channel.on('message', listen)
  if (connected) tell(channel, { ask, id })
  return promise.finally(() => {
    clearTimeout(timer)
    channel.off('message', listen)
  })
}

/** A channel whose other side has just ended is no failure: whoever waits for its answer does so within bounds. */
function tell(channel: Pick<Channel, 'send'>, message: ProcessQuestion | ProcessAnswer): void {
  try {
    channel.send?.(message)
  } catch {
    // closed
  }
}

/** Answers the first process, and gives the metrics of all in place of those of this one. */
export function createSharedMetrics<Own extends Pick<Metrics, 'render' | 'collectJson'>>(
  metrics: Own,
  look: () => Promise<unknown>,
): Own {
  process.on('message', async ({ ask, id }: ProcessQuestion) => {
    if (ask === 'metrics') tell(process, { answer: id, value: await metrics.collectJson() })
    if (ask === 'reload') tell(process, { answer: id, value: await look() })
    if (ask === 'sign of life') tell(process, { answer: id, value: undefined })
  })
  return { ...metrics, render: async () => String(await exchange(process, process, 'metrics of all')) }
}
