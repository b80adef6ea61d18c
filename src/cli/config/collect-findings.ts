import { sortFindings } from '../../config/check/check-document.ts'
import { checkMachine } from '../../config/check/machine.ts'
import { detectSystem, type OperatingSystem } from '../../config/check/rule.ts'
import type { Reader } from '../../config/field.ts'
import type { Finding } from '../../config/finding.ts'
import { findForeignProvider } from '../../config/read/match-nested.ts'
import type { ReadResult } from '../../config/read/read-document.ts'
import { outcomeStatus } from '../../runtime/failure.ts'
import { locateFindings } from '../../runtime/values/position.ts'
import { checkOnEverySystem, checkReadResult } from '../check-with-helper.ts'
import type { Cli } from '../cli.ts'
import { createMachineFiles } from '../read-source.ts'
import { renderFindingCounts, toStatus, type WarningAcceptance } from '../show-findings.ts'

/** The systems and clients for which a document is checked. */
export interface CheckedFor {
  readonly clientVersion?: string | undefined
  readonly reader?: Reader | undefined
  /** If absent: this machine's system, and also Windows if the document has a helper for both. */
  readonly os?: OperatingSystem | undefined
  /** Whether the settings of this machine are checked as well. */
  readonly here?: true | undefined
}

/** Collects all findings about a document, worst first. */
export async function collectFindings(cli: Cli, result: ReadResult, wanted: CheckedFor): Promise<Finding[]> {
  const { os = detectSystem(cli.host.platform), clientVersion, reader } = wanted
  const readers = { clientVersion, reader }
  // Like the conversion: a document may have a helper for another system as well.
  if (!wanted.here && wanted.os === undefined) return checkOnEverySystem(cli, result, readers, os)
  const options = { os, ...readers }
  if (!wanted.here) return checkReadResult(cli, result, options, 'the document alone')
  const findings = await checkReadResult(cli, result, options, 'this machine')
  const ofMachine = locateFindings(await checkMachine(result, os, createMachineFiles(cli.host)), result.positions)
  return sortFindings([...findings, ...ofMachine])
}

/** Renders the result of a check in one sentence. */
export function renderConclusion(
  result: ReadResult,
  findings: readonly Finding[],
  acceptance: WarningAcceptance = 'usual',
): string {
  const count = renderFindingCounts(findings)
  if (result.document === undefined) return 'The document cannot be read.'
  if (findForeignProvider(result)) return `Nothing was checked, because the document names another provider: ${count}.`
  if (toStatus(findings) === outcomeStatus.no) return `This document does not work as it stands: ${count}.`
  if (toStatus(findings, acceptance) === outcomeStatus.no)
    return `This document has warnings, which --strict does not accept: ${count}.`
  if (findings.some(({ code }) => code === 'not-activated')) return `This document turns nothing on: ${count}.`
  return `This document works: ${count}.`
}
