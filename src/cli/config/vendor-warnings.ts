import { dirname, join } from 'node:path'
import { digestNames } from '../../runtime/digest.ts'
import { renderHint, renderNotice, renderWarning, toOneLine } from '../../runtime/failure.ts'
import { readNamedFile } from '../../runtime/named-file.ts'
import { quoteForAnyShell } from '../../runtime/text/quote.ts'
import { toVendor, vendorFileName } from '../../vendor/setting.ts'
import { parseVendorSetting } from '../../vendor/validate-setting.ts'
import { isNeutral, vendor } from '../../vendor.ts'
import { programName } from '../../version.ts'
import type { Terminal } from '../terminal.ts'

/**
 * Finds a vendor file next to the document, or in the folder above an export, that names another client than the one in force.
 * @param command The words after the options of the program, such as `config check document.json`.
 * @returns the lines of the warning for stderr; `undefined` without such a file.
 */
export async function findVendorWarning(path: string, command: readonly string[]): Promise<string | undefined> {
  const folder = dirname(path)
  const beside =
    (await findOtherVendor(join(folder, vendorFileName))) ?? (await findOtherVendor(join(folder, '..', vendorFileName)))
  if (!beside) return undefined
  const words = [programName, '--vendor', beside.file, ...command].map(quoteForAnyShell).join(' ')
  const names = `${toOneLine(beside.file)} names the client of ${beside.name}, and the names in force are those of ${vendor.name}`
  return `${renderWarning(programName, names)}${renderHint(programName, `run: ${words}`)}`
}

/** Finds a vendor file with other names than those in force; `undefined` for a missing file, or one that is not a vendor file. */
async function findOtherVendor(file: string): Promise<{ readonly file: string; readonly name: string } | undefined> {
  const bytes = await readNamedFile(file).catch(() => undefined) // an unreadable file names no vendor
  const result = bytes && parseVendorSetting(bytes.toString('utf8'))
  if (!result || !('setting' in result) || digestNames(toVendor(result.setting)) === digestNames(vendor))
    return undefined
  return { file, name: result.setting.name }
}

/** The note for an answer without a named client; empty if a client was named. */
const neutralNote = isNeutral
  ? renderNotice(
      programName,
      'the names in force are neutral: a file that is made with them reaches no client as it is',
    ) + renderHint(programName, `name your client in a vendor file; see: ${programName} vendor --help`)
  : ''

/** Prints the note on standard error, so that it is in no file. */
export function tellNeutralNames({ tell }: Pick<Terminal, 'tell'>): void {
  if (neutralNote !== '') tell(neutralNote)
}
