import { appendFileSync, readFileSync } from 'node:fs'
import { release, version as systemVersion } from 'node:os'
import { HelperError } from '../../src/runtime/failure.ts'
import { version } from '../../src/version.ts'
import { type ProgramSignature, readSignatures, writeFieldReport } from './field-report.ts'
import { renderLine, renderSummary } from './render-results.ts'
import { runSteps, type SmokeResult } from './run-steps.ts'
import { steps } from './steps/steps.ts'
import { type Built, openSubject } from './subject/subject.ts'

/**
 * Runs every step on this machine, and prints each result.
 * @returns whether nothing failed
 */
export async function runHere(built: Built, { required, fieldReport }: SmokeChoices): Promise<boolean> {
  const title = `Gatepass ${version} on ${process.platform}-${process.arch}: ${describeSystem()}`
  console.log(title)
  refuseUnknownSteps(required)
  const subject = await openSubject(built)
  const results: SmokeResult[] = []
  let signatures: ProgramSignature[] | undefined
  try {
    for await (const result of runSteps(steps, subject, required)) {
      results.push(result)
      console.log(renderLine(result))
      // The first step installs the programs, and the last one removes them.
      if (fieldReport !== undefined) signatures ??= await readSignatures(subject, process.platform)
    }
    if (fieldReport !== undefined)
      writeFieldReport(fieldReport, { title, built, signatures: signatures ?? [], results }, subject)
  } finally {
    subject.close()
  }
  const summary = process.env.GITHUB_STEP_SUMMARY
  if (summary) appendFileSync(summary, `${renderSummary(title, results)}\n`)
  const failed = results.filter(({ outcome }) => outcome === 'failed').length
  console.log(failed === 0 ? 'all of it works here' : `${failed} of ${results.length} steps failed`)
  return failed === 0
}

interface SmokeChoices {
  /** The names of steps that count as failed if they are skipped. */
  readonly required: readonly string[]
  /** The file for a report of all observations, for a reader without this machine. */
  readonly fieldReport?: string | undefined
}

function describeSystem(): string {
  if (process.platform !== 'linux') return `${systemVersion()}, ${release()}`
  const [, name = 'Linux'] = /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? []
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return `${name}, glibc ${header.glibcVersionRuntime ?? 'none'}`
}

function refuseUnknownSteps(required: readonly string[]): void {
  const names = steps.map(({ name }) => name)
  const unknown = required.filter((name) => !names.includes(name))
  if (unknown.length === 0) return
  throw new HelperError('usage', `--require: there is no step ${unknown.join(', ')}`, `choose ${names.join(', ')}`)
}
