import { HelperError } from '../../failure.ts'
import { createPointers, type Foreign } from '../../foreign/foreign.ts'
import { findWindowsLibraries } from '../../foreign/windows-libraries.ts'
import { type EventLevel, eventFacts, type LogEvent } from './log-event.ts'
import { logName } from './log-name.ts'

/** Types of `winnt.h`. */
const types: Readonly<Record<EventLevel, number>> = { error: 1, warning: 2, information: 4 }

/**
 * Writes events to the log `Application` of Windows, which every user may do. The calls block this process: they ask a service of
 * this machine.
 * @param advapi32 The path of another library, in tests.
 * @throws {HelperError} `unavailable`.
 */
export async function writeToEventLog(events: readonly LogEvent[], advapi32?: string): Promise<void> {
  const ffi = await importForeign()
  const { register, report, deregister } = openEventLog(ffi, advapi32 ?? findWindowsLibraries(ffi).advapi32)
  const source = register(logName)
  if (source === 0n) throw fail('RegisterEventSourceW')
  try {
    for (const event of events) if (!report(source, event)) throw fail('ReportEventW')
  } finally {
    deregister(source)
  }
}

/** A plain Node before 26.9 has none, and a standalone executable does. */
async function importForeign(): Promise<Foreign> {
  try {
    return await import('node:ffi')
  } catch (cause) {
    const message = 'this version of Node cannot call the Event Log of Windows'
    throw new HelperError('unavailable', message, 'use the standalone executable', { cause })
  }
}

function fail(call: string): HelperError {
  const message = `the Event Log of Windows took no event (${call})`
  return new HelperError('unavailable', message, 'see whether the service runs: sc query eventlog')
}

function openEventLog(ffi: Foreign, advapi32: string) {
  const { functions } = ffi.dlopen(advapi32, {
    RegisterEventSourceW: { arguments: ['pointer', 'pointer'], return: 'u64' },
    ReportEventW: {
      arguments: ['u64', 'u16', 'u16', 'u32', 'pointer', 'u16', 'u32', 'pointer', 'pointer'],
      return: 'i32',
    },
    DeregisterEventSource: { arguments: ['u64'], return: 'i32' },
  })
  const pointTo = createPointers(ffi)
  return {
    register: (name: string): bigint => functions.RegisterEventSourceW(null, encodeWide(name)),
    report: (source: bigint, { kind, text }: LogEvent): boolean => {
      const { level, eventId } = eventFacts[kind]
      const texts = new BigUint64Array([pointTo(encodeWide(text))])
      return functions.ReportEventW(source, types[level], 0, eventId, null, 1, 0, texts, null) !== 0
    },
    deregister: (source: bigint) => functions.DeregisterEventSource(source),
  }
}

/** UTF-16 with its end, as Windows takes texts. */
function encodeWide(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf16le')
}
