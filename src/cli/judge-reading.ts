import { checkDocument } from '../config/check/document.ts'
import type { CheckOptions, OperatingSystem } from '../config/check/rule.ts'
import type { Finding } from '../config/finding.ts'
import type { ReadResult } from '../config/read/document.ts'
import type { Cli } from './cli.ts'
import { findHelperFacts, type ResolvedFrom } from './helper-facts.ts'

/** Everything to know about a document, with what the suite knows of the helper that it names. */
export async function checkReadResult(
  cli: Cli,
  reading: ReadResult,
  options: Omit<CheckOptions, 'helpers'> & { readonly os: OperatingSystem },
  settledBy: ResolvedFrom,
): Promise<Finding[]> {
  const helpers = await findHelperFacts(cli, reading.document, options.os, settledBy)
  return checkDocument(reading, { ...options, helpers })
}
