import type { StageKind } from '../../../../runtime/deadline.ts'

/** The message of a call that was late, as `Deadline` writes it: its subject is what the call waited for. */
const lateMessage = /^(?<stage>.*) took longer than the [\d.]+ s of this call/s

/** The kind of stage in such a message. A log for people says it in words; outcomes say the kind itself. */
export function detectLateStage(message: unknown): StageKind | undefined {
  const stage = typeof message === 'string' ? lateMessage.exec(message)?.groups?.stage : undefined
  if (stage === undefined) return undefined
  return kinds.find(([words]) => words.test(stage))?.[1] ?? 'mint'
}

/** In this order: a lock of the cache is a lock. */
const kinds: readonly (readonly [words: RegExp, kind: StageKind])[] = [
  [/\block\b|^another run\b|^another change\b/, 'lock'],
  [/\bkeychain\b|\bkeyring\b|\bSecret Service\b|\bCredential Manager\b/i, 'keychain'],
  [/\btoken cache\b|\bthe memo\b/, 'cache'],
  [/\bsign-in\b|\bbrowser\b/, 'sign-in'],
  [/^reading the configuration|^the configuration/, 'configuration'],
  [/\bstdin\b/, 'input'],
  [/\bstdout\b/, 'output'],
  [/^(reading|writing|creating|opening|removing) /, 'file'],
  [/\bhttps?:|\bservice\b|\bprovider\b|\bendpoint\b|\bwaiting to retry\b/, 'network'],
]
