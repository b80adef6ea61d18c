import { basename, dirname, relative, resolve, sep } from 'node:path'
import { type LogFile, standardInput } from './list-logs.ts'

/**
 * Names machines by the part of the path that tells files apart: in `logs/HOST/aws.log` the folder, in `logs/HOST.log` the file. The
 * folder gives the name if the file has the name of a helper, shares its name with a file in another folder, or is alone in a folder
 * below the directory that was named. A folder named after a date is not a machine's.
 * @param helpers The names of helpers, which are not names of machines.
 */
export function createMachineNames(files: readonly LogFile[], helpers: ReadonlySet<string>): NameMachine {
  const foldersOf = Map.groupBy(files, ({ path }) => toStem(path))
  const filesIn = Map.groupBy(files, toFolder)
  const isInSeveral = (stem: string) => new Set(foldersOf.get(stem)?.map(toFolder)).size > 1
  const isAlone = (file: LogFile) =>
    file.below !== undefined && resolve(file.below) !== toFolder(file) && filesIn.get(toFolder(file))?.length === 1
  return (file) => {
    if (file.path === standardInput) return 'standard input'
    const stem = toStem(file.path)
    const isFolders = helpers.has(stem) || isInSeveral(stem) || isAlone(file)
    return (isFolders && findFolderName(file, helpers.has(stem) ? 'helper' : 'machine')) || stem
  }
}

/** Gives a log the name of its machine, if its records do not state it. */
type NameMachine = (file: LogFile) => string

function toFolder({ path }: LogFile): string {
  return dirname(resolve(path))
}

/**
 * Finds the innermost folder that is not named after a date: below the directory that was named or, if the file lies in that directory
 * itself, above. Files of one name in the folders of several days belong to one machine, which has their name.
 */
function findFolderName({ path, below }: LogFile, namedAfter: 'helper' | 'machine'): string | undefined {
  const inside = below === undefined ? [] : relative(below, dirname(path)).split(sep).filter(Boolean)
  const names =
    inside.every(isDay) && (inside.length === 0 || namedAfter === 'helper') ? resolve(dirname(path)).split(sep) : inside
  return names.findLast((name) => name !== '' && !isDay(name))
}

/** The additions to a file's name from rotation, compression and the kind of file. */
const additions = /(?:\.(?:log|json|jsonl|ndjson|xml|txt|gz|\d{1,4})|-\d{8}(?:\d{2}){0,3})+$/i

function toStem(path: string): string {
  const name = basename(path)
  return name.replace(additions, '') || name
}

function isDay(name: string): boolean {
  return /^\d{4}-?\d\d(?:-?\d\d)?$/.test(name)
}
