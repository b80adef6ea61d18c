import { collectLogs, type LogFile } from './read/list-logs.ts'
import type { LoggedCall } from './read/logged-call.ts'
import { createMachineNames } from './read/name-machine.ts'
import { type ReadRecord, readLog } from './read/read-logs.ts'
import type { InputSummary, InputTrouble } from './summary/fleet-summary.ts'
import { addCall, createFleetTotals, type FleetTotals } from './totals/fleet-totals.ts'
import { createSeenRecords } from './totals/seen-records.ts'

/** What is to be counted. */
export interface Collection {
  /** Files and directories. */
  readonly paths: readonly string[]
  /** Names of helpers, which are no names of machines. */
  readonly helpers: ReadonlySet<string>
  isWanted(call: Pick<LoggedCall, 'time'> & Partial<Pick<LoggedCall, 'helper'>>): boolean
  readInput(): AsyncIterable<Uint8Array>
  onProgress(progress: Progress): void
}

/** How far the reading has come. */
export interface Progress {
  /** The file that is read, from 1. */
  readonly file: number
  readonly files: number
  readonly calls: number
}

/** Counts every call of the logs, one file after the other. */
export async function countCalls(collection: Collection): Promise<{ totals: FleetTotals; input: InputSummary }> {
  const { files, unreadable } = await collectLogs(collection.paths)
  const counter = createCounter(collection)
  const troubles: InputTrouble[] = unreadable.map((file) => ({ ...file, records: 0, line: undefined }))
  const nameMachine = createMachineNames(files, collection.helpers)
  for (const [index, file] of files.entries()) {
    const onPiece = () => collection.onProgress({ file: index + 1, files: files.length, calls: counter.counts.calls })
    troubles.push(...(await countFile(file, nameMachine(file), counter, { ...collection, onPiece })))
  }
  const { totals, counts, seen } = counter
  const lost = troubles.reduce((sum, { records }) => sum + records, 0)
  return {
    totals,
    input: {
      files: files.length,
      ...counts,
      unnamed: totals.unnamed,
      unreadable: lost,
      repeats: seen.isFull() ? 'not all found' : 'found',
      troubles,
    },
  }
}

async function countFile(
  file: LogFile,
  machine: string,
  counter: Counter,
  { readInput, onPiece }: { readInput: Collection['readInput']; onPiece: () => void },
): Promise<InputTrouble[]> {
  const take = (record: ReadRecord, text: string) => counter.take(record, text, machine)
  const { unreadable, line, reason } = await readLog(file, { readInput, onPiece, take })
  return unreadable > 0 || reason !== undefined ? [{ path: file.path, records: unreadable, line, reason }] : []
}

type Counter = ReturnType<typeof createCounter>

function createCounter({ isWanted }: Collection) {
  const totals = createFleetTotals()
  const seen = createSeenRecords()
  const counts = { calls: 0, repeated: 0, leftOut: 0, lost: 0, other: 0 }
  const take = (record: ReadRecord, text: string, fileMachine: string) => {
    if (record.kind === 'other') {
      counts.other += 1
      return
    }
    const machine = record.machine ?? fileMachine
    const isRepeated = seen.add(record.unique === 'anywhere' ? text : `${machine}\n${text}`) === 'seen'
    if (record.kind === 'lost') {
      if (!isRepeated && isWanted(record)) counts.lost += record.count
      return
    }
    const { call } = record
    counts.calls += call.count
    if (isRepeated) counts.repeated += call.count
    else if (isWanted(call)) addCall(totals, machine, call)
    else counts.leftOut += call.count
  }
  return { totals, seen, counts, take }
}
