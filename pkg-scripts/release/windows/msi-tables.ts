import type { MsiCodes } from './msi-codes.ts'
import { listMsiFiles } from './msi-files.ts'
import { createProperties } from './msi-properties.ts'
import { eventTexts } from './render-wix-source.ts'
import type { WindowsPackage } from './windows-package.ts'

/**
 * The access list of the directory: the system and administrators may do everything; users, and packaged applications, read and run.
 * Nothing is inherited, because outside of `Program Files` everybody may write. An owner, who may have created the directory before,
 * may change the list unless it states the owner's rights (`OW`). Accounts are named by identifiers, because their names differ by
 * language.
 */
const directoryAccess =
  'D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;OW)(A;OICI;0x1200a9;;;BU)(A;OICI;0x1200a9;;;AC)'

/** Renders the queries that change the output of `wixl`, or add to it. */
export function renderQueries(from: WindowsPackage): string[] {
  const copies = listMsiFiles(from).filter(({ kind }) => kind !== 'notices')
  const versioned = copies.flatMap(({ id }) => [
    `UPDATE \`File\` SET \`Version\`='${from.version}.0', \`Language\`='1033', \`FileSize\`=${from.executable.length} WHERE \`File\`='${id}'`,
    // A file with a version is compared by the version, and has no digest.
    `DELETE FROM \`MsiFileHash\` WHERE \`File_\`='${id}'`,
  ])
  // Within the script, right after the files.
  const order = "UPDATE `InstallExecuteSequence` SET `Sequence`=4001 WHERE `Action`='LinkNames'"
  // A value that begins with `#%` is expanded by Windows; `wixl` knows the type and leaves out the mark.
  const texts = `UPDATE \`Registry\` SET \`Value\`='#%${eventTexts}' WHERE \`Registry\`='event_texts'`
  return from.names.length > 0 ? [...versioned, order, texts] : versioned
}

/** Renders the tables that `wixl` does not write, or writes differently: each as a text to import. */
export function renderTables(from: WindowsPackage, codes: MsiCodes): string[] {
  return [renderCodepage(from), renderProperties(from, codes), renderAccess(), renderSummary(from, codes)]
}

/** Sets the encoding of all texts. */
function renderCodepage(from: WindowsPackage): string {
  return `\r\n\r\n${toCodepage(from)}\t_ForceCodepage\r\n`
}

/** Returns the code page of Western Europe, with which every Windows reads ASCII; UTF-8 if a publisher's name needs it. */
function toCodepage({ publisher }: WindowsPackage): number {
  return /^[ -~]*$/.test(publisher) ? 1252 : 65001
}

function renderProperties(from: WindowsPackage, codes: MsiCodes): string {
  return renderTable('Property', [
    ['Property', 'Value'],
    ['s72', 'l0'],
    ...Object.entries(createProperties(from, codes)),
  ])
}

function renderAccess(): string {
  return renderTable('MsiLockPermissionsEx', [
    ['MsiLockPermissionsEx', 'LockObject', 'Table', 'SDDLText', 'Condition'],
    ['s72', 's72', 's32', 's0', 'S255'],
    ['directory', 'INSTALLDIR', 'CreateFolder', directoryAccess, ''],
  ])
}

/** Renders the summary that Windows reads before the tables: the processor, the codes, and fixed times. */
function renderSummary(from: WindowsPackage, { packageCode }: MsiCodes): string {
  const moment = from.time.toISOString().replaceAll('-', '/').replace('T', ' ').slice(0, 19)
  const processor = processors[from.target]
  if (processor === undefined) throw new Error(`there is no MSI for ${from.target}`)
  return renderTable('_SummaryInformation', [
    ['PropertyId', 'Value'],
    ['i2', 'l255'],
    ['1', String(toCodepage(from))],
    ['4', from.publisher],
    ['7', `${processor};1033`],
    ['9', `{${packageCode}}`],
    ['12', moment],
    ['13', moment],
  ])
}

/** Windows Installer's names of processors. */
const processors: Readonly<Record<string, string>> = { 'win32-x64': 'x64', 'win32-arm64': 'Arm64' }

/** Renders the text form of a table: names, types, the table's name with its key, rows. */
function renderTable(name: string, [names = [], types = [], ...rows]: readonly (readonly string[])[]): string {
  return [names, types, [name, names[0]], ...rows].map((row) => `${row.join('\t')}\r\n`).join('')
}
