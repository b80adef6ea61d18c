/**
 * Makes every empty file in a cabinet repeat the first one: its entry names the same bytes, which the cabinet holds once. Windows Installer
 * reads such cabinets; WiX makes them of files that are alike.
 */
export function expandEmptyFiles(cabinet: Buffer): Buffer {
  if (cabinet.toString('latin1', 0, 4) !== 'MSCF') throw new Error('this is no cabinet')
  const expanded = Buffer.from(cabinet)
  const [first, ...others] = listEntries(expanded)
  for (const start of others.filter((at) => expanded.readUInt32LE(at + entry.bytes) === 0))
    expanded.copy(expanded, start, first, first! + entry.folder + 2)
  return expanded
}

/** The fields of one file's entry in a cabinet, as [MS-CAB] section 2.4 counts them; its name follows, and a zero. */
const entry = { bytes: 0, offset: 4, folder: 8, name: 16 } as const

/** Lists the offset of each entry, found from two fields of the header: the offset of the first entry, and the number of entries. */
function listEntries(cabinet: Buffer): number[] {
  const starts: number[] = []
  let start = cabinet.readUInt32LE(16)
  for (let count = cabinet.readUInt16LE(28); count > 0; count--) {
    starts.push(start)
    start = cabinet.indexOf(0, start + entry.name) + 1
  }
  return starts
}
