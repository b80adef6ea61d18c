import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, inject, vi } from 'vitest'
import { programNotes } from './program-notes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Stryker's: whether it is recorded which mutants a test runs, or one of them is on. */
    readonly mode: 'dry-run' | 'mutant'
    readonly activeMutant: string
  }
}

type Counts = Record<string, number>

/** Stryker's record of a test process: which mutants each test has run. */
interface Namespace {
  currentTestId?: string
  mutantCoverage?: { static: Counts; perTest: Record<string, Counts> }
}

const isRecording = inject('mode') === 'dry-run'
writeFileSync(programNotes.active, isRecording ? '' : inject('activeMutant'))

// With a mutant on, what was quick before and does not end is a test that fails.
if (!isRecording) vi.setConfig({ testTimeout: 10_000 })

if (isRecording) {
  beforeEach(() => void takeCovered()) // what was started before any test is nobody's
  afterEach(() => count(takeCovered()))
}

/** Counts as run by the test what its programs have run. */
function count(ids: readonly string[]): void {
  const { __stryker__: namespace } = globalThis as { __stryker__?: Namespace } // Stryker's setup comes first
  if (namespace?.currentTestId === undefined) throw new Error('Stryker has not said which test this is')
  namespace.mutantCoverage ??= { static: {}, perTest: {} }
  const { perTest } = namespace.mutantCoverage
  const counts = perTest[namespace.currentTestId] ?? {}
  perTest[namespace.currentTestId] = counts
  for (const id of ids) counts[id] = (counts[id] ?? 0) + 1
}

function takeCovered(): string[] {
  const ids = readFileSync(programNotes.covered, 'utf8').split('\n').filter(Boolean)
  writeFileSync(programNotes.covered, '')
  return ids
}
