import { toLogEvents, writeToEventLog } from '../../../src/outcomes/destinations/system-log-destination.ts'
import { toHelperError } from '../../../src/runtime/failure.ts'
import { mixedBatch } from '../journal/mixed-batch.ts'

/** Writes a batch to the Event Log of the library that the argument names, and says how that failed. */
const [, , library = ''] = process.argv
try {
  writeToEventLog(toLogEvents(mixedBatch, 1_790_000_060_000), await import('node:ffi'), library)
} catch (error) {
  process.stdout.write(`${toHelperError(error).message}\n`)
}
