import { basename, resolve } from 'node:path'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { findKnownClient, knownClients } from '../../vendor/known-clients.ts'
import type { VendorSetting } from '../../vendor/setting.ts'
import { parseVendorSetting } from '../../vendor/validate-setting.ts'
import { programName } from '../../version.ts'
import { readNamedText } from '../read-text.ts'
import { findNearestWord } from './setup-question.ts'

/** The answer for the names in force. */
export const namesInForce = 'in-force'

/** Normalizes an answer to the name of a known client, in the case of its row, or to the full path of a vendor file. */
export function normalizeClient(answer: string): string {
  if (answer.toLowerCase() === namesInForce) return namesInForce
  return findKnownClient(answer)?.name ?? resolve(answer)
}

/** Returns whether a normalized answer is the path of a vendor file. */
export function isVendorFile(client: string): boolean {
  return client !== namesInForce && findKnownClient(client) === undefined
}

/**
 * Finds the names for an answer: `undefined` for those in force; else a known client's; else those of the vendor file at that path.
 * @throws {HelperError} `usage` for neither, and for a file with mistakes.
 */
export async function findClientNames(client = namesInForce): Promise<VendorSetting | undefined> {
  if (client === namesInForce) return undefined
  const known = findKnownClient(client)
  if (known) return known.setting
  const result = parseVendorSetting(await readNamedText(client, { hint, missing: describeUnknown(client) }))
  if ('setting' in result) return result.setting
  throw new HelperError('usage', toOneLine(`${client} is not a vendor file: ${result.problems.join('; ')}`), hint)
}

const names = knownClients.map(({ name }) => name)
const hint = `name one of ${names.join(', ')}, or a vendor file: ${programName} vendor init --help`

function describeUnknown(path: string): string {
  const near = findNearestWord(basename(path), names)
  return `there is no known client and no file ${path}${near === undefined ? '' : `; did you mean ${near}?`}`
}
