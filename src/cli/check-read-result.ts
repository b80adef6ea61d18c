import { checkDocument } from '../config/check/document.ts'
import type { CheckOptions, OperatingSystem } from '../config/check/rule.ts'
import type { Finding } from '../config/finding.ts'
import type { ReadResult } from '../config/read/document.ts'
import type { Cli } from './cli.ts'
import { findHelperFacts, type ResolvedFrom } from './helper-facts.ts'

/** All findings about a document, those about the suite's helper that it names included. */
export async function checkReadResult(
  cli: Cli,
  result: ReadResult,
  options: Omit<CheckOptions, 'helpers'>,
  from: ResolvedFrom,
): Promise<Finding[]> {
  const helpers = await findHelperFacts(cli, result.document, options.os, from)
  return checkDocument(result, { now: cli.host.clock.now(), ...options, helpers })
}

/** Findings on every system that the document names a helper for; one on several systems is reported once. */
export async function checkOnEverySystem(
  cli: Cli,
  result: ReadResult,
  options: Omit<CheckOptions, 'helpers' | 'os'> = {},
): Promise<Finding[]> {
  const found = await Promise.all(
    listSystems(result).map((os) => checkReadResult(cli, result, { ...options, ...os }, 'the document alone')),
  )
  return [...new Map(found.flat().map((row) => [JSON.stringify(row), row])).values()]
}

/** Rules that hold on every system are those of an unknown one. */
function listSystems({ document }: ReadResult): { os?: OperatingSystem }[] {
  const credential = document?.inference?.credential
  if (credential?.kind !== 'helper-script' || credential.commandWindows === undefined) return [{}]
  return credential.command === undefined ? [{ os: 'windows' }] : [{ os: 'linux' }, { os: 'windows' }]
}
