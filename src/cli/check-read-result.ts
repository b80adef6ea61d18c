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
  options: Omit<CheckOptions, 'helpers'> & { readonly os: OperatingSystem },
  from: ResolvedFrom,
): Promise<Finding[]> {
  const helpers = await findHelperFacts(cli, result.document, options.os, from)
  return checkDocument(result, { ...options, helpers })
}
